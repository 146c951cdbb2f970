import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';

/** Length of a fingerprint, 36 bits: a thousand of them fit into a position. */
const PRINT_LENGTH = 6;

/** The service that polls refuses longer keys. */
const MAX_KEY_BYTES = 950;

/**
 * The keys by which a trigger knows the items of a feed: their ids, as long as each is the id of one item. Where there is
 * none, or several items share it, title and date tell them apart. One of those that share it keeps it as its key, so that
 * it does not start again when another one comes: the item that had it at the last poll, or else the oldest.
 *
 * @param position - what the last poll returned; null at the first one
 * @returns a key for each item, the ids that were the keys in earlier releases, and the position for the next poll:
 *   fingerprints of the items whose id is their key
 */
export const readFeedKeys = (
  items: readonly JsonObject[],
  position: JsonValue,
): {
  readonly keys: readonly string[];
  readonly formerKeys: readonly string[];
  readonly position: string;
} => {
  const last = readPrints(position);
  const printed = items.map((item) => {
    const digest = digestOf(item);
    return {
      id: typeof item.id === 'string' ? item.id : null,
      date: dateOf(item),
      digest,
      print: digest.slice(0, PRINT_LENGTH),
    };
  });
  const oldestFirst = printed.toReversed().sort((a, b) => a.date - b.date);
  const owners = new Map<string, string>();
  for (const { id, print } of [...oldestFirst.filter(({ print }) => last.has(print)), ...oldestFirst])
    if (id !== null && !owners.has(id)) owners.set(id, print);
  const keys = printed.map(({ id, digest, print }) =>
    id !== null && owners.get(id) === print && isKey(id) ? id : `sha256:${digest}`,
  );
  return {
    keys,
    formerKeys: printed.map(({ id }, index) => (id !== null && isKey(id) ? id : (keys[index] ?? ''))),
    position: [...owners.values()].join(''),
  };
};

const isKey = (id: string): boolean => Buffer.byteLength(id) <= MAX_KEY_BYTES;

const digestOf = ({ id, title, summary, content, published, updated }: JsonObject): string =>
  createHash('sha256')
    .update(JSON.stringify([id, title ?? summary ?? content, published ?? updated]))
    .digest('base64url');

const readPrints = (position: JsonValue): ReadonlySet<string> => {
  const text = typeof position === 'string' ? position : '';
  const starts = Array.from({ length: text.length / PRINT_LENGTH }, (_, index) => index * PRINT_LENGTH);
  return new Set(starts.map((start) => text.slice(start, start + PRINT_LENGTH)));
};

/** When an item was published, in milliseconds since the epoch; 0 if it does not say. */
const dateOf = ({ published, updated }: JsonObject): number => {
  const date = published ?? updated;
  return typeof date === 'string' ? Date.parse(date) : 0;
};
