import { isPlainObject, type JsonValue } from '@hookloom/plugin-kit';
import { keysOfPointer } from '../../../../lib/shared/compare-values.ts';
import { toPointerKey } from '../../../../lib/shared/describe.ts';
import type { PatchOperation, Problem } from '../../../../lib/workflows/definition/problem.ts';

/** Maximum length of a proposal as JSON, in characters: an answer has up to 1,000 problems. */
const MAX_LENGTH = 2_000;

/** The part of a problem that proposes a correction; empty for a problem without one. */
export type Proposed = Pick<Problem, 'proposal'>;

const propose = (proposal: readonly PatchOperation[]): Proposed =>
  JSON.stringify(proposal).length > MAX_LENGTH ? {} : { proposal };

/** Proposes another value at a place; nothing for null, or for a long value. */
export const proposeValue = (path: string, value: JsonValue): Proposed =>
  value === null ? {} : propose([{ op: 'replace', path, value }]);

/**
 * Proposes another name for a key; nothing for null.
 * @param place - JSON pointer to the object
 * @param value - the new value, if it changes too
 */
export const proposeKey = (place: string, key: string, meant: string | null, value?: JsonValue): Proposed => {
  if (meant === null) return {};
  const path = `${place}/${toPointerKey(meant)}`;
  const move: PatchOperation = { op: 'move', from: `${place}/${toPointerKey(key)}`, path };
  return propose(value === undefined ? [move] : [move, { op: 'replace', path, value }]);
};

/** Proposes to write keys, which may be absent. @param additions - JSON pointers with values */
export const proposeAdditions = (
  additions: readonly (readonly [path: string, value: JsonValue])[],
): Proposed => propose(additions.map(([path, value]) => ({ op: 'add', path, value })));

/** Proposes to remove a key, or an item of a list. */
export const proposeRemoval = (path: string): Proposed => propose([{ op: 'remove', path }]);

/** Proposes to remove a setting, with the settings if they have no other. @param place - JSON pointer to the settings */
export const proposeWithout = (settings: object, setting: string, place: string): Proposed =>
  proposeRemoval(Object.keys(settings).length === 1 ? place : `${place}/${setting}`);

/**
 * Applies a proposal to a workflow file. Keys keep their order, and what is unchanged is shared with the given value. An
 * operation does nothing if its place no longer exists, or if the name that it would give to a key is taken.
 */
export const applyProposal = (value: JsonValue, proposal: readonly PatchOperation[]): JsonValue =>
  proposal.reduce(applyOperation, value);

const applyOperation = (value: JsonValue, operation: PatchOperation): JsonValue => {
  const keys = keysOfPointer(operation.op === 'move' ? operation.from : operation.path);
  if (operation.op === 'replace') return change(value, keys, () => operation.value);
  const [key, parents] = [keys.at(-1), keys.slice(0, -1)];
  const to = keysOfPointer(operation.path).at(-1);
  if (key === undefined || to === undefined) return value;
  return change(value, parents, (parent) => {
    if (operation.op === 'move') return renameKey(parent, key, to);
    return operation.op === 'add' ? writeKey(parent, key, operation.value) : removeKey(parent, key);
  });
};

/** Changes the value at the end of a path; returns the given value if there is no such path. */
const change = (
  value: JsonValue,
  [key, ...others]: readonly string[],
  to: (value: JsonValue) => JsonValue,
): JsonValue => {
  if (key === undefined) return to(value);
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return value;
  // A list has "length" as a property of its own.
  if (Array.isArray(value) && !/^\d+$/.test(key)) return value;
  const before = (value as Record<string, JsonValue>)[key] as JsonValue;
  const after = change(before, others, to);
  if (after === before) return value;
  return Array.isArray(value)
    ? value.with(Number(key), after)
    : Object.fromEntries(Object.entries(value).map(([name, item]) => [name, name === key ? after : item]));
};

const writeKey = (value: JsonValue, key: string, item: JsonValue): JsonValue =>
  isPlainObject(value) ? Object.fromEntries([...new Map(Object.entries(value)).set(key, item)]) : value;

const removeKey = (value: JsonValue, key: string): JsonValue => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return value;
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value.toSpliced(Number(key), 1) : value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
};

const renameKey = (value: JsonValue, from: string, to: string): JsonValue => {
  if (!isPlainObject(value) || !Object.hasOwn(value, from) || Object.hasOwn(value, to)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name === from ? to : name, item]));
};
