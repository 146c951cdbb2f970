import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { buildConsole } from '../../console/serve/build-console.ts';
import { addData } from '../../console/src/views/editor/trial/stale-data.ts';
import {
  type DraftData,
  type DraftDefinition,
  findInput,
  outputsOf,
  toGraph,
} from '../../console/src/views/editor/trial/trial-data.ts';
import { findOrder, withExample } from '../../console/src/views/editor/trial/trial-plan.ts';
import type { PageTrial, ToTrials, TrialRequest } from '../../console/src/worker/run-trial.ts';
import type { DeclaredType, KnownTypes } from '../../console/src/worker/validate-draft.ts';
import { startEmbeddedDynamoDb } from '../../local/database/embedded-dynamodb.ts';
import { anAdminApi } from '../support/an-admin-api.ts';
import { readSample, sampleNames } from '../support/shown-workflows.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookloom-trials-'));
let ask: ReturnType<typeof anAdminApi>;
let stop: () => unknown = () => {};
let known: KnownTypes;
let types: ReadonlyMap<string, DeclaredType>;
let variables: JsonObject;
let send: (message: ToTrials) => void;
let receive: (answer: PageTrial) => void = () => {};

beforeAll(async () => {
  const database = await startEmbeddedDynamoDb('test');
  stop = () => database.stop();
  ask = anAdminApi({
    DYNAMODB_ENDPOINT: database.endpoint,
    SOURCES_ENDPOINT: database.endpoint,
    SECRETS_FOLDER: folder,
    BLOB_FOLDER: folder,
  });
  await ask('PUT', '/api/admin/variables/region', { body: { value: 'north' } });
  variables = { region: 'north' };
  const { body } = await ask('GET', '/api/admin/node-types?limit=200');
  const names = (body.nodeTypes as readonly DeclaredType[]).map(({ nodeType }) => nodeType);
  const declared = await Promise.all(
    names.map(async (name) => (await ask('GET', `/api/admin/node-types/${name}`)).body as DeclaredType),
  );
  known = { declared, names, variables: null };
  types = new Map(declared.map((type) => [type.nodeType, type]));
  // The script that the page gives to a worker, with the two functions of a worker that it uses.
  const { worker, folder: built } = await buildConsole(folder);
  Object.assign(globalThis, {
    addEventListener: (_type: 'message', listener: (event: { readonly data: ToTrials }) => void) => {
      send = (data) => listener({ data });
    },
    postMessage: (answer: PageTrial) => receive(answer),
  });
  await import(pathToFileURL(join(built, worker)).href);
  const now = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(now); // nodes show the time, and both run at the same one
});

afterAll(async () => {
  jest.restoreAllMocks();
  Reflect.deleteProperty(globalThis, 'addEventListener');
  Reflect.deleteProperty(globalThis, 'postMessage');
  await stop();
  rmSync(folder, { recursive: true });
});

const runInPage = (trial: TrialRequest): Promise<PageTrial> =>
  new Promise((resolve) => {
    receive = resolve;
    send({ trial: structuredClone(trial) });
  });

type Drawn = DraftDefinition & JsonObject;
type Outputs = TrialRequest['outputs'];

/** Runs a node in the page and by the service, and expects the same. @returns null if only the service runs it */
const runInBoth = async (definition: Drawn, nodeId: string, outputs: Outputs): Promise<PageTrial> => {
  const page = await runInPage({ known, definition, nodeId, outputs, variables });
  if (page === null) return null;
  const { status, body } = await ask('POST', '/api/admin/workflows/try', {
    body: { definition, nodeId, outputs },
  });
  expect([nodeId, status, body.errors]).toEqual([nodeId, 200, undefined]);
  const { executionId: _id, warnings: _warnings, durationMs: _took, ...answer } = body;
  const { durationMs, ...own } = page;
  expect({ nodeId, ...JSON.parse(JSON.stringify(own)) }).toEqual({ nodeId, ...answer });
  expect(durationMs).toBeGreaterThanOrEqual(0);
  return page;
};

