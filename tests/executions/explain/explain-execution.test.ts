import { NodeError } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import type { NodeRecord } from '../../../lib/engine/result.ts';
import {
  describeExplained,
  type ExplainedNode,
  explainExecution,
} from '../../../lib/executions/explain/explain-execution.ts';
import type { ExecutionRecord } from '../../../lib/executions/record/execution-store.ts';
import {
  type AFlow,
  aBackgroundService,
  aFlow,
  type BackgroundOptions,
  type BackgroundService,
} from '../../support/a-background-service.ts';

const find = async (service: BackgroundService, executionId = 'e-1'): Promise<ExecutionRecord> => {
  const record = await service.executions.find(executionId);
  if (record === null) throw new Error(`there is no execution ${executionId}`);
  return record;
};

/** Runs a flow to its end. */
const run = async (flow: Partial<AFlow>, body: unknown = {}, options: BackgroundOptions = {}) => {
  const service = await aBackgroundService(options);
  await service.put(aFlow({ nodes: [], edges: [], ...flow }));
  await service.accept('e-1', { input: { body } as never });
  await service.run('e-1', { saboteur: { isFatal: () => false } });
  return service;
};

type Reason = NonNullable<ExplainedNode['why']>;

/** The reasons, by node; of a node that ran several times, by its key. */
const reasonsOf = async (
  service: BackgroundService,
  changes: Partial<ExecutionRecord> = {},
): Promise<Record<string, Reason>> => {
  const record = { ...(await find(service)), ...changes };
  const { nodes } = await explainExecution(record, service);
  return Object.fromEntries(
    nodes.flatMap(({ record: { nodeId, iteration, within }, why }) => {
      const name = `${within === undefined ? '' : `${within}/`}${nodeId}${iteration === 0 ? '' : `#${iteration}`}`;
      return why === null ? [] : [[name, why]];
    }),
  );
};

const textsOf = async (service: BackgroundService, changes?: Partial<ExecutionRecord>) =>
  Object.fromEntries(
    Object.entries(await reasonsOf(service, changes)).map(([name, { text }]) => [name, text]),
  );

const noOp = (id: string) => ({ id, type: 'noOp' });
const condition = (text: unknown) => ({ condition: text }) as never;

/** A branch on a total, with a chain behind each output. */
const branch: AFlow = {
  nodes: [
    { id: 'pick', type: 'set', parameters: { values: { total: '{{ body.total }}' } } },
    { id: 'big', type: 'if', parameters: condition('{{ total > 100 }}') },
    noOp('ship'),
    noOp('mail'),
    noOp('keep'),
  ],
  edges: ['start -> pick', 'pick -> big', 'big.true -> ship', 'ship -> mail', 'big.false -> keep'],
};

