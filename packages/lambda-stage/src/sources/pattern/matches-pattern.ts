import { isPlainObject, type JsonObject, type JsonValue } from '../../net/json.ts';
import { type Leaf, type Scalar, type ScalarTest, toLeaf } from './leaf.ts';

/** What a pattern without `$or` requires of an object: fields by key, in path order. */
type PatternTree = ReadonlyMap<string, PatternNode>;

/** What it requires of the value of one key. */
type PatternNode = Leaf | PatternTree;

const isTree = (node: PatternNode): node is PatternTree => node instanceof Map;

/** A field of a pattern: its keys from the root. */
interface Field {
  readonly keys: readonly string[];
  readonly leaf: Leaf;
}

/**
 * Expands a pattern into patterns without `$or`: an event that matches one of them matches it.
 *
 * @param pattern - without problems, so it expands to at most 1,000
 */
const toTrees = (pattern: JsonObject): readonly PatternTree[] => expandOr(pattern, []).map(toTree);

/** The fields of each pattern without `$or`. */
const expandOr = (pattern: JsonObject, keys: readonly string[]): readonly (readonly Field[])[] => {
  let combinations: readonly (readonly Field[])[] = [[]];
  for (const [key, value] of Object.entries(pattern)) {
    const choices = expandField(key, value, keys);
    combinations = combinations.flatMap((fields) => choices.map((more) => [...fields, ...more]));
  }
  return combinations;
};

const expandField = (
  key: string,
  value: JsonValue,
  keys: readonly string[],
): readonly (readonly Field[])[] => {
  if (key === '$or') return (value as readonly JsonObject[]).flatMap((choice) => expandOr(choice, keys));
  const path = [...keys, ...key.split('.')];
  return Array.isArray(value) ? [[{ keys: path, leaf: toLeaf(value) }]] : expandOr(value as JsonObject, path);
};

/** The order of paths matters: see `matchesPattern`. In it, all paths below one key are adjacent. */
const toTree = (fields: readonly Field[]): PatternTree => {
  const root = new Map<string, PatternNode>();
  const byPath = fields.map((field) => ({ ...field, path: field.keys.join('.') }));
  byPath.sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const { keys, leaf } of byPath) {
    let tree = root;
    for (const key of keys.slice(0, -1)) {
      const known = tree.get(key);
      const child = known instanceof Map ? known : new Map<string, PatternNode>();
      tree.set(key, child);
      tree = child;
    }
    tree.set(keys.at(-1) ?? '', leaf);
  }
  return root;
};

/** Nesting depth of arrays and objects in an event; anything deeper counts as absent. The limit of event-ruler's parser. */
const MAX_DEPTH = 1_000;

/**
 * Whether an event matches a pattern, so that EventBridge would deliver it. The rules are those of AWS's event-ruler:
 * https://github.com/aws/event-ruler/blob/main/README.md
 *
 * - A field matches when one of its values does: any element of an array, any scalar within nested arrays.
 * - Fields of objects in an array match together when one element has them all.
 * - `exists: false` requires that there is no scalar at the path: in the element that matched an earlier field, or in
 * all elements if none did. Paths are ordered as strings.
 * - Numbers are compared by value, in double precision. So two whole numbers above 2^53 can count as equal.
 * - A dot in a key is as good as nesting, in patterns and in events: `{"a.b": …}` is `{"a": {"b": …}}`.
 *
 * Takes time proportional to the size of the event, for each pattern that remains after expanding `$or`.
 *
 * @param pattern - a pattern for which `findPatternProblem` returns null
 */
export const matchesPattern = (pattern: JsonObject, event: JsonObject): boolean =>
  toTrees(pattern).some((tree) => evaluatePattern(tree, event, null, 0) !== 'no');

/** How a pattern matched: `value` when a value did, `absent` when only the absence of fields did. */
type Outcome = 'no' | 'absent' | 'value';

/** Fields with a value in an array whose element is not chosen yet. */
type FindPresent = () => ReadonlySet<Leaf>;

/**
 * @param findPresent - searches the outermost array around the value with no chosen element; null if there is none.
 * Matching a value chooses the elements of all arrays around it, so later fields are looked for in these
 */
