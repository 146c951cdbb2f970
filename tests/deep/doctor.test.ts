import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { TABLES } from '../../lib/health/tables.ts';
import { readFunctionKeys } from '../../packages/cli/doctor/check-functions.ts';
import { fillPlaces, findDifferences } from '../../scripts/cost/places.ts';
import { doctorStatements } from '../../scripts/policy/doctor-policy.ts';
import { printPolicy, toPolicies } from '../../scripts/policy/policies.ts';
import { useDenials, useDoctors, useSilentServices } from '../support/a-doctor.ts';
import { type RecordedCall, startRecordingProxy } from '../support/a-recording-proxy.ts';
import { projectRoot } from '../support/run-command.ts';

const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
const openDoctor = useDoctors();
const aDenial = useDenials();
const aSilentService = useSilentServices();

const ROLE = 'arn:aws:sts::123456789012:assumed-role/hookloom-test-webhook/hookloom-test-webhook';
const TABLE = 'arn:aws:dynamodb:eu-west-1:123456789012:table/test-workflows';

test('a healthy service: every line is ok or does not apply, and no probe data is left', async () => {
  const { doctor, leftovers } = await openDoctor();
  const { code, out, err } = await doctor();
  const lines = out.split('\n').map((line) => line.replace(/ +/g, ' '));
  const isProbe = (line: string): boolean => line.startsWith('ok probes: ');
  expect(lines.filter((line) => !isProbe(line))).toEqual([
    `ok functions: all ${readFunctionKeys().length} functions answer, version ${version}`,
    'ok clocks: this machine, AWS and the functions agree on the time',
    `ok tables: all ${Object.keys(TABLES).length} tables have their keys and indexes`,
    'skipped tables: expiry and backups: this DynamoDB has none',
    'ok stored data: this release reads its schema versions',
    'ok accepted executions: none is waiting to start',
    'ok dead letters: the queue of triggers is empty',
    'skipped quotas: this machine has none',
  ]);
  expect(lines.filter(isProbe).sort()).toEqual([
    'ok probes: blob: a request was written to the bucket and read from there',
    'ok probes: callback: an answer resumed the run',
    expect.stringMatching(/^ok probes: durable: a run started/),
    'ok probes: express: a background run started and ended',
    'ok probes: queue: a message started a run',
    'ok probes: schedule: a schedule started a run',
    'ok probes: synchronous: a request ran its workflow and got the response',
  ]);
  expect([code, err]).toEqual([0, '']);
  expect(await leftovers()).toEqual([]);
});

test('finds a table that a function may not read, from the error in its log', async () => {
  const denied = await aDenial(ROLE, 'dynamodb:GetItem', TABLE);
  const { findings, leftovers } = await openDoctor({
    environment: { webhook: { DYNAMODB_ENDPOINT: denied } },
  });
  const { code, lines } = await findings();
  expect(code).toBe(1);
  expect(lines.find(({ message }) => message.startsWith('synchronous'))).toEqual({
    check: 'probes',
    status: 'wrong',
    message: expect.stringContaining(`webhook is not allowed dynamodb:GetItem on ${TABLE}`),
    remedy: expect.stringContaining('iamRoleStatements'),
  });
  expect(await leftovers()).toEqual([]);
});

test('finds a function that another may not invoke', async () => {
  const resource = 'arn:aws:lambda:eu-west-1:123456789012:function:test-runExpress';
  const denied = await aDenial(ROLE, 'lambda:InvokeFunction', resource);
  const { findings } = await openDoctor({ environment: { webhook: { AWS_ENDPOINT_URL_LAMBDA: denied } } });
  const { code, lines } = await findings();
  expect(code).toBe(1);
  expect(lines.find(({ message }) => message.startsWith('express'))?.message).toContain(
    `webhook is not allowed lambda:InvokeFunction on ${resource}`,
  );
});

test('finds a table that the function for background runs may not write', async () => {
  const denied = await aDenial(ROLE, 'dynamodb:UpdateItem', TABLE);
  const { findings } = await openDoctor({ environment: { runExpress: { DYNAMODB_ENDPOINT: denied } } });
  const { code, lines } = await findings();
  expect(code).toBe(1);
  expect(lines.map(({ message }) => message).join('\n')).toContain(
    `runExpress is not allowed dynamodb:UpdateItem on ${TABLE}`,
  );
});

test('finds a table that the function for durable runs may not write, by what its invocation failed with', async () => {
  const denied = await aDenial(ROLE, 'dynamodb:UpdateItem', TABLE);
  const { findings } = await openDoctor({ environment: { runDurable: { DYNAMODB_ENDPOINT: denied } } });
  const { code, lines } = await findings();
  expect(code).toBe(1);
  expect(lines).toEqual([
    {
      check: 'probes',
      status: 'wrong',
      message: expect.stringContaining(`runDurable is not allowed dynamodb:UpdateItem on ${TABLE}`),
      remedy: expect.stringContaining('iamRoleStatements'),
    },
  ]);
});

