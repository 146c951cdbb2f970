import { isSecretName } from './secret-names.ts';

export const REDACTED = '[redacted]';

/** The range of a secret in a text. */
type Span = readonly [from: number, to: number];

/** Characters searched after the part that is shown, for secrets that its end would cut. */
const LOOKAHEAD = 1_024;

/**
 * Redacts secrets of a known form: callback URLs, bearer and basic credentials, passwords in URLs, values of secret names
 * in JSON text, queries and forms. Takes time linear in `length`, since no pattern backtracks over more than one match.
 *
 * @returns the first `length` characters
 */
export const redactText = (text: string, length = text.length): string => {
  const window = text.slice(0, length + LOOKAHEAD);
  const spans = [
    ...findAfter(window, CALLBACK),
    ...findAfter(window, CREDENTIALS),
    ...findAfter(window, URL_PASSWORD),
    ...findPairs(window),
    ...findJsonPairs(window),
  ].sort(([a], [b]) => a - b);
  let shown = '';
  let at = 0;
  for (const [from, to] of spans) {
    if (from >= length) break;
    if (from === to) continue;
    if (from < at) {
      at = Math.max(at, to);
      continue;
    }
    shown += `${window.slice(at, from)}${REDACTED}`;
    at = to;
  }
  return shown + window.slice(at, Math.max(at, length));
};

const CALLBACK = /(\/api\/webhook-callback\/)([A-Za-z0-9._~-]+)/g;
const CREDENTIALS = /(\b(?:Bearer|Basic)\s+)([A-Za-z0-9._~+/=-]{8,})/gi;
/** Matches no slash between `://` and `@`, so that no text is searched for two URLs. */
const URL_PASSWORD = /(:\/\/[^\s/:@]*:)([^\s/@]+)@/g;

/** Finds the second group of a pattern, which follows the first. */
const findAfter = (text: string, pattern: RegExp): Span[] =>
  [...text.matchAll(pattern)].map(({ 1: before = '', 2: secret = '', index }) => {
    const from = index + before.length;
    return [from, from + secret.length];
  });

/** `token=…` in a query or a form. */
const PAIR_NAME = /(?:^|[^\w.~%-])([\w.~%-]+)=/g;
const PAIR_VALUE = /[^&\s"'<>\\]*/y;

const findPairs = (text: string): Span[] =>
  [...text.matchAll(PAIR_NAME)].flatMap(({ 0: whole, 1: name = '', index }) => {
    const from = index + whole.length;
    return isSecretName(name) ? [[from, endOf(PAIR_VALUE, text, from)] as const] : [];
  });

/** `"token": "…"` in JSON text, at any depth of escaping. */
const JSON_NAME = /"([^"\\\s]+)\\*"\s*:\s*(\\*)("?)/g;
/** The same, percent-encoded in a form. */
const ENCODED_NAME = /%22([^"\\%\s]+)%22%3A()(%22)/gi;
const JSON_PLAIN = /[^\s,}\]{["]*/y;

const findJsonPairs = (text: string): Span[] =>
  [...text.matchAll(JSON_NAME), ...text.matchAll(ENCODED_NAME)].flatMap(
    ({ 0: whole, 1: name = '', 2: slashes = '', 3: quote = '', index }) => {
      if (!isSecretName(name)) return [];
      const from = index + whole.length;
      const to =
        quote === '' ? endOf(JSON_PLAIN, text, from) : findClosingQuote(text, from, quote, slashes.length);
      return [[from, to] as const];
    },
  );

const endOf = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from;
  pattern.test(text);
  return Math.max(from, pattern.lastIndex);
};

/** Finds the quote with as many backslashes before it as the opening one; inner quotes have more. */
const findClosingQuote = (text: string, from: number, quote: string, escapes: number): number => {
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 1)) {
    let backslashes = 0;
    while (at - backslashes > from && text[at - backslashes - 1] === '\\') backslashes++;
    const isClosing = escapes === 0 ? backslashes % 2 === 0 : backslashes <= escapes;
    if (isClosing) return at - backslashes;
  }
  return text.length;
};
