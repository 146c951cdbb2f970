import { parse } from '@hookloom/counted-jsonata';
import { isKeyword } from '../../../../../../lib/workflows/expressions/simple-expression.ts';
import { splitTemplate } from '../../../../../../lib/workflows/expressions/template.ts';
import {
  type Ast,
  findBound,
  isAst,
  listOf,
} from '../../../../../authoring/validation/references/syntax-tree.ts';

type Json = unknown;
type JsonMap = Readonly<Record<string, Json>>;

/** What the expressions of a node can name other nodes by, besides `$nodes`. */
export interface Renaming {
  /** New by old. */
  readonly ids: ReadonlyMap<string, string>;
  /** For each `merge` by node, the nodes after which its output names its keys. */
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>;
  /** The keys of the node's own input that are ids: those of a `merge` by node that leads to it. */
  readonly inputKeys: ReadonlySet<string>;
}

/**
 * Rewrites ids of nodes in all expressions in parameters: in `$nodes.<id>`, the keys of a `merge` by node, and what
 * `error.nodeId` is compared with. An expression that can't be parsed stays as it is.
 *
 * @param literals - names of the parameters whose braces are literal text
 * @returns the parameters themselves if nothing refers to the ids
 */
export const renameReferences = (
  parameters: JsonMap,
  renaming: Renaming,
  literals: readonly string[],
): JsonMap =>
  mapMembers(parameters, (value, key) => (literals.includes(key) ? value : renameIn(value, renaming)));

