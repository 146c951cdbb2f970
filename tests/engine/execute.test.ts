import { setImmediate } from 'node:timers/promises';
import { emit, type NodeContext } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { inlineSteps } from '../../lib/engine/steps.ts';
import { fillInDeclarations } from '../../lib/plugins/adapt-provider.ts';
import { isAppError } from '../../lib/shared/errors.ts';
import { compilePlan } from '../../lib/workflows/plan/compile-plan.ts';
import { aGraph, ran, runGraph, skipped } from '../support/a-run.ts';
import { stepsThatRun } from '../support/steps-that-run.ts';

const fails = () => {
  throw new Error('the shop is closed');
};
const takes =
  (ms: number, output = {}) =>
  async (_node: unknown, _input: unknown, { services }: NodeContext) => {
    await services.clock.sleep(ms);
    return output;
  };

describe('the order of nodes', () => {
  test('a chain runs in sequence, each node on the output of its predecessor', async () => {
    const result = await runGraph({
      nodes: {
        a: { does: (_node, input) => ({ ...input, a: 1 }) },
        b: { does: (_node, input) => ({ ...input, b: 2 }) },
      },
      edges: ['start -> a', 'a -> b'],
      input: { given: true },
    });
    expect(ran(result)).toBe('start a b');
    expect(result).toMatchObject({ status: 'succeeded', output: { given: true, a: 1, b: 2 }, failure: null });
  });

  test('independent nodes run concurrently', async () => {
    const result = await runGraph({
      nodes: { a: { does: takes(100) }, b: { does: takes(100) }, c: {} },
      edges: ['start -> a', 'start -> b', 'a -> c', 'b -> c'],
    });
    expect(result.elapsedMs).toBe(100);
    expect(ran(result)).toBe('start a b c');
  });

  // holds: S2
  test('a join waits for all of its branches, and its input is theirs merged in connection order', async () => {
    const result = await runGraph({
      nodes: {
        a: { does: takes(50, { from: 'a', a: 1 }) },
        b: { does: takes(5, { from: 'b', b: 2 }) },
        join: {},
      },
      edges: ['start -> b', 'start -> a', 'b -> join', 'a -> join'],
    });
    expect(result.output).toEqual({ from: 'a', a: 1, b: 2 });
  });

  test('with one predecessor the input is its output, not a copy', async () => {
    const output = { x: 1 };
    let seen: unknown;
    await runGraph({
      nodes: {
        a: { does: () => output },
        b: {
          does: (_node, input) => {
            seen = input;
            return {};
          },
        },
      },
      edges: ['start -> a', 'a -> b'],
    });
    expect(seen).toBe(output);
  });

  test('a node sees the input of each connection, unmerged', async () => {
    const result = await runGraph({
      nodes: {
        a: { does: { v: 1 } },
        b: { does: () => emit({ side: { v: 2 } }) },
        join: {
          does: (_node, _input, { inputs }) => ({ inputs: inputs.map((delivered) => ({ ...delivered })) }),
        },
      },
      edges: ['start -> a', 'start -> b', 'a -> join', 'b.side -> join'],
    });
    expect(result.output.inputs).toEqual([
      { sourceNodeId: 'a', sourceOutput: 'main', targetInput: 'main', data: { v: 1 } },
      { sourceNodeId: 'b', sourceOutput: 'side', targetInput: 'main', data: { v: 2 } },
    ]);
  });

  test('only the trigger that fired starts; successors of others do not wait for them', async () => {
    const result = await runGraph({
      nodes: { other: { kind: 'trigger' }, joined: {}, unreached: {} },
      edges: ['start -> joined', 'other -> joined', 'other -> unreached'],
    });
    expect(ran(result)).toBe('start joined');
    expect(skipped(result)).toBe('');
  });

  test.each([10_000])('a chain of %d nodes uses no more stack than a short one', async (length) => {
    const ids = Array.from({ length }, (_, index) => `n${index}`);
    const result = await runGraph({
      nodes: Object.fromEntries(ids.map((id) => [id, {}])),
      edges: ids.map((id, index) => `${index === 0 ? 'start' : ids[index - 1]} -> ${id}`),
      input: { kept: true },
    });
    expect(result).toMatchObject({ status: 'succeeded', output: { kept: true } });
    expect(result.nodes).toHaveLength(length + 1);
  });

  test('a thousand branches can be joined', async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
    const result = await runGraph({
      nodes: { ...Object.fromEntries(ids.map((id) => [id, { does: { [id]: true } }])), join: {} },
      edges: ids.flatMap((id) => [`start -> ${id}`, `${id} -> join`]),
    });
    expect(Object.keys(result.output)).toHaveLength(1_000);
  });
});