const draw = (type: string, parameters: unknown, more: JsonObject = {}): Drawn =>
  ({
    id: 'drawn',
    name: 'Drawn',
    nodes: [
      { id: 'start', type: 'manualTrigger', parameters: {} },
      { id: 'it', type, parameters, ...more },
    ],
    connections: [{ sourceNodeId: 'start', targetNodeId: 'it' }],
  }) as unknown as Drawn;

const runAlone = (type: string, parameters: unknown, input: JsonObject, more?: JsonObject) =>
  runInBoth(draw(type, parameters, more), 'it', { start: { main: input } });

const IN_PAGE =
  'aggregate batch compareLists csv dateTime filter html if limit markdown merge pick removeDuplicates renameKeys set sort splitOut stopAndError summarize switch validate xml';

test('the page runs the example of each pure type of this project as the service does', async () => {
  const ran: string[] = [];
  for (const { nodeType, example, kind } of types.values()) {
    if (kind === 'trigger' || example == null) continue;
    const { parameters, input = {} } = example;
    const page = await runAlone(nodeType, parameters, input as JsonObject);
    if (page === null) continue;
    ran.push(nodeType);
    // What it says of another input, or of none.
    await runAlone(nodeType, parameters, {});
    await runAlone(nodeType, parameters, { ...(input as JsonObject), extra: [1, { a: null }, 'é€😀'] });
    await runAlone(nodeType, parameters, {}, { settings: { onError: 'route' } });
  }
  expect(ran.sort()).toEqual(IN_PAGE.split(' '));
});

test('the page runs the nodes of the samples as the service does', async () => {
  let count = 0;
  for (const name of sampleNames) {
    const definition = readSample(name) as Drawn;
    const graph = toGraph(definition, types);
    let data: DraftData = withExample(graph, {}, types);
    for (const id of findOrder(graph, types, null)) {
      const node = graph.nodes.get(id);
      if (node === undefined || Object.hasOwn(data, id) || findInput(graph, data, id) === null) continue;
      const outputs = Object.fromEntries(Object.keys(data).map((one) => [one, outputsOf(data, one)]));
      const page = await runInBoth(definition, id, outputs);
      if (page !== null) count += 1;
      const main = (types.get(node.type)?.example?.output ?? {}) as JsonObject;
      const made = page === null ? { main } : page.outputs;
      data = addData(graph, data, {
        [id]: {
          from: 'trial',
          id,
          at: null,
          outputs: made as Outputs[string],
          isPinned: false,
          isCut: false,
          run: null,
        },
      });
    }
  }
  expect(count).toBeGreaterThan(20);
});

describe('the page and the service agree on', () => {
  test('failures, with their details, and what onError passes on', async () => {
    const stopped = { message: 'No {{ id }}', name: 'Odd', details: { id: '{{ id }}' } };
    for (const onError of ['fail', 'continue', 'route'])
      await runAlone('stopAndError', stopped, { id: 7 }, { settings: { onError } });
    await runAlone('set', { values: { a: '{{ $uppercase(b) }}' } }, { b: 3 });
    await runAlone('csv', { text: '{{ t }}' }, { t: 'a,b\n1,"2\n' });
    await runAlone('dateTime', { value: 'yesterday' }, {});
  });

  test('outputs that are too large for an answer', async () => {
    const page = await runAlone('set', { values: { a: "{{ $pad('x', 5300000) }}" } }, {});
    expect(page?.isCut).toBe(true);
  });

  test('variables, and the outputs of the nodes before', async () => {
    const page = await runAlone(
      'set',
      { values: { at: '{{ $vars.region }}', of: '{{ $nodes.start.a }}', by: '{{ $trigger.a }}' } },
      { a: 1 },
    );
    expect(page?.outputs).toEqual({ main: { at: 'north', of: 1, by: 1 } });
  });

  test('expressions that take too many steps', async () => {
    const page = await runAlone(
      'set',
      { values: { a: '{{ $reduce([1..10000000], function($a, $b) { $a + $b }) }}' } },
      {},
    );
    expect(page?.status).toBe('failed');
  });

  test('several inputs', async () => {
    const definition = {
      ...draw('merge', { mode: 'byNode' }),
      nodes: [
        { id: 'start', type: 'manualTrigger', parameters: {} },
        { id: 'one', type: 'noOp', parameters: {} },
        { id: 'it', type: 'merge', parameters: {} },
      ],
      connections: [
        { sourceNodeId: 'start', targetNodeId: 'one' },
        { sourceNodeId: 'start', targetNodeId: 'it' },
        { sourceNodeId: 'one', targetNodeId: 'it' },
      ],
    } as unknown as Drawn;
    const page = await runInBoth(definition, 'it', {
      start: { main: { a: 1, b: 1 } },
      one: { main: { b: 2 } },
    });
    expect(page?.outputs).toMatchObject({ main: { a: 1, b: 2 } });
  });
});

