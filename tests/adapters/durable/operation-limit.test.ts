import { describe, expect, test } from '@jest/globals';
import { retryExecution } from '../../../lib/executions/lifecycle/retry-execution.ts';
import { resolveExecution } from '../../../lib/workflows/definition/resolve-execution.ts';
import { type AFlow, aBackgroundService, aFlow } from '../../support/a-background-service.ts';
import { cases } from '../../support/deep.ts';

const call = (id: string, settings = {}) => ({ id, type: 'call', settings });

/** As many calls, one after the other: `n0`, `n1`, … */
const chain = (length: number, settings = {}): AFlow => {
  const ids = Array.from({ length }, (_, index) => `n${index}`);
  return {
    nodes: ids.map((id) => call(id, settings)),
    edges: ids.map((id, index) => `${index === 0 ? 'start' : ids[index - 1]} -> ${id}`),
  };
};

/** @param first - settings of the first node of the body */
const each = (items: number, parameters = {}, first = {}): AFlow => ({
  nodes: [
    {
      id: 'each',
      type: 'forEach',
      parameters: { items: Array.from({ length: items }, (_, index) => index), ...parameters },
    },
    call('one', first),
    call('two'),
    call('after'),
  ],
  edges: ['start -> each', 'each.each -> one', 'one -> two', 'each -> after'],
});

type Service = Awaited<ReturnType<typeof aBackgroundService>>;

const runFlow = async (flow: AFlow, maxOperations?: number, engine = {}) => {
  const service = await aBackgroundService();
  await service.put(aFlow(flow));
  await service.accept();
  const { state, ...run } = await service.run('e-1', {
    ...(maxOperations === undefined ? {} : { maxOperations }),
    ...engine,
  });
  const record = await service.executions.find('e-1');
  return { service, run, record, operations: state.operations.size - 1 };
};

/** In full: the limit that holds without a setting. */
const LIMIT = cases(300, 3_000);

const message = (limit: number) =>
  `the execution needs more than the ${limit} durable operations that are allowed`;

test(`one operation more than ${LIMIT}: the node that needs it fails by name, and nothing is done twice`, async () => {
  const { service, run, record, operations } = await runFlow(chain(LIMIT + 1), cases(LIMIT, undefined));
  expect(record).toMatchObject({
    status: 'failed',
    failure: { nodeId: `n${LIMIT}`, name: 'OperationLimit', message: message(LIMIT) },
  });
  expect(run.status).toBe('succeeded'); // to the engine it is no failure: the record says what failed
  expect(operations).toBe(LIMIT);
  expect(service.called).toHaveLength(LIMIT);
  expect(new Set(service.called).size).toBe(LIMIT);
});

test('exactly as many operations as are allowed do not fail', async () => {
  const { record, operations } = await runFlow(chain(5), 5);
  expect([record?.status, operations]).toEqual(['succeeded', 5]);
});

describe.each(['fail', 'continue', 'route'] as const)('with onError %s', (onError) => {
  test('the run ends at the first node beyond the limit', async () => {
    const { service, record } = await runFlow(chain(7, { onError }), 5);
    expect(record).toMatchObject({ status: 'failed', failure: { nodeId: 'n5', name: 'OperationLimit' } });
    expect(service.called).toHaveLength(5);
    expect(record?.nodes.at(-1)).toMatchObject({ nodeId: 'n5', status: 'failed', attempts: 0 });
  });
});

test('of concurrent nodes the first beyond the limit is named, and the others are aborted', async () => {
  const ids = ['a', 'b', 'c', 'd'];
  const { record } = await runFlow(
    { nodes: ids.map((id) => call(id)), edges: ids.map((id) => `start -> ${id}`) },
    2,
  );
  expect(record?.failure).toMatchObject({ nodeId: 'c', name: 'OperationLimit' });
  expect(record?.nodes.map(({ nodeId, failure }) => `${nodeId} ${failure?.name}`)).toEqual([
    'start undefined',
    'a ExecutionFailed',
    'b ExecutionFailed',
    'c OperationLimit',
    'd OperationLimit',
  ]);
});