describe('a condition', () => {
  test('gave its result, with the values that it read', async () => {
    const { big, keep } = await reasonsOf(await run(branch, { total: 99.5 }));
    expect(big).toEqual({
      text: 'gave false: total 99.5 > 100',
      expression: 'total > 100',
      values: [{ path: 'total', value: 99.5 }],
      result: false,
    });
    expect(keep).toBeUndefined();
  });

  test('skips a chain, whose nodes all name it', async () => {
    const { ship, mail } = await reasonsOf(await run(branch, { total: 99.5 }));
    expect(ship).toEqual({
      text: 'skipped, since `big` gave false: total 99.5 > 100',
      causes: [{ nodeId: 'big', output: 'true' }],
    });
    expect(mail).toEqual({
      text: 'skipped, like `ship`, since `big` gave false: total 99.5 > 100',
      causes: [{ nodeId: 'big', output: 'true' }],
    });
  });

  test('is known from the branches without recorded data, only its values are not', async () => {
    const service = await run({ ...branch, settings: { recordData: 'never' } }, { total: 120 });
    expect(await textsOf(service)).toEqual({
      big: 'gave true: total (not recorded) > 100',
      keep: 'skipped, since `big` gave true: total (not recorded) > 100',
    });
  });

  test('that failed has its values', async () => {
    const { big } = await reasonsOf(await run(branch, { total: 'much' }));
    expect(big).toMatchObject({ text: 'could not decide: total "much" > 100' });
  });

  test('says what the data lacks', async () => {
    const nodes = [
      { id: 'big', type: 'if', parameters: condition('{{ body.total > 100 or body.big = true }}') },
    ];
    const { big } = await reasonsOf(await run({ nodes, edges: ['start -> big'] }, { big: true }));
    expect(big).toMatchObject({
      text: 'gave true: body.total (missing) > 100 or body.big true = true',
      values: [
        { path: 'body.total', missing: true },
        { path: 'body.big', value: true },
      ],
    });
  });

  test('of JSONata is followed by its values', async () => {
    const nodes = [
      {
        id: 'big',
        type: 'if',
        parameters: condition('{{ $sum(body.items[ok].price) > $trigger.body.max }}'),
      },
    ];
    const body = { items: [{ ok: true, price: 3 }], max: 2 };
    const { big } = await reasonsOf(await run({ nodes, edges: ['start -> big'] }, body));
    expect(big).toMatchObject({
      text: 'gave true: $sum(body.items[ok].price) > $trigger.body.max, where body.items [{"ok":true,"price":3}], $trigger.body.max 2',
      result: true,
    });
  });

  test('reads other nodes, of which only those before it count', async () => {
    const flow = {
      nodes: [
        { id: 'a', type: 'set', parameters: { values: { n: 1 } } },
        { id: 'b', type: 'set', parameters: { values: { n: 2 } } },
        {
          id: 'on',
          type: 'if',
          parameters: condition('{{ $nodes.a.n = 1 and $exists($nodes.b.n) = false }}'),
        },
      ],
      edges: ['start -> a', 'start -> b', 'a -> on'],
    };
    const { on } = await reasonsOf(await run(flow));
    expect(on?.values).toEqual([
      { path: '$nodes.a.n', value: 1 },
      { path: '$nodes.b.n', missing: true },
    ]);
    expect(on?.result).toBe(true);
  });

  test('of a filter ends its branch', async () => {
    const flow = {
      nodes: [
        { id: 'open', type: 'filter', parameters: condition("{{ body.state = 'open' }}") },
        noOp('next'),
      ],
      edges: ['start -> open', 'open -> next'],
    };
    expect(await textsOf(await run(flow, { state: 'closed' }))).toEqual({
      open: 'gave false: body.state "closed" = "open"',
      next: 'skipped, since `open` gave false: body.state "closed" = "open"',
    });
  });

  test('of a trigger is why the execution started', async () => {
    const service = await aBackgroundService();
    const flow = aFlow({ nodes: [noOp('next')], edges: ['start -> next'] });
    const [start] = flow.nodes;
    const trigger = { ...start, parameters: { onlyIf: "body.action = 'opened'" } } as (typeof flow.nodes)[0];
    await service.put({ ...flow, nodes: [trigger, ...flow.nodes.slice(1)] });
    await service.accept('e-1', { input: { body: { action: 'opened' } } });
    await service.run();
    expect(await textsOf(service)).toEqual({ start: '`onlyIf` gave true: body.action "opened" = "opened"' });
  });
});

describe('a switch', () => {
  const flow: AFlow = {
    nodes: [
      {
        id: 'route',
        type: 'switch',
        parameters: {
          value: '{{ $uppercase(body.country) }}',
          cases: [
            { equals: 'AT', output: 'domestic' },
            { equals: 'DE', output: 'near' },
          ],
          fallback: 'abroad',
        },
      },
      noOp('one'),
      noOp('two'),
      noOp('three'),
    ],
    edges: ['start -> route', 'route.domestic -> one', 'route.near -> two', 'route.abroad -> three'],
  };

  test('names the output that it chose, and the value', async () => {
    const { route, one, two, three } = await reasonsOf(await run(flow, { country: 'de' }));
    expect(route).toMatchObject({
      text: 'chose "near": $uppercase(body.country), where body.country "de"',
      result: 'DE',
    });
    for (const skipped of [one, three])
      expect(skipped?.text).toBe(
        'skipped, since `route` chose "near": $uppercase(body.country), where body.country "de"',
      );
    expect(two).toBeUndefined();
  });

  test('without recorded data is known from what ran', async () => {
    const service = await run({ ...flow, settings: { recordData: 'never' } }, { country: 'xx' });
    expect((await reasonsOf(service)).route).toMatchObject({
      text: 'chose "abroad": $uppercase(body.country), where body.country (not recorded)',
    });
  });
});

