import { afterEach, describe, expect, test } from '@jest/globals';
import type { NodeRecord } from '../../../lib/engine/result.ts';
import type { ExecutionStart, ExecutionStore } from '../../../lib/executions/record/execution-store.ts';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aLocalServer, type LocalServer, type Routes } from '../../../tests/support/a-local-server.ts';
import { aLease, anExecutionEnd, anExecutionStart } from '../../../tests/support/a-start.ts';
import { aTrigger, aWorkflow } from '../../../tests/support/a-workflow.ts';

const openCommandLine = useCommandLine();
const servers: LocalServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const LAUNCH = '/2015-03-31/functions/hookloom-dev-runDurable%3Adurable/invocations';
const STOP = '/2025-12-01/durable-executions/arn%3A1/stop';

/** The command line, a store, and an engine that takes every request. */
const aService = async ({
  status = 202,
  spoil = () => ({}),
}: {
  readonly status?: number;
  readonly spoil?: (store: ExecutionStore) => Partial<ExecutionStore>;
} = {}) => {
  const answer: Routes[string] = (_request, response) => {
    response.writeHead(status).end('{}');
  };
  const engine = await aLocalServer({ [LAUNCH]: answer, [STOP]: answer });
  servers.push(engine);
  const { call, stores } = await openCommandLine({
    engineEndpoint: engine.origin,
    spoil: ({ executions }) => ({ executions: { ...executions, ...spoil(executions) } }),
  });
  return { call, engine, ...stores };
};

const T0 = Date.parse('2026-11-20T11:59:00.000Z');

const aStart = (changes: Partial<ExecutionStart> = {}): ExecutionStart =>
  anExecutionStart({ workflowId: 'greeting', workflowVersion: 1, startedAt: T0, ...changes });

const aNode = (nodeId: string, changes: Partial<NodeRecord> = {}): NodeRecord => ({
  nodeId,
  type: 'httpRequest',
  status: 'succeeded',
  iteration: 0,
  attempts: 1,
  startedAt: T0 + 1_000,
  durationMs: 1_250,
  ...changes,
});

const failure = { nodeId: 'fetch', name: 'HttpError', message: 'it answered 500' };

describe('execution list', () => {
  test('prints a table, the latest first', async () => {
    const { call, executions, workflows } = await aService();
    for (const id of ['greeting', 'mail']) await workflows.put(aWorkflow({ id }), []);
    await executions.start(aStart());
    await executions.finish('e-1', anExecutionEnd({ endedAt: T0 + 125_000 }));
    await executions.start(aStart({ executionId: 'e-22', workflowId: 'mail', startedAt: T0 + 1 }));
    expect(await call('execution list')).toEqual({
      code: 0,
      err: '',
      out: [
        'STARTED                   ID    WORKFLOW  VERSION  STATUS     DURATION',
        '2026-11-20T11:59:00.001Z  e-22  mail      1        accepted   -',
        '2026-11-20T11:59:00.000Z  e-1   greeting  1        succeeded  2 min 5 s',
      ].join('\n'),
    });
  });

  test('says how to continue, and continues from there', async () => {
    const { call, executions } = await aService();
    for (const at of [1, 2, 3])
      await executions.start(aStart({ executionId: `e-${at}`, startedAt: T0 + at }));
    const { out, err } = await call('execution list --workflow greeting --limit 2');
    expect(out).toMatch(/e-3.*\n.*e-2/);
    expect(err).toMatch(/^There may be more: --cursor [\w-]+$/);
    const rest = await call(
      `execution list --workflow greeting --limit 2 ${err.slice('There may be more: '.length)}`,
    );
    expect(rest.out).toContain('e-1');
    expect(rest.out).not.toContain('e-2');
    expect(rest.err).toBe('');
  });

  test('filters by status and time, and prints JSON on request', async () => {
    const { call, executions } = await aService();
    for (const at of [1, 2, 3])
      await executions.start(aStart({ executionId: `e-${at}`, startedAt: T0 + at }));
    await executions.finish('e-2', anExecutionEnd({ status: 'failed', endedAt: T0 + 9 }));
    await executions.finish('e-1', anExecutionEnd({ status: 'cancelled', endedAt: T0 + 9 }));
    const args = '--workflow greeting --status failed,cancelled --from 2026-11-20T11:59:00.002Z --json';
    const { out } = await call(`execution list ${args}`);
    expect(JSON.parse(out)).toEqual({
      executions: [expect.objectContaining({ executionId: 'e-2', status: 'failed', durationMs: 7 })],
      nextCursor: null,
    });
  });

  test('filters by failure and by bulk retry', async () => {
    const { call, executions } = await aService();
    for (const [id, bulkRetryId] of [
      ['e-1', 'b-1'],
      ['e-2', 'b-1'],
      ['e-3', 'b-2'],
    ] as const) {
      await executions.start(
        aStart({ executionId: id, retryOf: { executionId: 'e-0', fromNodeId: null, bulkRetryId } }),
      );
      if (id !== 'e-2')
        await executions.finish(id, anExecutionEnd({ status: 'failed', endedAt: T0 + 9, failure }));
    }
    const list = async (args: string): Promise<string[]> =>
      JSON.parse((await call(`execution list ${args} --json`)).out).executions.map(
        (one: { executionId: string }) => one.executionId,
      );
    const { nodeId, name } = failure;
    expect(await list(`--failure-node ${nodeId} --failure-name ${name} --bulk-retry b-1`)).toEqual(['e-1']);
    expect((await list(`--failure-name ${name}`)).toSorted()).toEqual(['e-1', 'e-3']);
    expect((await list('--bulk-retry b-1')).toSorted()).toEqual(['e-1', 'e-2']);
    expect(await list('--failure-name Unknown')).toEqual([]);
  });

  test('says when there is nothing', async () => {
    const { call } = await aService();
    expect(await call('execution list')).toEqual({
      code: 0,
      out: '',
      err: 'No matching executions.',
    });
  });
});

