import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { listen } from 'lambda-stage/net';
import { verifySignature } from 'lambda-stage/signature';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { anExecutionStart } from '../../../tests/support/a-start.ts';
import { openDoor } from '../../console/serve/door.ts';
import { explainAwsError } from '../command-error.ts';
import { createPassOn } from '../console-commands.ts';
import { createSendBytes, type SendOptions } from '../signed-requests.ts';
import { openTarget } from '../target.ts';

const openCommandLine = useCommandLine();

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const REGION = 'eu-west-1';

const aKey = (accessKeyId: string) => ({ accessKeyId, secretAccessKey: `secret of ${accessKeyId}` });

interface Stage {
  readonly url: string;
  /** The keys that it knows; those that have expired are refused. */
  readonly known: Map<string, { readonly expiresAt?: number }>;
  /** What it let in: `GET /api/admin/workflows?limit=1`. */
  readonly received: string[];
}

/** A gateway that lets in what is signed by keys that it knows. */
const aStage = async (): Promise<Stage> => {
  const known: Stage['known'] = new Map([['AKIAKNOWN', {}]]);
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request);
    const verified = await verifySignature(
      { method, url, headers, body },
      {
        service: 'execute-api',
        region: REGION,
        now: Date.now(),
        findKeys: (id) => {
          const found = known.get(id);
          if (found === undefined) return null;
          const { secretAccessKey } = aKey(id);
          return { secretAccessKey, sessionToken: undefined, expiresAt: found.expiresAt, owner: id };
        },
      },
    );
    if (verified.problem !== null) {
      const message = verified.problem === 'expiredToken' ? verified.message : 'Forbidden';
      response.writeHead(403, { 'content-type': 'application/json', 'apigw-requestid': 'r-1' });
      response.end(JSON.stringify({ message }));
      return;
    }
    received.push(`${method} ${url} ${body}`);
    const type = 'urn:hookloom:problem:workflow-changed';
    response.writeHead(412, { 'content-type': 'application/problem+json', etag: '"7"' });
    response.end(JSON.stringify({ type, detail: 'Changed.', instance: 'r-2' }));
  });
  const port = await listen(server);
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  cleanups.push(() => server.closeAllConnections());
  return { url: `http://127.0.0.1:${port}`, known, received };
};

type ReadCredentials = NonNullable<SendOptions['signing']>['readCredentials'];

