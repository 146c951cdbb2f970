import { readFileSync } from 'node:fs';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { systemClock } from '../../../../lib/adapters/runtime/system-clock.ts';
import { loadRegistry } from '../../../../lib/plugins/load-registry.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { compilePlan } from '../../../../lib/workflows/plan/compile-plan.ts';
import { installedPlugins } from '../../../../nodes/installed.ts';
import { silent } from '../../../../tests/support/a-run.ts';
import { aTrigger, aWorkflow } from '../../../../tests/support/a-workflow.ts';
import { cases } from '../../../../tests/support/deep.ts';
import { readSample, sampleNames } from '../../../../tests/support/shown-workflows.ts';
import { validateWorkflow } from '../../validation/validate.ts';

let findNodeType: FindNodeType;

beforeAll(async () => {
  ({ findNodeType } = await loadRegistry(installedPlugins, { logger: silent, clock: systemClock }));
});

const problemsOf = async (value: unknown): Promise<readonly Problem[]> =>
  (await validateWorkflow(value, findNodeType)).problems;

/** A workflow whose only node beside the trigger is this one. */
const withNode = (node: object) => {
  const { nodes } = aWorkflow();
  return { ...aWorkflow(), nodes: [nodes[0], { ...nodes[1], ...node }] };
};

/** A node that touches the outside. */
const aCall = { type: 'httpRequest', parameters: { url: 'https://example.com/' } };

describe('a valid workflow', () => {
  test('has no problems, and the result is its definition with defaults filled in', async () => {
    const { enabled: _enabled, ...rest } = aWorkflow();
    const bare = {
      ...rest,
      extra: { kept: true },
      nodes: [{ id: 'start', type: 'manualTrigger' }],
      connections: [],
    };
    expect(await validateWorkflow(bare, findNodeType)).toMatchObject({
      definition: { ...bare, enabled: true, nodes: [{ id: 'start', type: 'manualTrigger', parameters: {} }] },
      problems: [],
      warnings: [{ path: '/extra', severity: 'warning' }],
    });
  });

  test.each(sampleNames)('the sample %s is one', async (name) => {
    expect(await problemsOf(readSample(name))).toEqual([]);
  });

  const pages = ['README.md', 'docs/workflow-format.md', 'docs/plugins.md', 'docs/webhooks.md'];
  const examples = pages.flatMap((page) => {
    const text = readFileSync(new URL(`../../../../${page}`, import.meta.url), 'utf8');
    const blocks = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json));
    return blocks.filter(({ nodes }) => nodes !== undefined).map((value) => [page, value] as const);
  });
  test.each(examples)('an example of %s is valid, or part of a valid one', async (_page, example) => {
    const start = { id: 'start', type: 'webhookTrigger' };
    const [first] = example.nodes;
    const whole =
      example.id === undefined
        ? {
            ...aWorkflow(),
            nodes: [start, ...example.nodes],
            connections: [{ sourceNodeId: 'start', targetNodeId: first.id }, ...example.connections],
          }
        : example;
    expect(await problemsOf(whole)).toEqual([]);
  });

  test.each<[string, unknown]>([
    [
      'an expression where the schema wants a boolean',
      withNode({ type: 'if', parameters: { condition: '{{ body.total > 1 }}' } }),
    ],
    ['an expression where the schema wants a map', withNode({ parameters: { values: '{{ body }}' } })],
    [
      'expressions within a list',
      withNode({
        type: 'switch',
        parameters: { value: '{{ body.a }}', cases: [{ equals: '{{ body.b }}', output: 'x' }] },
      }),
    ],
    [
      'a loop',
      {
        ...withNode({ type: 'if', parameters: { condition: '{{ $random() > 0.5 }}' } }),
        connections: [
          ...aWorkflow().connections,
          { sourceNodeId: 'greet', targetNodeId: 'greet', sourceOutput: 'true' },
        ],
      },
    ],
    [
      'a path of any depth, without a leading slash',
      { ...aWorkflow(), nodes: [aTrigger({ path: 'a/b/c' })], connections: [] },
    ],
    [
      'the address of the workflow itself',
      { ...aWorkflow(), nodes: [aTrigger({ path: '/' })], connections: [] },
    ],
    [
      'one path by two methods',
      {
        ...aWorkflow(),
        nodes: [aTrigger({ method: 'GET' }), aTrigger({}, { id: 'other' })],
        connections: [],
      },
    ],
    [
      'one path by two methods of one trigger, and a third of another',
      {
        ...aWorkflow(),
        nodes: [aTrigger({ methods: ['GET', 'PUT'] }), aTrigger({}, { id: 'other' })],
        connections: [],
      },
    ],
    [
      'patterns that fit the same paths, one more specific than the other',
      {
        ...aWorkflow(),
        nodes: ['/users/me', '/users/:id', '/:kind/:id', '/users/*rest'].map((path, at) =>
          aTrigger({ path }, { id: `node-${at}` }),
        ),
        connections: [],
      },
    ],
    [
      'patterns that fit the same paths, by different methods',
      {
        ...aWorkflow(),
        nodes: [
          aTrigger({ path: '/users/:id', methods: ['GET', 'PUT'] }),
          aTrigger({ path: '/:kind/me', method: 'DELETE' }, { id: 'other' }),
        ],
        connections: [],
      },
    ],
  ])('may have %s', async (_case, value) => {
    expect(await problemsOf(value)).toEqual([]);
  });
});