describe('execution show', () => {
  test('shows what happened, node by node', async () => {
    const { call, executions } = await aService();
    const retryOf = { executionId: 'e-0', fromNodeId: 'fetch' };
    await executions.start(aStart({ retryOf }));
    for (const invocations of [1, 2])
      await executions.acquireLease('e-1', aLease({ leaseOwner: 'arn:1', invocations }));
    await executions.finish(
      'e-1',
      anExecutionEnd({
        status: 'failed',
        endedAt: T0 + 2_400,
        failure,
        nodes: [
          aNode('start', { type: 'webhookTrigger', durationMs: 0, outputs: { main: { a: 1 } } }),
          aNode('fetch', { status: 'failed', attempts: 3, failure, input: { a: 1 } }),
          aNode('each', { type: 'forEach', status: 'skipped' }),
          aNode('inner', { within: 'each/0/2', iteration: 1 }),
        ],
      }),
    );
    expect(await call('execution show e-1')).toEqual({
      code: 0,
      err: '',
      out: [
        'e-1: failed',
        '  workflow  greeting, version 1 (durable, in 2 processes)',
        '  trigger   start (webhookTrigger)',
        '  started   2026-11-20T11:59:00.000Z',
        '  ended     2026-11-20T11:59:02.400Z, after 2.4 s',
        '  retry of  e-0, from fetch',
        '  failure   at fetch: HttpError: it answered 500',
        '  cost      $0.00007, at list prices of us-east-1',
        '  used      14 write units, 5.5 read units, 3 durable operations, 3 invocations, 2.47 GB-seconds',
        '  start (webhookTrigger) succeeded after 0 ms',
        '      out  {"main":{"a":1}}',
        '  fetch (httpRequest) failed after 1.2 s, 3 attempts: HttpError: it answered 500',
        '      in   {"a":1}',
        '  each (forEach) skipped',
        '  each/0/2/inner#1 (httpRequest) succeeded after 1.2 s',
      ].join('\n'),
    });
  });

  /** A branch on a total, and an execution that it did not take. */
  const aBranch = async ({ workflows, executions }: Awaited<ReturnType<typeof aService>>) => {
    const nodes = [
      aTrigger(),
      { id: 'big', type: 'if', parameters: { condition: '{{ body.total > 100 }}' } },
      { id: 'ship', type: 'noOp', parameters: {} },
    ];
    const connections = [
      { sourceNodeId: 'request', targetNodeId: 'big' },
      { sourceNodeId: 'big', sourceOutput: 'true', targetNodeId: 'ship' },
    ];
    await workflows.put(aWorkflow({ id: 'greeting', nodes, connections }), []);
    const input = { body: { total: 99.5 } };
    await executions.start(aStart({ trigger: { nodeId: 'request', type: 'webhookTrigger' } }));
    const run = [
      aNode('request', { type: 'webhookTrigger', outputs: { main: input } }),
      aNode('big', { type: 'if', input, outputs: { false: input } }),
      aNode('ship', { type: 'noOp', status: 'skipped', durationMs: 0 }),
    ];
    await executions.finish('e-1', anExecutionEnd({ endedAt: T0 + 2_400, nodes: run }));
  };

  test('--why adds the reasons', async () => {
    const service = await aService();
    await aBranch(service);
    expect((await service.call('execution show e-1 --why')).out.split('\n').slice(7)).toEqual([
      '  request (webhookTrigger) succeeded after 1.2 s',
      '      out  {"main":{"body":{"total":99.5}}}',
      '  big (if) succeeded after 1.2 s',
      '      why  gave false: body.total 99.5 > 100',
      '      in   {"body":{"total":99.5}}',
      '      out  {"false":{"body":{"total":99.5}}}',
      '  ship (noOp) skipped',
      '      why  skipped, since `big` gave false: body.total 99.5 > 100',
    ]);
    expect((await service.call('execution show e-1')).out).not.toContain('why');
    const { nodes } = JSON.parse((await service.call('execution show e-1 --json')).out);
    expect(nodes[1].why).toMatchObject({ expression: 'body.total > 100', result: false });
  });

  test('truncates long values', async () => {
    const { call, executions } = await aService();
    await executions.start(aStart());
    const nodes = [aNode('fetch', { input: 'x'.repeat(199), outputs: 'y'.repeat(198) })];
    await executions.finish('e-1', anExecutionEnd({ endedAt: T0 + 1, nodes }));
    const { out } = await call('execution show e-1');
    expect(out).toContain(`in   "${'x'.repeat(199)}…`);
    expect(out).toContain(`out  "${'y'.repeat(198)}"`);
  });

  test('--json prints the response of the admin API', async () => {
    const { call, executions } = await aService();
    await executions.start(aStart({ input: 'jhidden', callbackKey: 'hidden' }));
    const { out } = await call('execution show e-1 --json');
    expect(JSON.parse(out)).toMatchObject({
      executionId: 'e-1',
      status: 'accepted',
      nodes: [],
      leaseOwner: null,
    });
    expect(out).not.toContain('hidden');
  });

  test('keeps messages from moving the cursor or faking a line', async () => {
    const { call, executions } = await aService();
    await executions.start(aStart());
    const message = 'no\u001b[2J\u009b2J\r\n  fetch (httpRequest) succeeded';
    const odd = { ...failure, message };
    const nodes = [
      aNode('fetch', { status: 'failed', failure: odd, outputs: { main: { text: '\u009b2J' } } }),
    ];
    await executions.finish(
      'e-1',
      anExecutionEnd({ status: 'failed', endedAt: T0 + 1, failure: odd, nodes }),
    );
    const { out } = await call('execution show e-1');
    expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(out.split('\n')).toHaveLength(10);
  });

  test('finishes one whose process died while its caller waited', async () => {
    const { call, executions } = await aService();
    await executions.start(aStart({ mode: 'inline', status: 'running', startedAt: T0 - 15 * 60_000 }));
    expect((await call('execution show e-1')).out).toContain('ProcessLost');
    expect(await executions.find('e-1')).toMatchObject({ status: 'failed' });
  });
});

