import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { didYouMean, quote } from '../../../lib/shared/describe.ts';
import { findNearest } from '../../../lib/shared/near-name.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { splitTemplate } from '../../../lib/workflows/expressions/template.ts';
import { type DraftGraph, type DraftNode, sourcesIn } from '../graph/draft-graph.ts';
import type { DeclaredValue } from './each-value.ts';

/** The node type whose output is its parameter `values`. */
const SET = 'set';

/**
 * Checks paths to fields of items that are literal in the workflow: in the node itself or in the
 * `set` node that its expression names.
 */
export const checkFields = (
  graph: DraftGraph,
  { index, node }: DraftNode,
  values: readonly DeclaredValue[],
): Problem[] => {
  const paths = values.filter(({ format }) => format === 'field-path');
  if (paths.length === 0) return [];
  const fields = fieldsOf(findItems(graph, index, node.parameters.items));
  if (fields === null) return [];
  return paths.flatMap(({ value, path }): Problem[] => {
    if (typeof value !== 'string' || value.includes('{{')) return [];
    const [first = ''] = value.startsWith('/') ? value.slice(1).split('/') : value.split('.');
    if (first === '' || fields.has(first)) return [];
    const message = `no item has ${quote(first)}${didYouMean(findNearest(first, fields))}`;
    return [{ path, message, severity: 'warning' }];
  });
};

/** The keys of all items; null when one is not an object or is an expression. */
const fieldsOf = (items: JsonValue | null): ReadonlySet<string> | null => {
  if (!Array.isArray(items) || items.length === 0) return null;
  return items.every((item) => isPlainObject(item))
    ? new Set(items.flatMap((item) => Object.keys(item as JsonObject)))
    : null;
};

/** A path of plain names that is the whole expression. */
const PATH = /^\s{0,20}(?:\$nodes\.(\w{1,64}|`[\w-]{1,64}`)\.)?(\w{1,100}(?:\.\w{1,100}){0,20})\s{0,20}$/;

/** The value of a parameter that is literal in the workflow; null when it is known only at run time. */
const findItems = (graph: DraftGraph, index: number, given: JsonValue | undefined): JsonValue | null => {
  if (typeof given !== 'string') return given ?? null;
  const [part, ...others] = splitTemplate(given);
  if (part === undefined || others.length > 0 || 'text' in part) return null;
  const [, id, path = ''] = PATH.exec(part.expression) ?? [];
  if (path === '') return null;
  const [before, ...joined] = sourcesIn(graph)(index);
  const at = id === undefined ? before : graph.indexOf.get(id.replaceAll('`', ''));
  if (at === undefined || (id === undefined && joined.length > 0)) return null;
  const { node, isDisabled } = graph.nodes[at] ?? {};
  if (node?.type !== SET || isDisabled === true) return null;
  let value: JsonValue | undefined = node.parameters.values;
  for (const key of path.split('.'))
    value = isPlainObject(value) && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
  return value ?? null;
};
