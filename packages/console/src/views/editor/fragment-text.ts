import type { Fragment } from './definition/definition-edits.ts';
import { readDefinition } from './definition/definition-text.ts';

/** Longer texts are not pasted. In characters. */
const MAX_FRAGMENT = 1_000_000;

/** Copied nodes as JSON text, which any workflow or tool can take. */
export const writeFragment = (fragment: Fragment): string => JSON.stringify(fragment, null, 2);

/** @returns the nodes, or why the text has none */
export const readFragment = (text: string): Fragment | { readonly problem: string } => {
  if (text.length > MAX_FRAGMENT) return { problem: `it is longer than ${MAX_FRAGMENT} characters` };
  const reading = readDefinition(text);
  return 'problem' in reading
    ? reading
    : { nodes: reading.definition.nodes, connections: reading.definition.connections ?? [] };
};
