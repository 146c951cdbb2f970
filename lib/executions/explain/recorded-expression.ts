import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { redactText } from '../../shared/secrets/redact-text.ts';
import { isSecretName, isSecretValue, placeIn, REDACTED } from '../../shared/secrets/secret-names.ts';
import { compileExpression, compileTemplate } from '../../workflows/expressions/compile-expression.ts';
import type { Read } from '../../workflows/expressions/find-reads.ts';
import type { Evaluate, Result, Scope } from '../../workflows/expressions/scope.ts';
import { splitTemplate } from '../../workflows/expressions/template.ts';
import { type Decision, expressionsOf, isSecretRead, MAX_READS, readsOf } from '../record/decision.ts';
import { shortenValue, viewValue } from '../record/view-data.ts';
import type { RecordedScope } from './recorded-run.ts';

/** A value that an expression read: present, missing in the data, or unknown. */
export type ReadValue = { readonly path: string } & (
  | { readonly value: JsonValue }
  | { readonly missing: true }
  | { readonly notRecorded: true }
);

/** The expressions of a parameter, with what they read in one node run. Bounded and redacted. */
export interface RecordedExpression {
  /** The expression without its braces; the parameter as JSON if it is not a single expression. */
  readonly expression: string;
  readonly values: readonly ReadValue[];
  /** How many further paths it reads. */
  readonly valuesOmitted: number;
  /** The expression with its values for people: `total 99.5 > 100`. */
  readonly text: string;
  /** Its result; undefined if it has none, or if not everything that it reads is known. */
  readonly result: Result;
}

/** Reads an expression in one node run. */
export type ReadExpression = (scope: RecordedScope) => Promise<RecordedExpression>;

const MAX_EXPRESSION_LENGTH = 300;
const MAX_TEXT_LENGTH = 600;
/** Longer values follow the expression instead of being put into it. */
const MAX_INLINE_LENGTH = 40;
/** For one evaluation: a record may have many, whose expressions were written for other data. */
const MAX_STEPS = 10_000;

/** Prepares a decision for the node runs of a record. */
export const openDecision = async (decision: Decision): Promise<ReadExpression> => {
  const { parameter, place, isBare } = decision;
  const [first, ...others] = expressionsOf(decision);
  const isSingle = isBare || (first !== undefined && others.length === 0 && isOneExpression(parameter));
  const source = isSingle ? (first ?? '') : JSON.stringify(parameter);
  const evaluate = openEvaluation(decision, first === undefined, place);
  const { reads, parts } = await readsOf(decision);
  const shown = reads.slice(0, MAX_READS);
  const plain = cutText(redactText(source, MAX_EXPRESSION_LENGTH), MAX_EXPRESSION_LENGTH, source.length);
  const shownParts = isSingle && plain === source ? parts : null;
  const isSecret = reads.some(isSecretRead) || (source.match(WORD) ?? []).some((word) => isSecretName(word));
  return async (scope) => {
    const values = await Promise.all(shown.map((read) => readValue(read, scope)));
    const isKnown = reads.length === shown.length && values.every(isIntact);
    const hides = isSecret || values.some(isRedacted);
    const expression = hides ? hideLiterals(plain) : plain;
    const shortened = values.map(shortenRead);
    const text = writeExpression(
      expression,
      hides ? (shownParts?.map(hidePart) ?? null) : shownParts,
      shortened,
    );
    return {
      expression,
      values: shortened,
      valuesOmitted: reads.length - shown.length,
      text: cutText(text, MAX_TEXT_LENGTH),
      result: isKnown && evaluate !== null ? await evaluateIn(evaluate, reads, scope) : undefined,
    };
  };
};

const isOneExpression = (parameter: JsonValue): boolean =>
  typeof parameter === 'string' && splitTemplate(parameter).length === 1;

/** @returns null for a structure with expressions in it */
const openEvaluation = (
  { parameter, isBare }: Decision,
  isLiteral: boolean,
  place: string,
): Evaluate | null => {
  if (isLiteral) return () => parameter;
  if (typeof parameter !== 'string') return null;
  return isBare ? compileExpression(parameter) : compileTemplate(parameter, place);
};

const WORD = /[\w-]+/g;

