import { isPlainObject } from '@hookloom/plugin-kit';
import { fieldSchema } from '@hookloom/plugin-kit/host';
import { contextOf, EXECUTION, type Type } from '../../../../authoring/validation/types/types.ts';
import { describeValue } from './describe-value.ts';
import type { Sample, Surroundings } from './evaluate-sample.ts';
import { findStart } from './expression-parts.ts';
import { explainType, fieldsOfType, nameType } from './expression-types.ts';
import { FUNCTIONS } from './functions.ts';
import { KEYWORDS, type Token, tokenizeExpression, writeName } from './jsonata-tokens.ts';

/** Something that can be written at a place in an expression. */
export interface Suggestion {
  readonly kind: 'field' | 'function' | 'variable' | 'keyword';
  readonly label: string;
  /** What it is, in a few words: the value in the sample, or the parameters of a function. */
  readonly detail: string;
  readonly info: string | null;
}

export interface Suggestions {
  /** Offset of the beginning of the word that they replace. */
  readonly from: number;
  readonly options: readonly Suggestion[];
}

/** Values that a path may have; lists count as their items, since paths map over them. */
type Values = readonly unknown[];

/** How many items of a list, and how many fields of an object, are looked at: data has any size. */
const MAX_ITEMS = 20;
const MAX_FIELDS = 200;

const MAX_LISTS_IN_LISTS = 5;

const flatten = (values: Values, depth = 0): Values =>
  depth > MAX_LISTS_IN_LISTS
    ? []
    : values
        .slice(0, MAX_ITEMS)
        .flatMap((value) => (Array.isArray(value) ? flatten(value, depth + 1) : [value]))
        .slice(0, MAX_ITEMS);

/** What a path leads to: values of the sample, and what is known of their type. */
interface Place {
  readonly values: Values;
  readonly type: Type;
}

const NOWHERE: Place = { values: [], type: {} };

const stepInto = ({ values, type }: Place, name: string): Place => ({
  values: flatten(values).flatMap((value) =>
    isPlainObject(value) && Object.hasOwn(value, name) ? [value[name]] : [],
  ),
  type: fieldSchema(contextOf(type).each, name) ?? {},
});

/** The items of a list, or one value. */
const toEach = ({ values, type }: Place): Place => ({ values: flatten(values), type: contextOf(type).each });

/** Longer expressions are not completed: the search for brackets is quadratic. */
const MAX_TOKENS = 2_000;

/**
 * What can be written at a position of a text with expressions.
 *
 * @param isAsked - whether the author asked for it, so that an empty word counts, too
 * @returns null outside of expressions, in strings, and where nothing is known
 */
export const completeExpression = (
  text: string,
  position: number,
  { syntax, sample, names, isAsked }: Surroundings & { readonly isAsked: boolean },
): Suggestions | null => {
  const start = findStart(text, position, syntax);
  if (start === null) return null;
  const tokens = tokenizeExpression(text.slice(start, position));
  if (tokens.length > MAX_TOKENS) return null;
  const last = tokens.at(-1);
  if (last?.isOpen === true && last.kind !== 'name') return null;
  const isWord =
    last !== undefined && last.to === position - start && ['name', 'variable'].includes(last.kind);
  const before = isWord ? tokens.slice(0, -1) : tokens;
  const from = isWord ? start + last.from : position;
  const isPath = isOperator(before.at(-1), '.');
  if (!isWord && !isPath && !isAsked) return null;
  const root = { sample: sample ?? {}, names };
  const found = isPath ? completePath(before.slice(0, -1), root) : completeStart(before, root);
  return found.length === 0 ? null : { from, options: found };
};

interface Root extends Pick<Surroundings, 'names'> {
  readonly sample: Sample;
}

const isOperator = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'operator' && token.text === text;

/** What the variables of a scope are. */
const VARIABLES: Readonly<Record<string, string>> = {
  $nodes: 'outputs of the nodes before',
  $trigger: 'output of the trigger that fired',
  $vars: 'variables of the stage',
  $execution: 'the execution',
  $item: 'item of the forEach around the node',
};

const completeStart = (before: readonly Token[], root: Root): Suggestion[] => [
  ...fieldsOf(contextAt(before, root)),
  ...Object.entries(VARIABLES)
    .filter(([label]) => label !== '$item' || hasItem(root))
    .map(([label, detail]) => toSuggestion('variable', label, detail)),
  ...FUNCTIONS.map(([name, parameters, info]) =>
    toSuggestion('function', `$${name}`, `(${parameters.join(', ')})`, info),
  ),
  ...KEYWORDS.map((label) => toSuggestion('keyword', label, '')),
];

/** Whether the node is in a body that runs for each item of a list. */
const hasItem = ({ sample, names }: Root): boolean =>
  sample.$item !== undefined || names.types?.item !== undefined;

