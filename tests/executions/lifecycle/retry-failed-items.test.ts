import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createExpressFunction } from '../../../lib/app/express-handler.ts';
import { retryExecution } from '../../../lib/executions/lifecycle/retry-execution.ts';
import { describeExecution } from '../../../lib/executions/record/describe-execution.ts';
import type { ExecutionStore, RetryOptions } from '../../../lib/executions/record/execution-store.ts';
import { resolveExecution } from '../../../lib/workflows/definition/resolve-execution.ts';
import { type AFlow, aBackgroundService, aFlow } from '../../support/a-background-service.ts';
import { cases } from '../../support/deep.ts';
import { openTestStores, useTestDatabases } from '../../support/test-database.ts';

const openDatabase = useTestDatabases();

const each = (parameters: JsonObject = {}, id = 'each') => ({
  id,
  type: 'forEach',
  parameters: { items: '{{ body.items }}', maxConcurrency: 10, onItemFailure: 'continue', ...parameters },
});
const send = (id = 'send', parameters: JsonObject = { item: '{{ item }}' }) => ({
  id,
  type: 'call',
  parameters,
});

/** One call of the outside. */
interface Call {
  readonly name: string;
  readonly key: string;
  readonly given: JsonObject;
}

const modes = ['durable', 'express'] as const;

/** A service whose calls fail for the items in `failing`; `calls` has each, with its idempotency key. */
const aService = async (
  flow: AFlow,
  mode: (typeof modes)[number] = 'durable',
  stores: { readonly spoilt?: ExecutionStore } = {},
) => {
  const failing = new Set<unknown>();
  const calls: Call[] = [];
  let now = 1_800_000_000_000;
  const waits: number[] = [];
  const service = await aBackgroundService({
    ...stores,
    clock: { now: () => now++ },
    call: ({ id, parameters }, _input, { idempotencyKey }) => {
      calls.push({ name: id, key: idempotencyKey, given: parameters });
      const item = parameters.item ?? id;
      if (failing.has(item)) throw new Error(`no ${item}`);
      return { of: id, item };
    },
  });
  const put = (changed: AFlow) => service.put(aFlow({ settings: { execution: mode }, ...changed }));
  await put(flow);
  const run = async (executionId: string) => {
    calls.length = 0;
    waits.length = 0;
    if (mode === 'durable') {
      const { updates } = await service.run(executionId);
      for (const { Type, WaitOptions } of updates)
        if (Type === 'WAIT') waits.push(WaitOptions?.WaitSeconds ?? 0);
    } else
      await createExpressFunction(service.parts)(
        { executionId } as never,
        { awsRequestId: executionId } as never,
      );
    const record = await service.parts.executions.find(executionId);
    if (record === null) throw new Error(`there is no execution ${executionId}`);
    return record;
  };
  const start = async (input: JsonObject) => {
    await service.accept('e-1', { input, mode });
    return run('e-1');
  };
  const retry = async (executionId: string, options: Partial<RetryOptions> = {}) => {
    const started = await retryExecution(
      executionId,
      { from: null, only: 'failedItems', version: 'recorded', ...options },
      {
        ...service.parts,
        ids: service.parts.services.ids,
        clock: service.parts.services.clock,
        dispatcher: { dispatch: async () => {} },
        modeOf: async ({ definition }) => resolveExecution(definition, service.findNodeType),
      },
    );
    return started.executionId;
  };
  const refusalOf = (executionId: string, options: Partial<RetryOptions> = {}) =>
    retry(executionId, options).then(
      () => null,
      ({ parameters }: { parameters: { reason: string } }) => parameters.reason,
    );
  return { service, put, failing, calls, waits, run, start, retry, refusalOf };
};

const items = (count: number) => ({ body: { items: Array.from({ length: count }, (_, at) => at) } });
const namesOf = (calls: readonly Call[]) =>
  calls.map(({ name, given }) => `${name} ${JSON.stringify(given.item)}`);
const keysOf = (calls: readonly Call[]) => calls.map(({ key }) => key).sort();

