import type { JsonObject, NodeSettings, PluginHandle } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../../lib/adapters/runtime/system-clock.ts';
import { computeLimits } from '../../../../lib/executions/lifecycle/limits.ts';
import { loadRegistry } from '../../../../lib/plugins/load-registry.ts';
import { CALLER_WAITS_SECONDS } from '../../../../lib/workflows/definition/path-config.ts';
import { installedPlugins } from '../../../../nodes/installed.ts';
import {
  aHandle,
  aLegacyProvider,
  aProvider,
  installedLegacy,
  installedUnified,
} from '../../../../tests/support/a-plugin.ts';
import { silent } from '../../../../tests/support/a-run.ts';
import { cases } from '../../../../tests/support/deep.ts';
import { validateWorkflow } from '../../validation/validate.ts';

const open: JsonObject = { type: 'object' };

/** Node types of a plugin, each with one thing that it declares. */
const handles: readonly PluginHandle[] = [
  aHandle({ id: 'plain', schema: open, pure: false }),
  aHandle({ id: 'parts', schema: open, outputs: ['left', 'right'] }),
  aHandle({ id: 'sink', schema: open, outputs: [] }),
  aHandle({ id: 'named', schema: open, outputs: ({ to }) => [String(to)] }),
  aHandle({
    id: 'confused',
    schema: open,
    outputs: () => {
      throw new Error('no idea');
    },
  }),
  aHandle({ id: 'joins', schema: open, inputs: ['old', 'new'] }),
  aHandle({ id: 'both', schema: open, inputs: ['main', 'extra'] }),
  aHandle({ id: 'locked', schema: open, credentialTypes: ['apiKey'] }),
  aHandle({ id: 'timer', schema: open, kind: 'trigger' }),
];

let findNodeType: FindNodeType;

beforeAll(async () => {
  const installed = [
    ...installedPlugins,
    installedUnified(aProvider({ id: 'own', handles: [...handles] }), 'own'),
    installedLegacy(aLegacyProvider({ nodeType: 'bell', properties: [] }), { id: 'bell', kind: 'trigger' }),
  ];
  ({ findNodeType } = await loadRegistry(installed, { logger: silent, clock: systemClock }));
});

interface ANode {
  readonly type: string;
  readonly parameters?: JsonObject;
  readonly settings?: NodeSettings;
  readonly disabled?: boolean;
  readonly credentialId?: string;
}

/** Nodes by id, beside the trigger `start`; connections are `a -> b`, `a.output -> b` or `a -> b.input`. */
const problemsOf = async (
  nodes: Readonly<Record<string, ANode>>,
  edges: readonly string[],
  start: ANode = { type: 'webhookTrigger' },
) => {
  const connections = edges.map((edge) => {
    const [, sourceNodeId, sourceOutput, targetNodeId, targetInput] =
      /^(\w+)(?:\.(\w+))? -> (\w+)(?:\.(\w+))?$/.exec(edge) ?? [];
    return { sourceNodeId, sourceOutput, targetNodeId, targetInput };
  });
  const all = Object.entries({ start, ...nodes }).map(([id, node]) => ({ id, ...node }));
  const file = { id: 'w', name: 'W', nodes: all, connections };
  return (await validateWorkflow(JSON.parse(JSON.stringify(file)), findNodeType)).problems;
};

const set: ANode = { type: 'set', parameters: { values: {} } };
const decide: ANode = { type: 'if', parameters: { condition: '{{ $random() > 0.5 }}' } };
const call: ANode = { type: 'httpRequest', parameters: { url: 'https://example.com' } };
const each: ANode = { type: 'forEach', parameters: { items: [] } };
const reply: ANode = { type: 'respondToWebhook' };

type Graph = readonly [what: string, nodes: Record<string, ANode>, edges: readonly string[]];

