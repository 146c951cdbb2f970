export const REDACTED = '[redacted]';

/** Where a name occurs: a key of data, a header, or a query parameter, where `state` is a secret and not part of an address. */
export type NamePlace = 'body' | 'header' | 'query';

/** Endings of words and word combinations whose value is a secret: lower-case, without separators. */
const ENDS =
  /(?:authorization|bearer|codeverifier|cookies?|credentials?|csrf|cv[cv]|jwt|otp|pass(?:code|phrase|wd|words?)|pwd|samlresponse|clientassertion|secret(?:id|s)?|sessionid|signature|socialsecurity(?:number)?|ssn|xsrf|token|(?:access|api|auth|refresh)tokens|(?:access|account|admin|api|app(?:lication)?|auth|client|deploy|(?:de|en)cryption|functions?|host|license|master|private|root|secret|service|session|shared|signing|ssh|storage|subscription|write)keys?|(?:card|cc)num(?:ber)?|(?:auth|backup|onetime|recovery|security|verification)codes?)$/;
const HEADER_ENDS = /(?:authentication|clientcert|dpop|oidcdata|principal|trellowebhook|userinfo)$/;

/** Secrets only as the last word: as endings they would match too much (`author`, `pin_code` of an address). */
const LAST_WORDS = /^(?:auth|pin)$/;
const QUERY_NAMES = /^(?:code|hmac|key|nonce|pass|pw|session|sid|sig|state|ticket)$/;

/** Last words that describe a secret rather than contain it: `token_type`, `cvc_check`, `credentialId`. */
const ABOUT =
  /^(?:accepted|algorithm|at|check|consent|count|expires|ids?|in|length|limit|name|policy|required|results|status|type|used)$/;

/** Longest name that is checked in full; of longer ones, only the end is checked. */
const MAX_LENGTH = 256;

const MAX_CACHED = 1_000;
/** Results by place and name, since callers repeat the same few names. */
const known: Readonly<Record<NamePlace, Map<string, boolean>>> = {
  body: new Map(),
  header: new Map(),
  query: new Map(),
};

/**
 * Whether a field, header or parameter with this name contains a secret, whatever separates its words: `clientSecret`,
 * `card_number`, `X-Api-Key`, `ocp-apim-subscription-key`, `user[pin]`; not `secretary`, `tokens_used`, `opinion` or
 * `monkey`.
 */
export const isSecretName = (name: string, place: NamePlace = 'body'): boolean => {
  if (name.length > MAX_LENGTH) return hasSecretWord(name.slice(-MAX_LENGTH), place);
  const names = known[place];
  const cached = names.get(name);
  if (cached !== undefined) return cached;
  const isSecret = hasSecretWord(name, place);
  if (names.size === MAX_CACHED) names.clear();
  names.set(name, isSecret);
  return isSecret;
};

const hasSecretWord = (name: string, place: NamePlace): boolean => {
  const words = name
    .replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const whole = words.join('');
  const last = words.at(-1) ?? '';
  const isEnd = (text: string) =>
    ENDS.test(text.replace(/\d$/, '')) || (place === 'header' && HEADER_ENDS.test(text));
  return (
    isEnd(whole) ||
    LAST_WORDS.test(last) ||
    (place === 'query' && (QUERY_NAMES.test(whole) || last === 'sig')) ||
    (!ABOUT.test(last) && words.some((word, at) => isEnd(word) || isEnd(`${words[at - 1] ?? ''}${word}`)))
  );
};

/** Whether a request header is a credential of its sender. A signature is not: it is valid only for its body. */
export const isCredentialHeader = (name: string): boolean =>
  isSecretName(name, 'header') && !name.toLowerCase().includes('signature');

/** Whether a value is a secret by its name. Booleans and missing values reveal nothing. */
export const isSecretValue = (name: string, value: unknown, place?: NamePlace): boolean =>
  typeof value !== 'boolean' && value !== null && value !== undefined && isSecretName(name, place);

/** Returns where the names in an object occur, by the name of the object itself. */
export const placeIn = (name: string): NamePlace =>
  name === 'headers' ? 'header' : name === 'queryParams' || name === 'query' ? 'query' : 'body';
