import { isPlainObject } from '@hookloom/plugin-kit';
import { createFindSecrets } from './find-secrets.ts';
import { MIN_SECRET_LENGTH, readingsOf } from './secret-encodings.ts';
import { findSecretParts } from './secret-parts.ts';

const SCRUBBED = '[redacted]';

/** How many of the latest secrets derived for requests, such as access tokens, are kept. */
const MAX_DERIVED = 100;

export interface Scrubber {
  /** Adds a secret of a credential, and the parts of it that are secrets themselves. */
  learn(secret: string): void;
  /** Adds a short-lived secret; only the latest {@link MAX_DERIVED} are kept. */
  learnDerived(secret: string): void;
  /**
   * Removes all known secrets, in any encoding, from a JSON value: from strings, keys and numbers. Takes time linear in
   * its size; a string crafted to take longer is removed entirely.
   *
   * @returns the value itself if it contains none
   */
  scrub<Value>(value: Value): Value;
}

export const createScrubber = (): Scrubber => {
  const secrets = new Set<string>();
  const derived = new Set<string>();
  let search: ScrubText | null = null;
  /** Frozen data known to contain no secret: it passes through many nodes. */
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
      search ??= createScrubText(
        [...secrets, ...derived]
          .flatMap((secret) => [secret, ...findSecretParts(secret)])
          .flatMap(readingsOf),
      );
      return scrubAny(value, search) as Value;
    },
  };
};

type ScrubText = (text: string) => string;

const createScrubText = (secrets: readonly string[]): ScrubText => {
  const find = createFindSecrets(secrets);
  return (text) => {
    if (text.length < MIN_SECRET_LENGTH) return text;
    const ranges = find(text);
    if (ranges === null) return SCRUBBED;
    if (ranges.length === 0) return text;
    let shown = '';
    let at = 0;
    for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
      if (from >= at) shown += text.slice(at, from) + SCRUBBED;
      at = Math.max(at, to);
    }
    return shown + text.slice(at);
  };
};