describe('branches', () => {
  test('only the emitted output is delivered; everything downstream of the others is skipped', async () => {
    const result = await runGraph({
      nodes: {
        choose: { does: () => emit({ left: { l: 1 } }) },
        left: {},
        right: {},
        below: {},
      },
      edges: ['start -> choose', 'choose.left -> left', 'choose.right -> right', 'right -> below'],
    });
    expect(ran(result)).toBe('start choose left');
    expect(skipped(result)).toBe('below right');
    expect(result.output).toEqual({ l: 1 });
  });

  test('a join runs when at least one of its branches delivered', async () => {
    const result = await runGraph({
      nodes: { choose: { does: () => emit({ left: { l: 1 } }) }, left: {}, right: {}, join: {} },
      edges: [
        'start -> choose',
        'choose.left -> left',
        'choose.right -> right',
        'left -> join',
        'right -> join',
      ],
    });
    expect(ran(result)).toBe('start choose left join');
  });

  test('a key in the data does not choose a branch', async () => {
    const result = await runGraph({
      nodes: { choose: { does: { outputs: { left: {} }, left: {} } }, left: {}, next: {} },
      edges: ['start -> choose', 'choose.left -> left', 'choose -> next'],
    });
    expect(ran(result)).toBe('start choose next');
  });

  test('the first output on "response" is the response, and the branch continues', async () => {
    const result = await runGraph({
      nodes: {
        one: { does: (_node, input) => emit({ main: input, response: { status: 200 } }) },
        two: { does: (_node, input) => emit({ main: input, response: { status: 500 } }) },
      },
      edges: ['start -> one', 'one -> two'],
    });
    expect(ran(result)).toBe('start one two');
    expect(result.response).toEqual({ status: 200 });
  });

  test('an output of a body on "response" does not answer the caller', async () => {
    const responses: unknown[] = [];
    const result = await runGraph({
      nodes: {
        each: {
          control: { suspends: false, bodyOutput: 'each' },
          does: async (_node, input, { control }) => {
            await control?.runBodies([input]);
            return {};
          },
        },
        inner: { does: (_node, input) => emit({ main: input, response: { status: 200 } }) },
      },
      edges: ['start -> each', 'each.each -> inner'],
      ports: { onResponse: (response) => void responses.push(response) },
    });
    expect(ran(result)).toBe('start each inner');
    expect([responses, result.response]).toEqual([[], null]);
  });

  test('what one workflow passes to another has no secret in it', async () => {
    const { definition, findNodeType } = aGraph({ nodes: {}, edges: [] });
    const nodes = definition.nodes.map((node) =>
      node.id === 'start' ? { ...node, type: 'manualTrigger' } : node,
    );
    const plan = compilePlan({ ...definition, nodes }, (type) =>
      findNodeType(type === 'manualTrigger' ? 'type-start' : type),
    );
    const scrub = <Value>(value: Value): Value =>
      JSON.parse(JSON.stringify(value).replaceAll('secret', '[redacted]'));
    const result = await runGraph({
      nodes: {
        borrow: { credentialTypes: ['bearer'], credentialId: 'shop' },
        sub: {
          control: { suspends: false },
          does: async (_node, _input, { control }) => {
            await control?.runWorkflow('other', { text: 'a secret' });
            return {};
          },
        },
      },
      edges: ['start -> borrow', 'borrow -> sub'],
      ports: {
        credentials: { open: async () => ({ lend: async () => ({ id: 'shop' }) as never, scrub }) },
        workflows: { findVersion: async () => 1, loadPlan: async () => plan },
      },
    });
    expect(result.nodes.at(-1)).toMatchObject({ type: 'manualTrigger', input: { text: 'a [redacted]' } });
  });

  test('a disabled node passes its input through', async () => {
    const result = await runGraph({
      nodes: { off: { does: fails, disabled: true }, next: {} },
      edges: ['start -> off', 'off -> next'],
      input: { kept: 1 },
    });
    expect(result.output).toEqual({ kept: 1 });
    expect(result.nodes[1]).toMatchObject({ nodeId: 'off', status: 'passedThrough', attempts: 0 });
  });
});