describe.each(modes)('a retry of failed items, %s', (mode) => {
  const flow = (parameters: JsonObject = {}): AFlow => ({
    nodes: [
      each(parameters),
      send(),
      send('report', { results: '{{ results }}', failures: '{{ failures }}' }),
    ],
    edges: ['start -> each', 'each.each -> send', 'each -> report'],
  });

  test('of a hundred of which one has failed calls for that one, with the same key', async () => {
    const { failing, start, retry, run, calls } = await aService(flow({ onItemFailure: 'fail' }), mode);
    failing.add(37);
    const failed = await start(items(100));
    expect([failed.status, calls.length]).toEqual(['failed', 100]);
    expect(describeExecution(failed)).toMatchObject({ failedItems: 1 });
    failing.clear();
    const retried = await run(await retry('e-1'));
    expect(calls.map(({ name, key }) => [name, key])).toEqual([
      ['send', 'e-1/each/0/37/send/0'],
      ['report', 'e-1/report/0'],
    ]);
    expect([retried.status, describeExecution(retried).failedItems]).toEqual(['succeeded', 0]);
    expect(calls[1]?.given.results).toHaveLength(100);
  });

  test('of an execution that has succeeded repeats what follows, with the new results and a new key', async () => {
    const { failing, start, retry, run, calls } = await aService(flow(), mode);
    failing.add(1);
    const first = await start(items(3));
    expect([first.status, describeExecution(first).failedItems]).toEqual(['succeeded', 1]);
    expect(first.nodes.find(({ nodeId }) => nodeId === 'each')?.failedItems).toEqual({
      count: 1,
      indexes: [1],
    });
    failing.clear();
    const retryId = await retry('e-1');
    await run(retryId);
    expect(calls).toEqual([
      { name: 'send', key: 'e-1/each/0/1/send/0', given: { item: 1 } },
      {
        name: 'report',
        key: `${retryId}/report/0`,
        given: { failures: [], results: [0, 1, 2].map((item) => ({ of: 'send', item })) },
      },
    ]);
  });

  test('again repeats the items that have failed again, and what follows only if it is given something else', async () => {
    const { failing, start, retry, run, calls } = await aService(flow(), mode);
    failing.add(1).add(2);
    await start(items(4));
    const second = await retry('e-1');
    const record = await run(second);
    expect(keysOf(calls)).toEqual(['e-1/each/0/1/send/0', 'e-1/each/0/2/send/0']);
    expect(describeExecution(record)).toMatchObject({
      status: 'succeeded',
      failedItems: 2,
      retryOf: { executionId: 'e-1', only: 'failedItems' },
    });
    failing.delete(1);
    const third = await retry(second);
    await run(third);
    expect(keysOf(calls)).toEqual(['e-1/each/0/1/send/0', 'e-1/each/0/2/send/0', `${third}/report/0`].sort());
    failing.clear();
    const fourth = await retry(third);
    await run(fourth);
    expect(keysOf(calls)).toEqual(['e-1/each/0/2/send/0', `${fourth}/report/0`].sort());
  });
});

test('the time, ids and random numbers of failed items are those of the first run', async () => {
  const { failing, start, retry, run, calls } = await aService({
    nodes: [
      each(),
      {
        id: 'mark',
        type: 'set',
        parameters: { values: { at: '{{ $now() }}', id: '{{ $uuid() }}', item: '{{ item }}' } },
      },
      send('send', { item: '{{ item }}', at: '{{ at }}', id: '{{ id }}', now: '{{ $now() }}' }),
    ],
    edges: ['start -> each', 'each.each -> mark', 'mark -> send'],
  });
  failing.add(1);
  await start(items(3));
  const before = calls.find(({ given }) => given.item === 1);
  failing.clear();
  await run(await retry('e-1'));
  expect(calls).toEqual([before]);
});

