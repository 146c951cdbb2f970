/** Suffixes of names whose value is a secret, in lower case and without separators. */
const SECRET_ENDS = [
  'authorization',
  'cookie',
  'credential',
  'credentials',
  'jwt',
  'passphrase',
  'passwd',
  'password',
  'pwd',
  'secret',
  'sessionid',
  'signature',
  'token',
  ...[
    'access',
    'account',
    'api',
    'auth',
    'client',
    'encryption',
    'function',
    'functions',
    'host',
    'master',
  ].map(toKey),
  ...['private', 'secret', 'session', 'shared', 'signing', 'subscription'].map(toKey),
];

function toKey(word: string): string {
  return `${word}key`;
}

/** Longer names are checked by their end. */
const MAX_LENGTH = 256;

/** Results by name, since callers repeat the same few. Cleared when full. */
const cache = new Map<string, boolean>();
const MAX_CACHED = 1_000;

/**
 * Whether a field or header of this name holds a secret, whatever separates its words: `clientSecret`, `clientsecret`,
 * `X-Api-Key`, `ocp-apim-subscription-key`, `x-hub-signature-256`; not `secretary`, `tokens_used` or `monkey`.
 */
export const isSecretName = (name: string): boolean => {
  const end = name.slice(-MAX_LENGTH);
  const cached = cache.get(end);
  if (cached !== undefined) return cached;
  if (cache.size >= MAX_CACHED) cache.clear();
  const isSecret = hasSecretWord(end);
  cache.set(end, isSecret);
  return isSecret;
};

const hasSecretWord = (name: string): boolean => {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return (
    isSecretEnd(words.join('')) ||
    words.some((word, index) => isSecretEnd(word) || isSecretEnd(`${words[index - 1] ?? ''}${word}`))
  );
};

const isSecretEnd = (text: string): boolean => SECRET_ENDS.some((end) => text.endsWith(end));

/** Whether a request header is a credential of its sender. A signature is none: it is valid for its body alone. */
export const isCredentialHeader = (name: string): boolean =>
  isSecretName(name) && !name.toLowerCase().includes('signature');