/** Sends a request through the door of a stage, as the page does. */
const openThrough = async (url: string, readCredentials: ReadCredentials) => {
  const signing = { region: REGION, readCredentials };
  const sendBytes = createSendBytes({ findUrl: async () => url, signing });
  const door = await openDoor({
    settings: { stage: 'production', isReadOnly: false },
    passOn: createPassOn({ sendBytes }, (error) => explainAwsError(error, { stage: 'production' }, {})),
    cacheFolder: tmpdir(),
    port: 0,
  });
  cleanups.push(door.close);
  const entered = await fetch(door.toAddress(''), { redirect: 'manual' });
  const [cookie = ''] = entered.headers.getSetCookie().map((text) => text.split(';')[0]);
  return async (path: string, init: RequestInit = {}) => {
    const { origin } = new URL(door.toAddress(''));
    const response = await fetch(`${origin}${path}`, {
      ...init,
      headers: { cookie, ...(init.headers as Record<string, string>) },
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
};

const WORKFLOWS = '/api/admin/workflows';

describe('through the door of a stage', () => {
  test('requests are signed, with their query and body, and their problems come back', async () => {
    const { url, received } = await aStage();
    const call = await openThrough(url, () => aKey('AKIAKNOWN'));
    const headers = { 'if-match': '"6"', 'content-type': 'application/json' };
    const query = "?text=it's%20%2F%20%E2%82%AC&limit=1";
    const answer = await call(`${WORKFLOWS}/a${query}`, { method: 'PUT', headers, body: '{"a":"€"}' });
    expect(answer).toMatchObject({ status: 412, body: { detail: 'Changed.', instance: 'r-2' } });
    expect(answer.headers.get('etag')).toBe('"7"');
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(received).toEqual([`PUT ${WORKFLOWS}/a${query.replace("'", '%27')} {"a":"€"}`]);
  });

  test.each([
    ['keys that AWS does not know', aKey('AKIAOTHER')],
    ['a wrong secret', { ...aKey('AKIAKNOWN'), secretAccessKey: 'wrong' }],
  ])('a request with %s is told as a problem', async (_, keys) => {
    const { url, received } = await aStage();
    const call = await openThrough(url, () => keys);
    expect(await call(`${WORKFLOWS}?limit=1`)).toMatchObject({
      status: 403,
      body: {
        type: 'urn:hookloom:problem:aws-denied',
        detail: expect.stringMatching(
          /^AWS denies execute-api:Invoke on GET \/api\/admin\/workflows to these credentials\. .* AWS said: Forbidden$/,
        ),
        instance: 'r-1',
      },
    });
    expect(received).toEqual([]);
  });

  test('credentials that have expired are read again, once', async () => {
    const { url, known, received } = await aStage();
    known.set('AKIAOLD', { expiresAt: 1 });
    const asked: boolean[] = [];
    const call = await openThrough(url, (isAgain) => {
      asked.push(isAgain);
      return aKey(isAgain ? 'AKIAKNOWN' : 'AKIAOLD');
    });
    expect(await call(WORKFLOWS)).toMatchObject({ status: 412 });
    expect([asked, received.length]).toEqual([[false, true], 1]);
  });

  test('credentials that are still expired are told as a problem', async () => {
    const { url, known } = await aStage();
    known.set('AKIAOLD', { expiresAt: 1 });
    const call = await openThrough(url, () => aKey('AKIAOLD'));
    expect(await call(WORKFLOWS)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('The AWS credentials have expired. Log in again') },
    });
  });

  test('missing credentials are told as a problem', async () => {
    const call = await openThrough('http://127.0.0.1:1', () => {
      throw Object.assign(new Error('Could not load credentials from any providers'), {
        name: 'CredentialsProviderError',
      });
    });
    expect(await call(WORKFLOWS)).toMatchObject({
      status: 502,
      body: { detail: expect.stringContaining('No AWS credentials were found.') },
    });
  });
});

test('the file of a profile is read again when its credentials have expired', async () => {
  const { url, known, received } = await aStage();
  known.set('AKIAOLD', { expiresAt: 1 });
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-profile-'));
  const file = join(folder, 'credentials');
  const write = (id: string) =>
    writeFileSync(
      file,
      `[staff]\naws_access_key_id=${id}\naws_secret_access_key=${aKey(id).secretAccessKey}\n`,
    );
  const before = { ...process.env };
  cleanups.push(() => {
    process.env = before;
    rmSync(folder, { recursive: true });
  });
  Object.assign(process.env, { AWS_SHARED_CREDENTIALS_FILE: file, AWS_CONFIG_FILE: '/nonexistent' });
  delete process.env.AWS_ACCESS_KEY_ID;
  write('AKIAOLD');
  const target = await openTarget({ stage: 'production', region: REGION, profile: 'staff', url });
  await expect(target.api.call('GET', WORKFLOWS)).rejects.toThrow('AWS denies');
  write('AKIAKNOWN');
  await expect(target.api.call('GET', WORKFLOWS)).rejects.toThrow('Changed.');
  expect(received).toEqual([`GET ${WORKFLOWS} `]);
});

describe('the command line', () => {
  test('names the console of the local service, and opens it unless told not to', async () => {
    const { call, browsed } = await openCommandLine({ hasDatabase: false });
    const address = 'http://localhost:3000/console';
    expect(await call('console')).toEqual({ code: 0, out: address, err: '' });
    expect(await call('console --no-browser')).toEqual({ code: 0, out: address, err: '' });
    expect(browsed).toEqual([address]);
  });

  test('names the page of an execution or a workflow', async () => {
    const { call, stores } = await openCommandLine();
    await stores.executions.start(anExecutionStart({ startedAt: Date.parse('2026-11-20T11:59:00.000Z') }));
    const { executionId } = anExecutionStart();
    expect(await call(`open ${executionId} --no-browser`)).toEqual({
      code: 0,
      out: `http://localhost:3000/console/executions/${executionId}`,
      err: '',
    });
    expect(await call('open none')).toEqual({
      code: 1,
      out: '',
      err: 'There is no execution and no workflow none.',
    });
  });

  test.each(['--read-only', '--port 1234'])('takes %s only for a stage', async (option) => {
    const { call } = await openCommandLine({ hasDatabase: false });
    expect(await call(`console ${option}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--read-only and --port are for a stage: add --stage NAME.'),
    });
  });

  test('takes only ports', async () => {
    const { call } = await openCommandLine({ hasDatabase: false });
    expect(await call('console --port 70000 --stage dev')).toMatchObject({
      code: 2,
      err: expect.stringContaining('"70000" is not a port'),
    });
  });

  test('serves the console of a stage until it is interrupted', async () => {
    const { call, browsed } = await openCommandLine({ hasDatabase: false, isStage: true });
    const { code, out, err } = await call('console --stage production --read-only');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/console\?token=[\w-]{43}$/),
    ]);
    expect(err).toContain('The console of production, read-only.');
    expect(browsed).toEqual([out]);
    await expect(fetch(out)).rejects.toThrow('fetch failed');
  });
});