/** A string or number in an expression; the cut may have left a string open. */
const LITERAL = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|'(?:[^'\\]|\\[\s\S])*(?:'|\\?$)|\b\d[\d.]*/g;

/** What is compared with a secret may be one too. */
const hideLiterals = (expression: string): string => expression.replace(LITERAL, REDACTED);

const hidePart = (part: Read | string): Read | string =>
  typeof part === 'string' && /^["\d]/.test(part) ? REDACTED : part;

const readValue = async (read: Read, scope: RecordedScope): Promise<ReadValue> => {
  const { path, names } = read;
  if (toScope([read], scope) === null) {
    const { reads = {} } = scope;
    return Object.hasOwn(reads, path) ? { path, value: reads[path] ?? null } : { path, notRecorded: true };
  }
  const value = await evaluateIn(compileExpression(path), [read], scope);
  if (value === undefined) return { path, missing: true };
  const isSecret = isSecretValue(names.at(-1) ?? '', value, placeIn(names.at(-2) ?? ''));
  return { path, value: isSecret ? REDACTED : viewValue(value) };
};

const evaluateIn = async (
  evaluate: Evaluate,
  reads: readonly Read[],
  recorded: RecordedScope,
): Promise<Result> => {
  const scope = toScope(reads, recorded);
  if (scope === null) return undefined;
  try {
    const result = await evaluate({ ...scope, maxSteps: MAX_STEPS });
    return result === undefined ? undefined : viewValue(result);
  } catch {
    return undefined;
  }
};

/** The scope of paths; null if a part that they read was not recorded. */
const toScope = (readPaths: readonly Read[], recorded: RecordedScope): Scope | null => {
  const { input, trigger, item, reads = {}, outputOf, bare } = recorded;
  let variables: JsonObject = {};
  const nodes: [string, JsonObject][] = [];
  for (const { root, names, path } of readPaths) {
    if (root === 'vars') {
      if (!Object.hasOwn(reads, path)) return null;
      variables = putAt(variables, names, reads[path] ?? null);
    }
    if (root === 'item' && item === undefined) return null;
    if ((root === 'input' && input === null) || (root === 'trigger' && trigger === null)) return null;
    if (root !== 'nodes') continue;
    const [id] = names;
    const output = id === undefined ? null : outputOf(id);
    if (output === null) return null;
    if (id !== undefined && output !== undefined) nodes.push([id, output]);
  }
  const own = { input: input ?? {}, trigger: trigger ?? {}, ...(item !== undefined && { item }) };
  return { ...bare, ...own, nodes: Object.fromEntries(nodes), variables };
};

/** Puts a value at a path of names, beside what is there. */
const putAt = (target: JsonObject, names: readonly string[], value: JsonValue): JsonObject => {
  const [first, ...others] = names;
  if (first === undefined) return isPlainObject(value) ? { ...target, ...(value as JsonObject) } : target;
  const known = Object.hasOwn(target, first) ? target[first] : undefined;
  const inner = isPlainObject(known) ? (known as JsonObject) : {};
  return { ...target, [first]: others.length === 0 ? value : putAt(inner, others, value) };
};

/** Whether a value is the one that the expression saw: recorded, and without anything redacted. */
const isIntact = (read: ReadValue): boolean => !('notRecorded' in read || isRedacted(read));

const isRedacted = (read: ReadValue): boolean =>
  'value' in read && JSON.stringify(read.value).includes(REDACTED);

const shortenRead = (read: ReadValue): ReadValue =>
  'value' in read ? { path: read.path, value: shortenValue(read.value) } : read;

const writeExpression = (
  expression: string,
  parts: readonly (Read | string)[] | null,
  values: readonly ReadValue[],
): string => {
  const byPath = new Map(values.map((value) => [value.path, describeRead(value)]));
  const isShort = [...byPath.values()].every((text) => text.length <= MAX_INLINE_LENGTH);
  if (parts === null || !isShort) {
    const all = values.map(({ path }) => `${path} ${byPath.get(path)}`);
    return all.length === 0 ? expression : `${expression}, where ${all.join(', ')}`;
  }
  const words = parts.map((part) =>
    typeof part === 'string' ? part : `${part.path} ${byPath.get(part.path) ?? ''}`.trim(),
  );
  return words.join(' ').replaceAll('( ', '(').replaceAll(' )', ')');
};

const describeRead = (read: ReadValue): string => {
  if ('missing' in read) return '(missing)';
  return 'value' in read ? JSON.stringify(read.value) : '(not recorded)';
};

const cutText = (text: string, maxLength: number, length = text.length): string =>
  length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
