import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { connect } from '../../cli/target.ts';
import { startSources } from '../../local/sources/start-sources.ts';
import { fillPlaces, findDifferences } from '../../scripts/cost/places.ts';
import { printAuthorPolicy, toAuthorPolicy } from '../../scripts/policy/author-policy.ts';
import { useCommandLine } from '../support/a-command-line.ts';
import { type RecordedCall, startRecordingProxy } from '../support/a-recording-proxy.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { projectRoot } from '../support/run-command.ts';
import { useTestDatabases } from '../support/test-database.ts';

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');

const openDatabase = useTestDatabases();
const aCommandLine = useCommandLine();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

test('the page has the policy of serverless.yml: `npm run docs:policy` writes it', () => {
  const page = read('docs/operating.md');
  const filled = fillPlaces(page, { 'author-policy': printAuthorPolicy(read('serverless.yml')) });
  expect(findDifferences(page, filled)).toEqual([]);
});

test('it names the stage alone, nothing of a template', () => {
  const policy = JSON.stringify(toAuthorPolicy(read('serverless.yml')));
  expect(policy).not.toMatch(/\$\{|undefined|null/);
});

/** The action of IAM for a call. Scheduler and Lambda name the operation by method and path. */
const toAction = ({ method, path, target }: RecordedCall): string => {
  const [service = '', operation = ''] = target.split('.');
  if (service.startsWith('DynamoDB')) return `dynamodb:${operation}`;
  if (service === 'AWSEvents') return `events:${operation}`;
  if (service === 'AmazonSQS') return `sqs:${operation}`;
  const verb = { POST: 'Create', PUT: 'Update', DELETE: 'Delete', GET: 'List' }[method];
  return path.startsWith('/schedules/')
    ? `scheduler:${verb}Schedule`
    : `lambda:${verb}EventSourceMapping${verb === 'List' ? 's' : ''}`;
};

const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:orders';
const schedule = { id: 'clock', type: 'scheduleTrigger', parameters: { rate: '5 minutes' } };
const event = { id: 'event', type: 'eventTrigger', parameters: { pattern: { source: ['aws.s3'] } } };
const queue = { id: 'queue', type: 'queueTrigger', parameters: { queue: QUEUE } };
const open = {
  id: 'open',
  type: 'webhookTrigger',
  parameters: { authentication: 'apiKey' },
  credentialId: 'k',
};

test('commands that put, change, switch and remove workflows do all that it allows, and nothing else', async () => {
  const { endpoint } = await openDatabase();
  const database = await startRecordingProxy(endpoint);
  const sources = await startSources({ file: null, pool: { invoke: async () => ({}) }, log: () => {} });
  const apis = await startRecordingProxy(sources.endpoint);
  cleanups.push(database.stop, apis.stop, sources.stop);
  const openTarget = () =>
    connect({ tablePrefix: 'test', dynamodbEndpoint: database.endpoint, sourcesEndpoint: apis.endpoint });
  const { call, file } = await aCommandLine({ openTarget, hasDatabase: false });
  const run = async (command: string) => {
    const { code, err } = await call(command);
    expect(code === 0 ? '' : err).toBe('');
  };
  const put = (nodes: unknown[]) =>
    run(`workflow put ${file('w.json', { ...aWorkflow({ id: 'w', connections: [] }), nodes })}`);

  const refused = file('refused.json', { ...aWorkflow({ id: 'w', connections: [] }), nodes: [open] });
  expect(await call(`workflow put ${refused}`)).toMatchObject({ code: 1 });
  const before = database.calls.length;
  await run('credential create k --type apiKey');
  database.calls.splice(before); // not a command of those that put workflows
  await put([open, schedule, event, queue]);
  await put([schedule, event, { ...queue, parameters: { queue: QUEUE, batchSize: 5 } }]);
  await run('workflow disable w');
  await run('workflow enable w');
  await run('workflow get w --version 1');
  await run('workflow list');
  await run('workflow remove w');

  const used = new Set([...database.calls, ...apis.calls].map(toAction));
  const allowed = toAuthorPolicy(read('serverless.yml')).Statement.flatMap(({ Action }) => Action);
  expect([...used].sort()).toEqual([...new Set(allowed)].filter((action) => !notSeen.has(action)).sort());
});

/** Not called here, and why. */
const notSeen = new Set([
  'scheduler:UpdateSchedule', // of what a crash has left
  'iam:PassRole', // what AWS checks when a schedule is made
  'lambda:GetFunctionConfiguration', // asks for the account, which is known on this machine
  'lambda:InvokeFunction', // of the sweeper, when executions are held
]);
