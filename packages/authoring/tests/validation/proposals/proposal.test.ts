import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { PatchOperation, Problem } from '../../../../../lib/workflows/definition/problem.ts';
import { anOrderWorkflow } from '../../../../../tests/support/an-order-workflow.ts';
import { cases } from '../../../../../tests/support/deep.ts';
import { readSample, sampleNames } from '../../../../../tests/support/shown-workflows.ts';
import { loadNodeTypes } from '../../../../cli/plugins/node-types.ts';
import { applyProposal } from '../../../validation/proposals/proposal.ts';
import { validateWorkflow } from '../../../validation/validate.ts';

let findNodeType: FindNodeType;

beforeAll(async () => {
  findNodeType = await loadNodeTypes();
});

const findAll = async (file: JsonValue): Promise<readonly Problem[]> => {
  const { problems, warnings } = await validateWorkflow(file, findNodeType);
  return [...problems, ...warnings];
};

const toLine = ({ path, message }: Problem): string => `${path} ${message}`;

/** The value at a JSON pointer whose keys need no escapes. */
const reach = (file: JsonValue, path: readonly string[]): JsonValue =>
  path.reduce((at, key) => (at as JsonObject)[key] as JsonValue, file);

/** The JSON pointers of all values within a file, as lists of keys. */
function* eachPath(value: JsonValue, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    yield [...path, key];
    yield* eachPath(item, [...path, key]);
  }
}

/** The file with each of its texts, numbers and keys misspelt in turn, and each connection left out, and written twice. */
function* misspell(file: JsonObject): Generator<JsonObject> {
  const connections = file.connections as JsonObject[];
  for (const [index, connection] of connections.entries()) {
    yield { ...file, connections: connections.toSpliced(index, 1) };
    yield { ...file, connections: [...connections, connection] };
  }
  for (const path of eachPath(file)) {
    const [key = '', parents] = [path.at(-1), path.slice(0, -1)];
    const spoil = (change: (parent: Record<string, JsonValue>, value: JsonValue) => void): JsonObject => {
      const copy: JsonObject = structuredClone(file);
      const parent = reach(copy, parents) as Record<string, JsonValue>;
      change(parent, parent[key] as JsonValue);
      return copy;
    };
    const value = reach(file, path);
    if (typeof value === 'string') {
      yield spoil((parent) => {
        parent[key] = value.includes('{{') ? value.replace(/[a-z](?=\w)/, '$&q') : `${value}x`;
      });
      const [last = ''] = /[A-Za-z]{4,}(?=[^A-Za-z]*\}\})/.exec(value) ?? [];
      if (last !== '')
        yield spoil((parent) => {
          parent[key] = value.replace(`${last}`, `${last.slice(0, 2)}${last.slice(3)}`);
        });
    } else if (typeof value === 'number' || typeof value === 'boolean') {
      yield spoil((parent) => {
        parent[key] = String(value);
      });
    }
    if (isPlainObject(reach(file, parents)))
      yield spoil((parent, item) => {
        delete parent[key];
        parent[`${key}z`] = item;
      });
  }
}

test('a proposal makes its problem disappear, and no other one appear', async () => {
  const kinds = { add: 0, replace: 0, remove: 0, move: 0 };
  for (const name of cases(sampleNames.slice(0, 3), sampleNames.slice(0, 20))) {
    for (const spoiled of misspell(readSample(name))) {
      const found = await findAll(spoiled);
      const before = new Set(found.map(toLine));
      for (const { proposal, ...problem } of found) {
        if (proposal === undefined) continue;
        for (const { op } of proposal) kinds[op] += 1;
        const after = (await findAll(applyProposal(spoiled, proposal))).map(toLine);
        expect({ problem, proposal, remains: after.includes(toLine(problem)) }).toMatchObject({
          remains: false,
        });
        expect({ problem, proposal, appear: after.filter((line) => !before.has(line)) }).toMatchObject({
          appear: [],
        });
      }
    }
  }
  expect(kinds.replace).toBeGreaterThan(20);
  expect(kinds.move).toBeGreaterThan(20);
  expect(kinds.add).toBeGreaterThan(5);
  expect(kinds.remove).toBeGreaterThan(5);
});

/** The order workflow with another value at a place, and the corrected value; undefined for no proposal. */
const correctionOf = async (pointer: string, value: JsonValue): Promise<JsonValue | undefined> => {
  const file: JsonValue = JSON.parse(JSON.stringify(anOrderWorkflow()));
  const keys = pointer.split('/').slice(1);
  (reach(file, keys.slice(0, -1)) as Record<string, JsonValue>)[keys.at(-1) ?? ''] = value;
  const problem = (await findAll(file)).find(({ path }) => path === pointer);
  expect(problem).toBeDefined();
  const { proposal } = problem ?? {};
  return proposal === undefined ? undefined : reach(applyProposal(file, proposal), keys);
};