describe('loops', () => {
  const counting = {
    count: {
      parameters: { next: '{{ n + 1 }}' },
      does: ({ parameters }) => ({ n: parameters.next ?? null }),
    },
    more: { does: (_node, input) => emit({ [Number(input.n) < 3 ? 'again' : 'done']: input }) },
    after: {},
  } satisfies Parameters<typeof runGraph>[0]['nodes'];

  // holds: S6
  test('an output delivered back runs the loop again with that input; successors run once', async () => {
    const result = await runGraph({
      nodes: counting,
      edges: ['start -> count', 'count -> more', 'more.again -> count', 'more.done -> after'],
      input: { n: 0 },
    });
    expect(ran(result)).toBe('start count more count more count more after');
    expect(result.output).toEqual({ n: 3 });
    expect(result.nodes.filter(({ nodeId }) => nodeId === 'count').map(({ iteration }) => iteration)).toEqual(
      [0, 1, 2],
    );
  });

  test('a connection from a node to itself is a loop', async () => {
    const result = await runGraph({
      nodes: {
        self: {
          does: (_node, input) => {
            const n = Number(input.n ?? 0) + 1;
            return emit({ [n < 4 ? 'again' : 'main']: { n } });
          },
        },
        after: {},
      },
      edges: ['start -> self', 'self.again -> self', 'self -> after'],
    });
    expect(ran(result)).toBe('start self self self self after');
  });

  test('a loop that exceeds its limit fails the execution and names its header', async () => {
    const result = await runGraph({
      nodes: { head: { settings: { maxIterations: 3 } }, tail: {} },
      edges: ['start -> head', 'head -> tail', 'tail -> head'],
    });
    expect(ran(result)).toBe('start head tail head tail head tail');
    const message = 'the loop back to this node ran 3 times, which is its maxIterations';
    expect(result).toMatchObject({
      status: 'failed',
      failure: { nodeId: 'head', name: 'LoopLimit', message },
    });
  });

  test('100 iterations are the default limit', async () => {
    const result = await runGraph({ nodes: { self: {} }, edges: ['start -> self', 'self -> self'] });
    expect(result.nodes).toHaveLength(101);
    expect(result.status).toBe('failed');
  });

  test('an inner loop restarts in every iteration of the outer one', async () => {
    const result = await runGraph({
      nodes: {
        outer: { does: (_node, input) => ({ o: Number(input.o ?? 0) + 1, i: 0 }) },
        inner: { does: (_node, input) => ({ ...input, i: Number(input.i) + 1 }) },
        check: {
          does: (_node, input) =>
            emit({ [Number(input.i) < 2 ? 'inner' : Number(input.o) < 2 ? 'outer' : 'done']: input }),
        },
        after: {},
      },
      edges: [
        'start -> outer',
        'outer -> inner',
        'inner -> check',
        'check.inner -> inner',
        'check.outer -> outer',
        'check.done -> after',
      ],
    });
    expect(ran(result)).toBe('start outer inner check inner check outer inner check inner check after');
    expect(result.output).toEqual({ o: 2, i: 2 });
  });

  test('a loop with two entries keeps the input from outside', async () => {
    const result = await runGraph({
      nodes: {
        a: { does: (_node, input) => ({ ...input, a: Number(input.a ?? 0) + 1 }) },
        b: { does: (_node, input) => emit({ [Number(input.a) < 2 ? 'again' : 'done']: input }) },
        after: {},
      },
      edges: ['start -> a', 'start -> b', 'a -> b', 'b.again -> a', 'b.done -> after'],
      input: { outside: true },
    });
    expect(ran(result)).toBe('start a b a b after');
    expect(result.output).toMatchObject({ outside: true, a: 2 });
  });

  // holds: S6
  test('data that left the loop in an earlier iteration is not lost', async () => {
    const result = await runGraph({
      nodes: {
        head: { does: (_node, input) => ({ n: Number(input.n ?? 0) + 1 }) },
        check: {
          does: (_node, input) => (input.n === 1 ? emit({ again: input, found: { found: 1 } }) : emit({})),
        },
        after: {},
      },
      edges: ['start -> head', 'head -> check', 'check.again -> head', 'check.found -> after'],
    });
    expect(ran(result)).toBe('start head check head check after');
    expect(result.output).toEqual({ found: 1 });
  });

  test('a skipped loop does not run, and its successors are skipped', async () => {
    const result = await runGraph({
      nodes: { none: { does: () => emit({}) }, head: {}, tail: {}, after: {} },
      edges: ['start -> none', 'none -> head', 'head -> tail', 'tail -> head', 'tail -> after'],
    });
    expect(ran(result)).toBe('start none');
    expect(skipped(result)).toBe('after head tail');
  });
});

