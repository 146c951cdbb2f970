import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openPackage, type Stage, startStage, unpackPackage } from 'lambda-stage';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { SCHEMA_VERSION } from '../../lib/adapters/dynamodb/schema/schema.ts';
import { readStageVersions } from '../../lib/adapters/dynamodb/stored-data/stage-versions.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { toReleasedTemplate, withPackager } from '../../scripts/release/released-template.ts';
import { type Launch, type Launched, REGION, startAwsAccount } from '../support/an-aws-account.ts';
import { type InstalledFolder, installFolder, PROGRAM } from '../support/an-installed-folder.ts';
import { sendJson } from '../support/local-service.ts';
import { projectRoot, runCommand } from '../support/run-command.ts';

const work = mkdtempSync(join(tmpdir(), 'hookloom-deploy-'));
let installed: InstalledFolder;
let account: Awaited<ReturnType<typeof startAwsAccount>>;
let stage: Stage | undefined;

let databaseEndpoint = '';
let failure: Launched | null = null;

/** Runs the stack from the template and the zips that were uploaded. */
const launch = async ({ template, parameters, objects }: Launch): Promise<Launched> => {
  if (failure !== null) return failure;
  const packed = mkdtempSync(join(work, 'packed-'));
  writeFileSync(join(packed, 'template.json'), JSON.stringify(template));
  for (const [key, content] of objects)
    if (key === `${parameters.AssetsPrefix}${basename(key)}` && key.endsWith('.zip'))
      writeFileSync(join(packed, basename(key)), content);
  const unpacked = mkdtempSync(join(work, 'unpacked-'));
  unpackPackage(packed, unpacked);
  stage = await startStage({
    ...openPackage(unpacked),
    parameters,
    stackName: 'hookloom-shop',
    users: () => ({
      owner: [{ Version: '2012-10-17', Statement: { Effect: 'Allow', Action: '*', Resource: '*' } }],
    }),
    onTables: async (_template, { endpoint }) => {
      databaseEndpoint = endpoint;
    },
    buckets: [],
    queues: [],
    tables: [],
    port: 0,
    retryDelaysMs: [10, 20],
    concurrency: 1_000,
    log: () => {},
  });
  return { outputs: { WebhookUrl: `${stage.baseUrl}/api/webhook` }, database: databaseEndpoint };
};

beforeAll(async () => {
  const template = join(work, 'template.json');
  const released = withPackager(projectRoot, (packageWith) => {
    const plain = packageWith(['--stage', 'stage-of-a-launch', '--region', 'us-east-1']);
    return toReleasedTemplate('1.2.3', () => plain); // without what options would add
  });
  writeFileSync(template, JSON.stringify(released));
  installed = await installFolder(work, template);
  await installed.hookloom(['init']);
  await installed.hookloom(['plugin', 'create', 'acme-chat']);
  account = await startAwsAccount(launch, async () => {
    await stage?.requestCustomResources('Delete');
    await stage?.stop();
    stage = undefined;
    return null;
  });
});
afterAll(async () => {
  await stage?.stop();
  await account?.stop();
  rmSync(work, { recursive: true });
});

const deploy = (...args: readonly string[]) =>
  installed.hookloom(['stage', 'deploy', 'shop', '--region', REGION, ...args], account.env);

test('an unknown parameter is refused before anything is built', async () => {
  const { code, stderr } = await deploy('--param', 'Colour=red');
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^Unknown parameter: Colour\. Parameters are: AlarmTopic, /),
  ]);
  expect(account.calls).toEqual([]);
});

test('that AWS can’t be reached is said', async () => {
  const { code, stderr } = await installed.hookloom(['stage', 'deploy', 'shop', '--region', REGION], {
    ...account.env,
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
  });
  expect([code, stderr]).toEqual([1, "AWS can't be reached: connect ECONNREFUSED 127.0.0.1:1\n"]);
});

test('a dry run shows what a launch would make, and leaves no stack', async () => {
  const { code, stdout } = await deploy('--dry-run');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^\+ \d+ × AWS::Lambda::Function$/m)]);
  expect(account.status()).toBe(null);
  expect(account.calls).not.toContain('ExecuteChangeSet');
});

