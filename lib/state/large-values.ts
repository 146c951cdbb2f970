import { promisify } from 'node:util';
import { constants, deflateRaw, inflateRaw } from 'node:zlib';
import { type Ids, type JsonValue, NodeError } from '@hookloom/plugin-kit';
import { MAX_VALUE_BYTES } from './change-entry.ts';
import type { StateContent, StateEntry } from './state-store.ts';

/** Stores values that are too large for their entry's item. Both methods throw AppError `STORE_UNAVAILABLE`. */
export interface ValueBlobs {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** @returns null if there is none */
  get(key: string): Promise<Uint8Array | null>;
}

/**
 * Looks at a stored value later, since the process that stores it may end before an entry names it, and an entry may be
 * overwritten, be deleted or expire.
 */
export interface ValueCheck {
  /** Key of the blob, which no other write uses. */
  readonly blob: string;
  /** The entry that may name it. */
  readonly scope: string;
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly dueAt: number;
  /** When a check first saw that no live entry names it, in milliseconds since the epoch; null if one does. */
  readonly unusedSince: number | null;
}

/** The checks that are to be made, one for each stored value. All methods throw AppError `STORE_UNAVAILABLE`. */
export interface ValueChecks {
  /** Repeatable. */
  add(check: ValueCheck): Promise<void>;
  /** Repeatable. */
  remove(check: ValueCheck): Promise<void>;
  /** Checks that are due, the earliest first in each of several parts. @param now - milliseconds since the epoch */
  findDue(now: number): AsyncIterable<ValueCheck>;
}

/** Bytes as JSON: with a key of 1,024 bytes and the rest of an item, below DynamoDB's 409,600 bytes. */
const MAX_ITEM_VALUE_BYTES = 400_000;

export const DAY_MS = 86_400_000;

/** Days between two checks of a value. Longer than any write takes, so that a check never sees one that is about to be named. */
export const CHECK_DAYS = 7;

export interface LargeValueParts {
  readonly blobs: ValueBlobs;
  readonly checks: Pick<ValueChecks, 'add'>;
  readonly ids: Ids;
}

export interface LargeValues {
  /**
   * Stores a value that is too large for its entry's item. Until an entry names it, it is unused, and removed later.
   *
   * @param now - milliseconds since the epoch
   * @returns what the entry is to have instead; other contents as they are
   * @throws AppError `STORE_UNAVAILABLE`
   */
  save(place: Pick<StateEntry, 'scope' | 'key'>, content: StateContent, now: number): Promise<StateContent>;
  /**
   * Reads the value of an entry that names one.
   *
   * @returns the entry with its value; others as they are
   * @throws NodeError `StateValueMissing`; AppError `STORE_UNAVAILABLE`
   */
  load<Entry extends StateEntry | null>(entry: Entry): Promise<Entry>;
}

const compress = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

export const createLargeValues = ({ blobs, checks, ids }: LargeValueParts): LargeValues => ({
  save: async ({ scope, key }, content, now) => {
    if (content.kind !== 'value') return content;
    const text = Buffer.from(JSON.stringify(content.value));
    if (text.length <= MAX_ITEM_VALUE_BYTES) return content;
    const blob = `state/${ids.next()}`;
    // First the check: a crash after any of these leaves nothing that stays for ever.
    await checks.add({ blob, scope, key, dueAt: now + CHECK_DAYS * DAY_MS, unusedSince: null });
    await blobs.put(blob, await compress(text, { level: constants.Z_BEST_SPEED }));
    return { kind: 'large', blob, bytes: text.length };
  },
  load: async (entry) => {
    if (entry?.content.kind !== 'large') return entry;
    const { blob } = entry.content;
    const bytes = await blobs.get(blob);
    if (bytes === null)
      throw new NodeError(
        'Parameter "key" names an entry whose value is no longer in the bucket: put it again, or delete the entry',
        { name: 'StateValueMissing', isRetryable: false, details: { key: entry.key, blob } },
      );
    const value: JsonValue = JSON.parse(
      (await inflate(bytes, { maxOutputLength: MAX_VALUE_BYTES })).toString(),
    );
    return { ...entry, content: { kind: 'value', value } };
  },
});