describe('connections start at outputs that a node has', () => {
  const choose = (parameters: JsonObject): ANode => ({ type: 'switch', parameters });
  const cases = [{ equals: 1, output: 'one' }];

  test.each<Graph>([
    ['a list', { a: { type: 'parts' }, b: set }, ['start -> a', 'a.left -> b', 'a.right -> b']],
    [
      'cases, and the fallback that there is by default',
      { a: choose({ value: 1, cases }), b: set },
      ['start -> a', 'a.one -> b', 'a.default -> b'],
    ],
    [
      'a fallback of its own name',
      { a: choose({ value: 1, cases, fallback: 'rest' }), b: set },
      ['start -> a', 'a.rest -> b'],
    ],
    [
      'any, where an expression names them',
      { a: choose({ value: 1, cases, fallback: '{{ body.to }}' }), b: set },
      ['start -> a', 'a.anything -> b'],
    ],
    [
      'any, where an expression gives the cases',
      { a: choose({ value: 1, cases: '{{ body.cases }}' }), b: set },
      ['start -> a', 'a.anything -> b'],
    ],
    ['any, where a plugin cannot say', { a: { type: 'confused' }, b: set }, ['start -> a', 'a.x -> b']],
    [
      'a function of a plugin',
      { a: { type: 'named', parameters: { to: 'x' } }, b: set },
      ['start -> a', 'a.x -> b'],
    ],
    [
      'error, of any node that routes its failures',
      { a: { ...set, settings: { onError: 'route' } }, b: set },
      ['start -> a', 'a.error -> b'],
    ],
    [
      'main, of a node that is disabled and hands its input on',
      { a: { ...decide, disabled: true }, b: set, c: set },
      ['start -> a', 'a -> b', 'a.true -> c'],
    ],
  ])('from %s', async (_what, nodes, edges) => {
    expect(await problemsOf(nodes, edges)).toEqual([]);
  });

  test.each<[...Graph, message: string]>([
    [
      'none of a list',
      { a: { type: 'parts' }, b: set },
      ['start -> a', 'a.Left -> b'],
      '"a" has no output "Left", but "left", "right"; did you mean "left"?',
    ],
    [
      'a case that there is not',
      { a: choose({ value: 1, cases }), b: set },
      ['start -> a', 'a.two -> b'],
      '"a" has no output "two", but "one", "default"',
    ],
    [
      'a node without outputs',
      { a: { type: 'sink' }, b: set },
      ['start -> a', 'a.x -> b'],
      '"a" has no outputs',
    ],
    [
      'the default output of a trigger, under another name',
      { a: set },
      ['start.out -> a'],
      '"start" has no output "out", but "main"',
    ],
  ])('not from %s', async (_what, nodes, edges, message) => {
    expect(await problemsOf(nodes, edges)).toMatchObject([
      { path: `/connections/${edges.length - 1}/sourceOutput`, message },
    ]);
  });
});

describe('connections end at inputs that a node has', () => {
  test('by name, where names distinguish them', async () => {
    expect(await problemsOf({ a: { type: 'joins' } }, ['start -> a.old', 'start -> a.new'])).toEqual([]);
    expect(await problemsOf({ a: { type: 'both' } }, ['start -> a', 'start -> a.extra'])).toEqual([]);
  });

  test.each<[...Graph, path: string, message: string]>([
    [
      'another name',
      { a: { type: 'joins' } },
      ['start -> a.older'],
      '/connections/0/targetInput',
      '"a" has no input "older", but "old", "new"; did you mean "old"?',
    ],
    [
      'no name where one is needed',
      { a: { type: 'joins' } },
      ['start -> a'],
      '/connections/0',
      '"a" has no input "main": set targetInput to one of: "old", "new"',
    ],
  ])('not by %s', async (_what, nodes, edges, path, message) => {
    expect(await problemsOf(nodes, edges)).toMatchObject([{ path, message }]);
  });
});

describe('what starts a workflow', () => {
  const TIMER = {
    path: '/nodes/0/type',
    message:
      'nothing fires triggers of the type "timer", and the workflow has no other trigger: use a webhookTrigger',
  };

  test.each<[string, ANode, Record<string, ANode>]>([
    ['a request', { type: 'webhookTrigger' }, {}],
    ['another workflow', { type: 'manualTrigger' }, {}],
    ['a trigger that is switched off for now', { type: 'webhookTrigger', disabled: true }, {}],
    ['one trigger beside one that nothing fires', { type: 'timer' }, { other: { type: 'manualTrigger' } }],
  ])('may be %s', async (_what, start, nodes) => {
    expect(await problemsOf(nodes, [], start)).toEqual([]);
  });

  test.each<[string, ANode, Record<string, ANode>, object]>([
    ["a plugin's own trigger", { type: 'timer' }, {}, TIMER],
    [
      "a plugin's own trigger of the legacy API",
      { type: 'bell' },
      {},
      { path: '/nodes/0/type', message: TIMER.message.replace('timer', 'bell') },
    ],
    [
      "a plugin's own trigger, the other one being switched off",
      { type: 'timer' },
      { other: { type: 'webhookTrigger', disabled: true } },
      TIMER,
    ],
    ["a plugin's own trigger, switched off", { type: 'timer', disabled: true }, {}, TIMER],
  ])('is not %s', async (_what, start, nodes, problem) => {
    expect(await problemsOf(nodes, [], start)).toMatchObject([problem]);
  });
});

