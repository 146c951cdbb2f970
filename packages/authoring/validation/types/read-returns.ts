import type { JsonObject } from '@hookloom/plugin-kit';
import { eitherOf } from '@hookloom/plugin-kit/host';
import { ANYTHING, BOOLEAN, listOf, NUMBER, TEXT, type Type } from './types.ts';

/** Longer comments are not read. In UTF-16 units. */
const MAX_COMMENT = 10_000;
const MAX_DEPTH = 20;

/**
 * Reads what JavaScript returns from the comment at its start, as TypeScript does:
 * `@returns {{ total: number, items: string[] }}`. What is not one of the simple forms is anything.
 *
 * @returns null if the comment says nothing of an object
 */
export const readReturns = (code: string): JsonObject | null => {
  const start = code.search(/\S/);
  const end = start < 0 || !code.startsWith('/**', start) ? -1 : code.indexOf('*/', start + 3);
  if (end < 0 || end - start > MAX_COMMENT) return null;
  // The comment of a function says what that function returns.
  if (/^(async\b|function\b|class\b)/.test(code.slice(end + 2, end + 200).trimStart())) return null;
  const comment = code.slice(start, end).replace(/\n[ \t]*\*/g, '\n');
  const [, tag] = comment.split(/@returns?\s*\{/, 2);
  if (tag === undefined) return null;
  const read = readType(tokenize(tag), 0);
  return read !== null && read.rest[0] === '}' && read.type.type === 'object' ? read.type : null;
};

const tokenize = (text: string): readonly string[] =>
  text.match(/[A-Za-z_$][\w$]*|"[^"\n]*"|'[^'\n]*'|-?\d+(\.\d+)?|[^\s]/g) ?? [];

interface Read {
  readonly type: Type;
  readonly rest: readonly string[];
  /** Whether it may be undefined, which JSON leaves out. */
  readonly isOptional?: boolean;
}

/** Reads alternatives: `string | null`. Null for what can't be read. */
const readType = (tokens: readonly string[], depth: number): Read | null => {
  if (depth > MAX_DEPTH) return null;
  const types: Type[] = [];
  let rest = tokens[0] === '|' ? tokens.slice(1) : tokens;
  let isOptional = false;
  for (;;) {
    const read = readItem(rest, depth);
    if (read === null) return null;
    rest = read.rest;
    if (read.isOptional === true) isOptional = true;
    else types.push(read.type);
    if (rest[0] !== '|') return { type: types.length === 0 ? ANYTHING : eitherOf(types), rest, isOptional };
    rest = rest.slice(1);
  }
};

/** Reads one alternative with its brackets: `string[]`. */
const readItem = (tokens: readonly string[], depth: number): Read | null => {
  const first = readSingle(tokens, depth + 1);
  if (first === null) return null;
  let { type, rest } = first;
  let lists = 0;
  while (rest[0] === '[' && rest[1] === ']') {
    type = listOf(type);
    rest = rest.slice(2);
    lists += 1;
  }
  return { type, rest, isOptional: lists === 0 && first.isOptional === true };
};

const NAMED: Readonly<Record<string, Type>> = {
  string: TEXT,
  number: NUMBER,
  boolean: BOOLEAN,
  true: BOOLEAN,
  false: BOOLEAN,
  null: { type: 'null' },
  object: { type: 'object' },
  Object: { type: 'object' },
};

const readSingle = ([token = '', ...rest]: readonly string[], depth: number): Read | null => {
  if (token === '{') return readObject(rest, depth);
  if (token === '(') {
    const inner = readType(rest, depth);
    return inner?.rest[0] === ')' ? { ...inner, rest: inner.rest.slice(1) } : null;
  }
  if (/^["']/.test(token)) return { type: { type: 'string', enum: [token.slice(1, -1)] }, rest };
  if (/^-?\d/.test(token)) return { type: { type: 'number', enum: [Number(token)] }, rest };
  if (token === 'undefined') return { type: ANYTHING, rest, isOptional: true };
  if (token === '*') return { type: ANYTHING, rest };
  if (!/^[A-Za-z_$]/.test(token)) return null;
  if (rest[0] === '<') return readGeneric(token, rest.slice(1), depth);
  return { type: (Object.hasOwn(NAMED, token) ? NAMED[token] : undefined) ?? ANYTHING, rest };
};

/** Reads `Array<T>`, `Promise<T>` and `Record<string, T>`; others are anything. */
const readGeneric = (name: string, tokens: readonly string[], depth: number): Read | null => {
  const types: Type[] = [];
  let rest = tokens;
  for (;;) {
    const read = readType(rest, depth);
    if (read === null) return null;
    types.push(read.type);
    const [next, ...others] = read.rest;
    rest = others;
    if (next === '>') break;
    if (next !== ',') return null;
  }
  const [first = ANYTHING, second = ANYTHING] = types;
  const type =
    name === 'Array' || name === 'ReadonlyArray'
      ? listOf(first)
      : name === 'Promise'
        ? first
        : name === 'Record'
          ? { type: 'object', additionalProperties: second }
          : ANYTHING;
  return { type, rest };
};

/** Reads the fields behind an opening brace. */
const readObject = (tokens: readonly string[], depth: number): Read | null => {
  const properties: Record<string, Type> = {};
  const required: string[] = [];
  let rest = tokens;
  while (rest[0] !== '}') {
    const [name = '', ...behind] = rest;
    if (!/^[A-Za-z_$"']/.test(name)) return null;
    const isMarked = behind[0] === '?';
    const [colon, ...value] = isMarked ? behind.slice(1) : behind;
    const read = colon === ':' ? readType(value, depth) : null;
    if (read === null) return null;
    const key = /^["']/.test(name) ? name.slice(1, -1) : name;
    Object.defineProperty(properties, key, { value: read.type, enumerable: true, configurable: true });
    if (!isMarked && read.isOptional !== true) required.push(key);
    rest = read.rest[0] === ',' || read.rest[0] === ';' ? read.rest.slice(1) : read.rest;
    if (rest === read.rest && rest[0] !== '}') return null;
  }
  return {
    type: { type: 'object', properties, required, additionalProperties: false },
    rest: rest.slice(1),
  };
};