test('the code waits in a bucket of the account, private and only over TLS', () => {
  expect([...account.buckets]).toEqual([`hookloom-assets-000000000000-${REGION}`]);
  expect(account.settings).toEqual([
    expect.stringMatching(/^publicAccessBlock .*<RestrictPublicBuckets>true</),
    expect.stringMatching(/^policy .*"aws:SecureTransport":"false"/),
  ]);
});

test('a launch runs the service with the plugin of the folder, and notes that there is no data of an earlier release', async () => {
  const { code, stdout, stderr } = await deploy('--yes');
  expect({ code, stderr: code === 0 ? '' : stderr, stdout }).toEqual({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining(
      `shop is deployed.\nWebhooks: ${stage?.baseUrl}/api/webhook/WORKFLOW/PATH`,
    ),
  });
  expect(stderr).toMatch(/^0 of \d+ zips stored/m); // the dry run has stored them
  expect(stderr).toMatch(/(\d+) of \1 resources/);
  const client = createJsonClient({ region: REGION, endpoint: databaseEndpoint });
  expect(await readStageVersions(client, tableNames('hookloom-shop'))).toEqual({
    oldest: SCHEMA_VERSION,
    newest: SCHEMA_VERSION,
  });

  const greet = {
    format: 2,
    id: 'greet',
    name: 'Greet',
    nodes: [
      { id: 'request', type: 'webhookTrigger', parameters: { responseMode: 'lastNode' } },
      { id: 'greet', type: 'acmeChatGreet', parameters: { name: '{{ body.name }}' } },
    ],
    connections: [{ sourceNodeId: 'request', targetNodeId: 'greet' }],
  };
  mkdirSync(join(installed.folder, 'flows'));
  writeFileSync(join(installed.folder, 'flows/greet.json'), JSON.stringify(greet));
  const { accessKeyId, secretAccessKey } = (await stage?.door.credentialsOf('owner')) ?? {
    accessKeyId: '',
    secretAccessKey: '',
  };
  const put = await runCommand(
    'node',
    [
      ...(stage?.door.nodeFlags ?? []),
      join(installed.folder, PROGRAM),
      'deploy',
      'flows',
      '--stage',
      'shop',
      '--yes',
    ],
    {
      cwd: installed.folder,
      env: {
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        AWS_SESSION_TOKEN: '',
        AWS_REGION: REGION,
      },
    },
  );
  expect(put).toMatchObject({ code: 0, stdout: expect.stringContaining('greet: version 1') });
  const url = `${stage?.baseUrl}/api/webhook/greet/webhook`;
  expect(await sendJson(url, 'POST', { name: 'Ada' })).toMatchObject({ text: 'Hello, Ada' });
});

test('the same again differs in nothing', async () => {
  expect(await deploy('--yes')).toMatchObject({ code: 0, stdout: 'shop: nothing differs.\n' });
});

test('an upgrade that fails says which resource, and why; with an edited plugin, every function changes', async () => {
  const file = join(installed.folder, 'plugins/acme-chat/index.ts');
  writeFileSync(file, readFileSync(file, 'utf8').replace("'Hello'", "'Good evening'"));
  failure = { failed: 'WebhookLambdaFunction', reason: 'Your account has too many functions (400)' };
  const { code, stdout, stderr } = await deploy('--yes');
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^~ \d+ × AWS::Lambda::Function: Code$/m)]);
  expect(stdout).not.toMatch(/REPLACED|REMOVED|^\+ /m);
  expect(stderr).toContain(
    'shop was not deployed (UPDATE_ROLLBACK_COMPLETE):\n  WebhookLambdaFunction (AWS::Lambda::Function): Your account has too many functions (400)\n',
  );
});

test('a removal unregisters the triggers, removes functions and API, and leaves tables and bucket', async () => {
  const remove = (...args: readonly string[]) =>
    installed.hookloom(['stage', 'remove', 'shop', '--region', REGION, ...args], account.env);
  expect(await remove()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Without a terminal'),
  });
  const { code, stdout } = await remove('--yes');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^- \d+ × AWS::Lambda::Function$/m),
  });
  const lines = stdout.split('\n');
  const removedTypes = lines.filter((line) => line.startsWith('- ')).join('\n');
  expect(removedTypes).not.toMatch(/DynamoDB|S3::Bucket$/m);
  expect(lines.filter((line) => /^stays: hookloom-shop-/.test(line)).length).toBeGreaterThan(10);
  expect(stage).toBeUndefined();
  expect(account.status()).toBe('DELETE_COMPLETE');
});
