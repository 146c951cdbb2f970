import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { createMeasureJson } from '../../engine/measure-json.ts';
import type { NodeFailure, NodeRecord } from '../../engine/result.ts';
import { type Change, keysOfPointer } from '../../shared/compare-values.ts';
import { redactText } from '../../shared/secrets/redact-text.ts';
import { isSecretValue, type NamePlace, placeIn, REDACTED } from '../../shared/secrets/secret-names.ts';

/** The largest value shown in a record, in characters of its JSON text before redaction. */
const MAX_LENGTH = 2_048;
/** How much is shown of a larger value, from its start. */
const START_LENGTH = 500;

/** The engine's node records for storage, with bounded and redacted views of their data. */
export const viewNodes = (nodes: readonly NodeRecord[]): readonly NodeRecord[] =>
  nodes.map(({ input, outputs, failure, ...record }) => ({
    ...record,
    ...(failure === undefined ? {} : { failure: viewFailure(failure) }),
    ...(input === undefined ? {} : { input: viewValue(input) }),
    ...(outputs === undefined ? {} : { outputs: viewValue(outputs) }),
  }));

const viewFailure = ({ details, ...failure }: NodeFailure): NodeFailure =>
  details === undefined ? failure : { ...failure, details: viewValue(details) };

/** Views by value, since data never changes, and every progress update writes it again. */
const views = new WeakMap<object, JsonValue>();

/**
 * Redacts a value for a record. A value that is too large is shown as its approximate size in bytes and its start.
 * Reads no more than it shows, so that a body of 6 MB costs the same as one of 10 kB.
 */
export const viewValue = (value: JsonValue): JsonValue => {
  if (typeof value !== 'object' || value === null) return makeView(value);
  const cached = views.get(value);
  if (cached !== undefined) return cached;
  const view = makeView(value);
  views.set(value, view);
  return view;
};

/**
 * Redacts a part of a value as the whole value would be.
 * @param keys - where it is in the whole value
 */
const viewMember = (value: JsonValue, keys: readonly string[]): JsonValue => {
  const isSecret = keys.some((key, at) => {
    const own = at === keys.length - 1 ? value : {};
    return isSecretValue(key, own, placeIn(keys[at - 1] ?? ''));
  });
  return isSecret ? REDACTED : makeView(value, placeIn(keys.at(-1) ?? ''));
};

const mapChange = ({ path, from, to }: Change, map: (value: JsonValue) => JsonValue): Change => ({
  path,
  ...(from === undefined ? {} : { from: map(from) }),
  ...(to === undefined ? {} : { to: map(to) }),
});

/** A change of data for a record: redacted, and each value short. */
export const viewChange = (change: Change): Change => {
  const keys = keysOfPointer(change.path);
  return mapChange(change, (value) => shortenValue(viewMember(value, keys)));
};

/**
 * Shortens the values of a change. Of two long texts that begin alike, it takes what they have where they begin to differ:
 * `{ "$bytes": 2002, "$at": 1970, "$part": "…" }`, with the place of the part in characters.
 * @param toComparable - returns the text of a value's start without what always differs
 */
export const shortenPair = (change: Change, toComparable: (start: string) => string): Change => {
  const { path, from, to } = change;
  if (from === undefined || to === undefined) return mapChange(change, shortenValue);
  const at = findDifference(toComparable(textOfValue(from)), toComparable(textOfValue(to)));
  if (at < SHORT_START_LENGTH) return mapChange(change, shortenValue);
  return { path, from: takePart(from, at), to: takePart(to, at) };
};

/** A string itself, the start of a larger value, or JSON. */
const textOfValue = (value: JsonValue): string => {
  if (typeof value === 'string') return value;
  return isCut(value) ? String((value as JsonObject).$start) : JSON.stringify(value);
};

/** @returns -1 if both are the same */
const findDifference = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) if (one[at] !== other[at]) return at;
  return one.length === other.length ? -1 : length;
};

const PART_LENGTH = 60;
/** How much of a part is the same on both sides. */
const SAME_LENGTH = 20;