describe('a mistake is reported with its place', () => {
  test.each<[string, unknown, string, string]>([
    ['no object', 'text', '', 'must be object'],
    [
      '$schema that is no string',
      { ...aWorkflow(), $schema: 1 },
      '/$schema',
      'must be string (The JSON Schema of the file, for editors; it is not stored)',
    ],
    ['a missing key', { ...aWorkflow(), nodes: undefined }, '', 'lacks the key "nodes"'],
    [
      'a workflow id',
      aWorkflow({ id: 'a/b' }),
      '/id',
      'must match pattern "^[A-Za-z0-9_-]{1,64}$" (Up to 64 of A-Z a-z 0-9 _ -; part of the URLs of its webhooks); did you mean "a-b"?',
    ],
    ['a reserved workflow id', aWorkflow({ id: 'constructor' }), '/id', '"constructor" is a reserved name'],
    ['no nodes', aWorkflow({ nodes: [], connections: [] }), '/nodes', 'must have at least 1 items'],
    [
      'an unknown key of a node',
      withNode({ retries: 3 }),
      '/nodes/1',
      'has the unknown key "retries"; did you mean "settings.retry.maxAttempts"?',
    ],
    [
      'an unknown setting',
      withNode({ ...aCall, settings: { retry: { times: 3 } } }),
      '/nodes/1/settings/retry',
      'has the unknown key "times"; did you mean "maxAttempts"?',
    ],
    [
      'too many attempts',
      withNode({ ...aCall, settings: { retry: { maxAttempts: 99 } } }),
      '/nodes/1/settings/retry/maxAttempts',
      'must be <= 20',
    ],
    [
      'an unknown onError',
      withNode({ settings: { onError: 'ignore' } }),
      '/nodes/1/settings/onError',
      'must be one of fail, continue, route',
    ],
    [
      'a timeout of more than a year',
      aWorkflow({ settings: { timeoutSeconds: 31_622_401 } }),
      '/settings/timeoutSeconds',
      'must be <= 31622400',
    ],
    [
      'an unknown node type',
      withNode({ type: 'nope' }),
      '/nodes/1/type',
      'no installed plugin provides the type "nope"',
    ],
    [
      'a node id twice',
      { ...withNode({ id: 'request' }), connections: [] },
      '/nodes/1/id',
      '"request" is already the id of /nodes/0',
    ],
    [
      'a reserved node id',
      {
        ...withNode({ id: '__proto__' }),
        connections: [{ sourceNodeId: 'request', targetNodeId: '__proto__' }],
      },
      '/nodes/1/id',
      '"__proto__" is a reserved name',
    ],
    [
      'a connection from nowhere',
      aWorkflow({ connections: [{ sourceNodeId: 'gone', targetNodeId: 'greet' }] }),
      '/connections/0/sourceNodeId',
      'there is no node "gone"',
    ],
    [
      'a connection to nowhere',
      aWorkflow({ connections: [{ sourceNodeId: 'request', targetNodeId: 'gone' }] }),
      '/connections/0/targetNodeId',
      'there is no node "gone"',
    ],
    [
      'a connection twice',
      aWorkflow({
        connections: [
          ...aWorkflow().connections,
          { sourceNodeId: 'request', sourceOutput: 'main', targetNodeId: 'greet' },
        ],
      }),
      '/connections/1',
      'duplicates /connections/0',
    ],
    [
      'a connection into a trigger',
      aWorkflow({ connections: [{ sourceNodeId: 'greet', targetNodeId: 'request' }] }),
      '/connections/0/targetNodeId',
      '"request" is a trigger: nothing can connect to it',
    ],
    [
      'a parameter that the node type does not know',
      withNode({ parameters: { values: {}, keep: 1 } }),
      '/nodes/1/parameters',
      'has the unknown key "keep"; did you mean "keepInput"?',
    ],
    [
      'a parameter that is missing',
      withNode({ parameters: {} }),
      '/nodes/1/parameters',
      'lacks the key "values"',
    ],
    [
      'parameters that are left out',
      withNode({ parameters: undefined }),
      '/nodes/1/parameters',
      'lacks the key "values"',
    ],
    [
      'a parameter of the wrong type',
      withNode({ parameters: { values: {}, keepInput: 'yes' } }),
      '/nodes/1/parameters/keepInput',
      'must be boolean (Keep the fields of the input that are not among the values)',
    ],
    [
      'an expression that cannot be read',
      withNode({ parameters: { values: { 'a/b': '{{ 1 + }}' } } }),
      '/nodes/1/parameters/values/a~1b',
      'Unexpected end of expression (character 3)',
    ],
    [
      '$eval',
      withNode({ parameters: { values: { a: '{{ $eval("1") }}' } } }),
      '/nodes/1/parameters/values/a',
      '$eval is not available: expressions come from the workflow only',
    ],
    [
      'an expression in a trigger',
      aWorkflow({ nodes: [aTrigger({ path: '/{{ body.x }}' })], connections: [] }),
      '/nodes/0/parameters/path',
      "can't contain an expression: triggers are set up before any run",
    ],
    [
      'an unknown method',
      aWorkflow({ nodes: [aTrigger({ method: 'FETCH' })], connections: [] }),
      '/nodes/0/parameters/method',
      'must be one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS',
    ],
    [
      'an empty segment',
      aWorkflow({ nodes: [aTrigger({ path: '/a//b' })], connections: [] }),
      '/nodes/0/parameters/path',
      'has an empty segment',
    ],
    [
      'a trailing slash',
      aWorkflow({ nodes: [aTrigger({ path: '/a/' })], connections: [] }),
      '/nodes/0/parameters/path',
      'has an empty segment',
    ],
    [
      'a dot segment',
      aWorkflow({ nodes: [aTrigger({ path: '/a/../b' })], connections: [] }),
      '/nodes/0/parameters/path',
      'has the segment . or ..',
    ],
    [
      'a path with %',
      aWorkflow({ nodes: [aTrigger({ path: '/a%2Fb' })], connections: [] }),
      '/nodes/0/parameters/path',
      'contains a character that is not allowed in a path: % ? # \\ or a control character',
    ],
    [
      'authentication without a credential',
      aWorkflow({ nodes: [aTrigger({ authentication: 'basic' })], connections: [] }),
      '/nodes/0',
      'authentication "basic" needs a credentialId',
    ],
    [
      'a credential without authentication',
      aWorkflow({ nodes: [aTrigger({}, { credentialId: 'key' })], connections: [] }),
      '/nodes/0/credentialId',
      'has no effect: set the parameter authentication to apiKey or basic',
    ],
    [
      'responseNode without a node that responds',
      aWorkflow({ nodes: [aTrigger({ responseMode: 'responseNode' })], connections: [] }),
      '/nodes/0/parameters/responseMode',
      'responseNode needs a respondToWebhook node after the trigger',
    ],
    [
      'two triggers at one address',
      aWorkflow({
        nodes: [aTrigger({}), aTrigger({ path: 'webhook' }, { id: 'b', disabled: true })],
        connections: [],
      }),
      '/nodes/1',
      'listens at POST /webhook, as /nodes/0 does',
    ],
    [
      'two triggers at one address, by one of several methods',
      aWorkflow({
        nodes: [aTrigger({ methods: ['GET', 'POST'] }), aTrigger({ methods: ['PUT', 'POST'] }, { id: 'b' })],
        connections: [],
      }),
      '/nodes/1',
      'listens at POST /webhook, as /nodes/0 does',
    ],
    [
      'two triggers with one pattern',
      aWorkflow({
        nodes: [aTrigger({ path: '/users/:id' }), aTrigger({ path: 'users/:id' }, { id: 'b' })],
        connections: [],
      }),
      '/nodes/1',
      'listens at POST /users/:id, as /nodes/0 does',
    ],
    [
      'two triggers that a request could fire alike',
      aWorkflow({
        nodes: [aTrigger({ path: '/users/:id' }), aTrigger({ path: '/:kind/me' }, { id: 'b' })],
        connections: [],
      }),
      '/nodes/1',
      'listens at POST /:kind/me, and /nodes/0 at POST /users/:id: some paths match both, and neither has more literal segments',
    ],
    [
      'too many paths with parameters',
      aWorkflow({
        nodes: Array.from({ length: 201 }, (_, at) => aTrigger({ path: `/p${at}/:id` }, { id: `n${at}` })),
        connections: [],
      }),
      '/nodes/200/parameters/path',
      'exceeds the limit of 200 paths with parameters in one workflow',
    ],
    [
      'a file that is too deep',
      aWorkflow({ deep: JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) }),
      '',
      'is nested deeper than 100 levels',
    ],
  ])('%s', async (_case, value, path, message) => {
    expect(await problemsOf(value)).toMatchObject([{ path, message }]);
  });

  test('an expression in a trigger, under a name that a JSON pointer escapes', async () => {
    const anyParameters: FindNodeType = (type) => {
      const found = findNodeType(type);
      return found && { ...found, schema: {} };
    };
    const value = aWorkflow({ nodes: [aTrigger({ 'a/~b': ['{{ x }}'] })], connections: [] });
    expect((await validateWorkflow(value, anyParameters)).problems).toEqual([
      {
        path: '/nodes/0/parameters/a~1~0b/0',
        message: "can't contain an expression: triggers are set up before any run",
      },
    ]);
  });

  test.each([
    ['sett', 'set'],
    ['mergee', 'merge'],
    ['fliter', 'filter'],
    ['swtch', 'switch'],
    ['webhooktrigger', 'webhookTrigger'],
    ['http-request', 'httpRequest'],
    ['Respond_To_Webhook', 'respondToWebhook'],
  ])('for the type %s, with the hint %s', async (type, near) => {
    expect(await problemsOf(withNode({ type }))).toContainEqual({
      path: '/nodes/1/type',
      message: `no installed plugin provides the type "${type}"; did you mean "${near}"?`,
      proposal: [{ op: 'replace', path: '/nodes/1/type', value: near }],
    });
  });

  test('a mistake in the shape hides no mistakes elsewhere', async () => {
    const problems = await problemsOf({
      ...aWorkflow(),
      id: 7,
      nodes: [
        aTrigger({ path: '/a//b' }),
        { id: 'greet', type: 'nope', retries: 3 },
        { id: 'greet', type: 'set', parameters: { values: { a: '{{ 1 + }}' } }, settings: { wait: 1 } },
      ],
      connections: [
        { sourceNodeId: 'request', targetNodeId: 'gone', label: 'x' },
        { sourceNodeId: 'greet', targetNodeId: 'request' },
      ],
    });
    expect(problems.map(({ path }) => path).sort()).toEqual([
      '/connections/0',
      '/connections/0/targetNodeId',
      '/connections/1/targetNodeId',
      '/id',
      '/nodes/0/parameters/path',
      '/nodes/1',
      '/nodes/1/type',
      '/nodes/2/id',
      '/nodes/2/parameters/values/a',
      '/nodes/2/settings',
    ]);
  });

  test.each<[string, object, readonly string[]]>([
    ['a node that is none', { nodes: [aTrigger(), 7], connections: [] }, ['/nodes/1']],
    [
      'nodes without ids',
      {
        nodes: [{ type: 'manualTrigger' }, { type: 'manualTrigger' }],
        connections: [],
      },
      ['/nodes/0', '/nodes/1'],
    ],
    ['a type that is not text', { nodes: [aTrigger(), { id: 'greet', type: 7 }] }, ['/nodes/1/type']],
    [
      'parameters that are none',
      { nodes: [aTrigger(), { id: 'greet', type: 'set', parameters: null }] },
      ['/nodes/1/parameters'],
    ],
    [
      'two triggers of unknown paths',
      {
        nodes: [aTrigger(5 as never, { credentialId: 'key' }), aTrigger(5 as never, { id: 'b' })],
        connections: [],
      },
      ['/nodes/0/parameters', '/nodes/1/parameters'],
    ],
    ['nodes that are no list', { nodes: {} }, ['/nodes']],
    ['connections that are no list', { connections: 7 }, ['/connections']],
    [
      'connections that are none',
      { connections: [7, {}, {}] },
      ['/connections/0', '/connections/1', '/connections/1', '/connections/2', '/connections/2'],
    ],
  ])('of %s, and nothing more', async (_case, changes, paths) => {
    const problems = await problemsOf({ ...aWorkflow(), ...changes });
    expect(problems.map(({ path }) => path).sort()).toEqual(paths);
  });

  test('of too many nodes, without a message on each of them', async () => {
    const nodes = Array.from({ length: 10_001 }, (_, at) => ({ id: `n${at}`, type: 'nope' }));
    expect(await problemsOf(aWorkflow({ nodes: nodes as never }))).toEqual([
      { path: '/nodes', message: 'must have at most 10000 items' },
    ]);
  });

  test('together with all others', async () => {
    const problems = await problemsOf(
      aWorkflow({
        nodes: [
          aTrigger({ path: '/a//b', authentication: 'apiKey' }),
          { id: 'x', type: 'nope', parameters: {} },
        ],
        connections: [{ sourceNodeId: 'request', targetNodeId: 'gone' }],
      }),
    );
    expect(problems.map(({ path }) => path).sort()).toEqual([
      '/connections/0/targetNodeId',
      '/nodes/0',
      '/nodes/0/parameters/path',
      '/nodes/1/type',
    ]);
  });

  test('in the schema of a plugin as a problem of its nodes, not a crash', async () => {
    const broken: FindNodeType = (type) => {
      const found = findNodeType(type);
      return found && type === 'set' ? { ...found, schema: { type: 'nonsense' } } : found;
    };
    const { problems } = await validateWorkflow(aWorkflow(), broken);
    expect(problems).toEqual([
      { path: '/nodes/1/parameters', message: expect.stringContaining("can't be checked") },
    ]);
  });
});