describe('nodes that no trigger leads to', () => {
  const lost = (id: string) => `no trigger leads to "${id}": connect it, or disable it to keep it for later`;

  const disable = (...indexes: number[]) => ({
    proposal: indexes.map((at) => ({ op: 'add', path: `/nodes/${at}/disabled`, value: true })),
  });

  test('are reported by the first of each connected group', async () => {
    expect(await problemsOf({ a: set, b: set, c: set, d: set }, ['b -> a', 'a -> c'])).toEqual([
      { path: '/nodes/2', message: lost('b'), ...disable(2, 1, 3) },
      { path: '/nodes/4', message: lost('d'), ...disable(4) },
    ]);
  });

  test('are reported when they form a cycle, which is then not also a loop without an exit', async () => {
    expect(await problemsOf({ a: set, b: set }, ['a -> b', 'b -> a'])).toEqual([
      { path: '/nodes/1', message: lost('a'), ...disable(1, 2) },
    ]);
  });

  test.each<Graph>([
    ['behind another one', { a: set, b: set }, ['start -> a', 'a -> b']],
    ['behind a trigger that nothing fires yet', { t: { type: 'timer' }, a: set }, ['t -> a']],
    ['in a body', { a: each, b: set }, ['start -> a', 'a.each -> b']],
    ['disabled', { a: { ...set, disabled: true } }, []],
  ])('are not reported %s', async (_what, nodes, edges) => {
    expect(await problemsOf(nodes, edges)).toEqual([]);
  });

  test('are not reported when a dangling connection leaves them behind', async () => {
    expect(await problemsOf({ alpha: set, b: set }, ['start -> alfa', 'alpha -> b'])).toMatchObject([
      { path: '/connections/0/targetNodeId' },
    ]);
    expect(await problemsOf({ a: set }, ['strat -> a'])).toMatchObject([
      { path: '/connections/0/sourceNodeId' },
    ]);
  });
});

describe('a loop', () => {
  test.each<Graph>([
    ['by a branch', { a: set, b: decide }, ['start -> a', 'a -> b', 'b.true -> a']],
    [
      'by a filter',
      { a: set, b: { type: 'filter', parameters: decide.parameters ?? {} } },
      ['start -> a', 'a -> b', 'b -> a'],
    ],
    [
      'by a failure',
      { a: { ...call, settings: { onError: 'route' } }, b: set, c: set },
      ['start -> a', 'a -> b', 'b -> a', 'a.error -> c'],
    ],
    [
      'by outputs that only a run knows',
      { a: { type: 'confused' }, b: set },
      ['start -> a', 'a.x -> b', 'b -> a'],
    ],
    ['in a body', { e: each, a: set, b: decide }, ['start -> e', 'e.each -> a', 'a -> b', 'b.true -> a']],
    [
      'of which one branch leads on within',
      { a: decide, b: set, c: decide },
      ['start -> a', 'a.true -> b', 'a.false -> c', 'b -> c', 'c.true -> a'],
    ],
  ])('may end %s', async (_what, nodes, edges) => {
    expect(await problemsOf(nodes, edges)).toEqual([]);
  });

  test.each<[...Graph, at: number, ids: string]>([
    ['of one node', { a: set }, ['start -> a', 'a -> a'], 1, '"a"'],
    [
      'of several nodes',
      { a: set, b: call, c: set },
      ['start -> a', 'a -> b', 'b -> c', 'c -> a'],
      3,
      '"a", "b", "c"',
    ],
    [
      'of which both branches lead back',
      { a: set, b: decide },
      ['start -> a', 'a -> b', 'b.true -> a', 'b.false -> b'],
      2,
      '"a", "b"',
    ],
    [
      'that is left beside itself, but continues',
      { a: set, b: set, c: set },
      ['start -> a', 'a -> b', 'b -> a', 'b -> c'],
      2,
      '"a", "b"',
    ],
    [
      'inside of one that has an exit',
      { a: set, b: set, c: decide },
      ['start -> a', 'a -> b', 'b -> a', 'b -> c', 'c.true -> a'],
      2,
      '"a", "b"',
    ],
    [
      'whose branch is disabled',
      { a: set, b: { ...decide, disabled: true } },
      ['start -> a', 'a -> b', 'b -> a', 'b.true -> a'],
      2,
      '"a", "b"',
    ],
    ['beside a body', { a: each, b: set }, ['start -> a', 'a.each -> b', 'a -> a'], 2, '"a"'],
  ])('has no exit %s', async (_what, nodes, edges, at, ids) => {
    expect(await problemsOf(nodes, edges)).toEqual([
      {
        path: `/connections/${at}`,
        message: `closes a loop without an exit (${ids}): connect one output of a node such as "if" to a node outside the loop`,
      },
    ]);
  });

  test('gives a node the output of the previous iteration', async () => {
    const count = { type: 'set', parameters: { values: { n: '{{ $nodes.a.n + 1 }}' } } };
    expect(await problemsOf({ a: count, b: decide }, ['start -> a', 'a -> b', 'b.true -> a'])).toEqual([]);
    const bounded = { ...count, settings: { maxIterations: 5 } };
    expect(await problemsOf({ a: bounded, b: decide }, ['start -> a', 'a -> b', 'b.true -> a'])).toEqual([]);
  });
});

