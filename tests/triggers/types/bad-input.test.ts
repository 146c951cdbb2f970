import { type JsonObject, toEnvelope } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDurableFunction } from '../../../lib/adapters/durable/durable-function.ts';
import { retryExecution } from '../../../lib/executions/lifecycle/retry-execution.ts';
import type { FindReport } from '../../../lib/executions/record/failure-reports.ts';
import { startByHand } from '../../../lib/triggers/start-by-hand.ts';
import type { BackgroundMode } from '../../../lib/workflows/definition/definition.ts';
import { aDurableEngine } from '../../support/a-durable-engine.ts';
import { aMessage } from '../../support/a-queue-trigger.ts';
import { aWorkflowOf } from '../../support/a-registrar.ts';
import { aQueue, aRule, useTriggerServices } from '../../support/a-trigger-service.ts';
import { cases } from '../../support/deep.ts';

const openService = useTriggerServices();
type Service = Awaited<ReturnType<typeof openService>>;

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

const TOO_DEEP = 'it is nested deeper than 104 levels';
const bad: readonly [name: string, text: string, reason: string][] = [
  ...[1_000, 3_000, 5_000, 100_000].map((levels): [string, string, string] => [
    `nested ${levels} deep`,
    nested(levels),
    TOO_DEEP,
  ]),
  ['with a map in each level', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, TOO_DEEP],
  ['with 1e400', '{"total":1e400}', 'it contains a number that is too large'],
  ['with -1e400 in a list', '[-1e400]', 'it contains a number that is too large'],
  ['with __proto__', '{"__proto__":{"admin":true}}', 'it contains a key that is not allowed'],
];

/** A workflow that this trigger starts. */
const aFlow = (trigger: ReturnType<typeof aQueue>, execution: BackgroundMode) =>
  aWorkflowOf([trigger], { settings: { execution, recordData: 'always' } });

const arn = (queue: string) => `arn:aws:sqs:us-east-1:000000000000:${queue}`;

const aBatchOf = (queue: string, bodies: readonly string[], attributes: JsonObject = {}) => ({
  Records: bodies.map((body, at) =>
    aMessage({
      messageId: `m-${at}`,
      body,
      eventSourceARN: arn(queue),
      attributes: { SentTimestamp: '1545082649183', ...attributes },
    }),
  ),
});

/** Runs what was dispatched to the durable function. @returns the failures that were reported to error triggers */
const runDurable = async ({ parts, stores }: Service): Promise<readonly string[]> => {
  const reported: string[] = [];
  const findReport: FindReport =
    async ({ workflowId, status }) =>
    async () => {
      reported.push(`${workflowId} ${status}`);
    };
  const { executions } = await stores.executions.list({ workflowId: 'orders', limit: 100 });
  for (const { executionId } of executions) {
    const createHandler = (client: Parameters<typeof createDurableFunction>[0]['client']) =>
      createDurableFunction({
        ...parts,
        findReport,
        client,
        openCallbackUrls: () => Promise.reject(new Error()) as never,
      });
    await aDurableEngine({ input: { executionId }, createHandler }).run();
  }
  return reported;
};

/** What became of each execution, oldest first. */
const ends = async ({ stores }: Service): Promise<readonly unknown[]> => {
  const { executions } = await stores.executions.list({ workflowId: 'orders', limit: 100 });
  const records = await Promise.all(executions.map(({ executionId }) => stores.executions.find(executionId)));
  return records.map((record) =>
    record?.status === 'failed'
      ? `failed: ${record.failure?.name}: ${record.failure?.message}`
      : record?.status,
  );
};

const refused = (key: string, reason: string): string =>
  `failed: InvalidInput: The event "${key}" can't be run: ${reason}.`;

describe.each(['express', 'durable'] as const)('a bad message, %s', (mode) => {
  test.each(bad)('%s: its execution fails, once, and nothing is repeated', async (_name, text, reason) => {
    const service = await openService();
    await service.put(aFlow(aQueue('orders'), mode));
    expect(await service.dispatch(aBatchOf('orders', [text]))).toEqual({ batchItemFailures: [] });
    if (mode === 'durable') expect(await runDurable(service)).toEqual(['orders failed']);
    expect(await ends(service)).toEqual([refused('m-0', reason)]);
    expect(service.parts.published).toHaveLength(1);
  });
});

