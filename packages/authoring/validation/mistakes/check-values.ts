import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { didYouMean, quote, toPointerKey } from '../../../../lib/shared/describe.ts';
import { findNearest } from '../../../../lib/shared/near-name.ts';
import { METHODS } from '../../../../lib/workflows/definition/path-config.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { splitTemplate } from '../../../../lib/workflows/expressions/template.ts';
import { type DraftGraph, type DraftNode, sourcesIn } from '../graph/draft-graph.ts';
import { proposeValue } from '../proposals/proposal.ts';

/** A value in a node's parameters and what its schema declares about it. */
export interface DeclaredValue {
  readonly value: JsonValue;
  readonly path: string;
  /** The key in the object around it; for an item, the key of its list. */
  readonly name: string;
  /**
   * Format of the value: `mailbox`, `field-path`, `json-schema`, …; `url` for a pattern that requires http or https.
   */
  readonly format: string | null;
  /** Whether a value without data is refused or warned of; null if it may be one. */
  readonly constant: 'refuse' | 'warn' | null;
}

/** Every value that a schema declares, except through `$ref` and alternatives. */
export function* eachValue(
  schema: unknown,
  value: JsonValue | undefined,
  path: string,
  name = '',
): Generator<DeclaredValue> {
  if (!isPlainObject(schema) || value === undefined || value === null) return;
  yield { value, path, name, format: formatOf(schema), constant: constantOf(schema) };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      yield* eachValue(schema.items, item, `${path}/${index}`, name);
  } else if (isPlainObject(value)) {
    const properties = isPlainObject(schema.properties) ? schema.properties : {};
    for (const [key, item] of Object.entries(value)) {
      const own = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
      yield* eachValue(own, item as JsonValue, `${path}/${toPointerKey(key)}`, key);
    }
  }
}

const constantOf = ({ constant }: Readonly<Record<string, unknown>>): DeclaredValue['constant'] =>
  constant === 'refuse' || constant === 'warn' ? constant : null;

const formatOf = ({ format, pattern }: Readonly<Record<string, unknown>>): string | null => {
  if (typeof format === 'string') return format;
  return typeof pattern === 'string' && pattern.startsWith('^https?://') ? 'url' : null;
};

/** Checks literal URLs, e-mail addresses and HTTP methods. */
export const checkFormat = ({ value, path, name, format }: DeclaredValue): Problem[] => {
  if (typeof value === 'number') return checkUnit(value, path, name);
  if (typeof value !== 'string' || value === '') return [];
  if (format === 'url') return checkUrl(value, path);
  if (value.includes('{{')) return [];
  if (format === 'email' || format === 'mailbox') return checkAddress(value, path, format === 'mailbox');
  return name === 'method' && format === null ? checkMethod(value, path) : [];
};

/** An hour, a day and a week in milliseconds. */
const IN_MILLISECONDS = [3_600_000, 86_400_000, 604_800_000];

const checkUnit = (value: number, path: string, name: string): Problem[] => {
  const isSeconds = /^seconds$|Seconds$/.test(name) && IN_MILLISECONDS.includes(value);
  if (!isSeconds) return [];
  const message = `is in seconds: ${value} are ${Math.round(value / 86_400)} days${didYouMean(String(value / 1_000))}`;
  return [{ path, message, severity: 'warning', ...proposeValue(path, value / 1_000) }];
};

/** Host names and IP addresses, IPv6 in brackets: only hosts that can resolve. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)$/;

const checkUrl = (text: string, path: string): Problem[] => {
  // An expression may have any valid value; a digit replaces it, valid in a host, a port and a path.
  const url = splitTemplate(text)
    .map((part) => ('text' in part ? part.text : '1'))
    .join('');
  const [, scheme = '', slashes = '', rest = ''] = /^(https?:)([/\\]*)(.*)$/is.exec(url) ?? [];
  if (scheme === '' || slashes.length < 2) return []; // reported by the pattern, or an expression
  const proposeUrl = (meant: string | null) => (url === text ? proposeValue(path, meant) : {});
  if (/^https?:/i.test(rest)) {
    const proposed = URL.canParse(rest) ? proposeUrl(rest) : {};
    return [{ path, message: `repeats its scheme${didYouMean(rest)}`, ...proposed }];
  }
  const isAddress = slashes === '//' && URL.canParse(url) && HOST.test(new URL(url).hostname);
  if (isAddress) return [];
  const repaired = `${scheme}//${rest}`;
  const meant = rest !== '' && repaired !== url && URL.canParse(repaired) ? repaired : null;
  return [{ path, message: `is not a URL${didYouMean(meant)}`, ...proposeUrl(meant) }];
};

const ADDRESS = /^[^\s@<>(),;:"\\[\]]{1,64}@[^\s@<>(),;:"\\[\]]{1,255}$/;

const checkAddress = (text: string, path: string, withName: boolean): Problem[] => {
  const [, named = text] = (withName ? /^[^<>]{0,300}<([^<>]{0,400})>$/.exec(text) : null) ?? [];
  if (ADDRESS.test(named)) return [];
  const form = withName ? 'ann@example.com or Ann <ann@example.com>' : 'ann@example.com';
  const several = withName && /[,;]/.test(text) ? ': write each address as a separate list item' : '';
  return [{ path, message: `must be an e-mail address such as ${form}${several}` }];
};

/** Reports only misspellings: HTTP has other methods, and servers may define their own. */
const checkMethod = (text: string, path: string): Problem[] => {
  const method = text.toUpperCase();
  if ((METHODS as readonly string[]).includes(method)) return [];
  const near = findNearest(method, METHODS);
  if (near === null) return [];
  const message = `is not an HTTP method${didYouMean(near)}`;
  return [{ path, message, severity: 'warning', ...proposeValue(path, near) }];
};

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
    const near = findNearest(first, fields);
    const message = `no item has ${quote(first)}${didYouMean(near)}`;
    const proposed =
      near === null
        ? {}
        : proposeValue(
            path,
            value.replace(first, () => near),
          );
    return [{ path, message, severity: 'warning', ...proposed }];
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
