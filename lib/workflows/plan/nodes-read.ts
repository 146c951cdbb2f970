import type { JsonObject } from '@hookloom/plugin-kit';

/** Ids that a node's expressions read behind `$nodes`; `all` when an expression computes them. */
export type NodesRead = readonly string[] | 'all';

const READ = /\$nodes(?:\.(?:`([^`]*)`|([A-Za-z_]\w*)))?/g;

/** Finds the ids in the text of the parameters, which is enough: a word too many costs no more than a lookup. */
export const findNodesRead = (parameters: JsonObject): NodesRead => {
  const text = JSON.stringify(parameters);
  if (!text.includes('$nodes')) return [];
  const ids = [...text.matchAll(READ)].map(([, quoted, name]) => quoted ?? name);
  return ids.includes(undefined) ? 'all' : [...new Set(ids as string[])];
};
