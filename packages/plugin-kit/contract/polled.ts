import { NodeError } from './errors.ts';
import { isPlainObject, type JsonValue } from './json.ts';
import type { NodeResult } from './node.ts';

/** Items of an answer, each with its key. */
export interface Polled {
  readonly items: readonly JsonValue[];
  readonly keys: readonly string[];
  /** What the next poll is given; null for a trigger that keeps none. */
  readonly position: JsonValue;
  /** The keys that the items had in earlier releases, if they had others. */
  readonly formerKeys?: readonly string[];
}

const MAX_ITEMS = 1_000;
const MAX_POSITION_BYTES = 10_000;
/** Leaves room for the id of the node in the key of an entry of state. */
const MAX_KEY_BYTES = 950;

/** Checks what a poll has returned. @throws NodeError that says which item is wrong, before anything is started */
export const checkPolled = (result: NodeResult) => {
  const {
    items,
    keys,
    position = null,
    formerKeys,
  } = (isPlainObject(result) ? result : {}) as Partial<Polled>;
  if (!Array.isArray(items) || !Array.isArray(keys) || keys.length !== items.length)
    throw new TypeError('The trigger returned no items with a key for each');
  if (items.length > MAX_ITEMS)
    throw pollProblem(
      'TooManyItems',
      `The answer has ${items.length} items; at most ${MAX_ITEMS} are allowed`,
    );
  for (const [index, key] of keys.entries()) {
    const problem = findKeyProblem(key);
    if (problem !== null) throw pollProblem('ItemKeyInvalid', `The key of items[${index}] ${problem}`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(position));
  if (bytes > MAX_POSITION_BYTES)
    throw new TypeError(
      `The trigger returned a position of ${bytes} bytes; at most ${MAX_POSITION_BYTES} are allowed`,
    );
  return { items, keys, position, ...(formerKeys && { formerKeys }) };
};

const findKeyProblem = (key: unknown): string | null => {
  if (typeof key !== 'string' || key === '') return 'must be a string that is not empty';
  const bytes = Buffer.byteLength(key);
  if (bytes > MAX_KEY_BYTES) return `has ${bytes} bytes; at most ${MAX_KEY_BYTES} are allowed`;
  return key.isWellFormed() ? null : 'must be well-formed Unicode';
};

const pollProblem = (name: string, message: string): NodeError =>
  new NodeError(message, { name, isRetryable: false });
