import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openExportTraces } from '../../lib/app/compose/traces.ts';
import { readConfig } from '../../lib/app/config.ts';
import { createExportTraces } from '../../lib/app/export-traces.ts';
import { aCollector, valuesOf } from '../support/a-collector.ts';
import { environmentOf } from '../support/function-environment.ts';
import { projectRoot } from '../support/run-command.ts';

const sample = JSON.parse(readFileSync(`${projectRoot}/events/exportTraces.json`, 'utf8'));

const opened: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** A change of the table: by default, an execution that its caller waited for. */
const aRecord = (at: number, changes: object = {}, others: object = {}) => {
  const [first] = sample.Records;
  const NewImage = { ...first.dynamodb.NewImage, executionId: { S: `e-${at}` }, ...changes };
  return { ...first, dynamodb: { ...first.dynamodb, SequenceNumber: String(at), NewImage, ...others } };
};
const nodes = (count: number) => ({
  nodes: {
    S: JSON.stringify(
      Array.from({ length: count }, (_, iteration) => ({
        ...{ nodeId: 'greet', type: 'set', status: 'succeeded', attempts: 1 },
        ...{ iteration, startedAt: 1_763_985_600_000, durationMs: 1 },
      })),
    ),
  },
});

const open = async (answers: Parameters<typeof aCollector>[0] = [], environment: object = {}) => {
  const collector = await aCollector(answers);
  opened.push(collector.close);
  const env = { ...environmentOf('exportTraces'), LOG_LEVEL: 'off', TRACES: collector.url, ...environment };
  const run = createExportTraces(openExportTraces(readConfig(env)));
  return { ...collector, run: (...Records: object[]) => run({ Records }) };
};

const done = { batchItemFailures: [] };

test('executions that have ended are sent, in one request', async () => {
  const { run, received } = await open();
  expect(await run(aRecord(1), aRecord(2))).toEqual(done);
  expect(received).toHaveLength(1);
  expect(received[0]?.spans.map(({ name }) => name)).toEqual([
    ...['workflow hello', 'set greet'],
    ...['workflow hello', 'set greet'],
  ]);
  expect(received[0]?.resource).toMatchObject({
    'service.name': 'hookloom',
    'service.namespace': 'test',
    'deployment.environment.name': 'dev',
    'cloud.provider': 'aws',
  });
});

test('nothing is sent of other changes, of trials, and of traces that are not sampled', async () => {
  const { run, received } = await open([], { TRACE_RATIO: '0' });
  const ended = sample.Records[0].dynamodb.NewImage;
  const records = [
    aRecord(1, { status: { S: 'running' } }),
    aRecord(2, {}, { OldImage: ended }), // such as the end of its completion event
    aRecord(3, { workflowVersion: { N: '0' } }),
    aRecord(4, { traceparent: { S: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00' } }),
    aRecord(5, { traceparent: undefined }),
    { eventName: 'REMOVE', dynamodb: { SequenceNumber: '6', OldImage: ended } },
  ];
  expect(await run(...records)).toEqual(done);
  expect(received).toEqual([]);
});

test('a long execution is sent in several requests, each span once', async () => {
  const { run, received } = await open();
  expect(await run(aRecord(1, nodes(1_100)))).toEqual(done);
  expect(received.map(({ spans }) => spans.length)).toEqual([512, 512, 77]);
  expect(new Set(received.flatMap(({ spans }) => spans.map(({ spanId }) => spanId))).size).toBe(1_101);
});

test('a record that can not be read does not keep others from being sent', async () => {
  const { run, received } = await open();
  expect(await run({ dynamodb: {} }, aRecord(1, { trigger: { S: 'no JSON' } }), aRecord(2))).toEqual(done);
  expect(received[0]?.spans.map(({ attributes }) => valuesOf(attributes)['hookloom.execution.id'])).toEqual([
    ...['e-2', 'e-2'],
  ]);
});

test('a record of a later release fails the batch, which Lambda repeats', async () => {
  const { run } = await open();
  await expect(run(aRecord(1, { schema: { N: '99' } }))).rejects.toMatchObject({
    code: 'DATA_VERSION_UNSUPPORTED',
  });
});

describe('a collector that takes nothing now', () => {
  test('gets everything from the first record that it has not taken, when Lambda repeats it', async () => {
    const collector = await aCollector();
    opened.push(collector.close);
    const config = readConfig({ ...environmentOf('exportTraces'), TRACES: collector.url, LOG_LEVEL: 'off' });
    const answers = [true, false];
    const sent: number[] = [];
    const send = async (spans: readonly object[]) => {
      sent.push(spans.length);
      return answers.shift() ?? true;
    };
    const run = createExportTraces({ ...openExportTraces(config), send });
    const Records = [aRecord(1, nodes(300)), aRecord(2, nodes(300)), aRecord(3), aRecord(4, nodes(600))];
    // The first request ends within the second record, the next one within the fourth.
    expect(await run({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
    expect(sent).toEqual([512, 512]);
    expect(await run({ Records: Records.slice(1) })).toEqual(done);
  });
});

describe('the headers of the collector', () => {
  /** The secret as a file, which stands in for Systems Manager on this machine. */
  const withSecret = async (text: string | null) => {
    const folder = mkdtempSync(join(tmpdir(), 'hookloom-secrets-'));
    opened.push(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'traces'));
    if (text !== null) writeFileSync(join(folder, 'traces/grafana'), text);
    return open([], { SECRETS_FOLDER: folder, TRACE_HEADERS: 'grafana' });
  };

  test('are those of the secret, in the form of OpenTelemetry’s variable', async () => {
    const { run, received } = await withSecret('Authorization=Basic%20QTpC, x-tenant=a=b');
    await run(aRecord(1));
    expect(received[0]?.headers).toMatchObject({ authorization: 'Basic QTpC', 'x-tenant': 'a=b' });
  });

  test.each([
    [null, 'The configuration is invalid: the secret "grafana" of TRACE_HEADERS does not exist.'],
    [
      's3cr3t',
      'The configuration is invalid: the secret "grafana" of TRACE_HEADERS is not name=value,name=value.',
    ],
    [
      'x-key=%zz',
      'The configuration is invalid: the secret "grafana" of TRACE_HEADERS has a value with a % that encodes nothing.',
    ],
  ])('as %j fail the function, which says what is wrong, but not the secret', async (text, message) => {
    const { run, received } = await withSecret(text);
    await expect(run(aRecord(1))).rejects.toThrow(message);
    expect(received).toEqual([]);
  });
});

test('without a collector, the function sends nothing; with something else, it does not start', async () => {
  const env = { ...environmentOf('exportTraces'), LOG_LEVEL: 'off' };
  const run = createExportTraces(openExportTraces(readConfig(env)));
  await expect(run({ Records: [aRecord(1)] })).rejects.toThrow(/TRACES is not set/);
  expect(() => openExportTraces(readConfig({ ...env, TRACES: 'collector' }))).toThrow(/TRACES is not a URL/);
});
