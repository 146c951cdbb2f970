import type { JsonObject, RunControl } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import type { EnginePorts } from '../../lib/engine/session.ts';
import { inlineSteps, OperationLimitError, type Steps } from '../../lib/engine/steps.ts';
import { compilePlan } from '../../lib/workflows/plan/compile-plan.ts';
import { type ANode, type ARun, aGraph, runGraph } from '../support/a-run.ts';

type Steer = (control: RunControl, input: JsonObject, iteration: number) => Promise<JsonObject>;

const controlNode = (steer: Steer, bodyOutput?: string): ANode => ({
  control: { suspends: true, ...(bodyOutput === undefined ? {} : { bodyOutput }) },
  does: async (_node, input, { control, iteration }) =>
    control === null ? {} : steer(control, input, iteration),
});

/** Runs one control node `steers` after the trigger. */
const runSteered = (steer: Steer, run: Partial<ARun> = {}) =>
  runGraph({ nodes: { steers: controlNode(steer) }, edges: ['start -> steers'], ...run });

/** Steps that list their operations, with callbacks that are answered in the order of `answers`. */
const recording = (operations: string[], answers: (JsonObject | null)[] = []) => {
  const record = (inner: Steps): Steps => ({
    ...inner,
    run: (step) => {
      operations.push(step.name);
      return inner.run(step);
    },
    wait: (name, seconds, signal) => {
      operations.push(`${name} ${seconds} s`);
      return inner.wait(name, seconds, signal);
    },
    callback: async (name, timeoutSeconds) => {
      operations.push(`${name} ${timeoutSeconds} s`);
      const answer = answers.shift();
      if (answer === undefined) return { id: `id of ${name}`, answer: () => new Promise(() => {}) };
      return { id: `id of ${name}`, answer: async () => (answer === null ? null : { value: answer }) };
    },
    within: (name, body) => inner.within(name, (branch) => body(record(branch))),
  });
  return ((clock) => record(inlineSteps(clock))) satisfies ARun['steps'];
};

// holds: S9
test('operations of a node are named by its key and their order', async () => {
  const operations: string[] = [];
  const result = await runSteered(
    async (control) => {
      await control.wait(30);
      await control.wait(0.5);
      return {};
    },
    { steps: recording(operations) },
  );
  expect(operations).toEqual(['steers/0/0 30 s', 'steers/0/1 0.5 s']);
  expect(result).toMatchObject({ status: 'succeeded', elapsedMs: 30_500 });
});

test('waits of a node are on its record, up to the twentieth', async () => {
  const result = await runSteered(async (control) => {
    for (let wait = 0; wait < 22; wait++) await control.wait(2);
    return {};
  });
  const { waits = [], startedAt = 0 } = result.nodes.at(-1) ?? {};
  expect(waits).toHaveLength(20);
  expect(waits.slice(0, 2)).toEqual([
    { kind: 'time', startedAt, endedAt: startedAt + 2_000 },
    { kind: 'time', startedAt: startedAt + 2_000, endedAt: startedAt + 4_000 },
  ]);
});

test('a node that catches an exceeded operation limit cannot continue', async () => {
  const exceeded: ARun['steps'] = (clock) => {
    const steps: Steps = {
      ...inlineSteps(clock),
      wait: () => Promise.reject(new OperationLimitError('no operation is left')),
      within: (_name, body) => body(steps),
    };
    return steps;
  };
  const steers = controlNode(async (control) => {
    await control.wait(1).catch(() => {});
    await control.runBodies([{}]);
    return {};
  }, 'body');
  const result = await runGraph({
    nodes: { steers: { ...steers, settings: { onError: 'continue' } }, next: {}, body: {} },
    edges: ['start -> steers', 'steers -> next', 'steers.body -> body'],
    steps: exceeded,
  });
  expect(result).toMatchObject({
    status: 'failed',
    failure: { nodeId: 'steers', name: 'OperationLimit', message: 'no operation is left' },
  });
  expect(result.nodes.map(({ nodeId, failure }) => [nodeId, failure?.name])).toEqual([
    ['start', undefined],
    ['steers', 'OperationLimit'],
  ]);
});