const completePath = (path: readonly Token[], root: Root): Suggestion[] => {
  const [{ text = '', kind = null } = {}, ...others] = lastPath(path);
  const fields = fieldsOf(placeOf(path, root));
  if (kind !== 'variable' || others.length > 0) return fields;
  const known = {
    $nodes: root.names.nodes,
    $vars: root.names.variables ?? [],
  }[text];
  const seen = new Set(fields.map(({ label }) => label));
  return [
    ...fields,
    ...(known ?? [])
      .map(writeName)
      .flatMap((label) => (seen.has(label) ? [] : [toSuggestion('field', label, '')])),
  ];
};

const toSuggestion = (
  kind: Suggestion['kind'],
  label: string,
  detail: string,
  info: string | null = null,
): Suggestion => ({ kind, label, detail, info });

/** The fields of a place: those that are declared, and others that the sample has. */
const fieldsOf = ({ values, type }: Place): Suggestion[] => {
  const seen = new Map<string, unknown>();
  for (const value of flatten(values)) {
    if (!isPlainObject(value)) continue;
    for (const name in value) {
      if (seen.size >= MAX_FIELDS) break;
      if (Object.hasOwn(value, name) && !seen.has(name)) seen.set(name, value[name]);
    }
  }
  const declared = fieldsOfType(type);
  return [...new Set([...declared.keys(), ...seen.keys()])]
    .filter((name) => !name.includes('`'))
    .slice(0, MAX_FIELDS)
    .map((name) => {
      const own = declared.get(name) ?? {};
      const value = seen.has(name) ? describeValue(seen.get(name), MAX_DETAIL) : '';
      const typeName = nameType(own);
      // An object or a list says no more than its type.
      const isSaid = typeName !== '' && typeof seen.get(name) === 'object';
      return toSuggestion(
        'field',
        writeName(name),
        [typeName, isSaid ? '' : value].filter((text) => text !== '').join(' · '),
        explainType(own) || null,
      );
    });
};

/** In UTF-16 units of a text. */
const MAX_DETAIL = 40;

/** The tokens of the path that ends the list, without its filters: `$nodes`, `pick`, `items` for `$nodes.pick.items[0]`. */
const lastPath = (tokens: readonly Token[]): readonly Token[] => {
  const path: Token[] = [];
  let at = tokens.length - 1;
  for (;;) {
    while (isOperator(tokens[at], ']')) at = findOpening(tokens, at) - 1;
    const token = tokens[at];
    if (token?.kind !== 'name' && token?.kind !== 'variable') return [];
    path.unshift(token);
    if (!isOperator(tokens[at - 1], '.')) return path;
    at -= 2;
  }
};

const isClosing = (token: Token | undefined) => token?.kind === 'operator' && ')]}'.includes(token.text);
const isOpening = (token: Token | undefined) => token?.kind === 'operator' && '([{'.includes(token.text);

/** The index of the bracket that is open before an index, and closed there or later; -1 if there is none. */
const findOpening = (tokens: readonly Token[], end: number): number => {
  let depth = 1;
  let at = end - 1;
  for (; at >= 0; at -= 1) {
    if (isClosing(tokens[at])) depth += 1;
    else if (isOpening(tokens[at])) depth -= 1;
    if (depth === 0) break;
  }
  return at;
};

/** What the path that ends the list leads to; nothing if it is not plain names. */
const placeOf = (tokens: readonly Token[], root: Root): Place => {
  const path = lastPath(tokens);
  const [first, ...names] = path;
  if (first === undefined) return NOWHERE;
  const length = tokens.indexOf(first);
  const start = startOf(first, tokens.slice(0, length), root);
  return names.reduce((place: Place, { text }) => stepInto(place, text), start);
};

const startOf = ({ kind, text }: Token, before: readonly Token[], root: Root): Place => {
  if (kind === 'name') return stepInto(contextAt(before, root), text);
  if (text === '$') return contextAt(before, root);
  if (text === '$$') return inputOf(root);
  if (!Object.hasOwn(VARIABLES, text)) return NOWHERE;
  const { types } = root.names;
  const declared: Readonly<Record<string, Type>> = {
    $nodes: { type: 'object', properties: types?.nodes ?? {} },
    $trigger: types?.trigger ?? {},
    $item: types?.item ?? {},
    $execution: EXECUTION,
  };
  return { values: [root.sample[text]], type: declared[text] ?? {} };
};

const inputOf = ({ sample, names }: Root): Place => ({
  values: [Object.fromEntries(Object.entries(sample).filter(([name]) => !Object.hasOwn(VARIABLES, name)))],
  type: names.types?.input ?? {},
});

/** What plain names are read from after these tokens: the input, or within a filter or a step the items of its path. */
const contextAt = (tokens: readonly Token[], root: Root): Place => {
  for (let at = findOpening(tokens, tokens.length); at >= 0; at = findOpening(tokens, at)) {
    const before = tokens.slice(0, at);
    const isFilter = isOperator(tokens[at], '[');
    const isStep = !isFilter && isOperator(before.at(-1), '.');
    const path = isStep ? before.slice(0, -1) : before;
    if ((isFilter || isStep) && lastPath(path).length > 0) return toEach(placeOf(path, root));
  }
  return inputOf(root);
};
