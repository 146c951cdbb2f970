import { NodeError, type StateOperation } from '@hookloom/plugin-kit';

/** DynamoDB's limit for the key of an item. */
export const MAX_KEY_BYTES = 1_024;
export const MAX_TTL_SECONDS = 315_360_000;
const MAX_KEYS = 1_000;
const MAX_LIST_ITEMS = 10_000;
/** A claim is given back soon enough to be of use, and an execution has enough time to confirm it. */
const MAX_CONFIRM_SECONDS = 31_622_400;

const STORE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/**
 * Checks the bounds of an operation, before anything is read or written.
 * @throws NodeError `StateInvalid`, which names the parameter
 */
export const checkOperation = (operation: StateOperation & { readonly store?: string | undefined }): void => {
  const { store } = operation;
  if (store !== undefined && !STORE.test(store))
    throw invalidOperation('store', 'must be a letter or digit, then at most 63 letters, digits, _ and -');
  if ('key' in operation) checkKey(operation.key, 'key');
  if ('keys' in operation) {
    checkRange('keys', operation.keys.length, 0, MAX_KEYS, 'keys');
    for (const [index, key] of operation.keys.entries()) checkKey(key, `keys[${index}]`);
  }
  if ('ttlSeconds' in operation && operation.ttlSeconds !== undefined)
    checkRange('ttlSeconds', operation.ttlSeconds, 1, MAX_TTL_SECONDS);
  if ('ifVersion' in operation && operation.ifVersion !== undefined)
    checkRange('ifVersion', operation.ifVersion, 0, Number.MAX_SAFE_INTEGER);
  if (operation.operation === 'increment' && !Number.isFinite(operation.by))
    throw invalidOperation('by', 'must be a number');
  if (operation.operation === 'append') checkRange('maxItems', operation.maxItems, 1, MAX_LIST_ITEMS);
  if (operation.operation === 'claim' && operation.confirmWithinSeconds !== undefined)
    checkRange('confirmWithinSeconds', operation.confirmWithinSeconds, 1, MAX_CONFIRM_SECONDS);
  if (operation.operation === 'list') {
    checkRange('limit', operation.limit, 1, MAX_KEYS);
    if (operation.prefix !== undefined && operation.prefix !== '') checkKey(operation.prefix, 'prefix');
    if (operation.after !== undefined) checkKey(operation.after, 'after');
  }
};

const findKeyProblem = (key: string): string | null => {
  if (key === '') return 'must not be empty';
  const bytes = Buffer.byteLength(key);
  if (bytes > MAX_KEY_BYTES) return `has ${bytes} bytes; at most ${MAX_KEY_BYTES} are allowed`;
  return key.isWellFormed() ? null : 'must be well-formed Unicode';
};

const checkKey = (key: string, place: string): void => {
  const problem = findKeyProblem(key);
  if (problem !== null) throw invalidOperation(place, problem);
};

const checkRange = (place: string, value: number, least: number, most: number, unit?: string): void => {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  const range = `from ${least} to ${most}`;
  throw invalidOperation(
    place,
    unit === undefined ? `must be an integer ${range}` : `must have ${range} ${unit}, but has ${value}`,
  );
};

const invalidOperation = (place: string, what: string): NodeError =>
  new NodeError(`Parameter "${place}" ${what}`, { name: 'StateInvalid', isRetryable: false });