describe('a skipped node', () => {
  test('names each of its causes', async () => {
    const flow = {
      nodes: [
        { id: 'a', type: 'filter', parameters: condition('{{ body.a }}') },
        { id: 'b', type: 'if', parameters: condition('{{ body.b }}') },
        noOp('both'),
      ],
      edges: ['start -> a', 'start -> b', 'a -> both', 'b.true -> both'],
    };
    expect((await reasonsOf(await run(flow, { a: false, b: false }))).both).toEqual({
      text: 'skipped, since `a` gave false: body.a false, and `b` gave false: body.b false',
      causes: [
        { nodeId: 'a', output: 'main' },
        { nodeId: 'b', output: 'true' },
      ],
    });
  });

  test('follows a failure, a node that did not fail, or a disabled one', async () => {
    const call = () => {
      throw new Error('no');
    };
    const flow: AFlow = {
      nodes: [
        { id: 'try', type: 'call', settings: { onError: 'route' } },
        { id: 'plain', type: 'set', parameters: { values: {} }, settings: { onError: 'route' } },
        { id: 'off', type: 'if', parameters: condition(false), disabled: true },
        noOp('after'),
        noOp('handle'),
        noOp('never'),
      ],
      edges: [
        'start -> try',
        'start -> plain',
        'start -> off',
        'try -> after',
        'plain.error -> handle',
        'off.true -> never',
      ],
    };
    expect(await textsOf(await run(flow, {}, { call }))).toEqual({
      after: 'skipped, since `try` failed',
      handle: 'skipped, since `plain` did not fail',
      never: 'skipped, since `off` is disabled and passes its input only to "main"',
    });
  });
});

test('what a failed node passed on is read as the format of its workflow has it', async () => {
  const call = () => {
    throw new Error('no');
  };
  for (const [format, path] of [
    [1, 'body.id'],
    [2, 'input.body.id'],
  ] as const) {
    const flow: AFlow = {
      format,
      nodes: [
        { id: 'try', type: 'call', settings: { onError: 'continue' } },
        { id: 'big', type: 'if', parameters: condition(`{{ ${path} > 1 }}`) },
      ],
      edges: ['start -> try', 'try -> big'],
    };
    expect(await textsOf(await run(flow, { id: 7 }, { call }))).toEqual({ big: `gave true: ${path} 7 > 1` });
  }
});