const renameIn = (value: Json, renaming: Renaming): Json => {
  if (typeof value === 'string') return renameInTemplate(value, renaming);
  if (Array.isArray(value)) {
    const items = value.map((item) => renameIn(item, renaming));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  return typeof value === 'object' && value !== null
    ? mapMembers(value as JsonMap, (member) => renameIn(member, renaming))
    : value;
};

const mapMembers = (map: JsonMap, change: (value: Json, key: string) => Json): JsonMap => {
  const entries = Object.entries(map).map(([key, value]) => [key, change(value, key)] as const);
  return entries.some(([key, value]) => value !== map[key]) ? Object.fromEntries(entries) : map;
};

const renameInTemplate = (text: string, renaming: Renaming): string => {
  if (!text.includes('{{')) return text;
  return splitTemplate(text)
    .map((part) => ('text' in part ? part.text : `{{${renameInExpression(part.expression, renaming)}}}`))
    .join('');
};

/** Where an expression names a node, in UTF-16 units. */
interface Naming {
  readonly from: number;
  readonly to: number;
  readonly id: string;
}

const renameInExpression = (text: string, renaming: Renaming): string => {
  // Most expressions name no node: they need not be parsed.
  if (![...renaming.ids.keys()].some((id) => text.includes(id))) return text;
  let root: unknown;
  try {
    root = parse(text).tree;
  } catch {
    return text;
  }
  const { bound } = findBound(root);
  // The parser copies parts of the tree, so that a place may be found twice.
  const found = [
    ...(bound.has('nodes') ? [] : findNamings(text, root, renaming)),
    ...findInputKeys(text, root, renaming),
  ];
  const namings = new Map(found.map((naming) => [naming.from, naming]));
  return [...namings.values()]
    .toSorted((one, other) => other.from - one.from)
    .reduce((changed, { from, to, id }) => {
      const newId = renaming.ids.get(id);
      return newId === undefined
        ? changed
        : changed.slice(0, from) + quoteAs(changed.slice(from, to), newId) + changed.slice(to);
    }, text);
};

const quoteAs = (former: string, id: string): string => {
  const [quote = ''] = former;
  if (quote === '"' || quote === "'") return quote + id + quote;
  const isPlain = /^[A-Za-z_]\w*$/.test(id) && !isKeyword(id);
  return isPlain && quote !== '`' ? id : `\`${id}\``;
};

/** Without recursion, since an expression may have any depth. */
const findNamings = (text: string, root: unknown, { keys }: Renaming): readonly Naming[] => {
  const found: Naming[] = [];
  const add = (name: Ast | undefined) => {
    const naming = name === undefined ? null : locateNaming(text, name);
    if (naming !== null) found.push(naming);
    return naming?.id;
  };
  const work: unknown[] = [root];
  for (let next = work.pop(); next !== undefined || work.length > 0; next = work.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    work.push(...Object.values(next));
    if (!isAst(next)) continue;
    if (next.type === 'path') {
      const steps = listOf(next.steps);
      for (const [index, step] of steps.entries()) {
        if (!isNodes(step)) continue;
        const id = add(steps[index + 1]);
        const key = steps[index + 2];
        if (id !== undefined && keys.get(id)?.has(String(key?.value)) === true) add(key);
      }
    } else if (next.type === 'function') {
      const [first, second] = listOf(next.arguments);
      const { procedure } = next;
      const isLookup = isAst(procedure) && procedure.type === 'variable' && procedure.value === 'lookup';
      if (isLookup && first !== undefined && isNodes(first)) add(second);
    } else if (next.type === 'binary' && ['=', '!=', 'in'].includes(String(next.value))) {
      for (const [one, other] of [
        [next.lhs, next.rhs],
        [next.rhs, next.lhs],
      ])
        if (isNodeIdOfError(one) && isAst(other))
          for (const text of [other, ...listOf(other.expressions)]) add(text);
    }
  }
  return found;
};

/** Whether it is `error.nodeId`, of whatever. */
const isNodeIdOfError = (value: unknown): boolean => {
  const steps = isAst(value) && value.type === 'path' ? listOf(value.steps) : [];
  const [error, nodeId] = steps.slice(-2);
  return error?.value === 'error' && nodeId?.value === 'nodeId';
};

/** Parts of an expression that have the same context as the whole: not the steps of a path, nor filters. */
const SAME_CONTEXT = [
  'lhs',
  'rhs',
  'arguments',
  'expressions',
  'condition',
  'then',
  'else',
  'body',
  'expression',
];

/** Where the expression reads a key of the node's input: `id`, `$.id`, and `$$.id` in any place. */
const findInputKeys = (text: string, root: unknown, { inputKeys }: Renaming): readonly Naming[] => {
  if (inputKeys.size === 0) return [];
  const found: Naming[] = [];
  const work: { readonly value: unknown; readonly isInput: boolean }[] = [{ value: root, isInput: true }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { value, isInput } = next;
    if (Array.isArray(value)) work.push(...value.map((item) => ({ value: item, isInput })));
    if (!isAst(value)) continue;
    if (value.type === 'path') {
      const [first, second] = listOf(value.steps);
      const isWhole = first?.type === 'variable' && (first.value === '$' || (isInput && first.value === ''));
      const key = isWhole ? second : isInput ? first : undefined;
      const naming = key?.type === 'name' ? locateNaming(text, key) : null;
      if (naming !== null && inputKeys.has(naming.id)) found.push(naming);
      work.push(
        ...listOf(value.steps).map((step, index) => ({ value: step, isInput: isInput && index === 0 })),
      );
    } else
      for (const [name, part] of Object.entries(value))
        work.push({ value: part, isInput: isInput && SAME_CONTEXT.includes(name) });
  }
  return found;
};

const isNodes = ({ type, value }: Ast): boolean => type === 'variable' && value === 'nodes';

/** The place of a name or a string; its position in the tree is where it ends. */
const locateNaming = (text: string, { type, value, position }: Ast): Naming | null => {
  if ((type !== 'name' && type !== 'string') || typeof value !== 'string') return null;
  const to = Number(position);
  const last = text[to - 1] ?? '';
  const from = '"\'`'.includes(last) ? text.lastIndexOf(last, to - 2) : to - value.length;
  const raw = text.slice(from, to);
  return raw === value || raw.slice(1, -1) === value ? { from, to, id: value } : null;
};