test('a node whose operation fails otherwise continues as its onError says', async () => {
  const failing: ARun['steps'] = (clock) => {
    const steps: Steps = {
      ...inlineSteps(clock),
      wait: () => Promise.reject(new Error('no timer')),
      within: (_name, body) => body(steps),
    };
    return steps;
  };
  const steers = controlNode(async (control) => {
    await control.wait(1);
    return {};
  });
  const result = await runGraph({
    nodes: { steers: { ...steers, settings: { onError: 'continue' } } },
    edges: ['start -> steers'],
    steps: failing,
  });
  expect(result).toMatchObject({ status: 'succeeded', output: { error: { message: 'no timer' } } });
});

describe('a callback', () => {
  const callbackUrls = (opened: unknown[] = []): EnginePorts['callbacks'] => ({
    open: async (...callback) => {
      opened.push(callback);
      return 1_700_000_600_000;
    },
    urlOf: (name, expiresAt) => `https://x/${name}?until=${expiresAt}`,
  });

  test('has a URL once it is registered, and returns its answer', async () => {
    const opened: unknown[] = [];
    const operations: string[] = [];
    const result = await runSteered(
      async (control) => {
        const { url, expiresAt, answer } = await control.openCallback(600, { title: 'Ship it?' });
        const answered = await answer();
        return { url, expiresAt, value: answered?.value ?? null };
      },
      { steps: recording(operations, [{ isOk: true }]), ports: { callbacks: callbackUrls(opened) } },
    );
    expect(opened).toEqual([['steers/0/0', 'id of steers/0/0', 600, { title: 'Ship it?' }]]);
    expect(operations).toEqual(['steers/0/0 600 s', 'steers/0/0/open']);
    expect(result.output).toEqual({
      url: 'https://x/steers/0/0?until=1700000600000',
      expiresAt: 1_700_000_600_000,
      value: { isOk: true },
    });
    expect(result.nodes.at(-1)).not.toHaveProperty('callbacks');
    expect(result.nodes.at(-1)?.waits).toMatchObject([{ kind: 'callback', endedAt: expect.any(Number) }]);
  });

  test('may have no question', async () => {
    const opened: unknown[] = [];
    await runSteered(
      async (control) => {
        await control.openCallback(600);
        return {};
      },
      { steps: recording([]), ports: { callbacks: callbackUrls(opened) } },
    );
    expect(opened).toMatchObject([[expect.any(String), expect.any(String), 600, {}]]);
  });

  test('is listed in the record of its node until it is answered', async () => {
    const result = await runSteered(
      async (control) => {
        const first = await control.openCallback(600);
        await control.openCallback(600);
        await first.answer();
        return new Promise(() => {});
      },
      {
        steps: recording([], [{}]),
        ports: { callbacks: callbackUrls() },
        limits: { timeoutMs: 5_000 },
      },
    );
    expect(result).toMatchObject({ status: 'timedOut' });
    expect(result.nodes.at(-1)).toMatchObject({ nodeId: 'steers', callbacks: ['steers/0/1'] });
  });

  test('that timed out is asked again at the URL that was sent, until it is answered', async () => {
    const urls: string[] = [];
    const opened: unknown[] = [];
    await runGraph({
      nodes: {
        asks: {
          ...controlNode(async (control, _input, iteration) => {
            const { url, answer } = await control.openCallback(600);
            urls.push(url);
            await answer();
            return { again: iteration < 3 };
          }),
        },
        more: { parameters: { again: '{{ again }}' }, does: ({ parameters }) => parameters },
      },
      edges: ['start -> asks', 'asks -> asks'],
      steps: recording([], [null, null, {}, {}]),
      ports: { callbacks: callbackUrls(opened) },
      limits: { maxNodeRuns: 5 },
    });
    const at = (name: string) => `https://x/${name}?until=1700000600000`;
    expect(urls.slice(0, 4)).toEqual(['asks/0/0', 'asks/0/0', 'asks/0/0', 'asks/3/0'].map(at));
    expect(opened).toEqual([
      ['asks/0/0', 'id of asks/0/0', 600, {}],
      ['asks/0/0', 'id of asks/1/0', 600, {}],
      ['asks/0/0', 'id of asks/2/0', 600, {}],
      ['asks/3/0', 'id of asks/3/0', 600, {}],
    ]);
  });

  test('that timed out leaves its URL to no other question', async () => {
    const urls: string[] = [];
    const asks = (count: number): ANode =>
      controlNode(async (control) => {
        for (let asked = 0; asked < count; asked++) {
          const { url, answer } = await control.openCallback(600);
          urls.push(url.slice('https://x/'.length, url.indexOf('?')));
          await answer();
        }
        return {};
      });
    await runGraph({
      nodes: {
        twice: asks(2),
        other: asks(1),
        each: controlNode(async (control) => {
          await control.runBodies([{}, {}]);
          return {};
        }, 'each'),
        inner: asks(1),
      },
      edges: ['start -> twice', 'twice -> other', 'other -> each', 'each.each -> inner'],
      steps: recording([], Array(5).fill(null)),
      ports: { callbacks: callbackUrls() },
    });
    expect(urls).toEqual(['twice/0/0', 'twice/0/1', 'other/0/0', 'each/0/0/inner/0/0', 'each/0/1/inner/0/0']);
  });

  test('cannot be opened where the run ends with its process', async () => {
    const result = await runSteered(async (control) => {
      await control.openCallback(600);
      return {};
    });
    expect(result.failure?.message).toBe('this run cannot wait for an answer because it is not durable');
  });
});

