import { isSecretValue, REDACTED } from './secret-names.ts';

/** The range of a secret in a text. */
export type Span = readonly [from: number, to: number];

/** Replaces the ranges that begin before `length`. @returns the text up to there */
export const redactSpans = (text: string, spans: readonly Span[], length: number): string => {
  let shown = '';
  let at = 0;
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    if (from >= length) break;
    if (from !== to && from >= at) shown += text.slice(at, from) + REDACTED;
    at = from === to ? at : Math.max(at, to);
  }
  return shown + text.slice(at, Math.max(at, length));
};

/** Searches first, at a tenth of the cost: most texts have no match. */
export const matchesOf = (text: string, pattern: RegExp): readonly RegExpExecArray[] =>
  text.search(pattern) === -1 ? [] : [...text.matchAll(pattern)];

/** Finds the second group of a pattern, which directly follows the first. */
const after =
  (pattern: RegExp) =>
  (text: string): Span[] =>
    matchesOf(text, pattern).map(({ 1: before = '', 2: secret = '', index }) => {
      const from = index + before.length;
      return [from, from + secret.length];
    });

const findCallbacks = after(/(\/api\/webhook-callback\/)([A-Za-z0-9._~-]+)/g);
const findCredentials = after(/(\b(?:Bearer|Basic)\s+)([A-Za-z0-9._~+/=-]{8,})/gi);
/** Matches no slash between `://` and `@`, so that text is not rescanned for a second URL. */
const findPasswords = after(/(:\/\/[^\s/:@]*:)([^\s/@]+)@/g);
/** The URLs of incoming webhooks, in plain text, in JSON and URL-encoded. */
const findWebhooks = after(
  /((?:hooks\.slack|hooks\.zapier|discord|discordapp|webhook\.office)\.com(?:\\?\/|%2F)[a-z\d]+(?:\\?\/|%2F)(?:webhooks(?:\\?\/|%2F))?)((?:[\w%@.-]|\\?\/)+)/g,
);

/** Tokens by the prefixes that services use, so that they are found in unexpected places. */
const TOKENS = [
  /(?:gh[opsru]|glc|glsa|hf|lin_api|npm|ntn|sbp|shp[a-z]{2}|do[opr]_v1|[rs]k_(?:live|test)|whsec)_[A-Za-z\d+/=]*/g,
  /(?:dckr_pat_|figd_|github_pat_|gl(?:pat|dt|rt|cbt|ptt|soat)-|GOCSPX-|hvs\.|pypi-|sk-(?:admin|ant|proj|svcacct)-|xapp-|xox[a-z][.-]|ya29\.|SG\.|AIza|ATATT3|1\/\/0|\d{8,10}:AA)[\w.=-]*/g,
  /(?:A[KS]IA|dapi|key-|sk-)[A-Za-z\d]*/g,
];
const MIN_TOKEN_LENGTH = 20;
/** What may precede a token: not a letter or digit, unless it ends an escape in JSON or a URL. */
const BEFORE_TOKEN = /(?:^|[^A-Za-z\d]|\\[bfnrt]|%[\dA-Fa-f]{2}|\\u[\dA-Fa-f]{4})$/;

const findTokens = (text: string): Span[] =>
  TOKENS.flatMap((pattern) => matchesOf(text, pattern))
    .filter(({ 0: token, index }) => {
      const before = text.slice(Math.max(0, index - 6), index);
      return token.length >= MIN_TOKEN_LENGTH && /\d/.test(token) && BEFORE_TOKEN.test(before);
    })
    .map(({ 0: token, index }) => [index, index + token.length]);

/** JSON Web Tokens, and anything else that starts like JSON in base64url. */
const JWT = /eyJ[\w-]*(?:\.[\w-]*)*/g;
const MIN_JWT_LENGTH = 30;

const findJwts = (text: string): Span[] =>
  matchesOf(text, JWT)
    .filter(([token]) => token.length >= MIN_JWT_LENGTH && token.split('.', 3).length === 3)
    .map(({ 0: token, index }) => [index, index + token.length]);

const PRIVATE_KEY = /-----BEGIN[A-Z\d +%]{0,40}PRIVATE(?: |\+|%20)KEY/g;
const KEY_END = '-----END';
/** Everything between the first and last lines of the key; to the end if the text is truncated. */
const findPrivateKeys = (text: string): Span[] => {
  const spans: Span[] = [];
  PRIVATE_KEY.lastIndex = 0;
  while (PRIVATE_KEY.test(text)) {
    const from = PRIVATE_KEY.lastIndex;
    const end = text.indexOf(KEY_END, from);
    const to = end === -1 ? text.length : end;
    spans.push([from, to]);
    PRIVATE_KEY.lastIndex = to;
  }
  return spans;
};

/** Finds secrets by their shape. Takes time linear in the length of the text. */
export const findShapes = (text: string): readonly Span[] =>
  [
    findCallbacks,
    findCredentials,
    findPasswords,
    findWebhooks,
    findTokens,
    findJwts,
    findPrivateKeys,
  ].flatMap((find) => find(text));

/** Longer strings in log entries are truncated. */
const MAX_TEXT_LENGTH = 65_536;
/** The service's own fields, on nearly every entry. */
const PLAIN_NAMES = /^(?:time|level|traceparent|(?:execution|request|workflow|node)Id)$/;

/** Redacts a field of a log entry: by its name, or the parts of a string that look like secrets. */
export const redactField = (name: string, value: unknown): unknown => {
  if (isSecretValue(name, value)) return REDACTED;
  if (typeof value !== 'string' || PLAIN_NAMES.test(name)) return value;
  const text = value.slice(0, MAX_TEXT_LENGTH);
  return redactSpans(text, findShapes(text), text.length);
};
