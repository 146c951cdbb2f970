import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { connect } from '../../cli/target.ts';
import { refusedPlace } from '../../lib/webhooks/requests/request-record.ts';
import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';
import { fillPlaces, findDifferences } from '../../scripts/cost/places.ts';
import { deployerActions } from '../../scripts/policy/deployer-statements.ts';
import { printPolicy, toPolicies } from '../../scripts/policy/policies.ts';
import { useCommandLine } from '../support/a-command-line.ts';
import { type RecordedCall, startRecordingProxy } from '../support/a-recording-proxy.ts';
import { aRequestRecord } from '../support/a-request-record.ts';
import { aLease, anExecutionEnd, anExecutionStart } from '../support/a-start.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';
import { projectRoot } from '../support/run-command.ts';
import { useTestDatabases } from '../support/test-database.ts';

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');

const openDatabase = useTestDatabases();
const aCommandLine = useCommandLine();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const { author, operator, deployer } = toPolicies(read('serverless.yml'));

test.each([
  ['docs/operating.md', { 'author-policy': author }],
  ['docs/deploying.md', { 'operator-policy': operator, 'deployer-policy': deployer }],
])('%s has the policies of serverless.yml: `npm run docs:policy` writes them', (path, policies) => {
  const page = read(path);
  const texts = Object.entries(policies).map(([name, policy]) => [name, printPolicy(policy)]);
  expect(findDifferences(page, fillPlaces(page, Object.fromEntries(texts)))).toEqual([]);
});