describe('loops and bodies', () => {
  test('each iteration has its own values', async () => {
    const flow: AFlow = {
      nodes: [
        { id: 'count', type: 'set', parameters: { values: { n: '{{ $exists(n) ? n + 1 : 1 }}' } } },
        { id: 'again', type: 'if', parameters: condition('{{ n < 3 }}') },
        noOp('end'),
      ],
      edges: ['start -> count', 'count -> again', 'again.true -> count', 'again.false -> end'],
    };
    expect(await textsOf(await run(flow))).toEqual({
      again: 'gave true: n 1 < 3',
      'again#1': 'gave true: n 2 < 3',
      'again#2': 'gave false: n 3 < 3',
    });
  });

  test('each item of a body has its own values', async () => {
    const flow: AFlow = {
      nodes: [
        { id: 'each', type: 'forEach', parameters: { items: '{{ body }}' } },
        { id: 'big', type: 'filter', parameters: condition('{{ item > $trigger.body[0] }}') },
        noOp('ship'),
        { id: 'nine', type: 'filter', parameters: condition('{{ $item = 9 and $nodes.each.index = 1 }}') },
      ],
      edges: ['start -> each', 'each.each -> big', 'big -> ship', 'ship -> nine'],
    };
    expect(await textsOf(await run(flow, [5, 9]))).toMatchObject({
      'each/0/0/big': expect.stringContaining('gave false: item > $trigger.body[0], where item 5'),
      'each/0/0/ship': expect.stringContaining('skipped, since `big` gave false'),
      'each/0/1/big': expect.stringContaining('gave true: item > $trigger.body[0], where item 9'),
      'each/0/1/nine': 'gave true: $item = 9 and $nodes.each.index = 1, where $item 9, $nodes.each.index 1',
    });
  });

  test('a large item is not recorded, and the trigger of the same size is not taken for it', async () => {
    const flow: AFlow = {
      nodes: [
        { id: 'each', type: 'forEach', parameters: { items: '{{ [{ "body": 1, "all": body }] }}' } },
        { id: 'big', type: 'filter', parameters: condition('{{ $item.body > 0 }}') },
      ],
      edges: ['start -> each', 'each.each -> big'],
    };
    const body = { text: 'x'.repeat(100_000) };
    expect(await textsOf(await run(flow, body))).toEqual({
      'each/0/0/big': 'gave true: $item.body > 0, where $item.body (not recorded)',
    });
  });

  test('an item is that of the innermost forEach', async () => {
    const flow: AFlow = {
      nodes: [
        { id: 'rows', type: 'forEach', parameters: { items: '{{ body }}' } },
        { id: 'cells', type: 'forEach', parameters: { items: '{{ $item }}' } },
        { id: 'big', type: 'filter', parameters: condition('{{ $item > $nodes.rows.index }}') },
        { id: 'last', type: 'filter', parameters: condition('{{ $item[0] = 7 }}') },
      ],
      edges: ['start -> rows', 'rows.each -> cells', 'cells.each -> big', 'cells -> last'],
    };
    expect(await textsOf(await run(flow, [[1], [7]]))).toMatchObject({
      'rows/0/1/cells/0/0/big': 'gave true: $item > $nodes.rows.index, where $item 7, $nodes.rows.index 1',
      'rows/0/1/last': 'gave true: $item[0] = 7, where $item [7]',
    });
  });

  test('a node of another workflow is not taken for one of the same id', async () => {
    const service = await aBackgroundService();
    const other: AFlow = {
      id: 'other',
      trigger: 'manualTrigger',
      nodes: [{ id: 'big', type: 'if', parameters: condition('{{ 1 > 2 }}') }, noOp('ship')],
      edges: ['start -> big', 'big.true -> ship'],
    };
    await service.put(aFlow(other));
    await service.put(
      aFlow({
        nodes: [
          { id: 'sub', type: 'subworkflow', parameters: { workflowId: 'other' } },
          { id: 'big', type: 'if', parameters: condition('{{ 2 > 1 }}') },
        ],
        edges: ['start -> sub', 'sub -> big'],
      }),
    );
    await service.accept();
    await service.run();
    expect(await textsOf(service)).toEqual({ big: 'gave true: 2 > 1' });
  });
});

/** The reasons while the run waits, in the order of the process starts. */
const watch = async (flow: AFlow, options: BackgroundOptions = {}, body: unknown = {}) => {
  const service = await aBackgroundService(options);
  await service.put(aFlow(flow));
  await service.accept('e-1', { input: { body } as never });
  const seen: Record<string, Reason>[] = [];
  const between = async () => void seen.push(await reasonsOf(service));
  const answer = async () => {
    await between();
    return { decision: 'approve', body: {} };
  };
  await service.run('e-1', { between, answer, saboteur: { isFatal: () => false } });
  return { service, seen };
};

