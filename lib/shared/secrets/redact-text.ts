import { isSecretName, type NamePlace } from './secret-names.ts';
import { findShapes, matchesOf, redactSpans, type Span } from './secret-shapes.ts';

/** How many characters beyond the shown part are searched, to find secrets that the cut would split. */
const LOOKAHEAD = 1_024;

/**
 * Redacts secrets with a known shape: callback and incoming-webhook URLs, bearer and basic credentials, passwords in
 * URLs, private keys, and tokens by prefix; also the values of secret names in JSON, queries, forms, XML, and lines
 * such as headers. Takes time linear in `length`, since no pattern backtracks over more than one match.
 *
 * @param place - where `name=value` outside URLs comes from
 * @returns the first `length` characters
 */
export const redactText = (text: string, length = text.length, place: NamePlace = 'body'): string => {
  const window = text.slice(0, length + LOOKAHEAD);
  const spans = FINDERS.flatMap((find) => find(window, place));
  return redactSpans(window, spans, length);
};

/** A name and value like `token=…` in a query or a form; in quotes, an attribute. */
const PAIR_NAME = /(^|[^\w.~%[\]-])([\w.~%[\]-]+)=(["']?)/g;
const PAIR_VALUE = /[^&\s"'<>\\]*/y;

const findPairs = (text: string, place: NamePlace): Span[] => {
  let isInUrl = false;
  let last = -1;
  return matchesOf(text, PAIR_NAME).flatMap(({ 0: whole, 1: before = '', 2: name = '', 3: quote, index }) => {
    const from = index + whole.length;
    isInUrl = before === '?' || before === '#' || (isInUrl && before === '&' && index === last);
    // A pair within another pair's value ends where that value ends.
    if (from > last) last = endOf(PAIR_VALUE, text, from);
    if (!isSecretName(name, isInUrl ? 'query' : place)) return [];
    return [[from, quote ? findClosingQuote(text, from, quote, 0) : last] as const];
  });
};

/** A name and value like `"token": "…"` in JSON text, at any depth of escaping. */
const JSON_NAME = /"([^"\\\s]+)\\*"\s*:\s*(\\*)("?)/g;
/** A name and value in JSON that is percent-encoded in a form. */
const ENCODED_NAME = /%22([^"\\%\s]+)%22%3A()(%22)/gi;
const JSON_PLAIN = /[^\s,}\]{["]*/y;
const NO_SECRET = /^(?:true|false|null)$/;

const jsonPairs =
  (pattern: RegExp) =>
  (text: string): Span[] =>
    matchesOf(text, pattern).flatMap(({ 0: whole, 1: name = '', 2: slashes = '', 3: quote = '', index }) => {
      if (!isSecretName(name)) return [];
      const from = index + whole.length;
      const to =
        quote === '' ? endOf(JSON_PLAIN, text, from) : findClosingQuote(text, from, quote, slashes.length);
      return quote === '' && NO_SECRET.test(text.slice(from, Math.min(to, from + 6)))
        ? []
        : [[from, to] as const];
    });

/** An XML element like `<token>…`, with any prefix and attributes. */
const ELEMENT = /<([\w.:-]+)/g;
const ELEMENT_VALUE = /[^<>]*>(?:<!\[CDATA\[)?([^<]*)/y;
/** A name and value like `Token: …` on its own line, as in headers. */
const LINE = /(?:^|\n|\\n)[ \t]*([\w.-]+):[ \t]*/g;
const LINE_VALUE = /([^\r\n\\]*)/y;

const named =
  (pattern: RegExp, value: RegExp, place: NamePlace) =>
  (text: string): Span[] =>
    matchesOf(text, pattern).flatMap(({ 0: whole, 1: name = '', index }) => {
      if (!isSecretName(name, place)) return [];
      value.lastIndex = index + whole.length;
      const found = value.exec(text);
      const to = value.lastIndex;
      return found === null ? [] : [[to - (found[1] ?? '').length, to] as const];
    });

const endOf = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from;
  pattern.test(text);
  return Math.max(from, pattern.lastIndex);
};

/** Finds the quote preceded by as many backslashes as the opening one; inner quotes have more. */
const findClosingQuote = (text: string, from: number, quote: string, escapes: number): number => {
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 1)) {
    let backslashes = 0;
    while (at - backslashes > from && text[at - backslashes - 1] === '\\') backslashes++;
    const isClosing = escapes === 0 ? backslashes % 2 === 0 : backslashes <= escapes;
    if (isClosing) return at - backslashes;
  }
  return text.length;
};

const FINDERS: readonly ((text: string, place: NamePlace) => readonly Span[])[] = [
  findShapes,
  findPairs,
  jsonPairs(JSON_NAME),
  jsonPairs(ENCODED_NAME),
  named(ELEMENT, ELEMENT_VALUE, 'body'),
  named(LINE, LINE_VALUE, 'header'),
];
