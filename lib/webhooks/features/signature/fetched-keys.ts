import { featureError } from '../../../shared/feature-errors.ts';
import type { FeaturePorts } from '../../webhook-feature.ts';
import { oncePer } from '../sender/once-per.ts';

interface FetchedKeys<Keys> {
  /** The keys at an address. @throws AppError `SENDER_KEYS_UNAVAILABLE` */
  find(url: string): Promise<Keys>;
  /**
   * The same, read again for a key that they lack, unless they were read within {@link MIN_INTERVAL_MS}.
   *
   * @throws AppError likewise
   */
  renew(url: string): Promise<Keys>;
}

interface Source<Keys> {
  /** @throws Error when the text has no keys */
  readonly parse: (text: string) => Keys;
  readonly maxRedirects: number;
}

const TTL_MS = 600_000;
const MIN_INTERVAL_MS = 30_000;
const RETRY_MS = 5_000;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 262_144;
const MAX_ADDRESSES = 100;
/** Of addresses that requests name: so many are fetched within {@link MIN_INTERVAL_MS}. */
const MAX_FETCHES = 30;

interface Entry<Keys> {
  readonly keys: Promise<Keys>;
  readonly loadedAt: number;
  /** Shorter for a failure, so that each address is asked once in a while, however many requests wait for it. */
  ttlMs: number;
}

const createFetchedKeys = <Keys>({ http, clock }: FeaturePorts, source: Source<Keys>): FetchedKeys<Keys> => {
  const entries = new Map<string, Entry<Keys>>();
  let fetches: readonly number[] = [];

  const load = (url: string): Entry<Keys> => {
    const now = clock.now();
    fetches = fetches.filter((at) => at <= now && now < at + MIN_INTERVAL_MS); // a clock can be set back
    if (fetches.length >= MAX_FETCHES) throw unavailable(new Error('too many addresses of keys'));
    fetches = [...fetches, now];
    const entry: Entry<Keys> = { keys: fetchKeys(url, http, source), loadedAt: now, ttlMs: TTL_MS };
    if (entries.size >= MAX_ADDRESSES) entries.clear();
    entries.set(url, entry);
    entry.keys.catch(() => {
      entry.ttlMs = RETRY_MS;
    });
    return entry;
  };

  /** The entry, unless it is older; a clock can be set back. */
  const youngerThan = (url: string, limitMs: (entry: Entry<Keys>) => number): Entry<Keys> | undefined => {
    const entry = entries.get(url);
    const age = entry === undefined ? -1 : clock.now() - entry.loadedAt;
    return entry !== undefined && age >= 0 && age < limitMs(entry) ? entry : undefined;
  };

  return {
    find: async (url) => (youngerThan(url, ({ ttlMs }) => ttlMs) ?? load(url)).keys,
    renew: async (url) =>
      (youngerThan(url, ({ ttlMs }) => Math.min(ttlMs, MIN_INTERVAL_MS)) ?? load(url)).keys,
  };
};

/** @throws AppError `SENDER_KEYS_UNAVAILABLE` */
const fetchKeys = async <Keys>(
  url: string,
  http: FeaturePorts['http'],
  { parse, maxRedirects }: Source<Keys>,
): Promise<Keys> => {
  try {
    const { status, body } = await http.request({
      method: 'GET',
      url,
      headers: { accept: '*/*' },
      body: null,
      timeoutMs: TIMEOUT_MS,
      maxRedirects,
      maxResponseBytes: MAX_BYTES,
      signal: new AbortController().signal,
    });
    if (status !== 200) throw new Error(`the address of the keys answered ${status}`);
    return parse(new TextDecoder().decode(body));
  } catch (error) {
    throw unavailable(error);
  }
};

const unavailable = (cause: unknown) => featureError('SENDER_KEYS_UNAVAILABLE', {}, cause);

/** One for all webhooks of a sandbox. */
export const fetchedKeys = <Keys>(source: Source<Keys>): ((ports: FeaturePorts) => FetchedKeys<Keys>) =>
  oncePer((ports: FeaturePorts) => createFetchedKeys(ports, source));
