import type { JsonValue } from '../contract/json.ts';
import type { NodeRecord } from './execution.ts';

/** What a value takes in a record at most, as JSON. */
const MAX_BYTES = 2_048;
/** How much of a larger one is shown. */
const START_LENGTH = 500;

const REDACTED = '[redacted]';

/** Words in the name of a field that make its value a secret, at whatever place in the name. */
const SECRET_WORDS = new Set([
  'authorization',
  'cookie',
  'credential',
  'credentials',
  'passphrase',
  'passwd',
  'password',
  'pwd',
  'secret',
  'signature',
  'token',
]);
/** Pairs of words that do, such as in `apiKey`, `x-api-key` and `PRIVATE_KEY`. */
const SECRET_KEYS = new Set([
  'api',
  'access',
  'private',
  'signing',
  'encryption',
  'secret',
  'client',
  'account',
]);

/**
 * The engine's account of nodes as it is stored: without their data, or with a view of it that is bounded and holds no
 * secret that can be told by its name or its form.
 */
export const viewNodes = (
  nodes: readonly NodeRecord[],
  { keepsData }: { readonly keepsData: boolean },
): readonly NodeRecord[] =>
  nodes.map(({ input, outputs, ...record }) => {
    if (!keepsData) return record;
    return {
      ...record,
      ...(input === undefined ? {} : { input: viewValue(input) }),
      ...(outputs === undefined ? {} : { outputs: viewValue(outputs) }),
    };
  });

/** Data never changes, and is written down again with every progress: it is looked at once. */
const views = new WeakMap<object, JsonValue>();

/** A value as a record shows it; of one that is too large, its size and its start. */
export const viewValue = (value: JsonValue): JsonValue => {
  if (typeof value !== 'object' || value === null) return makeView(value);
  const known = views.get(value);
  if (known !== undefined) return known;
  const view = makeView(value);
  views.set(value, view);
  return view;
};

const makeView = (value: JsonValue): JsonValue => {
  const redacted = redact(value);
  const text = JSON.stringify(redacted);
  const bytes = Buffer.byteLength(text);
  return bytes <= MAX_BYTES ? redacted : { $bytes: bytes, $start: text.slice(0, START_LENGTH) };
};

const redact = (value: JsonValue): JsonValue => {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(redact);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      isSecretName(key) && item !== null ? REDACTED : redact(item),
    ]),
  );
};

/** `clientSecret`, `X-Api-Key`, `refresh_token`; not `secretary`, not `tokens_used`. */
const isSecretName = (name: string): boolean => {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some(
    (word, index) =>
      SECRET_WORDS.has(word) ||
      word === 'apikey' ||
      (word === 'key' && SECRET_KEYS.has(words[index - 1] ?? '')),
  );
};

/** Secrets in the middle of a text: addresses of callbacks, bearer tokens, passwords in URLs. */
const redactText = (text: string): string =>
  text
    .replace(/(\/api\/webhook-callback\/)[A-Za-z0-9._~-]+/g, `$1${REDACTED}`)
    .replace(/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${REDACTED}`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*):[^\s/@]+@/gi, `$1:${REDACTED}@`);
