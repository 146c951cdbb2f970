import { isPlainObject } from '../../contract/json.ts';
import { encodingsOf, MIN_SECRET_LENGTH } from './secret-encodings.ts';

const SCRUBBED = '[redacted]';

/** Secrets that were derived for one request, such as an access token: the latest ones. */
const MAX_DERIVED = 100;

export interface Scrubber {
  /** Adds a secret of a credential. */
  learn(secret: string): void;
  /** Adds a secret that is replaced soon; only the latest {@link MAX_DERIVED} are kept. */
  learnDerived(secret: string): void;
  /**
   * Removes all known secrets, in all their encodings, from a JSON value: from texts, keys and numbers. Takes time linear
   * in its size.
   *
   * @returns the value itself when it holds none
   */
  scrub<Value>(value: Value): Value;
}

export const createScrubber = (): Scrubber => {
  const secrets = new Set<string>();
  const derived = new Set<string>();
  let search: TextSearch | null = null;
  /** Frozen data without a secret: it passes through many nodes. */
  let clean = new WeakSet<object>();

  const add = (secret: string, to: Set<string>): void => {
    if (secret.length < MIN_SECRET_LENGTH || secrets.has(secret) || derived.has(secret)) return;
    to.add(secret);
    search = null;
    clean = new WeakSet();
  };

  const scrubAny = (value: unknown, text: (text: string) => string): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return text(String(value)) === String(value) ? value : SCRUBBED;
    if (typeof value !== 'object' || value === null || clean.has(value)) return value;
    const scrubbed = Array.isArray(value) ? scrubList(value, text) : scrubMap(value, text);
    if (scrubbed === value && Object.isFrozen(value)) clean.add(value);
    return scrubbed;
  };

  const scrubList = (list: readonly unknown[], text: (text: string) => string): readonly unknown[] => {
    const scrubbed = list.map((item) => scrubAny(item, text));
    return scrubbed.some((item, index) => item !== list[index]) ? scrubbed : list;
  };

  const scrubMap = (map: object, text: (text: string) => string): object => {
    if (!isPlainObject(map)) return map;
    let hasChanged = false;
    const entries = Object.keys(map).map((key): [string, unknown] => {
      const entry: [string, unknown] = [text(key), scrubAny(map[key], text)];
      hasChanged ||= entry[0] !== key || entry[1] !== map[key];
      return entry;
    });
    return hasChanged ? Object.fromEntries(entries) : map;
  };

  return {
    learn: (secret) => add(secret, secrets),
    learnDerived: (secret) => {
      add(secret, derived);
      const [oldest] = derived;
      if (derived.size > MAX_DERIVED && oldest !== undefined) derived.delete(oldest);
    },
    scrub: <Value>(value: Value): Value => {
      search ??= createTextSearch([...secrets, ...derived].flatMap((secret) => [...encodingsOf(secret)]));
      return scrubAny(value, search) as Value;
    },
  };
};

/** Replaces all occurrences of some texts in one pass. */
type TextSearch = (text: string) => string;

/** Texts are found by their first three characters. A power of two. */
const BUCKETS = 4_096;

const createTextSearch = (wanted: readonly string[]): TextSearch => {
  const buckets: (string[] | undefined)[] = new Array(BUCKETS).fill(undefined);
  // The longest first: the rest of a longer one would stay.
  for (const text of [...wanted].sort((a, b) => b.length - a.length)) {
    const bucket = bucketOf(text, 0);
    buckets[bucket] = [...(buckets[bucket] ?? []), text];
  }
  return (text) => {
    let shown = '';
    let from = 0;
    for (let at = 0; at + MIN_SECRET_LENGTH <= text.length; ) {
      const found = buckets[bucketOf(text, at)]?.find((candidate) => text.startsWith(candidate, at));
      if (found === undefined) {
        at++;
        continue;
      }
      shown += text.slice(from, at) + SCRUBBED;
      at += found.length;
      from = at;
    }
    return from === 0 ? text : shown + text.slice(from);
  };
};

const bucketOf = (text: string, at: number): number =>
  (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) & (BUCKETS - 1);