describe('settings that have no effect', () => {
  test.each<[string, ANode, string, string]>([
    [
      'retries of a node that waits',
      { type: 'wait', parameters: { seconds: 1 }, settings: { retry: { maxAttempts: 2 } } },
      '/nodes/1/settings/retry',
      'has no effect: nodes of the type "wait" control the run: they get one attempt, without a timeout',
    ],
    [
      'the time of a node that waits',
      { type: 'wait', parameters: { seconds: 1 }, settings: { timeoutSeconds: 2 } },
      '/nodes/1/settings/timeoutSeconds',
      'has no effect: nodes of the type "wait" control the run: they get one attempt, without a timeout',
    ],
    [
      'at most once, of a pure node',
      { ...set, settings: { atMostOnce: true } },
      '/nodes/1/settings/atMostOnce',
      'has no effect: nodes of the type "set" have no side effects and are never retried',
    ],
  ])('%s', async (_what, a, path, message) => {
    const proposal = [{ op: 'remove', path: '/nodes/1/settings' }];
    expect(await problemsOf({ a }, ['start -> a'])).toEqual([{ path, message, proposal }]);
  });

  test('are not reported where a node has side effects', async () => {
    const settings = { retry: { maxAttempts: 3, intervalSeconds: 2 }, timeoutSeconds: 60 };
    expect(await problemsOf({ a: { ...call, settings } }, ['start -> a'])).toEqual([]);
    expect(await problemsOf({ a: { type: 'plain', settings } }, ['start -> a'])).toEqual([]);
    const once = { retry: { maxAttempts: 1 }, atMostOnce: true };
    expect(await problemsOf({ a: { ...call, settings: once } }, ['start -> a'])).toEqual([]);
  });

  test('include a retry of a trigger', async () => {
    const start = { type: 'webhookTrigger', settings: { retry: { maxAttempts: 2 } } };
    expect(await problemsOf({}, [], start)).toEqual([
      {
        path: '/nodes/0/settings/retry',
        message: 'has no effect: triggers are never retried',
        proposal: [{ op: 'remove', path: '/nodes/0/settings' }],
      },
    ]);
  });
});

describe('a credential', () => {
  test('may be named where the node type takes one', async () => {
    expect(await problemsOf({ a: { type: 'locked', credentialId: 'key' } }, ['start -> a'])).toEqual([]);
  });

  test('is refused where it takes none', async () => {
    expect(await problemsOf({ a: { type: 'plain', credentialId: 'key' } }, ['start -> a'])).toEqual([
      {
        path: '/nodes/1/credentialId',
        message: 'nodes of the type "plain" don\'t use a credential: remove it',
        proposal: [{ op: 'remove', path: '/nodes/1/credentialId' }],
      },
    ]);
  });
});