describe.each(bad)('a bad message among good ones, %s', (_name, text, reason) => {
  const bodies = ['{"n":1}', text, '{"n":2}'];
  const all = [refused('m-1', reason), 'succeeded', 'succeeded'];

  test('harms no other of its batch', async () => {
    const service = await openService();
    await service.put(aFlow(aQueue('orders'), 'express'));
    expect(await service.dispatch(aBatchOf('orders', bodies))).toEqual({ batchItemFailures: [] });
    expect([...(await ends(service))].sort()).toEqual(all);
  });

  test('does not stop its group of a FIFO queue', async () => {
    const service = await openService();
    await service.put(aFlow(aQueue('orders.fifo'), 'express'));
    const batch = aBatchOf('orders.fifo', bodies, { MessageGroupId: 'a' });
    expect(await service.dispatch(batch)).toEqual({ batchItemFailures: [] });
    expect([...(await ends(service))].sort()).toEqual(all);
  });

  test('is left out of its batch’s execution, and gets its own', async () => {
    const service = await openService();
    await service.put(aFlow(aQueue('orders', { perBatch: true }), 'express'));
    expect(await service.dispatch(aBatchOf('orders', bodies))).toEqual({ batchItemFailures: [] });
    expect([...(await ends(service))].sort()).toEqual([refused('m-1', reason), 'succeeded']);
    const found = await service.records();
    const kept = await Promise.all(
      found.map(({ executionId }) => service.stores.executions.find(executionId)),
    );
    const [{ nodes } = { nodes: [] }] = kept.flatMap((one) => (one?.status === 'succeeded' ? [one] : []));
    expect(nodes[0]?.outputs).toMatchObject({
      main: {
        messages: [
          { id: 'm-0', body: { n: 1 } },
          { id: 'm-2', body: { n: 2 } },
        ],
      },
    });
  });
});

describe('a bad event of a bus', () => {
  test.each(bad)('%s: its execution fails, once', async (_name, text, reason) => {
    const service = await openService();
    await service.put(aFlow(aRule('shop'), 'express'));
    const [registration] = await service.registrations.list();
    if (registration === undefined) throw new Error('nothing is registered');
    const event = { id: 'e-1', source: 'shop', detail: JSON.parse(`{"a":${text}}`) };
    const given = { ...toEnvelope(registration), event };
    expect(await service.dispatch(given)).toEqual({ batchItemFailures: [] });
    expect(await service.dispatch(given)).toEqual({ batchItemFailures: [] });
    expect(await ends(service)).toEqual([refused('e-1', reason)]);
  });
});

test.each(bad)(
  'a start by hand with an input %s is refused, and nothing is stored',
  async (_name, text, reason) => {
    const service = await openService();
    await service.put(aFlow(aQueue('orders'), 'express'));
    const start = { workflowId: 'orders', triggerNodeId: null, key: null, content: '', traceparent: null };
    const input = JSON.parse(`{"a":${text}}`);
    await expect(startByHand({ ...start, input, keepsResult: false }, service.parts)).rejects.toMatchObject({
      code: 'BODY_INVALID',
      parameters: { reason },
    });
    expect(await ends(service)).toEqual([]);
  },
);

test('the start of a failed execution cannot be retried, since its input was not kept', async () => {
  const service = await openService();
  await service.put(aFlow(aQueue('orders'), 'express'));
  await service.dispatch(aBatchOf('orders', ['{"total":1e400}']));
  const [record] = await service.records();
  const parts = { ...service.parts, modeOf: async () => 'express' as const };
  const options = { from: null, version: 'recorded' } as const;
  await expect(retryExecution(record?.executionId ?? '', options, parts)).rejects.toMatchObject({
    code: 'NOT_RETRYABLE',
  });
});

test.each([1_000, 2_000])(
  'an event of the local bus that is nested %i deep starts nothing that stays open',
  async (levels) => {
    const service = await openService();
    await service.put(aFlow(aRule('shop'), 'express'));
    await service.putEvent('shop', { Id: 'e-1', Detail: `{"a":${nested(levels)}}` });
    await service.settled();
    expect(await ends(service)).toEqual([refused('e-1', TOO_DEEP)]);
  },
);

test('any message has one execution, which ends', async () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"a":',
    ',',
    '1e400',
    '-1',
    '"\\u0000"',
    '"x"',
    'null',
    ' ',
  );
  const text = fc.oneof(
    fc.json(),
    fc.array(piece).map((pieces) => pieces.join('')),
    fc
      .tuple(fc.json(), fc.integer({ min: 1, max: 20_000 }))
      .map(([inner, levels]) => '['.repeat(levels) + inner + ']'.repeat(levels)),
    fc.constantFrom(...bad.map(([, given]) => given)),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (bodies, perBatch) => {
        const service = await openService();
        await service.put(aFlow(aQueue('orders', { perBatch }), 'express'));
        expect(await service.dispatch(aBatchOf('orders', bodies))).toEqual({ batchItemFailures: [] });
        const found = await ends(service);
        for (const end of found) expect(end).toMatch(/^(succeeded|failed: InvalidInput: )/);
        if (!perBatch) expect(found).toHaveLength(bodies.length);
      },
    ),
    { numRuns: cases(25, 500) },
  );
});