describe('failures', () => {
  test('a failing node ends the execution, and the failure names it and the reason', async () => {
    const result = await runGraph({
      nodes: { shop: { does: fails }, next: {} },
      edges: ['start -> shop', 'shop -> next'],
    });
    expect(ran(result)).toBe('start shop');
    expect(result.status).toBe('failed');
    expect(result.failure).toEqual({ nodeId: 'shop', name: 'Error', message: 'the shop is closed' });
    expect(result.nodes[1]).toMatchObject({ status: 'failed', attempts: 1, failure: result.failure });
  });

  // holds: S3
  test('of several the first is the reason, and the others are aborted', async () => {
    const aborted: string[] = [];
    const failing =
      (ms: number, message: string) =>
      async (_node: unknown, _input: unknown, { services, signal }: NodeContext) => {
        signal.addEventListener('abort', () => aborted.push(message));
        await services.clock.sleep(ms);
        throw new Error(message);
      };
    const result = await runGraph({
      nodes: { slow: { does: failing(90, 'slow') }, fast: { does: failing(1, 'fast') } },
      edges: ['start -> fast', 'start -> slow'],
    });
    expect(result.failure?.message).toBe('fast');
    expect(result.nodes).toMatchObject([
      { nodeId: 'start' },
      { nodeId: 'slow', status: 'failed', failure: { name: 'ExecutionFailed' } },
      { nodeId: 'fast', status: 'failed', failure: { message: 'fast' } },
    ]);
    expect(aborted).toEqual(['slow']);
  });

  test('a failure aborts the waits of other nodes, and the nodes in their bodies', async () => {
    const aborted: string[] = [];
    const failsLate = async (_node: unknown, _input: unknown, { services }: NodeContext) => {
      await services.clock.sleep(1);
      throw new Error('late');
    };
    await runGraph({
      nodes: {
        pause: {
          control: { suspends: true },
          does: async (_node, input, { control }) => {
            await control?.wait(60).catch(() => aborted.push('wait'));
            return input;
          },
        },
        each: {
          control: { suspends: false, bodyOutput: 'each' },
          does: async (_node, input, { control }) => {
            await control?.runBodies([{}]);
            return input;
          },
        },
        inner: {
          does: (_node, _input, { signal }) => {
            signal.addEventListener('abort', () => aborted.push('body'));
            return new Promise(() => {});
          },
        },
        fast: { does: failsLate },
      },
      edges: ['start -> pause', 'start -> each', 'each.each -> inner', 'start -> fast'],
    });
    expect(aborted.sort()).toEqual(['body', 'wait']);
  });

  // holds: S3
  test('a node whose credential arrives after the execution failed does not start', async () => {
    const begun: string[] = [];
    const lent = Promise.withResolvers<never>();
    const credentials = {
      open: async () => ({ lend: () => lent.promise, scrub: <Value>(value: Value): Value => value }),
    };
    const result = await runGraph({
      nodes: {
        late: {
          does: () => void begun.push('late') as never,
          credentialTypes: ['bearer'],
          credentialId: 'shop',
        },
        fast: {
          does: async (_node, _input, { services }) => {
            await services.clock.sleep(1);
            throw new Error('fast');
          },
        },
      },
      edges: ['start -> late', 'start -> fast'],
      ports: { credentials },
    });
    expect(result.failure?.message).toBe('fast');
    lent.resolve({ id: 'shop' } as never);
    await setImmediate();
    expect(begun).toEqual([]);
  });

  test('onError continue delivers the error with the input, and records the failure', async () => {
    const result = await runGraph({
      nodes: { shop: { does: fails, settings: { onError: 'continue' } }, next: {} },
      edges: ['start -> shop', 'shop -> next'],
      input: { order: 1 },
    });
    const error = { nodeId: 'shop', name: 'Error', message: 'the shop is closed' };
    expect([result.status, result.output]).toEqual(['succeeded', { order: 1, error }]);
    expect(result.nodes[1]).toMatchObject({ status: 'failed', failure: error });
  });

  test('onError route delivers input and error only on the output "error"', async () => {
    const result = await runGraph({
      nodes: { shop: { does: fails, settings: { onError: 'route' } }, next: {}, rescue: {} },
      edges: ['start -> shop', 'shop -> next', 'shop.error -> rescue'],
      input: { order: 1 },
    });
    expect(ran(result)).toBe('start shop rescue');
    expect(result.output).toEqual({
      order: 1,
      error: { nodeId: 'shop', name: 'Error', message: 'the shop is closed' },
    });
  });

  test.each([
    ['continue', 'shop -> next'],
    ['route', 'shop.error -> next'],
  ] as const)(
    'in format 2, onError %s delivers { error, input }, and $nodes gives that',
    async (onError, edge) => {
      const result = await runGraph({
        format: 2,
        nodes: {
          shop: { does: fails, settings: { onError } },
          next: {},
          late: {
            parameters: { seen: '{{ $nodes.shop }}' },
            does: ({ parameters }) => parameters,
          },
        },
        edges: ['start -> shop', edge, 'next -> late'],
        input: { order: 1 },
      });
      const passedOn = {
        error: { nodeId: 'shop', name: 'Error', message: 'the shop is closed' },
        input: { order: 1 },
      };
      expect(result.nodes[2]?.input).toEqual(passedOn);
      expect(result.output).toEqual({ seen: passedOn });
    },
  );

  test.each<[string, unknown, string]>([
    ['a text', 'no', 'a node must return a plain object for each output, but "main" is a string'],
    ['a list', [1], 'a node must return a plain object for each output, but "main" is a list'],
    [
      'a date',
      new Date(0),
      'a node must return a plain object for each output, but "main" is an instance of Date',
    ],
    ['a map with a function', { a: { b: () => 1 } }, "function at /a/b can't be carried by JSON"],
    ['a map with undefined', { a: undefined }, "undefined at /a can't be carried by JSON"],
    ['a map with NaN', { list: [0, Number.NaN] }, "NaN at /list/1 can't be carried by JSON"],
    ['a map with a bigint', { n: 1n }, "bigint at /n can't be carried by JSON"],
    ['a map with a Map', { m: new Map() }, "an instance of Map at /m can't be carried by JSON"],
  ])('a node that delivers %s fails by name', async (_case, output, message) => {
    const result = await runGraph({
      nodes: { odd: { does: () => output as never } },
      edges: ['start -> odd'],
    });
    expect(result.failure).toEqual({ nodeId: 'odd', name: expect.any(String), message });
  });

  test.each([[null], [undefined]])('a node that delivers %s delivers an empty object', async (output) => {
    const result = await runGraph({
      nodes: { quiet: { does: () => output }, next: {} },
      edges: ['start -> quiet', 'quiet -> next'],
    });
    expect(result).toMatchObject({ status: 'succeeded', output: {} });
    expect(ran(result)).toBe('start quiet next');
  });

  test.each<[string, unknown, string]>([
    ['a text', 'oops', 'a node threw "oops"'],
    ['null', null, 'a node threw null'],
    ['an object with a message', { message: 'odd' }, 'a node threw odd'],
    ['an object without one', {}, 'a node threw an object that is not an Error'],
  ])('a node that throws %s has a readable failure', async (_case, thrown, message) => {
    const result = await runGraph({
      nodes: {
        odd: {
          does: () => {
            throw thrown;
          },
        },
      },
      edges: ['start -> odd'],
    });
    expect(result.failure).toEqual({ nodeId: 'odd', name: 'Error', message });
  });

  test('messages are bounded', async () => {
    const result = await runGraph({
      nodes: { long: { does: () => Promise.reject(new Error('x'.repeat(5_000))) } },
      edges: ['start -> long'],
    });
    expect(result.failure?.message).toHaveLength(1_000);
  });

  test('an executor for a different type fails its node', async () => {
    const { definition } = aGraph({ nodes: { a: {} }, edges: ['start -> a'] });
    const plan = compilePlan(definition, () => ({
      nodeType: 'type-a',
      kind: 'action',
      pure: true,
      control: null,
      ...fillInDeclarations({}),
      firedBy: null,
      schema: {},
      getExecutor: async () => ({ getNodeType: () => 'another', execute: () => ({}) }),
    }));
    await expect(plan.executorOf(plan.nodes[1] as never)).rejects.toThrow('is for the node type "another"');
  });

  test('inputs are frozen, so that other nodes see what was delivered', async () => {
    const result = await runGraph({
      nodes: {
        thief: {
          does: (_node, input) => {
            (input.order as { total: number }).total = 0;
            return {};
          },
          settings: { onError: 'continue' },
        },
        next: {},
      },
      edges: ['start -> thief', 'thief -> next'],
      input: { order: { total: 5 } },
    });
    expect(result.output).toEqual({
      order: { total: 5 },
      error: expect.objectContaining({ name: 'TypeError' }),
    });
    expect(result.nodes[1]?.failure?.name).toBe('TypeError');
  });

  test('keys such as __proto__ are data like any other, and change no prototype', async () => {
    const hostile = JSON.parse(
      '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 2}}}',
    );
    const result = await runGraph({
      nodes: { a: { does: () => hostile }, b: { does: { ok: true } }, join: {} },
      edges: ['start -> a', 'start -> b', 'a -> join', 'b -> join'],
    });
    expect(JSON.stringify(result.output)).toBe(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"ok":true}',
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('time and retries', () => {
  test('a node that hangs fails when its time is up, whether or not it looks at its signal', async () => {
    let signal: AbortSignal | undefined;
    const result = await runGraph({
      nodes: {
        hangs: {
          does: (_node, _input, context) => {
            signal = context.signal;
            return new Promise(() => {});
          },
          settings: { timeoutSeconds: 2 },
        },
      },
      edges: ['start -> hangs'],
    });
    expect(result.elapsedMs).toBe(2_000);
    expect(result.failure).toEqual({
      nodeId: 'hangs',
      name: 'TimeoutError',
      message: 'the node took longer than 2 s',
    });
    expect(signal?.aborted).toBe(true);
  });

  test('a node knows its remaining time', async () => {
    const result = await runGraph({
      nodes: {
        slow: {
          does: async (_node, _input, context) => {
            await context.services.clock.sleep(400);
            return { left: context.remainingMs() };
          },
          settings: { timeoutSeconds: 1 },
        },
      },
      edges: ['start -> slow'],
    });
    expect(result.output).toEqual({ left: 600 });
  });

  test('a node with side effects is retried as configured, with growing delays', async () => {
    const attempts: number[] = [];
    const result = await runGraph({
      nodes: {
        shop: {
          pure: false,
          does: (_node, _input, { attempt }) => {
            attempts.push(attempt);
            if (attempt < 3) throw new Error('busy');
            return { done: true };
          },
          settings: { retry: { maxAttempts: 5, intervalSeconds: 2, backoffRate: 3 } },
        },
      },
      edges: ['start -> shop'],
    });
    expect(attempts).toEqual([1, 2, 3]);
    expect(result.elapsedMs).toBe(2_000 + 6_000);
    expect(result.nodes[1]).toMatchObject({ status: 'succeeded', attempts: 3 });
  });

  test('when all attempts fail, the last failure counts', async () => {
    const result = await runGraph({
      nodes: {
        shop: {
          pure: false,
          does: (_node, _input, { attempt }) => Promise.reject(new Error(`busy ${attempt}`)),
          settings: { retry: { maxAttempts: 2 } },
        },
      },
      edges: ['start -> shop'],
    });
    expect(result.nodes[1]).toMatchObject({ status: 'failed', attempts: 2, failure: { message: 'busy 2' } });
  });

  test('a pure node is not retried, since it would fail again', async () => {
    const result = await runGraph({
      nodes: { pure: { does: fails, settings: { retry: { maxAttempts: 5 } } } },
      edges: ['start -> pure'],
    });
    expect(result.nodes[1]).toMatchObject({ status: 'failed', attempts: 1 });
  });

  test('an execution that times out ends at once, and aborts running nodes', async () => {
    let signal: AbortSignal | undefined;
    const result = await runGraph({
      nodes: {
        hangs: {
          does: (_node, _input, context) => {
            signal = context.signal;
            return new Promise(() => {});
          },
        },
        next: {},
      },
      edges: ['start -> hangs', 'hangs -> next'],
      limits: { timeoutMs: 1_500 },
    });
    expect(result).toMatchObject({ status: 'timedOut', elapsedMs: 1_500, failure: { nodeId: 'hangs' } });
    expect(result.nodes[1]).toMatchObject({ nodeId: 'hangs', status: 'failed' });
    expect(signal?.aborted).toBe(true);
  });

  test('an execution of fast nodes can time out too', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `n${index}`);
    const result = await runGraph({
      nodes: Object.fromEntries(ids.map((id) => [id, { does: takes(10) }])),
      edges: ids.map((id, index) => `${index === 0 ? 'start' : ids[index - 1]} -> ${id}`),
      limits: { timeoutMs: 105 },
    });
    expect(result.status).toBe('timedOut');
    expect(result.nodes.length).toBeLessThan(15);
  });

  test('no more nodes run than the limit allows', async () => {
    const result = await runGraph({
      nodes: { a: {}, b: {}, c: {} },
      edges: ['start -> a', 'a -> b', 'b -> c'],
      limits: { maxNodeRuns: 3 },
    });
    expect(ran(result)).toBe('start a b');
    expect(result).toMatchObject({ status: 'failed', failure: { name: 'NodeRunLimit' } });
  });

  test('an output that is too large fails its node', async () => {
    const result = await runGraph({
      nodes: { big: { does: { text: 'x'.repeat(500) } } },
      edges: ['start -> big'],
      limits: { maxOutputBytes: 400 },
    });
    expect(result.failure).toMatchObject({ nodeId: 'big', name: 'RangeError' });
  });
});

describe('the steps port', () => {
  test('runs only nodes with side effects, named by node and iteration', async () => {
    const names: string[] = [];
    await runGraph({
      nodes: {
        pure: {},
        call: { pure: false, does: (_node, input) => ({ n: Number(input.n ?? 0) + 1 }) },
        more: { does: (_node, input) => emit({ [Number(input.n) < 2 ? 'again' : 'done']: input }) },
      },
      edges: ['start -> pure', 'pure -> call', 'call -> more', 'more.again -> call'],
      steps: (clock) =>
        stepsThatRun(inlineSteps(clock), async ({ name, attempt }) => {
          names.push(name);
          return { ...(await attempt(1)), attempts: 1 };
        }),
    });
    expect(names).toEqual(['call/0', 'call/1']);
  });

  test('its results are used as if the node had just run', async () => {
    const result = await runGraph({
      nodes: { call: { pure: false, does: fails }, next: {} },
      edges: ['start -> call', 'call -> next'],
      steps: (clock) =>
        stepsThatRun(inlineSteps(clock), async () => ({ outputs: { main: { stored: true } }, attempts: 2 })),
    });
    expect(result).toMatchObject({ status: 'succeeded', output: { stored: true } });
    expect(Object.isFrozen(result.output)).toBe(true);
  });
});

describe('invalid plans', () => {
  const rejection = async (run: Promise<unknown>) =>
    run.then(
      () => null,
      (error: unknown) => error,
    );

  test.each([
    ['an unknown trigger', { nodes: {}, edges: [] }, 'missing'],
    ['a node that is no trigger', { nodes: { a: {} }, edges: [] }, 'a'],
    [
      'a disabled trigger',
      { nodes: { off: { kind: 'trigger', disabled: true } as const }, edges: [] },
      'off',
    ],
  ])('%s is refused', async (_case, graph, trigger) => {
    const { definition, findNodeType } = aGraph(graph);
    const plan = compilePlan(definition, findNodeType);
    expect(isAppError(await rejection((async () => plan.routeFrom(trigger))()), 'WORKFLOW_INVALID')).toBe(
      true,
    );
  });

  test.each([
    ['a connection from nowhere', { connections: [{ sourceNodeId: 'missing', targetNodeId: 'start' }] }],
    ['a type that no plugin brings', { nodes: [{ id: 'x', type: 'unknown', parameters: {} }] }],
    [
      'an id that is used twice',
      { nodes: [1, 2].map(() => ({ id: 'x', type: 'type-start', parameters: {} })) },
    ],
  ])('%s is refused', (_case, spoilt) => {
    const { definition, findNodeType } = aGraph({ nodes: {}, edges: [] });
    expect(() => compilePlan({ ...definition, ...spoilt }, findNodeType)).toThrow(/can't run/);
  });
});