describe('execution compare', () => {
  /** Two executions of a branch: `e-1` took one way, `e-2` the other. */
  const aPair = async (recordsData = true) => {
    const service = await aService();
    const { workflows, executions } = service;
    const nodes = [
      aTrigger(),
      { id: 'big', type: 'if', parameters: { condition: '{{ body.total > 100 }}' } },
      { id: 'ship', type: 'noOp', parameters: {} },
    ];
    const connections = [
      { sourceNodeId: 'request', targetNodeId: 'big' },
      { sourceNodeId: 'big', sourceOutput: 'true', targetNodeId: 'ship' },
    ];
    await workflows.put(aWorkflow({ id: 'greeting', nodes, connections }), []);
    for (const [at, total] of [120, 99.5].entries()) {
      const executionId = `e-${at + 1}`;
      const input = { body: { total } };
      const isBig = total > 100;
      const data = recordsData ? { input, outputs: { [String(isBig)]: input } } : {};
      const trigger = { nodeId: 'request', type: 'webhookTrigger' };
      await executions.start(aStart({ executionId, trigger, startedAt: T0 + at }));
      const run = [
        aNode('request', { type: 'webhookTrigger', ...(recordsData ? { outputs: { main: input } } : {}) }),
        aNode('big', { type: 'if', durationMs: 10, ...data }),
        aNode('ship', { type: 'noOp', status: isBig ? 'succeeded' : 'skipped', durationMs: 0 }),
      ];
      await executions.finish(executionId, anExecutionEnd({ endedAt: T0 + 2_400, nodes: run }));
    }
    return service;
  };

  test('shows what differs, compared with the last success', async () => {
    const { call } = await aPair();
    expect(await call('execution compare e-2')).toEqual({
      code: 0,
      err: '',
      out: [
        'e-2, compared with e-1 of 2026-11-20T11:59:00.000Z',
        '  version   1',
        '  status    succeeded',
        '  took      2.3 s, instead of 2.4 s',
        '  nodes     0 the same, 3 different',
        '  request (webhookTrigger): other data',
        '      was  succeeded after 1.2 s, on "main"',
        '      is   succeeded after 1.2 s, on "main"',
        '      data /outputs/main/body/total: 99.5, instead of 120',
        '  big (if): other branch, other data',
        '      was  succeeded after 10 ms, on "true"; gave true: body.total 120 > 100',
        '      is   succeeded after 10 ms, on "false"; gave false: body.total 99.5 > 100',
        '      data /input/body/total: 99.5, instead of 120',
        '  ship (noOp): other status',
        '      was  succeeded after 0 ms',
        '      is   skipped, since `big` gave false: body.total 99.5 > 100',
      ].join('\n'),
    });
    const { out } = await call('execution compare e-2 --with e-1 --json');
    expect(JSON.parse(out)).toMatchObject({ from: { executionId: 'e-1' }, to: { executionId: 'e-2' } });
  });

  test('says whose data was not recorded', async () => {
    const { call } = await aPair(false);
    const { out } = await call('execution compare e-2');
    expect(out).toContain('  data      not compared: none was recorded for e-1 and e-2 (recordData)');
  });

  test('says with what it cannot be compared', async () => {
    const { call, executions } = await aPair();
    await executions.start(aStart({ executionId: 'e-9', workflowId: 'mail' }));
    expect(await call('execution compare e-9')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no other execution'),
    });
    expect(await call('execution compare e-9 --with e-1')).toMatchObject({
      code: 1,
      err: expect.stringContaining('only executions of one workflow'),
    });
    expect(await call('execution compare e-1 --with none')).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no execution none'),
    });
  });
});