const takePart = (value: JsonValue, differsAt: number): JsonValue => {
  const short = shortenValue(value);
  if (short === value || !isPlainObject(short)) return value;
  const at = differsAt - SAME_LENGTH;
  const { $bytes } = short as JsonObject;
  const $part = textOfValue(value)
    .slice(at, at + PART_LENGTH)
    .toWellFormed();
  return { ...($bytes === undefined ? {} : { $bytes }), $at: at, $part };
};

/**
 * {@link viewValue} with a limit of its own: the data that a failure carries is read by a workflow.
 * @param maxLength - in characters of JSON text before redaction
 */
export const viewLarge = (value: JsonValue, maxLength: number): JsonValue =>
  makeView(value, undefined, maxLength);

const makeView = (value: JsonValue, place?: NamePlace, maxLength = MAX_LENGTH): JsonValue => {
  const budget = { left: maxLength };
  const view = redactWithin(value, budget, place);
  return budget.left >= 0
    ? view
    : { ...measureBytes(value), $start: JSON.stringify(view).slice(0, START_LENGTH) };
};

/** Length of a short value's JSON; of a longer one, only its start is shown. */
const MAX_SHORT_LENGTH = 200;
const SHORT_START_LENGTH = 100;

/** Replaces a value that is too long for a list of values by its size in bytes and its start. */
export const shortenValue = (value: JsonValue): JsonValue => {
  if (isPlainObject(value) && typeof value.$start === 'string')
    return { ...(value as JsonObject), $start: value.$start.slice(0, SHORT_START_LENGTH) };
  const text = JSON.stringify(value);
  if (text.length <= MAX_SHORT_LENGTH) return value;
  return { $bytes: Buffer.byteLength(text), $start: text.slice(0, SHORT_START_LENGTH) };
};

/** Whether a view has only the start of its value. */
export const isCut = (view: JsonValue | undefined): boolean =>
  isPlainObject(view) && typeof view.$start === 'string';

interface Budget {
  /** The characters left; negative if something was left out. */
  left: number;
}

const redactWithin = (value: JsonValue, budget: Budget, place?: NamePlace): JsonValue => {
  if (typeof value === 'string') {
    const length = Math.min(value.length, Math.max(0, budget.left));
    budget.left -= value.length + 2;
    return redactText(value, length);
  }
  if (typeof value !== 'object' || value === null) {
    budget.left -= String(value).length;
    return value;
  }
  budget.left -= 2;
  return isList(value) ? redactList(value, budget) : redactMap(value, budget, place);
};

const isList = (value: object): value is readonly JsonValue[] => Array.isArray(value);

const redactList = (list: readonly JsonValue[], budget: Budget): JsonValue => {
  const view: JsonValue[] = [];
  for (const item of list) {
    if (budget.left < 0) break;
    budget.left -= 1;
    view.push(redactWithin(item, budget));
  }
  return view;
};

const redactMap = (
  map: Readonly<Record<string, JsonValue>>,
  budget: Budget,
  place?: NamePlace,
): JsonValue => {
  const view: [string, JsonValue][] = [];
  for (const key in map) {
    budget.left -= key.length + 4;
    if (budget.left < 0) break;
    const item = map[key] ?? null;
    const isSecret = isSecretValue(key, item, place);
    if (isSecret) budget.left -= REDACTED.length;
    view.push([key, isSecret ? REDACTED : redactWithin(item, budget, placeIn(key))]);
  }
  return Object.fromEntries(view); // defines keys, so that `__proto__` is data
};

const measureJson = createMeasureJson();

/** Returns an empty object if the value can't be measured, like the input of a run that fails for that reason. */
const measureBytes = (value: JsonValue): { readonly $bytes?: number } => {
  try {
    return { $bytes: measureViewed(value) };
  } catch {
    return {};
  }
};

/** Measures data as JSON; the engine has measured and frozen all but the map of a node's outputs. */
const measureViewed = (value: JsonValue): number =>
  isPlainObject(value) && !Object.isFrozen(value)
    ? Object.entries(value).reduce((bytes, [key, item]) => bytes + key.length + 4 + measureJson(item), 2)
    : measureJson(value);
