import type { Mistake } from '@hookloom/bounded-schema';
import { isPlainObject } from '@hookloom/plugin-kit';
import { nodeSettingsSchema } from '@hookloom/plugin-kit/host';
import { didYouMean, quoteAll } from '../../../../lib/shared/describe.ts';
import { findNearest } from '../../../../lib/shared/near-name.ts';
import { byName } from '../proposals/by-name.ts';

interface KeySuggestion {
  /** A key of the same object; null when the hint names none. */
  readonly meant: string | null;
  /** The value for that key, when it is not the one that is written. */
  readonly value?: number;
  /** The suggestion as the end of a message. */
  readonly hint: string;
}

/** Keys in other tools' workflow files, with our equivalents. */
const foreignKeys = byName([
  ['from', 'sourceNodeId'],
  ['to', 'targetNodeId'],
  ['output', 'sourceOutput'],
  ['input', 'targetInput'],
  ['credentials', 'credentialId'],
  ['config options arguments inputs', 'parameters'],
  ['comment description', 'notes'],
  ['label title', 'name'],
  ['retries maxTries retryOnFail maxRetries', 'settings.retry.maxAttempts'],
  ['continueOnFail', 'settings.onError'],
  ['attempts times', 'maxAttempts'],
  ['delay', 'intervalSeconds'],
]);

/** Keys of a node and of its settings, which are often confused. */
const NODE_KEYS = ['credentialId', 'disabled', 'settings', 'notes', 'position'];
const SETTING_KEYS = Object.keys(nodeSettingsSchema.properties);

/** @param wanted - the only missing key when there is only one unknown key, else null */
export const suggestKey = (
  key: string,
  { value: data, schema, place: instancePath }: Mistake,
  wanted: string | null,
): KeySuggestion => {
  const value = isPlainObject(data) ? data : {};
  const known = Object.keys(isPlainObject(schema.properties) ? schema.properties : {});
  const free = known.filter((name) => !Object.hasOwn(value, name));
  const duration = toSeconds(key, value[key], free);
  if (duration !== null) {
    const [name, seconds] = duration;
    return { meant: name, value: seconds, hint: `; did you mean "${name}": ${seconds}?` };
  }
  const place = findKeyPlace(key, known, instancePath);
  if (place !== null) return { meant: null, hint: `: it belongs ${place}` };
  const foreign = foreignKeys.get(key);
  if (foreign?.includes('.') && known.includes('settings')) return { meant: null, hint: didYouMean(foreign) };
  const near = foreign !== undefined && free.includes(foreign) ? foreign : findNearest(key, free);
  const meant = near ?? wanted;
  if (meant !== null) return { meant, hint: didYouMean(meant) };
  return { meant: null, hint: known.length === 0 ? '' : `; known keys: ${quoteAll(known)}` };
};

const SECONDS: readonly (readonly [RegExp, number])[] = [
  [/(?:ms|millis|milliseconds)$/i, 0.001],
  [/(?:secs?|seconds?)$/i, 1],
  [/min(?:ute)?s?$/i, 60],
  [/hours?$/i, 3_600],
  [/days?$/i, 86_400],
];

/** Converts durations: `minutes: 5` to `seconds`, `timeoutMs: 500` to `timeoutSeconds`. */
const toSeconds = (
  key: string,
  value: unknown,
  known: readonly string[],
): readonly [string, number] | null => {
  if (typeof value !== 'number') return null;
  for (const [unit, factor] of SECONDS) {
    const stem = key.replace(unit, '');
    if (stem === key) continue;
    const name = stem === '' ? 'seconds' : `${stem}Seconds`;
    return known.includes(name) ? [name, Number((value * factor).toPrecision(12))] : null;
  }
  return null;
};

/** The right place for a node key found in its parameters, or a setting found in the node or its parameters. */
const findKeyPlace = (key: string, known: readonly string[], instancePath: string): string | null => {
  const isNode = known.includes('parameters') && known.includes('credentialId');
  if (isNode) return SETTING_KEYS.includes(key) ? 'in "settings"' : null;
  const isParameters = instancePath === '' && !known.includes('nodes');
  if (!isParameters) return null;
  if (SETTING_KEYS.includes(key)) return `in the node's "settings", next to "parameters"`;
  return NODE_KEYS.includes(key) ? 'next to "parameters"' : null;
};