const evaluatePattern = (
  node: PatternNode,
  value: JsonValue | undefined,
  findPresent: FindPresent | null,
  depth: number,
): Outcome => {
  if (!isTree(node)) return evaluateLeaf(node, value, findPresent, depth);
  if (depth > MAX_DEPTH) return evaluatePattern(node, undefined, findPresent, 0);
  if (Array.isArray(value)) return evaluateArray(node, value, findPresent, depth);
  let outcome: Outcome = 'absent';
  for (const [key, child] of node) {
    const unchosen = outcome === 'value' ? null : findPresent;
    const found = evaluatePattern(child, fieldOfEvent(value, key), unchosen, depth + 1);
    if (found === 'no') return 'no';
    if (found === 'value') outcome = 'value';
  }
  return outcome;
};

const evaluateLeaf = (
  leaf: Leaf,
  value: JsonValue | undefined,
  findPresent: FindPresent | null,
  depth: number,
): Outcome => {
  const isPresent = (): boolean => findPresent?.().has(leaf) ?? hasScalar(value, () => true, depth);
  if (leaf.acceptsAbsence && !isPresent()) return 'absent';
  return hasScalar(value, leaf.matches, depth) ? 'value' : 'no';
};

const evaluateArray = (
  tree: PatternTree,
  elements: readonly JsonValue[],
  outer: FindPresent | null,
  depth: number,
): Outcome => {
  let present: Set<Leaf> | null = null;
  const findPresent = outer ?? (() => (present ??= collectPresent(tree, elements, new Set(), depth)));
  const isFound = elements.some(
    (element) =>
      typeof element === 'object' &&
      element !== null &&
      evaluatePattern(tree, element, findPresent, depth + 1) === 'value',
  );
  return isFound ? 'value' : evaluatePattern(tree, undefined, findPresent, depth);
};

/** Adds the fields of a pattern that have a value, in any element of any array. */
const collectPresent = (
  node: PatternNode,
  value: JsonValue | undefined,
  present: Set<Leaf>,
  depth: number,
): Set<Leaf> => {
  if (!isTree(node)) {
    if (hasScalar(value, () => true, depth)) present.add(node);
  } else if (depth <= MAX_DEPTH && Array.isArray(value)) {
    for (const element of value) collectPresent(node, element, present, depth + 1);
  } else if (depth <= MAX_DEPTH) {
    for (const [key, child] of node) collectPresent(child, fieldOfEvent(value, key), present, depth + 1);
  }
  return present;
};

const fieldOfEvent = (value: JsonValue | undefined, key: string): JsonValue | undefined => {
  if (!isPlainObject(value)) return undefined;
  const own = Object.hasOwn(value, key) ? (value[key] as JsonValue) : undefined;
  const dotted = dottedKeysOf(value).filter((other) => other.startsWith(`${key}.`));
  if (dotted.length === 0) return own;
  const fields = new Map(isPlainObject(own) ? (Object.entries(own) as [string, JsonValue][]) : []);
  for (const other of dotted) {
    const rest = other.slice(key.length + 1);
    const known = fields.get(rest);
    const nested = value[other] as JsonValue;
    fields.set(rest, known === undefined ? nested : [known, nested].flat());
  }
  const object: JsonObject = Object.fromEntries(fields);
  return own === undefined || isPlainObject(own) ? object : [own, object].flat();
};

const knownDottedKeys = new WeakMap<object, readonly string[]>();

/** The keys of an object that have a dot: next to none in most events, so that they are looked for once. */
const dottedKeysOf = (value: JsonObject): readonly string[] => {
  const known = knownDottedKeys.get(value);
  const keys = known ?? Object.keys(value).filter((key) => key.includes('.'));
  if (known === undefined) knownDottedKeys.set(value, keys);
  return keys;
};

/** Whether a value, or a scalar of its arrays, passes a test. */
const hasScalar = (value: JsonValue | undefined, test: ScalarTest, depth: number): boolean => {
  if (Array.isArray(value))
    return depth <= MAX_DEPTH && value.some((element) => hasScalar(element, test, depth + 1));
  return value !== undefined && !isPlainObject(value) && test(value as Scalar);
};
