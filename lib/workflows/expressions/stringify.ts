import type { Budget } from './budget.ts';
import { EvaluationError } from './evaluation-error.ts';
import { Func, isNumeric, type Members } from './values.ts';

/** Digits of a number as text: JSONata's way to hide what binary fractions add. */
const PRECISION = 15;

const roundNumber = (value: number): number =>
  Number.isInteger(value) ? value : Number(value.toPrecision(PRECISION));

/** `$string()`: texts as they are, functions as empty texts, everything else as JSON. */
export const stringify = (budget: Budget, value: unknown, prettify = false): string => {
  if (typeof value === 'string') return value;
  if (value instanceof Func) return '';
  if (typeof value === 'number' && !Number.isFinite(value)) throw new EvaluationError('D3001', { value });
  return toJsonText(budget, value, prettify, 0);
};

const toJsonText = (budget: Budget, value: unknown, prettify: boolean, level: number): string => {
  if (typeof value === 'string') {
    budget.write(value.length);
    return JSON.stringify(value);
  }
  if (isNumeric(value)) return String(roundNumber(value));
  if (value instanceof Func) return '""';
  if (value === undefined || value === null || typeof value !== 'object') return String(value ?? null);
  budget.checkNesting(level);
  const write = (item: unknown) => toJsonText(budget, item, prettify, level + 1);
  if (Array.isArray(value)) {
    budget.makeItems(value.length);
    return wrap('[', Array.from(value, write), ']', prettify, level);
  }
  const members = Object.keys(value)
    .filter((key) => (value as Members)[key] !== undefined)
    .map((key) => {
      budget.write(key.length);
      return `${JSON.stringify(key)}:${prettify ? ' ' : ''}${write((value as Members)[key])}`;
    });
  budget.makeItems(members.length);
  return wrap('{', members, '}', prettify, level);
};

const wrap = (
  open: string,
  parts: readonly string[],
  close: string,
  prettify: boolean,
  level: number,
): string => {
  if (!prettify || parts.length === 0) return open + parts.join(',') + close;
  const line = `\n${'  '.repeat(level)}`;
  return `${open}${line}  ${parts.join(`,${line}  `)}${line}${close}`;
};

/** `$clone()`: a copy that may be changed, with what JSON would make of the value. */
export const clone = (budget: Budget, value: unknown, level = 0): unknown => {
  if (isNumeric(value)) return roundNumber(value) + 0; // no negative zero
  if (value instanceof Func) return '';
  if (typeof value !== 'object' || value === null) return value ?? null;
  budget.checkNesting(level);
  if (Array.isArray(value)) {
    budget.makeItems(value.length);
    return Array.from(value, (item) => clone(budget, item, level + 1));
  }
  // Without a prototype: `__proto__` is a key like any other.
  const copy: Members = Object.create(null);
  const keys = Object.keys(value);
  budget.makeItems(keys.length);
  for (const key of keys) {
    const member = (value as Members)[key];
    if (member !== undefined) copy[key] = clone(budget, member, level + 1);
  }
  return copy;
};
