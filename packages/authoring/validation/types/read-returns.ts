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
  const tokens: Tokens = { texts: tokenize(tag), at: 0 };
  const read = readType(tokens, 0);
  return read !== null && peek(tokens) === '}' && read.type.type === 'object' ? read.type : null;
};

const tokenize = (text: string): readonly string[] =>
  text.match(/[A-Za-z_$][\w$]*|"[^"\n]*"|'[^'\n]*'|-?\d+(\.\d+)?|[^\s]/g) ?? [];

/** The tokens of a type, and which of them is read next. */
interface Tokens {
  readonly texts: readonly string[];
  at: number;
}

const peek = ({ texts, at }: Tokens): string => texts[at] ?? '';

/** Takes the next token if it is that one. */
const take = (tokens: Tokens, text: string): boolean => {
  if (peek(tokens) !== text) return false;
  tokens.at += 1;
  return true;
};

const takeAny = (tokens: Tokens): string => tokens.texts[tokens.at++] ?? '';

interface Read {
  readonly type: Type;
  /** Whether it may be undefined, which JSON leaves out. */
  readonly isOptional?: boolean;
}

/** Reads alternatives: `string | null`. Null for what can't be read. */
const readType = (tokens: Tokens, depth: number): Read | null => {
  if (depth > MAX_DEPTH) return null;
  const types: Type[] = [];
  let isOptional = false;
  take(tokens, '|');
  do {
    const read = readItem(tokens, depth);
    if (read === null) return null;
    if (read.isOptional === true) isOptional = true;
    else types.push(read.type);
  } while (take(tokens, '|'));
  return { type: types.length === 0 ? ANYTHING : eitherOf(types), isOptional };
};

/** Reads one alternative with its brackets: `string[]`. */
const readItem = (tokens: Tokens, depth: number): Read | null => {
  let read = readSingle(tokens, depth + 1);
  while (read !== null && peek(tokens) === '[' && tokens.texts[tokens.at + 1] === ']') {
    read = { type: listOf(read.type) };
    tokens.at += 2;
  }
  return read;
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

const readSingle = (tokens: Tokens, depth: number): Read | null => {
  const token = takeAny(tokens);
  if (token === '{') return readObject(tokens, depth);
  if (token === '(') {
    const inner = readType(tokens, depth);
    return take(tokens, ')') ? inner : null;
  }
  if (/^["']/.test(token)) return { type: { type: 'string', enum: [token.slice(1, -1)] } };
  if (/^-?\d/.test(token)) return { type: { type: 'number', enum: [Number(token)] } };
  if (token === 'undefined') return { type: ANYTHING, isOptional: true };
  if (token === '*') return { type: ANYTHING };
  if (!/^[A-Za-z_$]/.test(token)) return null;
  if (take(tokens, '<')) return readGeneric(token, tokens, depth);
  return { type: (Object.hasOwn(NAMED, token) ? NAMED[token] : undefined) ?? ANYTHING };
};

/** Reads `Array<T>`, `Promise<T>` and `Record<string, T>`; others are anything. */
const readGeneric = (name: string, tokens: Tokens, depth: number): Read | null => {
  const types: Type[] = [];
  do {
    const read = readType(tokens, depth);
    if (read === null) return null;
    types.push(read.type);
  } while (take(tokens, ','));
  if (!take(tokens, '>')) return null;
  const [first = ANYTHING, second = ANYTHING] = types;
  if (name === 'Array' || name === 'ReadonlyArray') return { type: listOf(first) };
  if (name === 'Promise') return { type: first };
  return { type: name === 'Record' ? { type: 'object', additionalProperties: second } : ANYTHING };
};

/** Reads the fields behind an opening brace. */
const readObject = (tokens: Tokens, depth: number): Read | null => {
  const properties: Record<string, Type> = {};
  const required: string[] = [];
  while (!take(tokens, '}')) {
    const name = takeAny(tokens);
    if (!/^[A-Za-z_$"']/.test(name)) return null;
    const isMarked = take(tokens, '?');
    const read = take(tokens, ':') ? readType(tokens, depth) : null;
    if (read === null) return null;
    const key = /^["']/.test(name) ? name.slice(1, -1) : name;
    Object.defineProperty(properties, key, { value: read.type, enumerable: true, configurable: true });
    if (!isMarked && read.isOptional !== true) required.push(key);
    if (!take(tokens, ',') && !take(tokens, ';') && peek(tokens) !== '}') return null;
  }
  return { type: { type: 'object', properties, required, additionalProperties: false } };
};