describe('any value', () => {
  test('is answered, never by a throw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        expect((await problemsOf(value)).length).toBeGreaterThan(0);
      }),
      { numRuns: cases(30, 100) },
    );
  });

  test('that is accepted can be planned', async () => {
    const text = fc.constantFrom(
      'request',
      'greet',
      '',
      '{{ a }}',
      '{{',
      '__proto__',
      'set',
      'merge',
      'if',
      '/a',
      'x',
    );
    const piece = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined));
    const place = fc.constantFrom(
      ['id'],
      ['nodes', 0, 'id'],
      ['nodes', 1, 'id'],
      ['nodes', 1, 'type'],
      ['nodes', 1, 'parameters'],
      ['nodes', 1, 'parameters', 'values'],
      ['nodes', 1, 'settings'],
      ['connections', 0, 'targetNodeId'],
      ['connections', 0, 'sourceOutput'],
      ['nodes', 0, 'parameters', 'path'],
      ['settings'],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(place, piece), { maxLength: 3 }), async (spoilers) => {
        const value = JSON.parse(JSON.stringify(aWorkflow()));
        for (const [path, spoiler] of spoilers) {
          const parent = path.slice(0, -1).reduce((at, key) => at?.[key], value);
          if (typeof parent === 'object' && parent !== null) parent[path.at(-1) as never] = spoiler as never;
        }
        const { definition } = await validateWorkflow(JSON.parse(JSON.stringify(value)), findNodeType);
        if (definition !== null) expect(() => compilePlan(definition, findNodeType)).not.toThrow();
      }),
      { numRuns: cases(30, 100) },
    );
  });
});