describe('a caller who waits', () => {
  const waiting = (responseMode: string): ANode => ({ type: 'webhookTrigger', parameters: { responseMode } });
  const wait = (seconds: number): ANode => ({ type: 'wait', parameters: { seconds } });

  test('can wait for the maximum duration of the run', () => {
    expect(CALLER_WAITS_SECONDS * 1_000).toBe(computeLimits({}, 'inline').timeoutMs);
  });

  test.each<[string, ANode, Record<string, ANode>, readonly string[]]>([
    ['a short wait', waiting('lastNode'), { a: wait(25) }, ['start -> a']],
    [
      'a long wait that is disabled',
      waiting('lastNode'),
      { a: { ...wait(99), disabled: true } },
      ['start -> a'],
    ],
    [
      'a long wait behind another trigger',
      waiting('lastNode'),
      { t: { type: 'manualTrigger' }, a: wait(99) },
      ['t -> a'],
    ],
    [
      'a wait of unknown length',
      waiting('lastNode'),
      { a: { type: 'wait', parameters: { seconds: '{{ body.s }}' } } },
      ['start -> a'],
    ],
    [
      'an answer behind a body',
      waiting('responseNode'),
      { e: each, a: set, r: reply },
      ['start -> e', 'e.each -> a', 'e -> r'],
    ],
  ])('is not affected by %s', async (_what, start, nodes, edges) => {
    expect(await problemsOf(nodes, edges, start)).toEqual([]);
  });

  test('is reported with the first node that waits too long, however far down', async () => {
    const edges = ['start -> a', 'a -> b', 'b -> c'];
    const nodes = { a: set, b: wait(26), c: { type: 'approval' } };
    expect(await problemsOf(nodes, edges, waiting('lastNode'))).toEqual([
      {
        path: '/nodes/0/parameters/responseMode',
        message:
          'makes the caller wait for the result, but "b" waits 26 seconds, but the caller at most 25: use onReceived or "onTimeout": "continue"',
      },
    ]);
  });

  const unanswered = {
    path: '/nodes/0/parameters/responseMode',
    message: 'responseNode needs a respondToWebhook node after the trigger',
  };

  test.each<[string, Record<string, ANode>, readonly string[], object]>([
    ['is nowhere', { a: set }, ['start -> a'], unanswered],
    [
      'is behind another trigger',
      { t: waiting('responseNode'), a: set, r: reply },
      ['start -> a', 't -> r'],
      unanswered,
    ],
    [
      'is in a body',
      { e: each, r: reply },
      ['start -> e', 'e.each -> r'],
      {
        path: '/nodes/2/type',
        message:
          'answers no caller: it is in a body, whose output goes to the node that runs it: respond after that node',
      },
    ],
    [
      'is not connected',
      { r: reply },
      [],
      { path: '/nodes/1', message: expect.stringContaining('no trigger leads') },
    ],
  ])('gets no response when the response %s', async (_what, nodes, edges, problem) => {
    const others = Object.fromEntries(
      Object.entries(nodes).map(([id, node]) => [
        id,
        node.type === 'webhookTrigger'
          ? { ...node, parameters: { ...node.parameters, path: `/${id}` } }
          : node,
      ]),
    );
    expect(await problemsOf(others, edges, waiting('responseNode'))).toEqual([problem]);
  });
});

describe('a large file', () => {
  const SIZE = cases(999, 9_999);
  const chain = (length: number, node: (index: number) => object) => ({
    id: 'w',
    name: 'W',
    nodes: [
      { id: 'start', type: 'webhookTrigger' },
      ...Array.from({ length }, (_, index) => ({ id: `n${index}`, type: 'set', ...node(index) })),
    ],
    connections: Array.from({ length }, (_, index) => ({
      sourceNodeId: index === 0 ? 'start' : `n${index - 1}`,
      targetNodeId: `n${index}`,
    })),
  });

  test(`of ${SIZE} nodes in a chain is valid`, async () => {
    const parameters = { values: { a: '{{ $nodes.start.body.a }}' } };
    const { problems } = await validateWorkflow(
      chain(SIZE, () => ({ parameters })),
      findNodeType,
    );
    expect(problems).toEqual([]);
  });

  test('with a mistake in every node has a list that ends', async () => {
    const { problems } = await validateWorkflow(
      chain(SIZE, (index) => ({
        parameters: { values: { a: `{{ $wrong${index}($nodes.none${index}) }}` } },
      })),
      findNodeType,
    );
    expect(problems).toHaveLength(501);
    expect(problems.at(-1)).toEqual({
      path: '',
      message: `has ${2 * SIZE - 500} more problems, not listed here`,
    });
  });

  test('with bodies nested deeper than runs allow is refused', async () => {
    const { nodes, connections } = chain(SIZE, () => ({ type: 'forEach', parameters: { items: [] } }));
    const inside = connections.map((connection, index) =>
      index === 0 ? connection : { ...connection, sourceOutput: 'each' },
    );
    const { problems } = await validateWorkflow(
      { id: 'w', name: 'W', nodes, connections: inside },
      findNodeType,
    );
    expect(problems).toContainEqual({ path: '/nodes/11', message: 'nests bodies more than 10 levels deep' });
    expect(problems).toHaveLength(2); // the last one has no body
  });
});