test('an item keeps the steps that succeeded before the one that failed, and failures that were handled', async () => {
  const { failing, start, retry, run, calls } = await aService({
    nodes: [
      each(),
      send('first', { item: '{{ item }}' }),
      { ...send('maybe', { item: 'maybe' }), settings: { onError: 'continue' } },
      send('last', { item: 'last' }),
    ],
    edges: ['start -> each', 'each.each -> first', 'first -> maybe', 'maybe -> last'],
  });
  failing.add('maybe').add('last');
  await start(items(2));
  failing.clear();
  await run(await retry('e-1'));
  expect(keysOf(calls)).toEqual(['e-1/each/0/0/last/0', 'e-1/each/0/1/last/0']);
});

test('items of nested loops are retried alone, and what follows in their item', async () => {
  const { failing, start, retry, run, calls } = await aService({
    nodes: [
      each({}, 'outer'),
      each({ items: '{{ item }}' }, 'inner'),
      send(),
      send('sum', { item: '{{ $count(failures) }}' }),
    ],
    edges: ['start -> outer', 'outer.each -> inner', 'inner.each -> send', 'inner -> sum'],
  });
  failing.add('d');
  const record = await start({ body: { items: [['a', 'b'], ['c', 'd'], ['e']] } });
  expect(describeExecution(record).failedItems).toBe(1);
  failing.clear();
  const retryId = await retry('e-1');
  await run(retryId);
  expect(keysOf(calls)).toEqual(['e-1/outer/0/1/inner/0/1/send/0', `${retryId}/outer/0/1/sum/0`].sort());
});

test('items of a forEach in a subworkflow are retried alone', async () => {
  const { service, failing, start, retry, run, calls } = await aService({
    nodes: [
      { id: 'sub', type: 'subworkflow', parameters: { workflowId: 'other' } },
      send('after', { item: '{{ results }}' }),
    ],
    edges: ['start -> sub', 'sub -> after'],
  });
  await service.put(
    aFlow({
      id: 'other',
      trigger: 'manualTrigger',
      nodes: [each(), send()],
      edges: ['start -> each', 'each.each -> send'],
    }),
  );
  failing.add(1);
  await start(items(3));
  failing.clear();
  const retryId = await retry('e-1');
  await run(retryId);
  expect(keysOf(calls)).toEqual([`e-1/sub/0/0/each/0/1/send/0`, `${retryId}/after/0`].sort());
});

test('of a loop of pages, only the failed item of its page runs again', async () => {
  const { failing, start, retry, run, calls } = await aService({
    nodes: [
      { ...send('page', { item: 'page' }), settings: { maxIterations: 5 } },
      each({ items: '{{ [1, 2, 3] }}' }),
      send('send', { item: '{{ item }}' }),
      {
        id: 'count',
        type: 'set',
        parameters: { values: { n: '{{ $exists($nodes.count.n) ? $nodes.count.n + 1 : 1 }}' } },
      },
      { id: 'more', type: 'if', parameters: { condition: '{{ n < 3 }}' } },
      send('done', { item: 'done' }),
    ],
    edges: [
      'start -> page',
      'page -> each',
      'each.each -> send',
      'each -> count',
      'count -> more',
      'more.true -> page',
      'more.false -> done',
    ],
  });
  let seen = 0;
  failing.add(2);
  const record = await start({ body: {} });
  expect(record.status).toBe('succeeded');
  seen = calls.filter(({ name }) => name === 'send').length;
  expect(seen).toBe(9);
  failing.clear();
  await run(await retry('e-1'));
  expect(keysOf(calls)).toEqual(['e-1/each/0/1/send/0', 'e-1/each/1/1/send/0', 'e-1/each/2/1/send/0']);
});

test('a retry keeps its calls and keys when its process crashes at any point', async () => {
  const { service, failing, start, retry, calls } = await aService({
    nodes: [each({ maxConcurrency: 1 }), send(), send('report', { item: '{{ $count(failures) }}' })],
    edges: ['start -> each', 'each.each -> send', 'each -> report'],
  });
  failing.add(0).add(2);
  await start(items(4));
  failing.clear();
  const retryId = await retry('e-1');
  calls.length = 0;
  let points = 0;
  await service.run(retryId, { saboteur: { isFatal: () => ++points % 3 === 0 } });
  expect(points).toBeGreaterThan(3);
  expect([...new Set(keysOf(calls))]).toEqual(
    ['e-1/each/0/0/send/0', 'e-1/each/0/2/send/0', `${retryId}/report/0`].sort(),
  );
  expect(await service.executions.find(retryId)).toMatchObject({ status: 'succeeded' });
});

