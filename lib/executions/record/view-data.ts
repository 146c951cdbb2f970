import { isPlainObject, type JsonValue } from '../../contract/json.ts';
import { createMeasureJson } from '../../engine/measure-json.ts';
import type { NodeRecord } from '../../engine/result.ts';
import { REDACTED, redactText } from './redact-text.ts';
import { isSecretName } from './secret-names.ts';

/** What a value takes in a record at most: characters of its JSON text, before secrets are replaced. */
const MAX_LENGTH = 2_048;
/** How much of a larger one is shown. */
const START_LENGTH = 500;

/**
 * The engine's account of nodes as it is stored: without their data, or with a view of it that is bounded and holds no
 * secret that can be told by its name or its form.
 */
export const viewNodes = (
  nodes: readonly NodeRecord[],
  { keepsData }: { readonly keepsData: boolean },
): readonly NodeRecord[] =>
  nodes.map(({ input, outputs, ...record }) => {
    if (!keepsData) return record;
    return {
      ...record,
      ...(input === undefined ? {} : { input: viewValue(input) }),
      ...(outputs === undefined ? {} : { outputs: viewValue(outputs) }),
    };
  });

/** Data never changes, and is written down again with every progress: it is looked at once. */
const views = new WeakMap<object, JsonValue>();

/**
 * A value as a record shows it; of one that is too large, its approximate size in bytes and its start. No more of it is
 * looked at than is shown: a view costs the same for a body of 6 MB as for one of 10 kB.
 */
export const viewValue = (value: JsonValue): JsonValue => {
  if (typeof value !== 'object' || value === null) return makeView(value);
  const known = views.get(value);
  if (known !== undefined) return known;
  const view = makeView(value);
  views.set(value, view);
  return view;
};

const makeView = (value: JsonValue): JsonValue => {
  const budget = { left: MAX_LENGTH };
  const view = redactWithin(value, budget);
  return budget.left >= 0
    ? view
    : { $bytes: measure(value), $start: JSON.stringify(view).slice(0, START_LENGTH) };
};

/** What may still be taken over; below 0 when something was left out. */
interface Budget {
  left: number;
}

const redactWithin = (value: JsonValue, budget: Budget): JsonValue => {
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
  return isList(value) ? redactList(value, budget) : redactMap(value, budget);
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

const redactMap = (map: Readonly<Record<string, JsonValue>>, budget: Budget): JsonValue => {
  const view: [string, JsonValue][] = [];
  for (const key in map) {
    budget.left -= key.length + 4;
    if (budget.left < 0) break;
    const item = map[key] ?? null;
    const isSecret = item !== null && isSecretName(key);
    if (isSecret) budget.left -= REDACTED.length;
    view.push([key, isSecret ? REDACTED : redactWithin(item, budget)]);
  }
  return Object.fromEntries(view); // defines, so that a key such as `__proto__` is data
};

const measureJson = createMeasureJson();

/** The engine has measured what nodes deliver: only the map of a node's outputs, which is not frozen, is new. */
const measure = (value: JsonValue): number =>
  isPlainObject(value) && !Object.isFrozen(value)
    ? Object.entries(value).reduce((bytes, [key, item]) => bytes + key.length + 4 + measureJson(item), 2)
    : measureJson(value);
