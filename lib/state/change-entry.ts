import { type JsonObject, type JsonValue, NodeError, type StateOperation } from '@hookloom/plugin-kit';
import type { StateContent, StateEntry } from './state-store.ts';

export type StateChange = Extract<StateOperation, { operation: 'put' | 'delete' | 'increment' | 'append' }>;

/** What a change makes of an entry; no content if there is nothing to write. */
interface Changed {
  readonly content: StateContent | null;
  /** Milliseconds since the epoch; null for never. */
  readonly expiresAt: number | null;
  readonly result: JsonObject;
}

/** Bytes as JSON: in base64, the value fits into an answer of Lambda, which has at most 6 MB. */
export const MAX_VALUE_BYTES = 4_000_000;

/**
 * Decides on a change.
 * @param entry - the stored entry, with its value if the change depends on it: see {@link needsValue}; null if there is none, or
 * it has expired or was deleted
 * @param version - the version that the change writes
 * @param now - milliseconds since the epoch
 * @throws NodeError `StateVersionMismatch` | `StateTypeMismatch` | `StateTooLarge`
 */
export const changeEntry = (
  entry: StateEntry | null,
  change: StateChange,
  version: number,
  now: number,
): Changed => {
  const { key } = change;
  if (entry?.content.kind === 'claim' && change.operation !== 'delete')
    throw stateMismatch(key, 'is claimed by once or newItems: delete it first, or use another key');
  const known = entry?.content.kind === 'value' ? entry.content.value : undefined;
  const expiry = 'ttlSeconds' in change ? expiryOf(change.ttlSeconds, now) : null;
  const write = (value: JsonValue, expiresAt: number | null, result: JsonObject): Changed => {
    assertSize(value);
    return { content: { kind: 'value', value }, expiresAt, result: { ...result, version } };
  };
  switch (change.operation) {
    case 'put':
      assertVersion(entry, change);
      return write(change.value, expiry, {});
    case 'delete':
      assertVersion(entry, change);
      return {
        content: entry === null ? null : { kind: 'deleted' },
        expiresAt: null,
        result: { deleted: entry !== null },
      };
    case 'increment': {
      const before = known ?? 0;
      if (typeof before !== 'number') throw stateMismatch(key, `has ${describeType(before)}, not a number`);
      const value = before + change.by;
      if (!Number.isFinite(value)) throw stateMismatch(key, 'would be no finite number');
      return write(value, entry === null ? expiry : entry.expiresAt, { value });
    }
    case 'append': {
      const before = known ?? [];
      if (!Array.isArray(before)) throw stateMismatch(key, `has ${describeType(before)}, not a list`);
      const value = [...before, change.value].slice(-change.maxItems);
      return write(value, entry === null ? expiry : entry.expiresAt, { length: value.length });
    }
  }
};

/** Whether a change depends on the value that is stored, so that a large one has to be loaded. */
export const needsValue = ({ operation }: StateChange): boolean =>
  operation === 'increment' || operation === 'append';

/** @returns milliseconds since the epoch; null for never */
export const expiryOf = (ttlSeconds: number | undefined, now: number): number | null =>
  ttlSeconds === undefined ? null : now + ttlSeconds * 1_000;

const assertVersion = (
  entry: StateEntry | null,
  { key, ifVersion }: { readonly key: string; readonly ifVersion?: number | undefined },
): void => {
  const version = entry?.version ?? 0;
  if (ifVersion === undefined || ifVersion === version) return;
  throw new NodeError(
    `Parameter "ifVersion" is ${ifVersion}, but ${version === 0 ? 'there is no entry of this key' : `the entry has the version ${version}`}`,
    { name: 'StateVersionMismatch', isRetryable: false, details: { key, version } },
  );
};

const stateMismatch = (key: string, what: string): NodeError =>
  new NodeError(`Parameter "key" names an entry that ${what}`, {
    name: 'StateTypeMismatch',
    isRetryable: false,
    details: { key },
  });

const describeType = (value: JsonValue): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
};

const assertSize = (value: JsonValue): void => {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= MAX_VALUE_BYTES) return;
  throw new NodeError(
    `Parameter "value" makes an entry of ${bytes} bytes as JSON; at most ${MAX_VALUE_BYTES} are allowed: keep it elsewhere, such as in S3 with the node aws, and put its key`,
    { name: 'StateTooLarge', isRetryable: false },
  );
};