describe('bodies', () => {
  const runBodies = (steer: Steer, { inner = {}, ...run }: { readonly inner?: ANode } & Partial<ARun> = {}) =>
    runGraph({
      nodes: { each: controlNode(steer, 'each'), inner },
      edges: ['start -> each', 'each.each -> inner'],
      ...run,
    });
  const items = [1, 2, 3].map((n) => ({ n }));
  const takesASecond: ANode = {
    does: async (_node, { n }, { services }) => {
      await services.clock.sleep(1_000);
      if (n === 2) throw new Error('no 2');
      return { n: n ?? 0, done: true };
    },
  };

  test.each([
    [undefined, 3_000],
    [2, 2_000],
    [3, 1_000],
  ])(
    'run at most %j at once, and return their results in the order of the items',
    async (limit, elapsedMs) => {
      const result = await runBodies(
        async (control) => ({ results: (await control.runBodies(items, limit)) as never }),
        { inner: takesASecond },
      );
      expect(result).toMatchObject({ status: 'succeeded', elapsedMs });
      expect(result.output.results).toEqual([
        { output: { n: 1, done: true } },
        { failure: { nodeId: 'inner', name: 'Error', message: 'no 2' } },
        { output: { n: 3, done: true } },
      ]);
      expect(result.nodes.slice(2).map(({ within, input }) => [within, input])).toEqual(
        items.map((item, index) => [`each/0/${index}`, item]),
      );
    },
  );

  test('are refused when they are more than the nodes that may run', async () => {
    const steer: Steer = async (control) => {
      const results = await control.runBodies(items);
      return { failures: results.map((result) => ('failure' in result ? result.failure.name : null)) };
    };
    expect(await runBodies(steer, { limits: { maxNodeRuns: 2 } })).toMatchObject({
      failure: { nodeId: 'each', message: '3 items are more than the 2 nodes that may run' },
    });
    const { output } = await runBodies(steer, { limits: { maxNodeRuns: 3 } });
    expect(output).toEqual({ failures: [null, 'NodeRunLimit', 'NodeRunLimit'] });
  });

  test('are announced to steps that limit their operations before any starts', async () => {
    const announced: unknown[] = [];
    const limiting: ARun['steps'] = (clock) => {
      const steps: Steps = {
        ...inlineSteps(clock),
        within: (_name, body) => body(steps),
        checkBodies: async ({ key, count, node }, known) => {
          announced.push([key, count, node.node.id, known]);
          throw new OperationLimitError('too many');
        },
      };
      return steps;
    };
    const result = await runBodies(
      async (control) => {
        await control.runBodies(items);
        return {};
      },
      { steps: limiting },
    );
    expect(announced).toEqual([['each/0', 3, 'each', 0]]);
    expect(result).toMatchObject({ failure: { name: 'OperationLimit' }, nodes: { length: 2 } });
  });

  test('are refused where the node type has none', async () => {
    const result = await runSteered(async (control) => {
      await control.runBodies([{}]);
      return {};
    });
    expect(result.failure?.message).toBe('nodes of the type type-steers have no body');
  });
});

