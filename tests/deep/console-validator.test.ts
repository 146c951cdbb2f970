import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { listNodeTypes, showNodeType } from '../../lib/plugins/reference/list-types.ts';
import { addFeatures } from '../../lib/webhooks/features/add-features.chunk.ts';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { validateWorkflow } from '../../packages/authoring/validation/validate.ts';
import { buildConsole } from '../../packages/console/serve/build-console.ts';
import type { NodeDataTypes } from '../../packages/console/src/worker/describe-node.ts';
import type { FromValidator, ToValidator } from '../../packages/console/src/worker/messages.ts';
import type { Findings, KnownTypes } from '../../packages/console/src/worker/validate-draft.ts';
import { silent } from '../support/a-run.ts';
import { cases } from '../support/deep.ts';
import { readSample, sampleNames } from '../support/shown-workflows.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookloom-validator-'));
afterAll(() => rmSync(folder, { recursive: true }));

let findNodeType: FindNodeType;
let types: Pick<KnownTypes, 'declared' | 'names'>;
let send: (message: ToValidator) => void;
let receive: (answer: FromValidator) => void = () => {};

beforeAll(async () => {
  const registry = await loadRegistry(installedPlugins, { logger: silent, clock: systemClock });
  findNodeType = registry.findNodeType;
  const plugins = { plugins: await registry.initialise() };
  const names = listNodeTypes(plugins).map(({ nodeType }) => nodeType);
  const declared = names.map((name) => addFeatures(showNodeType(plugins, name)));
  types = JSON.parse(JSON.stringify({ declared, names })); // as the API answers
  // The script that the page gives to a worker, with the two functions of a worker that it uses.
  const { worker, folder: built } = await buildConsole(folder);
  Object.assign(globalThis, {
    addEventListener: (_type: 'message', listener: (event: { readonly data: ToValidator }) => void) => {
      send = (data) => listener({ data });
    },
    postMessage: (answer: FromValidator) => receive(answer),
  });
  await import(pathToFileURL(join(built, worker)).href);
});

afterAll(() => {
  Reflect.deleteProperty(globalThis, 'addEventListener');
  Reflect.deleteProperty(globalThis, 'postMessage');
});

const checkInPage = (definition: JsonValue, known: Partial<KnownTypes> = {}): Promise<Findings> =>
  new Promise((resolve) => {
    receive = (answer) => 'findings' in answer && resolve(answer.findings);
    send({ known: { ...types, variables: null, ...known } });
    send({ definition });
  });

const describeInPage = (
  definition: JsonValue,
  nodeId: string,
  known: Partial<KnownTypes> = {},
): Promise<NodeDataTypes | null> =>
  new Promise((resolve) => {
    receive = (answer) => 'types' in answer && resolve(answer.types);
    send({ known: { ...types, variables: null, ...known } });
    send({ definition, nodeId });
  });

test('the page knows the types of a node, with what the service has said of outputs and other workflows', async () => {
  const definition = {
    nodes: [
      {
        id: 'start',
        type: 'webhookTrigger',
        parameters: { schema: { type: 'object', properties: { id: { type: 'string' } } } },
      },
      {
        id: 'sums',
        type: 'summarize',
        parameters: { items: '{{ [body] }}', values: { n: { operation: 'count' } } },
      },
      { id: 'run', type: 'subworkflow', parameters: { workflowId: 'shipping' } },
    ],
    connections: [
      { sourceNodeId: 'start', targetNodeId: 'sums' },
      { sourceNodeId: 'sums', targetNodeId: 'run' },
    ],
  };
  const n = { type: 'object', properties: { n: { type: 'number' } } };
  const label = { type: 'object', properties: { label: { type: 'string' } } };
  const described = {
    definition,
    outputs: { sums: { main: n } },
    workflows: { shipping: { output: label } },
  };
  expect(await describeInPage(definition, 'run', { described })).toMatchObject({
    nodeId: 'run',
    input: n,
    trigger: { properties: { body: { properties: { id: { type: 'string' } } } } },
    nodes: { start: { type: 'object' }, sums: n },
    outputs: { main: label },
  });
  // With other parameters, what was said no longer holds.
  const [start, sums, run] = definition.nodes;
  const edited = { ...definition, nodes: [start, { ...sums, parameters: {} }, run] };
  expect(await describeInPage(edited as JsonObject, 'run', { described })).toMatchObject({
    input: {},
    nodes: { sums: {} },
  });
  expect((await describeInPage(edited as JsonObject, 'run', { described }))?.input).toEqual({});
  expect(await describeInPage(definition, 'nowhere')).toBeNull();
});

