import { readdirSync, readFileSync } from 'node:fs';
import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { validateWorkflow } from '../../../authoring/validation/validate.ts';
import { loadNodeTypes, loadPlugins } from '../../../cli/plugins/node-types.ts';

// What is written with care is reported nowhere: samples, and what docs show.

let findNodeType: FindNodeType;
beforeAll(async () => {
  findNodeType = await loadNodeTypes();
});

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const namesIn = (folder: string, ending: string): string[] =>
  readdirSync(new URL(folder, root)).filter((name) => name.endsWith(ending));

const warningsOf = async (file: unknown) => (await validateWorkflow(file, findNodeType)).warnings;

test.each(namesIn('workflows/', '.json'))('the sample %s has no warning', async (name) => {
  expect(await warningsOf(JSON.parse(read(`workflows/${name}`)))).toEqual([]);
});

/** The JSON in fences of a page: workflows, and nodes in a workflow of their own. */
const blocksOf = (page: string): JsonObject[] =>
  [...page.matchAll(/```json\n([\s\S]*?)```/g)].flatMap(([, text = '']) => {
    try {
      const value: unknown = JSON.parse(text);
      return isPlainObject(value) ? [value as JsonObject] : [];
    } catch {
      return []; // a part of an object
    }
  });

const toWorkflow = (block: JsonObject): JsonObject | null => {
  if (Array.isArray(block.nodes)) return { id: 'docs', name: 'Docs', connections: [], ...block };
  if (typeof block.type !== 'string' || !isPlainObject(block.parameters)) return null;
  return { id: 'docs', name: 'Docs', nodes: [{ id: 'it', ...block }], connections: [] };
};

const pages = ['docs/', 'docs/nodes/'].flatMap((folder) =>
  namesIn(folder, '.md').map((name) => folder + name),
);

describe.each(pages)('%s', (page) => {
  test('shows nothing that has a warning', async () => {
    for (const block of blocksOf(read(page))) {
      const file = toWorkflow(block);
      if (file !== null) expect(await warningsOf(file)).toEqual([]);
    }
  });
});

test('the examples of node types have no mistakes', async () => {
  const plugins = await loadPlugins();
  for (const { plugin } of plugins) {
    const nodeTypes = plugin?.nodeTypes ?? [];
    for (const { nodeType, kind, example, credentialTypes } of nodeTypes) {
      if (example === null || example === undefined) continue;
      const it = {
        id: 'it',
        type: nodeType,
        parameters: example.parameters ?? {},
        ...(credentialTypes.length > 0 && kind === 'action' ? { credentialId: 'key' } : {}),
      };
      const start = { id: 'start', type: 'manualTrigger', parameters: {} };
      const [nodes, connections] =
        kind === 'trigger' ? [[it], []] : [[start, it], [{ sourceNodeId: 'start', targetNodeId: 'it' }]];
      const { problems, warnings } = await validateWorkflow(
        { id: 'docs', name: 'Docs', nodes, connections },
        findNodeType,
      );
      // Alone, it has no body and no caller.
      const mistakes = problems.filter(
        ({ message }) => !/^nothing is connected|^answers no caller/.test(message),
      );
      expect({ nodeType, mistakes, warnings }).toEqual({ nodeType, mistakes: [], warnings: [] });
    }
  }
});