describe('is refused', () => {
  const flow: AFlow = { nodes: [each(), send()], edges: ['start -> each', 'each.each -> send'] };

  test('without failed items', async () => {
    const { start, refusalOf } = await aService(flow);
    await start(items(2));
    expect(await refusalOf('e-1')).toBe(
      'no item of a forEach has failed in it: retry it from the start, or from a node',
    );
  });

  test.each([
    [
      'lacks the forEach',
      { nodes: [send()], edges: ['start -> send'] },
      'the current version has no node "each" that runs its failed items',
    ],
    [
      'does more for each item',
      { nodes: [...flow.nodes, send('log')], edges: [...flow.edges, 'send -> log'] },
      'the current version has the new node "log" in the body of "each", which would run for items that have succeeded, too',
    ],
  ])('when the current version %s', async (_what, changed, reason) => {
    const { failing, start, put, refusalOf } = await aService(flow);
    failing.add(1);
    await start(items(2));
    await put(changed);
    expect(await refusalOf('e-1', { version: 'current' })).toBe(reason);
    expect(await refusalOf('e-1')).toBe(null);
  });
});

test('with the current version, failed items run as it says, and the others keep their results', async () => {
  const { failing, start, put, retry, run, calls } = await aService({
    nodes: [each(), send()],
    edges: ['start -> each', 'each.each -> send'],
  });
  failing.add(1);
  await start(items(3));
  await put({
    nodes: [each(), send('send', { item: '{{ "new " & item }}' })],
    edges: ['start -> each', 'each.each -> send'],
  });
  await run(await retry('e-1', { version: 'current' }));
  expect(namesOf(calls)).toEqual(['send "new 1"']);
});

test('what has waited does not wait again, except where it is given something else', async () => {
  const pause = (id: string, seconds: string) => ({ id, type: 'wait', parameters: { seconds } });
  const { failing, start, retry, run, calls, waits } = await aService({
    nodes: [
      each(),
      pause('pause', '{{ 60 + item }}'),
      send('send', { item: '{{ $item }}' }),
      each({ items: '{{ results.item }}' }, 'again'),
      pause('later', '{{ 600 + $item }}'),
    ],
    edges: ['start -> each', 'each.each -> pause', 'pause -> send', 'each -> again', 'again.each -> later'],
  });
  failing.add(1);
  await start(items(3));
  expect(waits.toSorted((a, b) => a - b)).toEqual([60, 61, 62, 600, 602]);
  failing.clear();
  await run(await retry('e-1'));
  expect(keysOf(calls)).toEqual(['e-1/each/0/1/send/0']);
  expect(waits.toSorted((a, b) => a - b)).toEqual([601, 602]);
});

test('in DynamoDB, a durable run keeps what succeeded, and its retry what that one has kept', async () => {
  const { executions } = openTestStores(await openDatabase());
  const { failing, start, retry, run, calls } = await aService(
    {
      nodes: [each(), send(), send('report', { item: '{{ $count(failures) }}' })],
      edges: ['start -> each', 'each.each -> send', 'each -> report'],
    },
    'durable',
    { spoilt: executions },
  );
  failing.add(11).add(12);
  const failed = await start(items(100));
  expect([failed.status, describeExecution(failed).failedItems]).toEqual(['succeeded', 2]);
  failing.delete(11);
  const second = await retry('e-1');
  expect(describeExecution(await run(second)).failedItems).toBe(1);
  expect(keysOf(calls)).toEqual(
    ['e-1/each/0/11/send/0', 'e-1/each/0/12/send/0', `${second}/report/0`].sort(),
  );
  failing.clear();
  const third = await retry(second);
  expect(describeExecution(await run(third))).toMatchObject({ status: 'succeeded', failedItems: 0 });
  expect(keysOf(calls)).toEqual(['e-1/each/0/12/send/0', `${third}/report/0`].sort());
});

