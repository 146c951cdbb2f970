import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { anAdminApi } from '../../../tests/support/an-admin-api.ts';
import { readSample, sampleNames } from '../../../tests/support/shown-workflows.ts';
import { startEmbeddedDynamoDb } from '../../local/database/embedded-dynamodb.ts';
import { type AskedStamps, evaluateNode, makeOutputs } from '../src/views/editor/trial/evaluations.ts';
import {
  type DeclaredType,
  type DraftData,
  type DraftDefinition,
  type NodeData,
  toGraph,
} from '../src/views/editor/trial/trial-data.ts';
import { findGiven, isKept, withExample } from '../src/views/editor/trial/trial-plan.ts';

const { fetch } = globalThis;
const cleanups: (() => unknown)[] = [];
let ask: ReturnType<typeof anAdminApi>;
let types: ReadonlyMap<string, DeclaredType & { readonly nodeType: string }>;
/** Ids of the nodes that the service was asked to run, in order. */
const asked: string[] = [];
/** Called before the service answers. */
let onAsked: (nodeId: string) => Response | undefined = () => undefined;

beforeAll(async () => {
  const database = await startEmbeddedDynamoDb('test');
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-evaluations-'));
  cleanups.push(
    () => database.stop(),
    () => rmSync(folder, { recursive: true }),
  );
  ask = anAdminApi({
    DYNAMODB_ENDPOINT: database.endpoint,
    SOURCES_ENDPOINT: database.endpoint,
    SECRETS_FOLDER: folder,
    BLOB_FOLDER: folder,
  });
  const { body } = await ask('GET', '/api/admin/node-types?limit=200');
  const names = (body.nodeTypes as readonly { nodeType: string }[]).map(({ nodeType }) => nodeType);
  types = new Map(
    await Promise.all(
      names.map(async (name) => [name, (await ask('GET', `/api/admin/node-types/${name}`)).body] as const),
    ),
  );
  // As in the page, where paths are relative to its address.
  globalThis.fetch = async (path, init = {}) => {
    const sent = String(init.body);
    const { nodeId } = JSON.parse(sent) as { readonly nodeId: string };
    asked.push(nodeId);
    const other = onAsked(nodeId);
    if (other !== undefined) return other;
    const answer = await ask(String(init.method), String(path), { body: sent });
    init.signal?.throwIfAborted();
    return Response.json(answer.body, { status: answer.status });
  };
  const now = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(now); // nodes show the time, and two runs have the same one
});
beforeEach(() => {
  asked.length = 0;
  onAsked = () => undefined;
});
afterAll(async () => {
  globalThis.fetch = fetch;
  jest.restoreAllMocks();
  for (const cleanup of cleanups) await cleanup();
});

type Drawn = DraftDefinition & JsonObject;

const setting = (id: string, values: JsonObject) => ({ id, type: 'set', parameters: { values } });

/** Nodes in a row, after a trigger that gives `{ a: 1 }`. */
const inARow = (...nodes: readonly JsonObject[]): Drawn =>
  ({
    id: 'drawn',
    name: 'Drawn',
    nodes: [{ id: 'start', type: 'manualTrigger', parameters: {} }, ...nodes],
    connections: nodes.map(({ id }, at) => ({
      sourceNodeId: at === 0 ? 'start' : String(nodes[at - 1]?.id),
      targetNodeId: String(id),
    })),
  }) as unknown as Drawn;

const typed = (main: JsonObject): DraftData => ({
  start: {
    from: 'typed',
    id: 'typed',
    at: null,
    outputs: { main },
    isPinned: true,
    isCut: false,
    run: null,
    stamp: '',
  },
});

const toMain = (example: DeclaredType['example']): JsonObject => (example?.output ?? {}) as JsonObject;

const signal = new AbortController().signal;
const partsOf = (definition: Drawn) => {
  const known: AskedStamps = new Map();
  return { graph: toGraph(definition, types), types, asked: known };
};

/** Asks until nothing more is made. */
const makeAll = async (parts: ReturnType<typeof partsOf>, data: DraftData): Promise<DraftData> => {
  const { made, failure } = await makeOutputs(parts, data, signal);
  expect(failure).toBeNull();
  return Object.keys(made).length === 0 ? data : makeAll(parts, { ...data, ...made });
};

test('the outputs of the samples are made as trials make them, and stored nowhere', async () => {
  let count = 0;
  for (const name of sampleNames) {
    const definition = readSample(name) as Drawn;
    const parts = partsOf(definition);
    // Of what acts on the outside, the example.
    const outside: Record<string, NodeData> = {};
    for (const { id, type } of definition.nodes) {
      const { kind, pure, example } = types.get(type) ?? {};
      if (kind !== 'trigger' && pure === false)
        Object.assign(outside, { [id]: typed(toMain(example)).start });
    }
    const data = await makeAll(parts, withExample(parts.graph, outside, types));
    for (const [nodeId, { from, outputs, run }] of Object.entries(data)) {
      if (from !== 'evaluation' || run === null) continue; // a body only begins
      const body = { definition, nodeId, outputs: findGiven(parts.graph, types, data, nodeId) };
      const tried = (await ask('POST', '/api/admin/workflows/try', { body })).body;
      expect([name, nodeId, outputs, run?.status]).toEqual([name, nodeId, tried.outputs, tried.status]);
      count += 1;
    }
  }
  expect(count).toBeGreaterThan(15);
});