describe('a wait', () => {
  const wait = (parameters: Record<string, unknown>): AFlow => ({
    nodes: [{ id: 'pause', type: 'wait', parameters: parameters as never }],
    edges: ['start -> pause'],
  });

  test('says until when, in seconds or by an expression', async () => {
    const { service, seen } = await watch(wait({ seconds: 5 }));
    const { startedAt, durationMs } = (await find(service)).nodes[1] as NodeRecord;
    expect(seen.at(-1)?.pause).toEqual({
      text: `waits until ${new Date(startedAt + 5_000).toISOString()}`,
      until: new Date(startedAt + 5_000).toISOString(),
    });
    const ended = new Date(startedAt + durationMs).toISOString();
    expect((await reasonsOf(service)).pause).toEqual({ text: `waited until ${ended}`, until: ended });
  });

  test('until the time in its input, although an open node has none in its record', async () => {
    const dueAt = new Date(Date.now() + 60_000).toISOString();
    const { seen } = await watch(wait({ until: '{{ body.dueAt }}' }), {}, { dueAt });
    expect(seen.at(-1)?.pause).toEqual({
      text: `waits until ${dueAt}: body.dueAt "${dueAt}"`,
      until: dueAt,
      expression: 'body.dueAt',
      values: [{ path: 'body.dueAt', value: dueAt }],
    });
  });

  test('for an answer says to what, and who asks', async () => {
    const flow: AFlow = {
      nodes: [
        {
          id: 'ask',
          type: 'approval',
          parameters: { title: 'Order {{ body.id }}', askedBy: 'Kitchen', timeoutSeconds: 600 },
        },
      ],
      edges: ['start -> ask'],
    };
    const { seen } = await watch(flow, {}, { id: 'A-1' });
    const until = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(seen.at(-1)?.ask).toEqual({
      text: expect.stringMatching(/^waits until \S+Z for an answer to "Order A-1", asked by Kitchen$/),
      until,
      title: 'Order A-1',
      askedBy: 'Kitchen',
    });
  });

  test('for the next attempt says when, which, and why the last one failed', async () => {
    let calls = 0;
    const call = () => {
      if (++calls === 1) throw new NodeError('busy', { retryAfterMs: 7_000 });
      return {};
    };
    const flow: AFlow = {
      nodes: [{ id: 'try', type: 'call', settings: { retry: { maxAttempts: 3 } } }],
      edges: ['start -> try'],
    };
    const { service, seen } = await watch(flow, { call });
    expect(seen.at(-1)?.try).toMatchObject({
      text: expect.stringMatching(
        /^waits until \S+Z for attempt 2 of 3, since attempt 1 failed: NodeError: busy/,
      ),
      attempt: 2,
    });
    const [, node] = (await find(service)).nodes;
    expect(node).toMatchObject({ status: 'succeeded', attempts: 2 });
    expect(node).not.toHaveProperty('retry');
  });
});

