import { readdirSync, readFileSync } from 'node:fs';
import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { isWorkflowFile } from '../../packages/cli/read-file.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const namesIn = (folder: string): readonly string[] => readdirSync(new URL(folder, root));

/** The names of the samples' files. */
export const sampleNames = namesIn('workflows/').filter(isWorkflowFile);

export const readSample = (name: string): JsonObject => JSON.parse(read(`workflows/${name}`));

/** The pages of the docs, with their folders. */
export const pages = ['docs/', 'docs/nodes/'].flatMap((folder) =>
  namesIn(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => folder + name),
);

/** What a page shows in fences of JSON: workflows, and nodes in a workflow of their own. */
export const workflowsOf = (page: string): JsonObject[] =>
  [...read(page).matchAll(/```json\n([\s\S]*?)```/g)].flatMap(([, text = '']) => {
    try {
      const value: unknown = JSON.parse(text);
      return isPlainObject(value) ? toWorkflow(value as JsonObject) : [];
    } catch {
      return []; // a part of an object
    }
  });

const toWorkflow = (block: JsonObject): JsonObject[] => {
  if (Array.isArray(block.nodes)) return [{ id: 'docs', name: 'Docs', connections: [], ...block }];
  if (typeof block.type !== 'string' || !isPlainObject(block.parameters)) return [];
  return [{ id: 'docs', name: 'Docs', nodes: [{ id: 'it', ...block }], connections: [] }];
};
