import { satisfies, validateStrict } from 'compare-versions';
import { isPlainObject } from '../contract/json.ts';
import { ERROR_OUTPUT, RESPONSE_OUTPUT } from '../contract/node.ts';

/** Names that mean something to JavaScript's objects. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);
const ID = /^[A-Za-z0-9._-]{1,64}$/;
const MAX_TEXT_LENGTH = 2_000;

/** A rule about one field: null when the value keeps it, otherwise what it must be. */
export type Rule = (value: unknown) => string | null;

export const isId: Rule = (value) =>
  typeof value === 'string' && ID.test(value) && !RESERVED.has(value)
    ? null
    : 'must be 1 to 64 of A-Z a-z 0-9 . _ - and no reserved name';
export const isName: Rule = (value) =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT_LENGTH
    ? null
    : `must be a text of 1 to ${MAX_TEXT_LENGTH} characters`;
export const isPropertyName: Rule = (value) =>
  RESERVED.has(value as string) ? 'must be no reserved name' : isName(value);
export const isText: Rule = (value) =>
  typeof value === 'string' && value.length <= MAX_TEXT_LENGTH
    ? null
    : `must be a text of at most ${MAX_TEXT_LENGTH} characters`;
export const isVersion: Rule = (value) =>
  typeof value === 'string' && validateStrict(value) ? null : 'must be a semantic version such as 1.0.0';
export const isFunction: Rule = (value) => (typeof value === 'function' ? null : 'must be a function');
export const isBoolean: Rule = (value) => (typeof value === 'boolean' ? null : 'must be true or false');
export const isRange: Rule = (value) =>
  typeof value === 'string' && isVersionRange(value) ? null : 'must be a version range such as ^1.2.0';
export const isSchema: Rule = (value) => (isPlainObject(value) ? null : 'must be a JSON Schema object');
export const isFilledList: Rule = (value) =>
  Array.isArray(value) && value.length > 0 ? null : 'must be a list with at least one entry';
export const isList: Rule = (value) => (Array.isArray(value) ? null : 'must be a list');
export const isTextList: Rule = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'string')
    ? null
    : 'must be a list of at least one text';
/** Names that workflows use, each once. */
export const isNameList: Rule = (value) =>
  Array.isArray(value) &&
  new Set(value).size === value.length &&
  Array.from(value).every((entry) => isName(entry) === null)
    ? null
    : 'must be a list of different names';
export const isOutputs: Rule = (value) => {
  if (typeof value === 'function') return null;
  const isDeclarable =
    isNameList(value) === null &&
    !(value as string[]).some((name) => name === ERROR_OUTPUT || name === RESPONSE_OUTPUT);
  return isDeclarable
    ? null
    : `must be a function, or a list of different names other than "${ERROR_OUTPUT}" and "${RESPONSE_OUTPUT}"`;
};
export const isOneOf =
  (allowed: readonly string[]): Rule =>
  (value) =>
    allowed.includes(value as string) ? null : `must be one of ${allowed.join(', ')}`;

export const isControl: Rule = (value) =>
  isPlainObject(value) &&
  typeof value.suspends === 'boolean' &&
  (value.bodyOutput === undefined || isName(value.bodyOutput) === null) &&
  (value.waitSeconds === undefined || typeof value.waitSeconds === 'function')
    ? null
    : 'must be { suspends: true or false, bodyOutput?: the name of an output, waitSeconds?: a function }';

export const optional =
  (rule: Rule): Rule =>
  (value) =>
    value === undefined ? null : rule(value);

export const isPattern: Rule = (value) =>
  typeof value === 'string' && isRegularExpression(value) ? null : 'must be a regular expression';

const isRegularExpression = (text: string): boolean => {
  try {
    return new RegExp(text, 'u') instanceof RegExp; // with the flag that JSON Schema takes it with
  } catch {
    return false;
  }
};

/** Only by using it does the library say whether it is one. */
const isVersionRange = (text: string): boolean => {
  try {
    satisfies('1.0.0', text);
    return text.trim() !== '';
  } catch {
    return false;
  }
};

/** What was got, short and without the whole of it. */
export const describeValue = (value: unknown): string => {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'string')
    return value.length <= 40 ? `"${value}"` : `a text of ${value.length} characters`;
  return typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : `a value of type ${typeof value}`;
};