const aLoop = fc.record({
  sizes: fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }),
  isNested: fc.boolean(),
  hasFirst: fc.boolean(),
  hasLast: fc.boolean(),
  onItemFailure: fc.constantFrom('continue', 'fail'),
  onInnerFailure: fc.constantFrom('continue', 'fail'),
});

/** Loops one behind the other, with numbers as items, each of which occurs once; the last node is given all results. */
const toLoops = (loops: readonly (typeof aLoop extends fc.Arbitrary<infer Loop> ? Loop : never)[]): AFlow => {
  let next = 0;
  const nodes: AFlow['nodes'][0][] = [];
  const edges: string[] = [];
  loops.forEach(({ sizes, isNested, hasFirst, hasLast, onItemFailure, onInnerFailure }, at) => {
    const lists = sizes.map((size) => Array.from({ length: size + 1 }, () => next++));
    const id = `each${at}`;
    nodes.push(each({ items: isNested ? lists : lists.flat(), onItemFailure }, id));
    edges.push(`${at === 0 ? 'start' : `each${at - 1}`} -> ${id}`);
    let before = `${id}.each`;
    const add = (...added: AFlow['nodes']) => {
      nodes.push(...added);
      edges.push(`${before} -> ${added[0]?.id}`);
      before = added[0]?.id ?? '';
    };
    if (hasFirst) add(send(`first${at}`, { item: '{{ "first of " & $string($item) }}' }));
    if (isNested) {
      add(each({ items: '{{ $item }}', onItemFailure: onInnerFailure }, `inner${at}`));
      nodes.push(send(`send${at}`, { item: '{{ $item }}' }));
      edges.push(`inner${at}.each -> send${at}`);
    } else add(send(`send${at}`, { item: '{{ $item }}' }));
    if (hasLast) add(send(`last${at}`, { item: '{{ "last of " & $string($item) }}', given: '{{ $ }}' }));
  });
  const results = loops.map((_, at) => `$nodes.each${at}.results`);
  nodes.push(send('end', { item: 'end', results: `{{ [${results.join(', ')}] }}` }));
  edges.push(`each${loops.length - 1} -> end`);
  return { nodes, edges };
};

test('whatever items fail: a retry gives what a run without failures gives, and repeats no call that has succeeded', async () => {
  const toText = ({ name, given }: Call) => JSON.stringify([name, given]);
  let retries = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...modes),
      fc.array(aLoop, { minLength: 1, maxLength: 2 }),
      fc.array(
        fc.oneof(
          fc.nat(12),
          fc.nat(12).map((item) => `last of ${item}`),
        ),
        { minLength: 1 },
      ),
      async (mode, loops, failures) => {
        const flow = toLoops(loops);
        const good = await aService(flow, mode);
        await good.start({ body: {} });
        const wanted = good.calls.map(toText).sort();

        const { failing, start, retry, run, calls } = await aService(flow, mode);
        for (const item of failures) failing.add(item);
        const record = await start({ body: {} });
        if (describeExecution(record).failedItems === 0) return;
        retries += 1;
        const [failed, succeeded] = [true, false].map((isFailed) =>
          calls.filter(({ given }) => failing.has(given.item) === isFailed),
        ) as [Call[], Call[]];
        failing.clear();
        const retried = await run(await retry('e-1'));
        expect(retried.status).toBe('succeeded');
        expect(describeExecution(retried).failedItems).toBe(0);
        const all = new Set([...succeeded, ...calls].map(toText));
        expect(wanted.filter((call) => !all.has(call))).toEqual([]);
        const before = new Set(succeeded.map(toText));
        expect(calls.filter((call) => before.has(toText(call)))).toEqual([]);
        for (const { key, ...call } of failed) expect(calls).toContainEqual({ ...call, key });
        const keys = [...succeeded, ...calls].map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
      },
    ),
    { numRuns: cases(25, 1_000) },
  );
  expect(retries).toBeGreaterThan(5);
});
