import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { describeExecution, type Scope } from './scope.ts';

const PLAIN_PATH =
  /^(?:\$(?:nodes|trigger|execution)|[A-Za-z_][A-Za-z0-9_]*|`[^`]+`)(?:\.(?:[A-Za-z_][A-Za-z0-9_]*|`[^`]+`))*$/;
const SEGMENT = /`([^`]+)`|[^.`]+/g;
/** Names with another meaning in JSONata. */
const KEYWORDS = new Set(['and', 'or', 'in', 'true', 'false', 'null', 'function']);

/** Result of a path that only JSONata can evaluate, since it maps a path over the items of a list. */
export const NEEDS_JSONATA = Symbol('needs JSONata');

/** Compiles a path such as `body.name` or `$nodes.pick.total` without JSONata; null for any other expression. */
export const compilePlainPath = (
  text: string,
): ((scope: Scope) => JsonValue | typeof NEEDS_JSONATA) | null => {
  const segments = PLAIN_PATH.test(text) ? splitPath(text) : null;
  if (segments === null) return null;
  const [root = '', ...rest] = segments;
  if (root === '$nodes' && rest.length === 0) return ({ nodes }) => ({ ...nodes }); // `nodes` changes during a run
  const path = root.startsWith('$') ? rest : segments;
  const findRoot = rootOf(root);
  return (scope) => followPath(findRoot(scope), path);
};

const splitPath = (text: string): string[] | null => {
  const segments = [...text.matchAll(SEGMENT)].map(([whole, quoted]) => ({ name: quoted ?? whole, quoted }));
  return segments.some(({ name, quoted }) => quoted === undefined && KEYWORDS.has(name))
    ? null
    : segments.map(({ name }) => name);
};

const rootOf = (root: string): ((scope: Scope) => JsonValue) => {
  if (root === '$nodes') return ({ nodes }) => nodes;
  if (root === '$trigger') return ({ trigger }) => trigger;
  if (root === '$execution') return ({ execution }) => describeExecution(execution);
  return ({ input }) => input;
};

/** Follows own properties only. */
const followPath = (root: JsonValue, path: readonly string[]): JsonValue | typeof NEEDS_JSONATA => {
  let value: JsonValue = root;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return null;
    if (Array.isArray(value)) return NEEDS_JSONATA;
    const next: JsonValue | undefined = Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
    if (next === undefined) return null;
    value = next;
  }
  return value;
};