test.each([
  [1, 'fail'],
  [3, 'fail'],
  [1, 'continue'],
  [100, 'continue'],
])(
  'the bodies of forEach count, %d at once, also when a failed item is to %s',
  async (maxConcurrency, onItemFailure) => {
    // What is behind a node with an output for its failures need not run: it is not counted in advance.
    const flow = each(10, { maxConcurrency, onItemFailure }, { onError: 'route' });
    const { service, record, operations } = await runFlow(flow, 13);
    expect(record).toMatchObject({ status: 'failed', failure: { name: 'OperationLimit' } });
    expect(['one', 'two']).toContain(record?.failure?.nodeId);
    expect(operations).toBe(13);
    expect(service.called).toHaveLength(13);
    expect(new Set(service.called).size).toBe(13);
    expect(record?.nodes.find(({ nodeId }) => nodeId === 'each')).toMatchObject({ status: 'failed' });
  },
);

describe('bodies that need more operations than are left fail before the first of them', () => {
  const refusal = (items: number, needed: number, left: number, limit: number) => ({
    nodeId: 'each',
    name: 'OperationLimit',
    message: `the ${items} items of this node need at least ${needed} durable operations, but the execution has only ${left} of ${limit} left`,
  });

  test.each(['fail', 'continue', 'route'] as const)(
    'with both numbers, whatever onError is: %s',
    async (onError) => {
      const { nodes, edges } = each(10);
      const [loop, ...others] = nodes;
      const { service, record } = await runFlow(
        { nodes: [{ id: 'each', type: 'forEach', ...loop, settings: { onError } }, ...others], edges },
        19,
      );
      expect(service.called).toEqual([]);
      expect(record).toMatchObject({ status: 'failed', failure: refusal(10, 20, 19, 19) });
    },
  );

  test('at the limit of the engine itself', async () => {
    const { service, record } = await runFlow(each(1_501));
    expect(service.called).toEqual([]);
    expect(record).toMatchObject({ status: 'failed', failure: refusal(1_501, 3_002, 3_000, 3_000) });
  });

  test('and run when exactly enough are left', async () => {
    const { service, record } = await runFlow(each(10), 21);
    expect(record).toMatchObject({ status: 'succeeded' });
    expect(service.called).toHaveLength(21);
  });

  test('nodes before the loop count; concurrent ones do not, since a replay may be faster', async () => {
    const { nodes, edges } = each(3);
    const flow = {
      nodes: [call('first'), ...nodes, call('beside')],
      edges: ['start -> first', 'first -> each', ...edges.slice(1), 'start -> beside'],
    };
    expect((await runFlow(flow, 6)).record?.failure).toEqual(expect.objectContaining(refusal(3, 6, 5, 6)));
    const { service, record } = await runFlow(flow, 7);
    expect(service.called.length).toBe(7);
    expect(record?.failure).toMatchObject({ name: 'OperationLimit', message: message(7) });
  });

  test('of a body only what must run counts: not disabled or pure nodes, or those on one of several outputs', async () => {
    const flow: AFlow = {
      nodes: [
        ...each(4).nodes.slice(0, 1),
        { id: 'off', type: 'call', disabled: true },
        { id: 'shape', type: 'set', parameters: { values: { a: 1 } } },
        { id: 'pause', type: 'wait', parameters: { seconds: 1 } },
        { id: 'choose', type: 'if', parameters: { condition: '{{ 1 = 2 }}' } },
        call('rare'),
        call('after'),
      ],
      edges: [
        'start -> each',
        'each.each -> off',
        'off -> shape',
        'shape -> pause',
        'pause -> choose',
        'choose.true -> rare',
        'each -> after',
      ],
    };
    expect((await runFlow(flow, 3)).record?.failure).toEqual(expect.objectContaining(refusal(4, 4, 3, 3)));
    const { service, record } = await runFlow(flow, 5);
    expect([record?.status, service.called]).toEqual(['succeeded', ['after/0']]);
  });

  test('the count is the same in a replay after a wait in each body', async () => {
    const { nodes, edges } = each(3, { maxConcurrency: 3 });
    const flow: AFlow = {
      nodes: [...nodes, { id: 'pause', type: 'wait', parameters: { seconds: 60 } }, call('beside')],
      edges: [
        ...edges.filter((edge) => edge !== 'one -> two'),
        'one -> pause',
        'pause -> two',
        'start -> beside',
      ],
    };
    const { run, record, service } = await runFlow(flow, 11);
    expect(run.invocations).toBeGreaterThan(1);
    expect(record).toMatchObject({ status: 'succeeded' });
    expect(new Set(service.called).size).toBe(service.called.length);
  });

  test('checkpoints that a retry takes over do not count', async () => {
    const { service } = await runFlow(each(4), 8);
    expect(await service.executions.find('e-1')).toMatchObject({ failure: { nodeId: 'after' } });
    const { state } = await retryFrom(service, 'after', 5);
    expect(state.operations.size - 1).toBe(1);
    expect(await service.executions.find('e-2')).toMatchObject({ status: 'succeeded' });
  });

  test('more items than node runs allowed are refused, with both numbers', async () => {
    const service = await aBackgroundService();
    await service.put({ ...aFlow(each(10)), settings: { execution: 'durable', maxNodeRuns: 9 } });
    await service.accept();
    await service.run('e-1');
    expect(service.called).toEqual([]);
    expect((await service.executions.find('e-1'))?.failure).toMatchObject({
      nodeId: 'each',
      message: '10 items are more than the 9 nodes that may run',
    });
  });
});