test('checks that depend on a function that does not start are skipped without waiting', async () => {
  const { doctor } = await openDoctor({ missing: { runExpress: ['BLOB_BUCKET'] } });
  const { code, out } = await doctor();
  expect(code).toBe(1);
  const lines = out.split('\n').map((line) => line.replace(/ +/g, ' '));
  expect(lines.filter((line) => !line.startsWith('ok'))).toEqual(
    expect.arrayContaining([
      'wrong functions: runExpress does not start: The configuration is invalid: BLOB_BUCKET is not set.',
      'skipped probes: express: runExpress does not start',
      'skipped probes: schedule: runExpress does not start',
      'skipped probes: queue: runExpress does not start',
    ]),
  );
  const others = lines.flatMap((line) => /^ok probes: (\w+)/.exec(line)?.[1] ?? []);
  expect(others.sort()).toEqual(['blob', 'callback', 'durable', 'synchronous']);
});

test('--timeout bounds the wait: unfinished checks are reported as unknown, and nothing is left', async () => {
  const silent = await aSilentService();
  const { doctor, leftovers } = await openDoctor({
    environment: { runDurable: { DYNAMODB_ENDPOINT: silent } },
  });
  const { code, out } = await doctor('--timeout 20');
  expect(code).toBe(2);
  expect(out).toMatch(/unknown +probes: durable: unknown after the 20 s of --timeout/);
  expect(await leftovers()).toEqual([]);
});

test('removes what an earlier check left behind, but not the data of a concurrent one', async () => {
  const { doctor, stores, dynamodbEndpoint } = await openDoctor();
  const { workflows } = stores;
  const client = createJsonClient({ region: 'local', endpoint: dynamodbEndpoint });
  const anHourAgo = { now: () => Date.now() - 3_600_000 };
  const before = createWorkflowStore(client, tableNames('test'), anHourAgo);
  const put = (store: typeof before, id: string) =>
    store.put({ id, name: 'Probe', enabled: false, nodes: [], connections: [] }, []);
  await put(before, 'hookloom-doctor-old-express');
  await put(before, 'orders');
  await put(workflows, 'hookloom-doctor-other-express');
  await doctor();
  expect((await workflows.list()).map(({ id }) => id)).toEqual(['hookloom-doctor-other-express', 'orders']);
});

/** The action of IAM for a call. */
const toAction = ({ method, path, target }: RecordedCall): string => {
  if (path.startsWith('/api/admin/')) return `${method}${path.split('?')[0]}`;
  const [service = '', operation = ''] = target.split('.');
  if (service.startsWith('DynamoDB')) return `dynamodb:${operation}`;
  if (service === 'AmazonSQS') return `sqs:${operation}`;
  if (path.includes('/invocations')) return 'lambda:InvokeFunction';
  if (path.includes('/durable-executions/'))
    return `lambda:GetDurableExecution${path.includes('/history') ? 'History' : ''}`;
  return `${method} ${path}`;
};

test('its policy in docs/operating.md allows every call that it makes', async () => {
  const page = readFileSync(join(projectRoot, 'docs/operating.md'), 'utf8');
  const { doctor } = toPolicies(readFileSync(join(projectRoot, 'serverless.yml'), 'utf8'));
  expect(findDifferences(page, fillPlaces(page, { 'doctor-policy': printPolicy(doctor) }))).toEqual([]);
  const service = await openDoctor();
  const { dynamodbEndpoint, sourcesEndpoint, baseUrl } = service;
  const endpoints = { dynamodbEndpoint, sourcesEndpoint, baseUrl };
  const proxies = await Promise.all(
    Object.entries(endpoints).map(async ([name, url]) => [name, await startRecordingProxy(url)] as const),
  );
  const { code } = await service.findings(
    '',
    Object.fromEntries(proxies.map(([name, { endpoint }]) => [name, endpoint])),
  );
  const calls = new Set(proxies.flatMap(([, proxy]) => proxy.calls).map(toAction));
  for (const [, proxy] of proxies) await proxy.stop();
  const actions = doctorStatements.flatMap(({ Action }) => Action);
  const routes = doctorStatements
    .flatMap(({ Resource }) => Resource)
    .filter((arn) => arn.startsWith('arn:aws:execute-api:'))
    .map((arn) => new RegExp(`^${(arn.split('API_ID/*/')[1] ?? '').replaceAll('*', '.*')}$`));
  const others = [...calls].filter((call) => !call.startsWith('POST /api/webhook'));
  const isAllowed = (call: string) => actions.includes(call) || routes.some((route) => route.test(call));
  expect(code).toBe(0);
  expect(others.filter((call) => !isAllowed(call))).toEqual([]);
  const unused = routes.filter((route) => !others.some((call) => route.test(call)));
  expect(unused.map(String)).toEqual([expect.stringContaining('cancel')]); // all probes have ended
});