test.each([
  ['author', author],
  ['operator', operator],
  ['deployer', deployer],
])('the policy for the %s names only the stage, nothing of a template', (_, policy) => {
  expect(JSON.stringify(policy)).not.toMatch(/\$\{|undefined|null/);
});

test('a deployer may create each resource type of serverless.yml, only for this stage', () => {
  const { Resources } = parse(read('serverless.yml'), { merge: true, logLevel: 'silent' }).resources;
  const types = new Set(Object.values<{ Type: string }>(Resources).map(({ Type }) => Type));
  expect([...types].filter((type) => !Object.hasOwn(deployerActions, type))).toEqual([]);
  const everywhere = deployer.Statement.filter(({ Resource }) => Resource === '*');
  expect(
    everywhere
      .flatMap(({ Action }) => Action)
      .map((action) => action.replace(/:.*LogDelivery$|:.*LogDeliveries$/, ':…')),
  ).toEqual([
    'cloudformation:ValidateTemplate',
    ...Array(6).fill(expect.stringMatching(/^lambda:.*(EventSourceMapping|Tags|TagResource)$/)),
    ...Array(8).fill(
      expect.stringMatching(/^logs:(…|DescribeLogGroups|DescribeResourcePolicies|PutResourcePolicy)$/),
    ),
  ]);
  const others = deployer.Statement.filter((statement) => !everywhere.includes(statement));
  for (const { Resource } of others)
    for (const arn of [Resource].flat()) expect(arn).toMatch(/hookloom-STAGE|^arn:aws:apigateway:REGION::/);
});

/** The action of IAM for a call. Scheduler and Lambda name the operation by method and path. */
const toAction = ({ method, path, target }: RecordedCall): string => {
  const [service = '', operation = ''] = target.split('.');
  if (service.startsWith('DynamoDB')) return `dynamodb:${operation}`;
  if (service === 'AWSEvents') return `events:${operation}`;
  if (service === 'AmazonSQS') return `sqs:${operation}`;
  if (path.endsWith('/invocations')) return 'lambda:InvokeFunction';
  if (path.endsWith('/stop')) return 'lambda:StopDurableExecution';
  const verb = { POST: 'Create', PUT: 'Update', DELETE: 'Delete', GET: 'List' }[method];
  return path.startsWith('/schedules/')
    ? `scheduler:${verb}Schedule`
    : `lambda:${verb}EventSourceMapping${verb === 'List' ? 's' : ''}`;
};

test('commands for workflows call every route that the author’s policy allows, and no other', async () => {
  const { call, file, asked } = await aCommandLine();
  const path = file('w.json', aWorkflow());
  for (const command of [
    `workflow put ${path}`,
    'workflow disable greeting',
    'workflow enable greeting',
    'workflow get greeting --version 1',
    'workflow list',
    'workflow history greeting',
    'workflow diff greeting',
    'workflow rollback greeting 2',
    'workflow remove greeting',
  ]) {
    const { code, err } = await call(command);
    expect([command, code === 0 ? '' : err]).toEqual([command, '']);
  }
  const others = ['POST /api/admin/workflows/validate']; // for more files than one request holds
  const routes = author.Statement.filter(({ Action }) => Action === 'execute-api:Invoke')
    .flatMap(({ Resource }) => Resource as readonly string[])
    .map((arn) => new RegExp(`^${(arn.split('API_ID/*/')[1] ?? '').replaceAll('*', '.*')}$`));
  const used = [...new Set([...asked, ...others])].map((one) => one.replace(' ', ''));
  expect(used.filter((one) => !routes.some((route) => route.test(one)))).toEqual([]);
  expect(routes.filter((route) => !used.some((one) => route.test(one)))).toEqual([]);
  const actions = author.Statement.flatMap(({ Action }) => Action);
  expect(actions).toEqual(['cloudformation:DescribeStacks', 'execute-api:Invoke']);
});

test('commands for executions, requests and approvals use everything that the operator’s policy allows, and nothing else', async () => {
  const { endpoint } = await openDatabase();
  const database = await startRecordingProxy(endpoint);
  const lambda = createServer((_request, response) => response.writeHead(202).end('{}'));
  await new Promise<void>((resolve) => lambda.listen(0, '127.0.0.1', resolve));
  const { port } = lambda.address() as AddressInfo;
  const engine = await startRecordingProxy(`http://127.0.0.1:${port}`);
  cleanups.push(database.stop, engine.stop, async () => lambda.close());
  const openTarget = () =>
    connect({ tablePrefix: 'test', dynamodbEndpoint: database.endpoint, engineEndpoint: engine.endpoint });
  const { executions, workflows, requests, close } = openTarget();
  const definition = aWorkflow({
    id: 'orders',
    connections: [],
    nodes: [aTrigger({ path: '/orders', deduplication: 'body.id' })],
  });
  await workflows.put(definition, toPathConfigs(definition));
  const startedAt = Date.parse('2026-11-20T11:59:00.000Z');
  const [{ id: nodeId } = { id: '' }] = definition.nodes;
  const start = { workflowVersion: 1, startedAt, trigger: { nodeId, type: 'webhookTrigger' } };
  await executions.start(anExecutionStart({ ...start, executionId: 'failed' }));
  const failure = { nodeId: 'start', name: 'Error', message: 'it failed' };
  await executions.finish('failed', anExecutionEnd({ status: 'failed', endedAt: startedAt + 1, failure }));
  await executions.start(anExecutionStart({ ...start, executionId: 'running' }));
  await executions.acquireLease('running', aLease({ leaseOwner: 'arn:1' }));
  await requests.put(
    aRequestRecord({ workflowId: 'orders', receivedAt: startedAt, place: refusedPlace(startedAt, 7) }),
  );
  close();
  database.calls.splice(0);

  const { call } = await aCommandLine({ openTarget, hasDatabase: false });
  for (const command of [
    'execution list',
    'execution list --workflow orders --status failed',
    'execution show failed',
    'execution retry failed',
    'execution cancel running',
    'request list orders',
    'request show orders.r20261120T1159-07',
    'request send-again orders.r20261120T1159-07',
    'approval list',
  ]) {
    const { code, err } = await call(command);
    expect([command, code === 0 ? '' : err]).toEqual([command, '']);
  }
  const used = new Set([...database.calls, ...engine.calls].map(toAction));
  const allowed = operator.Statement.flatMap(({ Action }) => Action);
  const onTables = operator.Statement.flatMap(({ Action, Resource }) => {
    const [, table] = /:table\/hookloom-STAGE-([\w-]+)/.exec(String(Resource)) ?? [];
    return table === undefined ? [] : [Action].flat().map((action) => `${action} test-${table}`);
  });
  const calls = database.calls
    .filter(({ table }) => table !== '')
    .map((one) => `${toAction(one)} ${one.table}`);
  expect([...new Set(calls)].filter((one) => !onTables.includes(one))).toEqual([]);
  expect([...used].sort()).toEqual(
    [...new Set(allowed)].filter((action) => !notByOperators.has(action)).sort(),
  );
});

/** Not called here, and why. */
const notByOperators = new Set([
  'execute-api:Invoke', // the admin API
  'cloudformation:DescribeStacks', // finds it
  'dynamodb:DeleteItem', // what could not be handed over
]);