describe('secrets and bounds', () => {
  const secret = 'hunter2-and-more';

  test.each([
    ["{{ body.password = 'hunter2-and-more' }}", { password: secret }],
    ["{{ $lookup(body, 'password') = 'hunter2-and-more' }}", { password: secret }],
    ["{{ body.login.password & '!' = 'hunter2-and-more!' }}", { login: { password: secret } }],
    ["{{ $contains(body.note, 'hunter2-and-more') }}", { note: `password=${secret}` }],
    ["{{ body.* = 'hunter2-and-more' }}", { token: secret }],
  ])('%s shows no secret', async (text, body) => {
    const flow = {
      nodes: [
        { id: 'check', type: 'if', parameters: condition(`${text.slice(0, -3)} ? true : false }}`) },
        noOp('in'),
        noOp('out'),
      ],
      edges: ['start -> check', 'check.true -> in', 'check.false -> out'],
    };
    const service = await run(flow, body);
    const explained = await explainExecution(await find(service), service);
    const shown = JSON.stringify(describeExplained(explained));
    expect(shown).toContain('"why"');
    expect(shown).not.toContain('hunter2');
  });

  test('the value of a switch is shown only if it was computed from what is shown', async () => {
    const flow = {
      nodes: [
        {
          id: 'route',
          type: 'switch',
          parameters: { value: '{{ $substring(body.apiKey, 0, 5) }}', cases: [], fallback: 'all' },
        },
        { id: 'joined', type: 'switch', parameters: { value: "{{ 'pass' & 'word=' & body.a }}", cases: [] } },
      ],
      edges: ['start -> route', 'start -> joined'],
    } as AFlow;
    const { route, joined } = await reasonsOf(await run(flow, { apiKey: secret, a: secret }));
    expect(route).not.toHaveProperty('result');
    expect(joined?.result).toBe('password=[redacted]');
  });

  test('values that contradict the recorded branch are not shown', async () => {
    const service = await run(branch, { total: 99.5 });
    const { nodes } = await find(service);
    const forged = nodes.map((node) => (node.nodeId === 'big' ? { ...node, input: { total: 500 } } : node));
    expect((await reasonsOf(service, { nodes: forged })).big).toEqual({
      text: 'gave false: total > 100',
      expression: 'total > 100',
      result: false,
    });
  });

  const onlyIf = (text: string): Partial<AFlow> => ({
    nodes: [{ id: 'check', type: 'if', parameters: condition(text) }],
    edges: ['start -> check'],
  });

  test('a long expression is cut, and not all of its values are shown', async () => {
    const text = `{{ ${Array.from({ length: 40 }, (_, at) => `body.k${at} = 'x'`).join(' or ')} }}`;
    const body = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`k${at}`, 'y'.repeat(30)]));
    const { check } = await reasonsOf(await run(onlyIf(text), body));
    expect(check?.values).toHaveLength(10);
    expect(check?.valuesOmitted).toBe(30);
    expect(check?.expression).toHaveLength(301);
    expect(check?.text.length).toBeLessThan(700);
  });

  test('of a long value, its start is shown', async () => {
    const { check } = await reasonsOf(await run(onlyIf("{{ body.text = 'x' }}"), { text: 'z'.repeat(400) }));
    const value = { $bytes: 402, $start: `"${'z'.repeat(99)}` };
    expect(check?.values).toEqual([{ path: 'body.text', value }]);
    expect(check?.text).toContain("body.text = 'x', where body.text {");
  });

  const text = 'z'.repeat(5_000);

  test('what was read of a large input is known all the same', async () => {
    const flow = {
      nodes: [
        { id: 'big', type: 'if', parameters: condition('{{ body.total > $trigger.body.max }}') },
        { id: 'load', type: 'set', parameters: { values: { text: '{{ body.text }}', n: 7 } } },
        { id: 'few', type: 'filter', parameters: condition('{{ $nodes.load.n < 5 and body.none = 1 }}') },
        noOp('ship'),
      ],
      edges: ['start -> big', 'big.true -> ship', 'start -> load', 'load -> few'],
    };
    const service = await run(flow, { text, total: 99.5, max: 100 });
    const { big, few, ship } = await reasonsOf(service);
    expect(big).toMatchObject({
      text: 'gave false: body.total 99.5 > $trigger.body.max 100',
      values: [
        { path: 'body.total', value: 99.5 },
        { path: '$trigger.body.max', value: 100 },
      ],
      result: false,
    });
    expect(few?.values).toEqual([
      { path: '$nodes.load.n', value: 7 },
      { path: 'body.none', notRecorded: true },
    ]);
    expect(ship?.text).toContain('`big` gave false: body.total 99.5');
    const shown = JSON.stringify(describeExplained(await explainExecution(await find(service), service)));
    expect(shown).not.toContain('"reads"');
  });

  test('what was read of a large input is redacted and bounded', async () => {
    const text =
      "{{ body.password = 'hunter2-a' or body.note = 'x' or $count(body.list) = 2 or body.login.apiKey = 'y' }}";
    const body = {
      password: 'hunter2-secret',
      note: `token=hunter2-token ${'n'.repeat(3_000)}`,
      list: [{ token: 'hunter2-in-list' }, 1],
      login: { apiKey: 'hunter2-key' },
    };
    const service = await run(onlyIf(text), body);
    const record = await find(service);
    expect(JSON.stringify(record.nodes)).not.toContain('hunter2-secret');
    const { check } = await reasonsOf(service);
    expect(JSON.stringify(check)).not.toContain('hunter2');
    expect(check?.values).toEqual([
      { path: 'body.password', value: '[redacted]' },
      {
        path: 'body.note',
        value: { $bytes: expect.any(Number), $start: expect.stringContaining('token=[redacted]') },
      },
      { path: 'body.list', value: [{ token: '[redacted]' }, 1] },
      { path: 'body.login.apiKey', value: '[redacted]' },
    ]);
    expect(JSON.stringify(record.nodes[1]?.reads).length).toBeLessThan(1_000);
  });

  test('without recorded data, nothing that was read is recorded', async () => {
    const service = await run(
      { ...onlyIf('{{ body.n = 1 }}'), settings: { recordData: 'never' } },
      { text, n: 1 },
    );
    expect(JSON.stringify((await find(service)).nodes)).not.toContain('reads');
  });

  test('a loop over large data keeps what its first 200 decisions read', async () => {
    const flow: AFlow = {
      nodes: [
        { id: 'each', type: 'forEach', parameters: { items: '{{ body.items }}' } },
        { id: 'odd', type: 'filter', parameters: condition('{{ $trigger.body.limit > index }}') },
      ],
      edges: ['start -> each', 'each.each -> odd'],
    };
    const items = Array.from({ length: 250 }, (_, at) => at);
    const { nodes } = await find(await run(flow, { text, items, limit: 3 }));
    expect(nodes.filter(({ reads }) => reads?.['$trigger.body.limit'] === 3)).toHaveLength(200);
  });

  const aNode = (nodeId: string, changes: Partial<NodeRecord> = {}): NodeRecord => ({
    nodeId,
    type: 'if',
    status: 'succeeded',
    iteration: 0,
    attempts: 1,
    startedAt: 1,
    durationMs: 1,
    ...changes,
  });

  test('thousands of nodes take linear time and a bounded answer', async () => {
    const service = await run(branch, { total: 1 });
    const many = Array.from({ length: 15_000 }, (_, iteration) => [
      aNode('big', { iteration, input: { total: iteration }, outputs: { [String(iteration > 100)]: {} } }),
      aNode('ship', { iteration, type: 'noOp', status: 'skipped' }),
      aNode('mail', { iteration, type: 'noOp', status: 'skipped' }),
    ]).flat();
    const record = { ...(await find(service)), nodes: many };
    const explained = await explainExecution(record, service);
    expect(explained.nodes).toHaveLength(45_000);
    expect(explained.reasonsOmitted).toBeGreaterThan(10_000);
    const whys = explained.nodes.map(({ why }) => why);
    expect(JSON.stringify(whys).length).toBeLessThan(1_000_000);
  });

  test('a record that no run would have written has no reasons, or some, but no error', async () => {
    const service = await run(branch, { total: 1 });
    const hostile: NodeRecord[] = [
      aNode('big', { input: 'text', outputs: [1] }),
      aNode('big', { input: { $start: 7 }, outputs: { $start: '{"tr' } }),
      aNode('big', { input: JSON.parse('{"__proto__":{"total":1}}'), outputs: { true: null } as never }),
      aNode('ship', { type: 'noOp', status: 'skipped', within: 'nowhere/0/0' }),
      aNode('mail', { type: 'noOp', status: 'skipped' }),
      aNode('constructor', { type: 'if' }),
      aNode('pause', { type: 'wait', status: 'waiting', callbacks: ['none'] }),
    ];
    const { nodes } = await explainExecution({ ...(await find(service)), nodes: hostile }, service);
    expect(nodes).toHaveLength(hostile.length);
  });

  test('without its version, a record has the reasons that need none', async () => {
    const service = await run(branch, { total: 1 });
    expect(await textsOf(service, { workflowVersion: 9 })).toEqual({});
  });
});
