import { parse } from '@hookloom/counted-jsonata';
import {
  type Ast,
  findBound,
  isAst,
  listOf,
} from '../../../../authoring/validation/references/syntax-tree.ts';
import { isKeyword } from '../../../../lib/workflows/expressions/simple-expression.ts';
import { splitTemplate } from '../../../../lib/workflows/expressions/template.ts';

type Json = unknown;
type JsonMap = Readonly<Record<string, Json>>;

/**
 * Rewrites the ids in `$nodes.<id>` of all expressions in parameters. An expression that can't be parsed stays as it is.
 *
 * @param ids - new by old
 * @param literals - names of the parameters whose braces are literal text
 * @returns the parameters themselves if nothing refers to the ids
 */
export const renameReferences = (
  parameters: JsonMap,
  ids: ReadonlyMap<string, string>,
  literals: readonly string[],
): JsonMap => mapMembers(parameters, (value, key) => (literals.includes(key) ? value : renameIn(value, ids)));

const renameIn = (value: Json, ids: ReadonlyMap<string, string>): Json => {
  if (typeof value === 'string') return renameInTemplate(value, ids);
  if (Array.isArray(value)) {
    const items = value.map((item) => renameIn(item, ids));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  return typeof value === 'object' && value !== null
    ? mapMembers(value as JsonMap, (member) => renameIn(member, ids))
    : value;
};

const mapMembers = (map: JsonMap, change: (value: Json, key: string) => Json): JsonMap => {
  const entries = Object.entries(map).map(([key, value]) => [key, change(value, key)] as const);
  return entries.some(([key, value]) => value !== map[key]) ? Object.fromEntries(entries) : map;
};

const renameInTemplate = (text: string, ids: ReadonlyMap<string, string>): string => {
  if (!text.includes('{{') || !text.includes('$nodes')) return text;
  return splitTemplate(text)
    .map((part) => ('text' in part ? part.text : `{{${renameInExpression(part.expression, ids)}}}`))
    .join('');
};

/** Where an expression names a node, in UTF-16 units. */
interface Naming {
  readonly from: number;
  readonly to: number;
  readonly id: string;
}

const renameInExpression = (text: string, ids: ReadonlyMap<string, string>): string => {
  let root: unknown;
  try {
    root = parse(text).tree;
  } catch {
    return text;
  }
  if (findBound(root).bound.has('nodes')) return text;
  // The parser copies parts of the tree, so that a place may be found twice.
  const namings = new Map(findNamings(text, root).map((naming) => [naming.from, naming]));
  return [...namings.values()]
    .toSorted((one, other) => other.from - one.from)
    .reduce((changed, { from, to, id }) => {
      const newId = ids.get(id);
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
const findNamings = (text: string, root: unknown): readonly Naming[] => {
  const found: Naming[] = [];
  const add = (name: Ast | undefined) => {
    const naming = name === undefined ? null : locate(text, name);
    if (naming !== null) found.push(naming);
  };
  const work: unknown[] = [root];
  for (let next = work.pop(); next !== undefined || work.length > 0; next = work.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    work.push(...Object.values(next));
    if (!isAst(next)) continue;
    if (next.type === 'path') {
      const steps = listOf(next.steps);
      for (const [index, step] of steps.entries()) if (isNodes(step)) add(steps[index + 1]);
    } else if (next.type === 'function') {
      const [first, second] = listOf(next.arguments);
      const { procedure } = next;
      const isLookup = isAst(procedure) && procedure.type === 'variable' && procedure.value === 'lookup';
      if (isLookup && first !== undefined && isNodes(first)) add(second);
    }
  }
  return found;
};

const isNodes = ({ type, value }: Ast): boolean => type === 'variable' && value === 'nodes';

/** The place of a name or a string; its position in the tree is where it ends. */
const locate = (text: string, { type, value, position }: Ast): Naming | null => {
  if ((type !== 'name' && type !== 'string') || typeof value !== 'string') return null;
  const to = Number(position);
  const last = text[to - 1] ?? '';
  const from = '"\'`'.includes(last) ? text.lastIndexOf(last, to - 2) : to - value.length;
  const raw = text.slice(from, to);
  return raw === value || raw.slice(1, -1) === value ? { from, to, id: value } : null;
};
