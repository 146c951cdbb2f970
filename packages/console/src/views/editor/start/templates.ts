import type { EditedDefinition } from '../definition/definition-edits.ts';
import { readDefinition, writeDefinition } from '../definition/definition-text.ts';

/** A workflow to begin with, and what the stage must have before it runs. */
export type Template = NonNullable<ReturnType<typeof toTemplate>>;

const unique = (names: Iterable<string | undefined>): string[] => [
  ...new Set([...names].filter((name) => name !== undefined)),
];

const findAll = (text: string, pattern: RegExp): string[] =>
  unique([...text.matchAll(pattern)].map(([, name]) => name));

/** Derives what a definition shows and needs; null if the editor can't open it. */
export const toTemplate = (value: Readonly<Record<string, unknown>>) => {
  // Where the schema lies is known only in the folder of the samples.
  const { $schema: _, ...members } = value;
  const reading = readDefinition(writeDefinition(members as unknown as EditedDefinition));
  if ('problem' in reading) return null;
  const { definition } = reading;
  const { id, name, description, tags, nodes } = definition;
  const parameters = JSON.stringify(nodes.map((node) => node.parameters));
  return {
    id: String(id),
    name: String(name ?? id),
    description: typeof description === 'string' ? description : '',
    tags: Array.isArray(tags) ? tags.map(String) : [],
    nodeTypes: unique(nodes.map(({ type }) => type)),
    needs: {
      credentials: findAll(JSON.stringify(nodes), /"credentialId":"([^"\\]{1,64})"/g),
      variables: findAll(parameters, /\$vars\.([A-Za-z_]\w{0,63})/g),
      hosts: findAll(parameters, /https?:\/\/([A-Za-z0-9.-]{1,255}(?::\d{1,5})?)/g),
    },
    definition,
  };
};

/** Those that have every word of a search in their name, description, tags or node types. */
export const findTemplates = (templates: readonly Template[], search: string): readonly Template[] => {
  const words = search.toLowerCase().split(/\s+/);
  return templates.filter(({ name, description, tags, nodeTypes }) => {
    const text = [name, description, ...tags, ...nodeTypes].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
};