test.each(sampleNames)('the page says of %s what the service says', async (name) => {
  const sample = readSample(name);
  const { problems, warnings } = await validateWorkflow(sample, findNodeType);
  expect(await checkInPage(sample)).toEqual({ problems, warnings });
});

/** The file with each of its values spoiled in turn: names misspelt, texts for numbers, and things that are left out. */
function* spoil(file: JsonObject): Generator<JsonObject> {
  const copy = (): JsonObject => JSON.parse(JSON.stringify(file));
  const reach = (root: JsonValue, path: readonly string[]): Record<string, JsonValue> =>
    path.reduce((at: JsonValue, key) => (at as Record<string, JsonValue>)[key] as JsonValue, root) as Record<
      string,
      JsonValue
    >;
  const paths: string[][] = [];
  const collect = (value: JsonValue, path: string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      paths.push([...path, key]);
      collect(item, [...path, key]);
    }
  };
  collect(file, []);
  for (const path of paths) {
    const [key = '', parents] = [path.at(-1), path.slice(0, -1)];
    const value = reach(file, parents)[key];
    if (typeof value === 'string') {
      const spoiled = copy();
      reach(spoiled, parents)[key] = value.includes('{{') ? value.replace(/[a-z](?=\w)/, '$&q') : `${value}x`;
      yield spoiled;
    } else if (typeof value === 'number' || typeof value === 'boolean') {
      const spoiled = copy();
      reach(spoiled, parents)[key] = 'text';
      yield spoiled;
    }
    if (isPlainObject(reach(file, parents))) {
      const renamed = copy();
      const parent = reach(renamed, parents);
      parent[`${key}z`] = parent[key] as JsonValue;
      delete parent[key];
      yield renamed;
    }
  }
}

const toLine = ({ path, message }: Problem): string => `${path} ${message}`;

test('the page finds in spoiled samples what the service finds, but for what plugins check themselves', async () => {
  let [all, shared] = [0, 0];
  for (const name of cases(sampleNames.slice(0, 3), sampleNames)) {
    for (const spoiled of spoil(readSample(name))) {
      const service = (await validateWorkflow(spoiled, findNodeType)).problems.map(toLine);
      const page = (await checkInPage(spoiled)).problems.map(toLine);
      expect(page.filter((line) => !service.includes(line))).toEqual([]);
      all += service.length;
      shared += page.length;
    }
  }
  expect(all).toBeGreaterThan(100);
  expect(shared / all).toBeGreaterThan(0.95);
});

test('addresses and names of hosts are those of the service', async () => {
  const webhook = (parameters: JsonObject) => ({
    id: 'it',
    name: 'It',
    nodes: [
      { id: 'start', type: 'webhookTrigger', parameters: { path: 'in', method: 'POST', ...parameters } },
    ],
    connections: [],
  });
  const addresses = [
    '192.0.2.1',
    '192.0.2.256',
    '01.2.3.4',
    '2001:db8::/32',
    '::ffff:1.2.3.4',
    '1::2::3',
    'x',
  ];
  const names = ['xn--bcher-kva.example', 'xn--a', 'xn--zz-', 'shop.example', '-x.example'];
  const formats = {
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        names.map((name) => [name, { type: 'string', format: 'hostname', examples: [name], default: name }]),
      ),
    },
  };
  for (const parameters of [...addresses.map((one) => ({ allowFrom: [one] })), formats]) {
    const { problems, warnings } = await validateWorkflow(webhook(parameters), findNodeType);
    expect(await checkInPage(webhook(parameters))).toEqual({ problems, warnings });
  }
});

test('a type that could not be read, and variables that are not known, are not called wrong', async () => {
  const definition = {
    id: 'it',
    name: 'It',
    nodes: [
      { id: 'start', type: 'manualTrigger' },
      { id: 'odd', type: 'odd', parameters: { anything: '{{ $vars.region }}' } },
    ],
    connections: [{ sourceNodeId: 'start', targetNodeId: 'odd' }],
  };
  const known = { names: [...types.names, 'odd'] };
  expect((await checkInPage(definition, known)).problems).toEqual([]);
  const { problems } = await checkInPage(definition, { ...known, variables: ['regions'] });
  expect(problems.map(toLine)).toEqual([
    expect.stringMatching(/\/nodes\/1\/parameters\/anything .*\$vars\.regions/),
  ]);
});