describe('left to the service is', () => {
  const runsInPage = async (
    trial: Partial<TrialRequest>,
    type = 'set',
    parameters: unknown = { values: { a: 1 } },
  ) => {
    const outputs = { start: { main: {} } };
    const definition = draw(type, parameters);
    return (await runInPage({ known, definition, nodeId: 'it', outputs, variables, ...trial })) !== null;
  };
  const withSet = (change: Partial<DeclaredType>): Partial<TrialRequest> => ({
    known: {
      ...known,
      declared: known.declared.map((type) => (type.nodeType === 'set' ? { ...type, ...change } : type)),
    },
  });

  test('a node of a type that another plugin, or another version of this one, declares', async () => {
    expect(await runsInPage({})).toBe(true);
    expect(await runsInPage(withSet({ plugin: 'mine' }))).toBe(false);
    expect(await runsInPage(withSet({ description: 'Sets more' }))).toBe(false);
    expect(await runsInPage(withSet({ enabled: false }))).toBe(false);
    expect(await runsInPage({ known: { ...known, declared: [] } })).toBe(false);
  });

  test('what touches the outside, has files, or reads what the page does not know', async () => {
    expect(await runsInPage({}, 'httpRequest', { url: 'https://api.example/' })).toBe(false);
    expect(await runsInPage({}, 'crypto', types.get('crypto')?.example?.parameters)).toBe(false);
    expect(await runsInPage({}, 'csv', { operation: 'write', items: [], to: 'file' })).toBe(false);
    expect(await runsInPage({}, 'set', { values: { a: '{{ $execution.id }}' } })).toBe(false);
    const reading = { definition: draw('set', { values: { a: '{{ $vars.region }}' } }) };
    expect(await runsInPage(reading)).toBe(true);
    expect(await runsInPage({ ...reading, variables: null })).toBe(false);
  });

  test('a node that a problem of the definition blocks', async () => {
    expect(await runsInPage({}, 'set', { values: 3 })).toBe(false);
    expect(await runsInPage({ nodeId: 'nobody' })).toBe(false);
    expect(await runsInPage({ nodeId: 'start' })).toBe(false);
    expect(await runsInPage({ definition: 'text' })).toBe(false);
  });
});

test('what did not change is not sent again', async () => {
  const first = { known, definition: draw('set', { values: { a: '{{ b }}' } }) };
  const rest = (b: number) => ({ nodeId: 'it', outputs: { start: { main: { b } } }, variables });
  expect((await runInPage({ ...first, ...rest(1) }))?.outputs).toEqual({ main: { a: 1 } });
  expect((await runInPage(rest(2)))?.outputs).toEqual({ main: { a: 2 } });
  const definition = draw('set', { values: { a: '{{ b + 1 }}' } });
  expect((await runInPage({ definition, ...rest(2) }))?.outputs).toEqual({ main: { a: 3 } });
});
