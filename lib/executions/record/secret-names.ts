/** Ends of names whose value is a secret, in small letters and without separators. */
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

/** Longer names are judged by their end. */
const MAX_LENGTH = 256;

/** What was found out of names: senders use the same few again and again. Emptied when it is full. */
const known = new Map<string, boolean>();
const MAX_KNOWN = 1_000;

/**
 * Whether a field or header of this name holds a secret, whatever separates its words: `clientSecret`, `clientsecret`,
 * `X-Api-Key`, `ocp-apim-subscription-key`, `x-hub-signature-256`; not `secretary`, `tokens_used` or `monkey`.
 */
export const isSecretName = (name: string): boolean => {
  const end = name.slice(-MAX_LENGTH);
  const before = known.get(end);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const isSecret = hasSecretWord(end);
  known.set(end, isSecret);
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

/** Whether a request header carries a credential of its sender; a signature is worth nothing without its body. */
export const isCredentialHeader = (name: string): boolean =>
  isSecretName(name) && !name.toLowerCase().includes('signature');