test('outputs are made in order, each once, and again only behind what has changed', async () => {
  const draw = (own: string) =>
    inARow(
      setting('one', { a: '{{ a + 1 }}' }),
      setting('two', { a: own }),
      setting('three', { b: '{{ a }}' }),
    );
  const parts = partsOf(draw('{{ a + 1 }}'));
  const first = await makeAll(parts, typed({ a: 1 }));
  expect([asked, first.three?.outputs]).toEqual([['one', 'two', 'three'], { main: { b: 3 } }]);
  asked.length = 0;
  expect(await makeAll(parts, first)).toBe(first);
  const second = await makeAll({ ...parts, graph: toGraph(draw('{{ a + 5 }}'), types) }, first);
  expect([asked, second.three?.outputs]).toEqual([['two', 'three'], { main: { b: 7 } }]);
});

test('the body of a forEach begins with the first item, which its nodes read', async () => {
  const draw = (items: string) => ({
    ...inARow({ id: 'each', type: 'forEach', parameters: { items } }, setting('one', { b: '{{ $item.b }}' })),
    connections: [
      { sourceNodeId: 'start', targetNodeId: 'each' },
      { sourceNodeId: 'each', sourceOutput: 'each', targetNodeId: 'one' },
    ],
  });
  const parts = partsOf(draw('{{ a }}') as unknown as Drawn);
  const first = await makeAll(parts, typed({ a: [{ b: 1 }, { b: 2 }] }));
  expect([first.each?.outputs, first.one?.outputs]).toEqual([
    { each: { item: { b: 1 }, index: 0 } },
    { main: { b: 1 } },
  ]);
  expect(isKept(first, new Set(), 'each')).toBe(false); // a run runs it
  expect(await makeAll(parts, first)).toBe(first);
  const changed = { ...parts, graph: toGraph(draw('{{ a[1] }}') as unknown as Drawn, types) };
  expect((await makeAll(changed, first)).one?.outputs).toEqual({ main: { b: 2 } });
});

test('a service that does not answer ends the making: what was made stays, and the rest is asked for again', async () => {
  const parts = partsOf(inARow(setting('one', { a: 2 }), setting('two', { b: '{{ a }}' })));
  onAsked = (nodeId) => {
    if (nodeId === 'two') throw new TypeError('Failed to fetch');
    return undefined;
  };
  let data = typed({ a: 1 });
  let ended: Error | null = null;
  while (ended === null) {
    const { made, failure } = await makeOutputs(parts, data, signal);
    data = { ...data, ...made };
    ended = failure;
  }
  expect(ended).toMatchObject({ title: 'The service does not answer' });
  expect(data.one?.outputs).toEqual({ main: { a: 2 } });
  onAsked = () => undefined;
  expect((await makeAll(parts, data)).two?.outputs).toEqual({ main: { b: 2 } });
});

test('what is dropped is asked for again', async () => {
  const parts = partsOf(inARow(setting('one', { a: 2 })));
  const control = new AbortController();
  onAsked = () => {
    control.abort();
    return undefined;
  };
  await makeOutputs(parts, typed({ a: 1 }), control.signal);
  onAsked = () => undefined;
  expect((await makeAll(parts, typed({ a: 1 }))).one?.outputs).toEqual({ main: { a: 2 } });
});

describe('not made, and not asked for again until it changes, is', () => {
  const isMade = async (node: JsonObject, data = typed({ a: 1 })): Promise<boolean> => {
    const parts = partsOf(inARow({ id: 'it', ...node }));
    const made = await makeAll(parts, data);
    const count = asked.length;
    expect(await makeAll(parts, made)).toBe(made);
    expect(asked.length).toBe(count);
    return Object.hasOwn(made, 'it');
  };

  test('the output of a node that may act on the outside, without a request if its type says so', async () => {
    expect(await isMade({ type: 'httpRequest', parameters: { url: 'https://api.example/' } })).toBe(false);
    expect(await isMade({ type: 'crypto', parameters: { operation: 'uuid' } })).toBe(false);
    expect(await isMade({ ...setting('it', { a: 1 }), credentialId: 'shop' })).toBe(false);
    expect(asked).toEqual([]);
    expect(
      await isMade({ type: 'csv', parameters: { operation: 'write', items: [{ a: 1 }], to: 'file' } }),
    ).toBe(false);
    expect(asked).toEqual(['it']);
  });

  test('the output of a node with a problem', async () => {
    expect(await isMade({ type: 'set', parameters: { values: 3 } })).toBe(false);
    expect(asked).toEqual(['it']);
  });

  test('the output of a node that receives more than a million characters', async () => {
    const node = setting('it', { a: '{{ $length(a) }}' });
    expect(await isMade(node, typed({ a: 'x'.repeat(1_000_000) }))).toBe(false);
    expect(asked).toEqual([]);
    expect(await isMade(node, typed({ a: 'x'.repeat(900_000) }))).toBe(true);
  });

  test.each([400, 413, 422])('what is refused with the status %d', async (status) => {
    onAsked = () => Response.json({ title: 'Refused' }, { status });
    expect(await isMade(setting('it', { a: 1 }))).toBe(false);
    expect(asked).toEqual(['it']);
  });
});

test.each([401, 403, 429, 500, 503])('a status %d is a failure, which is shown', async (status) => {
  onAsked = () => Response.json({ title: 'No' }, { status });
  const parts = partsOf(inARow(setting('one', { a: 1 })));
  await expect(evaluateNode(parts, typed({ a: 1 }), 'one', signal)).rejects.toMatchObject({
    status,
    title: 'No',
  });
  expect(await makeOutputs(parts, typed({ a: 1 }), signal)).toMatchObject({ made: {}, failure: { status } });
});
