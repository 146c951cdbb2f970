import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import aws4 from 'aws4';
import { zipSync } from 'fflate';

const root = resolve(import.meta.dirname, '..');
const example = join(root, 'example');

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const aFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'stage-cli-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  return folder;
};

/** Runs the command line; its output so far, and when it has a line that matches. */
const run = (...args: readonly string[]) => {
  const child = spawn(process.execPath, [join(root, 'cli.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      for (const look of waiting) look();
    });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, output }));
  const find = (pattern: RegExp) =>
    new Promise<readonly string[]>((found, reject) => {
      const look = () => {
        const match = pattern.exec(output);
        if (match === null) return;
        waiting.delete(look);
        found(match);
      };
      waiting.add(look);
      look();
      void ended.then(() => reject(new Error(`it ended without ${pattern}:\n${output}`)));
    });
  const stop = async () => {
    child.kill('SIGINT');
    return ended;
  };
  cleanups.push(stop);
  return { find, ended, stop };
};

/** Runs a package, and calls its HTTP API. */
const runStack = async (folder: string, ...args: readonly string[]) => {
  const stage = run('run', folder, '--stack', 'guestbook', '--retry-at-once', ...args);
  const [, accessKeyId = '', secretAccessKey = '', url = ''] = await stage.find(
    /--user (\w+):(\S+) (http:\/\/localhost:\d+)\//,
  );
  const [, control = ''] = await stage.find(/(http:\/\/127\.0\.0\.1:\d+)\/refusals/);
  const call = async (
    path: string,
    { body, isSigned = false }: { body?: string; isSigned?: boolean } = {},
  ) => {
    const method = body === undefined ? 'GET' : 'POST';
    const { host } = new URL(url);
    const signed = aws4.sign(
      { service: 'execute-api', region: 'us-east-1', host, method, path },
      {
        accessKeyId,
        secretAccessKey,
      },
    ).headers as Record<string, string>;
    const { Host: _host, ...headers } = signed;
    const answer = await fetch(`${url}${path}`, {
      method,
      ...(isSigned ? { headers } : {}),
      ...(body === undefined ? {} : { body }),
    });
    return { status: answer.status, body: await answer.text() };
  };
  const readControl = async (name: string) => (await fetch(`${control}/${name}`)).json();
  const fire = async (rule: string) => (await fetch(`${control}/fire/${rule}`, { method: 'POST' })).status;
  return { ...stage, call, readControl, fire };
};

/** A copy of the example, whose template is changed. */
const aChangedExample = (
  change: (resources: Record<string, { Properties: Record<string, unknown> }>) => void,
) => {
  const folder = aFolder();
  cpSync(example, folder, { recursive: true });
  const template = JSON.parse(readFileSync(join(example, 'template.json'), 'utf8'));
  change(template.Resources);
  writeFileSync(join(folder, 'template.json'), JSON.stringify(template));
  return folder;
};

test('the example runs: routes, IAM, a table and its stream', async () => {
  const { call, find, readControl, stop } = await runStack(example);
  expect(await call('/notes', { body: 'Hello' })).toEqual({ status: 201, body: 'stored\n' });
  await find(/a new note: Hello/);
  expect(await call('/notes')).toMatchObject({ status: 403 });
  expect(await call('/notes', { isSigned: true })).toEqual({ status: 200, body: '["Hello"]' });
  expect(await readControl('refusals')).toMatchObject([{ principal: 'anonymous', action: null }]);
  const used = (await readControl('grants')) as { action: string; used: boolean }[];
  expect(used).toContainEqual(expect.objectContaining({ action: 'dynamodb:Scan', used: true }));
  expect((await stop()).code).toBe(0);
});

test('what its role does not allow is refused, and said', async () => {
  const folder = aChangedExample(({ NotesRole }) => {
    const policies = (NotesRole?.Properties.Policies ?? []) as {
      PolicyDocument: { Statement: { Action: unknown }[] };
    }[];
    const [statement] = policies[0]?.PolicyDocument.Statement ?? [];
    if (statement !== undefined) statement.Action = 'dynamodb:Scan';
  });
  const { call, find } = await runStack(folder);
  expect(await call('/notes', { body: 'Hello' })).toMatchObject({ status: 500 });
  await find(/refused: .*guestbook-notes dynamodb:PutItem arn:aws:dynamodb:.*table\/guestbook-notes/);
});

test('a scheduled rule fires on demand, with code from zips', async () => {
  const changed = aChangedExample((resources) => {
    const target = { 'Fn::GetAtt': ['AnnounceFunction', 'Arn'] };
    Object.assign(resources, {
      Nightly: {
        Type: 'AWS::Events::Rule',
        Properties: {
          ScheduleExpression: 'cron(0 3 * * ? *)',
          Targets: [{ Id: 'announce', Arn: target, Input: '{"Records":[]}' }],
        },
      },
      NightlyPermission: {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          FunctionName: target,
          Action: 'lambda:InvokeFunction',
          Principal: 'events.amazonaws.com',
          SourceArn: { 'Fn::GetAtt': ['Nightly', 'Arn'] },
        },
      },
    });
  });
  const folder = aFolder();
  cpSync(join(changed, 'template.json'), join(folder, 'template.json'));
  const code = Buffer.from(
    "exports.handler = async ({ Records }) => console.log('records:', Records.length);",
  );
  for (const name of ['notes', 'announce'])
    writeFileSync(join(folder, `${name}.zip`), zipSync({ 'index.cjs': code }));
  const { find, fire } = await runStack(folder);
  expect(await fire('Nightly')).toBe(200);
  await find(/records: 0/);
  expect(await fire('Daily')).toBe(400);
});

test.each([
  [['run'], 2, 'Expected: run FOLDER'],
  [['deploy', '.'], 2, 'Expected: run FOLDER'],
  [['run', '.', '--port', 'x'], 2, '--port must be a whole number up to 65535, not x'],
  [['run', '.', '--param', 'x'], 2, '--param must be NAME=VALUE, not x'],
  [['run', '.', '--unknown'], 2, "Unknown option '--unknown'"],
  [['run', '/nowhere/at/all'], 1, 'There is no folder /nowhere/at/all.'],
  [['--help'], 0, 'lambda-stage run FOLDER'],
])('%j ends with %i: %s', async (args, code, message) => {
  const ended = await run(...args).ended;
  expect(ended).toEqual({ code, output: expect.stringContaining(message) });
});

test('a package without a template, or without a zip, is refused', async () => {
  const empty = aFolder();
  expect(await run('run', empty).ended).toEqual({
    code: 1,
    output: `${empty} has neither cloudformation-template-update-stack.json nor template.json.\n`,
  });
  const folder = aFolder();
  cpSync(join(example, 'template.json'), join(folder, 'template.json'));
  mkdirSync(join(folder, 'notes'));
  expect(await run('run', folder).ended).toMatchObject({
    code: 1,
    output: expect.stringMatching(/notes: there is none of .*index\.js/),
  });
});

test('a route with an authorizer that is not here ends the start', async () => {
  const folder = aChangedExample(({ ListRoute }) => {
    if (ListRoute !== undefined) ListRoute.Properties.AuthorizationType = 'JWT';
  });
  expect(await run('run', folder).ended).toEqual({
    code: 1,
    output: 'The route GET /notes: the authorization JWT is not supported.\n',
  });
});