const TOTAL = '/nodes/1/parameters/values/total';
const AFTER = '/nodes/4/parameters/condition';

describe('corrects', () => {
  test.each<[mistake: string, pointer: string, value: JsonValue, corrected: JsonValue]>([
    ['a node type', '/nodes/5/type', 'wiat', 'wait'],
    ['the end of a connection', '/connections/1/targetNodeId', 'bigg', 'big'],
    ['an output', '/connections/2/sourceOutput', 'True', 'true'],
    ['one of some values', '/nodes/0/parameters/responseMode', 'ResponseNode', 'responseNode'],
    ['a number in quotes', '/nodes/5/parameters/seconds', '5', 5],
    [
      'a URL without a scheme',
      '/nodes/3/parameters/url',
      'shop.example/orders',
      'https://shop.example/orders',
    ],
    [
      'a URL with one slash too many',
      '/nodes/3/parameters/url',
      'https:///shop.example',
      'https://shop.example',
    ],
    ['a method', '/nodes/3/parameters/method', 'PSOT', 'POST'],
    ['a sender', '/nodes/0/parameters/deduplication', 'gihub', 'github'],
    ['an expression with braces', '/nodes/0/parameters/deduplication', '{{ body.id }}', 'body.id'],
    ['a field', TOTAL, 'is {{ bdy.total }}', 'is {{ body.total }}'],
    ['a variable of another tool', TOTAL, '{{ $json.body.total * 2 }}', '{{ body.total * 2 }}'],
    ['a function', TOTAL, '{{ $uppercas(body.total) }}', '{{ $uppercase(body.total) }}'],
    ['a node in an expression', AFTER, '{{ $nodes.pik.total > 1 }}', '{{ $nodes.pick.total > 1 }}'],
    ['a dash', AFTER, '{{ $nodes.call-shop.body.ok }}', '{{ $nodes.`call-shop`.body.ok }}'],
    ['a field in brackets', AFTER, '{{ $nodes.pick["total"] > 1 }}', '{{ $nodes.pick.total > 1 }}'],
    ['a field that a node does not give', AFTER, '{{ $nodes.pick.totl > 1 }}', '{{ $nodes.pick.total > 1 }}'],
    ['the one that is not in quotes', TOTAL, '{{ "bdy" & bdy.x }}', '{{ "bdy" & body.x }}'],
    ['single braces', TOTAL, 'for {body.name}', 'for {{ body.name }}'],
    ['an equals sign before the braces', TOTAL, '={{ body.total }}', '{{ body.total }}'],
  ])('%s', async (_mistake, pointer, value, corrected) => {
    expect(await correctionOf(pointer, value)).toEqual(corrected);
  });
});

/** The order workflow after a change, and after the proposals for what that made wrong, as the paths that they change. */
const correctAll = async (spoil: (file: AFile) => void) => {
  const file: AFile = JSON.parse(JSON.stringify(anOrderWorkflow()));
  spoil(file);
  const proposals = (await findAll(file)).flatMap(({ proposal = [] }) => proposal);
  const corrected = applyProposal(file, proposals);
  expect(await findAll(corrected)).toEqual([]);
  return proposals;
};

type ANode = { [key: string]: JsonValue; settings?: { [key: string]: JsonValue } };

type AFile = { [key: string]: JsonValue; nodes: ANode[]; connections: JsonObject[] };

describe('removes or adds what', () => {
  test.each<[what: string, spoil: (file: AFile) => void, proposal: readonly PatchOperation[]]>([
    [
      'a node has no input for',
      ({ connections: [, second] }) => Object.assign(second ?? {}, { targetInput: 'left' }),
      [{ op: 'remove', path: '/connections/1/targetInput' }],
    ],
    [
      'an output for errors needs',
      ({ nodes }) => delete nodes[3]?.settings?.onError,
      [{ op: 'add', path: '/nodes/3/settings/onError', value: 'route' }],
    ],
    [
      'an output for errors needs, where there are no settings',
      ({ nodes }) => delete nodes[3]?.settings,
      [{ op: 'add', path: '/nodes/3/settings', value: { onError: 'route' } }],
    ],
    [
      'routes errors to nothing',
      ({ nodes }) => Object.assign(nodes[4] ?? {}, { settings: { onError: 'route' } }),
      [{ op: 'remove', path: '/nodes/4/settings' }],
    ],
    [
      'is written twice',
      ({ connections }) => connections.push({ ...connections[0] }),
      [{ op: 'remove', path: '/connections/9' }],
    ],
    [
      'no trigger leads to, without what is disabled already',
      ({ nodes, connections }) => {
        nodes.push(
          { ...nodes[1], id: 'a' },
          { ...nodes[1], id: 'b', disabled: true },
          { ...nodes[1], id: 'c' },
        );
        connections.push({ sourceNodeId: 'a', targetNodeId: 'b' }, { sourceNodeId: 'b', targetNodeId: 'c' });
      },
      [
        { op: 'add', path: '/nodes/9/disabled', value: true },
        { op: 'add', path: '/nodes/11/disabled', value: true },
      ],
    ],
    [
      'has no effect, and keeps other settings',
      ({ nodes }) => Object.assign(nodes[1] ?? {}, { settings: { maxIterations: 3, onError: 'continue' } }),
      [{ op: 'remove', path: '/nodes/1/settings/maxIterations' }],
    ],
  ])('%s', async (_what, spoil, proposal) => {
    expect(await correctAll(spoil)).toEqual(proposal);
  });
});