test('a wait counts', async () => {
  const pause = (id: string) => ({
    id,
    type: 'wait',
    parameters: { seconds: 60 },
    settings: { onError: 'continue' as const },
  });
  const { record } = await runFlow(
    {
      nodes: [pause('first'), pause('second'), call('last')],
      edges: ['start -> first', 'first -> second', 'second -> last'],
    },
    1,
  );
  expect(record?.failure).toMatchObject({ nodeId: 'second', name: 'OperationLimit' });
});

test.each([
  [0, []],
  [1, []],
  [2, []],
  [3, ['tell']],
  [4, ['tell', 'ship']],
])('an approval takes two operations: with %d of them, the effects are %j', async (limit, done) => {
  const flow: AFlow = {
    nodes: [{ id: 'ask', type: 'approval', parameters: { timeoutSeconds: 600 } }, call('tell'), call('ship')],
    edges: ['start -> ask', 'ask.requested -> tell', 'ask.approved -> ship'],
  };
  const { service, record } = await runFlow(flow, limit, { answer: () => ({ decision: 'approve' }) });
  expect(service.called.map((name) => name.split('/').at(-2))).toEqual(done);
  const at = ['ask', 'ask', 'tell', 'ship', undefined][limit];
  expect(record?.failure?.nodeId).toBe(at);
});

test('a subworkflow counts with all its operations', async () => {
  const service = await aBackgroundService();
  await service.put(aFlow({ ...chain(3), id: 'other', trigger: 'manualTrigger' }));
  await service.put(
    aFlow({
      nodes: [
        {
          id: 'sub',
          type: 'subworkflow',
          parameters: { workflowId: 'other' },
          settings: { onError: 'route' },
        },
        call('after'),
      ],
      edges: ['start -> sub', 'sub.error -> after'],
    }),
  );
  await service.accept();
  await service.run('e-1', { maxOperations: 3 }); // its version, and two nodes
  expect(service.called).toEqual(['sub/0/0/n0/0', 'sub/0/0/n1/0']);
  expect(await service.executions.find('e-1')).toMatchObject({
    status: 'failed',
    failure: { nodeId: 'n2', name: 'OperationLimit' },
  });
});

test('the count is the same after a wait, when everything is requested again', async () => {
  const flow: AFlow = {
    nodes: [
      call('first'),
      { id: 'pause', type: 'wait', parameters: { seconds: 60 } },
      call('second'),
      call('third'),
    ],
    edges: ['start -> first', 'first -> pause', 'pause -> second', 'second -> third'],
  };
  const { service, record, run } = await runFlow(flow, 3);
  expect(run.invocations).toBe(2);
  expect(service.called).toEqual(['first/0', 'second/0']);
  expect(record?.failure).toMatchObject({ nodeId: 'third', name: 'OperationLimit' });
});

/** Runs a retry of `e-1`. */
const retryFrom = async (service: Service, from: string, maxOperations: number) => {
  const { findNodeType, parts } = service;
  const retry = await retryExecution(
    'e-1',
    { from, version: 'recorded' },
    {
      ...parts,
      ids: { next: () => 'e-2' },
      dispatcher: { dispatch: async () => {} },
      clock: parts.services.clock,
      modeOf: async ({ definition }) => resolveExecution(definition, findNodeType),
    },
  );
  return service.run(retry.executionId, { maxOperations });
};

test('checkpoints that a retry takes over cost nothing', async () => {
  const { service } = await runFlow(chain(8), 5);
  const { state } = await retryFrom(service, 'n5', 5);
  expect(state.operations.size - 1).toBe(3);
  expect(await service.executions.find('e-2')).toMatchObject({ status: 'succeeded' });
  expect(service.called).toEqual(Array.from({ length: 8 }, (_, index) => `n${index}/0`));
});