describe('another workflow', () => {
  /** A workflow whose nodes of these ids are entries, each followed by `next`. */
  const aWorkflow = (entries: readonly string[], next: ANode, disabled: readonly string[] = []) => {
    const { definition, findNodeType } = aGraph({
      nodes: { ...Object.fromEntries(entries.map((id) => [id, {}])), next },
      edges: entries.map((id) => `${id} -> next`),
    });
    const nodes = definition.nodes.map((node) =>
      entries.includes(node.id)
        ? { ...node, type: 'manualTrigger', disabled: disabled.includes(node.id) }
        : node,
    );
    return compilePlan({ ...definition, id: 'other', nodes }, (type) =>
      findNodeType(type === 'manualTrigger' ? 'type-start' : type),
    );
  };
  const passOn: Steer = async (control, input) => {
    const result = await control.runWorkflow('other', input);
    if ('output' in result) return result.output;
    throw Object.assign(new Error(result.failure.message), { name: result.failure.name });
  };
  const workflows = (
    plan: ReturnType<typeof aWorkflow>,
    findVersion: () => Promise<number | null> = async () => 7,
  ): Partial<ARun> => ({
    input: { order: 1 },
    ports: {
      workflows: {
        findVersion,
        loadPlan: async (id, version) => {
          if (id !== 'other' || version !== 7) throw new Error(`no version ${version} of ${id}`);
          return plan;
        },
      },
    },
  });

  test('runs from its entry, with its own trigger and no nodes of the caller, as part of its caller', async () => {
    const next: ANode = {
      parameters: { given: '{{ $trigger }}', nodes: '{{ $keys($nodes) }}' },
      does: ({ parameters }) => parameters,
    };
    const operations: string[] = [];
    const result = await runSteered(passOn, {
      ...workflows(aWorkflow(['entry'], next)),
      steps: recording(operations),
    });
    expect(operations).toEqual(['steers/0/0/version']);
    expect(result.output).toEqual({ given: { order: 1 }, nodes: 'entry' });
    expect(result.nodes.slice(2)).toMatchObject([
      { nodeId: 'entry', within: 'steers/0/0', type: 'manualTrigger' },
      { nodeId: 'next', within: 'steers/0/0', status: 'succeeded' },
    ]);
  });

  test('fails as its node fails', async () => {
    const fails: ANode = { does: () => Promise.reject(new RangeError('too far')) };
    expect(await runSteered(passOn, workflows(aWorkflow(['entry'], fails)))).toMatchObject({
      failure: { nodeId: 'steers', name: 'RangeError', message: 'too far' },
    });
  });

  test.each([
    [[], [], 0],
    [['one', 'two'], [], 2],
    [['one'], ['one'], 0],
    [['one', 'two'], ['two'], null],
  ])(
    'whose entries are %j, of which %j are disabled, is refused unless there is one',
    async (entries, disabled, count) => {
      const { failure } = await runSteered(passOn, workflows(aWorkflow(entries, {}, disabled)));
      expect(failure?.message ?? null).toBe(
        count === null
          ? null
          : `a workflow that others run needs exactly one manualTrigger, but "other" has ${count}`,
      );
    },
  );

  test('is refused when it does not exist or is disabled', async () => {
    const { failure } = await runSteered(
      passOn,
      workflows(aWorkflow(['entry'], {}), async () => null),
    );
    expect(failure?.message).toBe('there is no enabled workflow "other"');
  });

  test('is found again up to five times when its store fails', async () => {
    let failures = 0;
    const findAfter = (count: number) => async () => {
      failures += 1;
      if (failures <= count) throw new Error('the store is out');
      return 7;
    };
    const plan = aWorkflow(['entry'], {});
    expect(await runSteered(passOn, workflows(plan, findAfter(4)))).toMatchObject({ status: 'succeeded' });
    failures = 0;
    const { failure } = await runSteered(passOn, workflows(plan, findAfter(5)));
    expect([failure?.message, failures]).toEqual(['the store is out', 5]);
  });

  test('that runs itself ends ten levels deep, and the failure shows the way', async () => {
    const plan = aWorkflow(['entry'], controlNode(passOn));
    const { failure, nodes } = await runSteered(passOn, workflows(plan));
    expect(failure).toMatchObject({
      name: 'NestingLimit',
      message: `runs are nested more than 10 levels deep: workflow${' → other'.repeat(10)}`,
    });
    expect(nodes.filter(({ nodeId }) => nodeId === 'entry')).toHaveLength(10);
  });
});