describe('execution retry', () => {
  const anEnded = async (options?: Parameters<typeof aService>[0]) => {
    const service = await aService(options);
    const fetches = { id: 'fetch', type: 'httpRequest', parameters: { url: 'https://example.com' } };
    const definition = aWorkflow({
      nodes: [aTrigger(), fetches],
      connections: [{ sourceNodeId: 'request', targetNodeId: 'fetch' }],
    });
    await service.workflows.put(definition, []);
    await service.workflows.put({ ...definition, name: 'Renamed' }, []);
    await service.executions.start(aStart({ trigger: { nodeId: 'request', type: 'webhookTrigger' } }));
    await service.executions.finish(
      'e-1',
      anExecutionEnd({ status: 'failed', endedAt: T0 + 1, checkpoints: 'j{}', failure }),
    );
    return service;
  };

  test.each([
    ['execution retry e-1', 1, null],
    ['execution retry e-1 --current', 2, null],
    ['execution retry e-1 --from fetch', 1, 'fetch'],
  ])('%s starts a new execution, and prints its id', async (args, version, fromNodeId) => {
    const { call, executions, engine } = await anEnded();
    const { code, out, err } = await call(args);
    const [id = ''] = out.split(':');
    expect([code, out]).toEqual([0, `${id}: accepted, version ${version} of greeting`]);
    expect(err).toBe(`Follow it with: execution watch ${id}`);
    expect(await executions.find(id)).toMatchObject({ retryOf: { executionId: 'e-1', fromNodeId } });
    expect(engine.received).toMatchObject([{ url: LAUNCH, body: JSON.stringify({ executionId: id }) }]);
  });

  test('says why it is impossible', async () => {
    const { call } = await anEnded();
    expect(await call('execution retry e-1 --from nobody')).toMatchObject({
      code: 1,
      err: expect.stringContaining('this version has no node "nobody"'),
    });
  });

  test('takes an edited input from a file, which execution show then tells', async () => {
    const { call } = await anEnded();
    const { code, out } = await call('execution retry e-1 --input -', '{"body":{"total":2}}');
    expect(code).toBe(0);
    const [id = ''] = out.split(':');
    const shown = await call(`execution show ${id}`);
    expect(shown.out).toContain('  edited    its input\n      /body: {"total":2}, instead of ');
    expect((await call('execution show e-1')).out).toContain(`  retried   by ${id}`);
    expect(await call('execution retry e-1 --input -', '[]')).toMatchObject({
      code: 1,
      err: expect.stringContaining('the edited input must be a JSON object'),
    });
  });

  test('repeated with its key starts one run', async () => {
    const { call, executions } = await anEnded();
    const first = await call('execution retry e-1 --idempotency-key k');
    const second = await call('execution retry e-1 --idempotency-key k');
    expect(second).toMatchObject({
      code: 0,
      out: first.out,
      err: expect.stringContaining('An earlier request'),
    });
    expect(await call('execution retry e-1 --idempotency-key k --current')).toMatchObject({
      code: 1,
      err: expect.stringContaining('This delivery key was already used'),
    });
    await call('execution retry e-1');
    expect((await executions.list({ workflowId: 'greeting', limit: 9 })).executions).toHaveLength(3);
  });

  test('says with which key to repeat it when the engine refuses, which starts the same run', async () => {
    const { call, executions } = await anEnded({ status: 400 });
    const { code, err } = await call('execution retry e-1');
    expect([code, err]).toEqual([1, expect.stringContaining('Try again: the execution starts only once')]);
    const [, key] = /--idempotency-key (\S+)/.exec(err) ?? [];
    await call(`execution retry e-1 --idempotency-key ${key}`);
    expect((await executions.list({ workflowId: 'greeting', limit: 9 })).executions).toHaveLength(2);
  });
});

