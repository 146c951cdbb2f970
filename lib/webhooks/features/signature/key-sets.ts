import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { featureError } from '../../../shared/feature-errors.ts';
import type { FeaturePorts } from '../../webhook-feature.ts';
import { oncePer } from '../sender/once-per.ts';

interface KeySets {
  /** The keys at an address. @throws AppError `SENDER_KEYS_UNAVAILABLE` */
  find(url: string): Promise<JWTVerifyGetKey>;
  /**
   * The same, read again for a key that they lack, unless they were read within {@link MIN_INTERVAL_MS}.
   *
   * @throws AppError likewise
   */
  renew(url: string): Promise<JWTVerifyGetKey>;
}

const TTL_MS = 600_000;
const MIN_INTERVAL_MS = 30_000;
const RETRY_MS = 5_000;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 262_144;
const MAX_ADDRESSES = 100;

interface Entry {
  readonly keys: Promise<JWTVerifyGetKey>;
  readonly loadedAt: number;
  /** Shorter for a failure, so that each address is asked once in a while, however many requests wait for it. */
  ttlMs: number;
}

const createKeySets = ({ http, clock }: FeaturePorts): KeySets => {
  const entries = new Map<string, Entry>();

  const load = (url: string): Entry => {
    const entry: Entry = { keys: fetchKeys(url, http), loadedAt: clock.now(), ttlMs: TTL_MS };
    if (entries.size >= MAX_ADDRESSES) entries.clear();
    entries.set(url, entry);
    entry.keys.catch(() => {
      entry.ttlMs = RETRY_MS;
    });
    return entry;
  };

  /** The entry, unless it is older; a clock can be set back. */
  const youngerThan = (url: string, limitMs: (entry: Entry) => number): Entry | undefined => {
    const entry = entries.get(url);
    const age = entry === undefined ? -1 : clock.now() - entry.loadedAt;
    return entry !== undefined && age >= 0 && age < limitMs(entry) ? entry : undefined;
  };

  return {
    find: (url) => (youngerThan(url, ({ ttlMs }) => ttlMs) ?? load(url)).keys,
    renew: (url) => (youngerThan(url, ({ ttlMs }) => Math.min(ttlMs, MIN_INTERVAL_MS)) ?? load(url)).keys,
  };
};

/** @throws AppError `SENDER_KEYS_UNAVAILABLE` */
const fetchKeys = async (url: string, http: FeaturePorts['http']): Promise<JWTVerifyGetKey> => {
  try {
    const { status, body } = await http.request({
      method: 'GET',
      url,
      headers: { accept: 'application/json' },
      body: null,
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 2,
      maxResponseBytes: MAX_BYTES,
      signal: new AbortController().signal,
    });
    if (status !== 200) throw new Error(`the address of the keys answered ${status}`);
    return createLocalJWKSet(JSON.parse(new TextDecoder().decode(body)) as JSONWebKeySet);
  } catch (error) {
    throw featureError('SENDER_KEYS_UNAVAILABLE', {}, error);
  }
};

/** One for all webhooks of a sandbox. */
export const keySets = oncePer(createKeySets);