describe('proposes nothing', () => {
  test.each<[why: string, pointer: string, value: JsonValue]>([
    ['if the name is written twice', TOTAL, '{{ bdy.total + bdy.total }}'],
    ['if a text in the expression has the name too', TOTAL, '{{ "a bdy.x" & bdy.x }}'],
    ['if nothing similar is known', '/connections/2/sourceOutput', 'zzzzzzzz'],
    ['if the text is long', TOTAL, `{{ bdy.total }}${'x'.repeat(2_000)}`],
    ['for a function that takes other arguments', TOTAL, '{{ $indexOf(body.total, "a") }}'],
  ])('%s', async (_why, pointer, value) => {
    expect(await correctionOf(pointer, value)).toBeUndefined();
  });

  test('for the id of a node, which connections and expressions use', async () => {
    const nodes = [{ id: 'my start', type: 'manualTrigger' }];
    const [problem] = await findAll({ id: 'it', name: 'It', nodes, connections: [] });
    expect(problem).toEqual({
      path: '/nodes/0/id',
      message: expect.stringContaining('did you mean "my-start"?'),
    });
  });
});

describe('applying', () => {
  const file: JsonObject = { a: { x: 1, y: 2, 'a/b~': 3 }, b: [{ c: 1 }, { c: 2 }] };

  test('keeps the order of keys, and shares what is unchanged', () => {
    const changed = applyProposal(file, [
      { op: 'move', from: '/a/x', path: '/a/z' },
      { op: 'replace', path: '/a/a~1b~0', value: 4 },
    ]) as JsonObject;
    expect(JSON.stringify(changed)).toBe('{"a":{"z":1,"y":2,"a/b~":4},"b":[{"c":1},{"c":2}]}');
    expect(changed.b).toBe(file.b);
    const inList = applyProposal(file, [{ op: 'replace', path: '/b/1/c', value: 3 }]) as JsonObject;
    expect(inList).toEqual({ a: file.a, b: [{ c: 1 }, { c: 3 }] });
    expect(inList.a).toBe(file.a);
    expect(file).toEqual({ a: { x: 1, y: 2, 'a/b~': 3 }, b: [{ c: 1 }, { c: 2 }] });
  });

  test.each<[what: string, operation: PatchOperation]>([
    ['a place that no longer exists', { op: 'replace', path: '/b/2/c', value: 1 }],
    ['a property of every list', { op: 'replace', path: '/b/length', value: 1 }],
    ['a property of every list, to remove', { op: 'remove', path: '/b/length' }],
    ['a key to remove that is not there', { op: 'remove', path: '/a/q' }],
    ['an item to remove that is not there', { op: 'remove', path: '/b/2' }],
    ['a list, to which no key is added', { op: 'add', path: '/b/2', value: 1 }],
    ['a place for a key that no longer exists', { op: 'add', path: '/c/x', value: 1 }],
    ['a property of every object', { op: 'replace', path: '/a/constructor', value: 1 }],
    ['a key that no longer exists', { op: 'move', from: '/a/q', path: '/a/z' }],
    ['a name that is taken', { op: 'move', from: '/a/x', path: '/a/y' }],
    ['an item of a list', { op: 'move', from: '/b/0', path: '/b/x' }],
  ])('leaves %s alone', (_what, operation) => {
    expect(applyProposal(file, [operation])).toBe(file);
  });

  test('adds and removes keys, and removes items', () => {
    const changed = applyProposal(file, [
      { op: 'add', path: '/a/new', value: [1] },
      { op: 'add', path: '/a/x', value: 9 },
      { op: 'remove', path: '/a/y' },
      { op: 'remove', path: '/b/0' },
    ]);
    expect(JSON.stringify(changed)).toBe('{"a":{"x":9,"a/b~":3,"new":[1]},"b":[{"c":2}]}');
    expect(file).toEqual({ a: { x: 1, y: 2, 'a/b~': 3 }, b: [{ c: 1 }, { c: 2 }] });
  });

  test('keeps a key named __proto__ a key', () => {
    const changed = applyProposal({ x: 1 }, [{ op: 'move', from: '/x', path: '/__proto__' }]);
    expect(Object.entries(changed as JsonObject)).toEqual([['__proto__', 1]]);
  });
});