describe('execution cancel', () => {
  test('ends it and stops its process', async () => {
    const { call, executions, engine } = await aService();
    await executions.start(aStart());
    await executions.acquireLease('e-1', aLease({ leaseOwner: 'arn:1', leaseExpiresAt: T0 }));
    expect(await call('execution cancel e-1')).toEqual({ code: 0, out: 'e-1: cancelled', err: '' });
    expect(await executions.find('e-1')).toMatchObject({ status: 'cancelled' });
    expect(engine.received).toMatchObject([{ url: STOP }]);
    expect(await call('execution cancel e-1')).toMatchObject({
      code: 1,
      err: expect.stringContaining('it has already ended, with the status cancelled'),
    });
  });

  test('still finishes it when the engine cannot be reached, and says so', async () => {
    const { call, executions } = await aService({ status: 403 });
    await executions.start(aStart());
    await executions.acquireLease('e-1', aLease({ leaseOwner: 'arn:1', leaseExpiresAt: T0 }));
    expect(await call('execution cancel e-1')).toEqual({
      code: 0,
      out: 'e-1: cancelled',
      err: 'The durable execution could not be stopped.',
    });
  });
});

describe('execution watch', () => {
  /** Before each look at the record, the next of these happens. */
  const aStory = (steps: readonly ((store: ExecutionStore) => Promise<unknown>)[]) => {
    const left = [...steps];
    return (store: ExecutionStore) => ({
      find: async (id: string) => {
        await left.shift()?.(store);
        return store.find(id);
      },
    });
  };
  const save =
    (status: 'running' | 'waiting', ...nodes: NodeRecord[]) =>
    (store: ExecutionStore) =>
      store.saveProgress('e-1', { status, nodes, leaseExpiresAt: T0 });
  const begin = (store: ExecutionStore) =>
    store.acquireLease('e-1', aLease({ leaseOwner: 'arn:1', leaseExpiresAt: T0 }));
  const nothing = async () => {};

  test('prints each node as it begins, waits and ends, until the execution ends', async () => {
    const start = aNode('start', { type: 'webhookTrigger', startedAt: T0, durationMs: 0 });
    const pause = aNode('pause', { type: 'wait', startedAt: T0 + 2_250 });
    const spoil = aStory([
      nothing,
      begin,
      save('running', start, aNode('fetch', { status: 'running', durationMs: 0 })),
      nothing,
      save('waiting', start, aNode('fetch', { attempts: 2 }), { ...pause, status: 'waiting', durationMs: 0 }),
      (store) =>
        store.finish(
          'e-1',
          anExecutionEnd({ endedAt: T0 + 4_000, nodes: [start, aNode('fetch', { attempts: 2 }), pause] }),
        ),
    ]);
    const { call, executions } = await aService({ spoil });
    await executions.start(aStart());
    expect(await call('execution watch e-1')).toEqual({
      code: 0,
      err: '',
      out: [
        '2026-11-20T11:59:00.000Z  e-1: accepted',
        '2026-11-20T12:00:00.000Z  e-1: running',
        '2026-11-20T11:59:00.000Z  start (webhookTrigger) succeeded after 0 ms',
        '2026-11-20T11:59:01.000Z  fetch (httpRequest) running',
        '2026-11-20T11:59:02.250Z  fetch (httpRequest) succeeded after 1.2 s, 2 attempts',
        '2026-11-20T11:59:02.250Z  pause (wait) waiting',
        '2026-11-20T12:00:00.000Z  e-1: waiting',
        '2026-11-20T11:59:03.500Z  pause (wait) succeeded after 1.2 s',
        '2026-11-20T11:59:04.000Z  e-1: succeeded',
      ].join('\n'),
    });
  });

  test('distinguishes iterations of a loop from runs inside a node', async () => {
    const nodes = [
      aNode('fetch'),
      aNode('fetch', { iteration: 1 }),
      aNode('fetch', { within: 'each/0/0' }),
      aNode('fetch', { within: 'each/0/1' }),
    ];
    const { call, executions } = await aService();
    await executions.start(aStart());
    await executions.finish('e-1', anExecutionEnd({ endedAt: T0 + 1, nodes }));
    const { out } = await call('execution watch e-1');
    expect(out.match(/ (\S*fetch\S*) /g)).toEqual([
      ' fetch ',
      ' fetch#1 ',
      ' each/0/0/fetch ',
      ' each/0/1/fetch ',
    ]);
  });

  test.each(['failed', 'cancelled', 'timedOut'] as const)(
    'exits with code 1 and the reason when it %s',
    async (status) => {
      const { call, executions } = await aService({ spoil: aStory([nothing, begin]) });
      await executions.start(aStart());
      await executions.finish('e-1', anExecutionEnd({ status, endedAt: T0 + 1, failure }));
      expect(await call('execution watch e-1')).toEqual({
        code: 1,
        out: `2026-11-20T11:59:00.001Z  e-1: ${status}`,
        err: 'at fetch: HttpError: it answered 500',
      });
    },
  );
});

describe('an id without an execution', () => {
  test.each(['show', 'retry', 'cancel', 'watch'])(
    'execution %s says so, with exit code 1',
    async (command) => {
      const { call } = await aService();
      expect(await call(`execution ${command} nobody`)).toEqual({
        code: 1,
        out: '',
        err: 'There is no execution nobody, or its record has expired.',
      });
    },
  );

  test.each(['show', 'retry', 'cancel', 'watch'])('execution %s refuses an invalid id', async (command) => {
    const { call } = await aService();
    expect(await call(`execution ${command} a/b`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('"a/b" is not an id'),
    });
  });
});

test.each([
  ['--cursor abc', 'cursor must be the nextCursor of an earlier page'],
  ['--from 2 --to 1', 'from must not be later than to'],
])('execution list %s is refused', async (args, message) => {
  const { call } = await aService();
  expect(await call(`execution list ${args}`)).toMatchObject({
    code: 1,
    err: expect.stringContaining(message),
  });
});
