import { EvaluationError } from '../evaluation-error.ts';
import { type Native, native } from '../native.ts';
import type { Run } from '../run.ts';
import { stringify } from '../stringify.ts';

type Text = string | undefined;

const loneOrPaired = /[\ud800-\udfff]/;

/** The code points of a string, for `$length` and `$substring`. */
const toCharacters = ({ budget }: Run, text: string): readonly string[] | string => {
  if (!loneOrPaired.test(text)) return text;
  budget.makeItems(text.length);
  return Array.from(text);
};

/** Spends the cost of reading a string once; undefined costs nothing and is returned. */
const readOnce = <Result>({ budget }: Run, text: Text, map: (text: string) => Result): Result | undefined => {
  if (text === undefined) return undefined;
  budget.read(text.length);
  return map(text);
};

/** Spends the cost of creating a string of about the same length; undefined costs nothing and is returned. */
const rewrite = ({ budget }: Run, text: Text, map: (text: string) => string): Text => {
  if (text === undefined) return undefined;
  budget.write(text.length);
  return map(text);
};

const join = (characters: readonly string[] | string): string =>
  typeof characters === 'string' ? characters : characters.join('');

const substring = (run: Run, text: Text, start: number, length?: number): Text => {
  if (text === undefined) return undefined;
  run.budget.write(text.length);
  const characters = toCharacters(run, text);
  const from = characters.length + start < 0 ? 0 : start;
  if (length === undefined) return join(characters.slice(from));
  if (length <= 0) return '';
  const end = from >= 0 ? from + length : characters.length + from + length;
  return join(characters.slice(from, end));
};

const pad = (run: Run, text: Text, width: number, filling?: string): Text => {
  if (text === undefined) return undefined;
  const whole = Math.trunc(width);
  run.budget.write(text.length + Math.abs(whole));
  const missing = Math.abs(whole) - toCharacters(run, text).length;
  if (missing <= 0) return text;
  const characters = toCharacters(run, filling === undefined || filling === '' ? ' ' : filling);
  run.budget.write(join(characters).length);
  const times = Math.ceil(missing / characters.length);
  const padding =
    typeof characters === 'string'
      ? characters.repeat(times).slice(0, missing)
      : Array.from({ length: missing }, (_, index) => characters[index % characters.length]).join('');
  return whole > 0 ? text + padding : padding + text;
};

const trim = (text: string): string =>
  text
    .replace(/[ \t\n\r]+/g, ' ')
    .replace(/^ /, '')
    .replace(/ $/, '');

const joinTexts = (
  { budget }: Run,
  texts: readonly string[] | undefined,
  separator = '',
): string | undefined => {
  if (texts === undefined) return undefined;
  budget.makeItems(texts.length);
  let length = separator.length * texts.length;
  for (const text of texts) length += text.length;
  budget.write(length);
  return texts.join(separator);
};

const convertUrl =
  (token: string, convert: (text: string) => string) =>
  (run: Run, text?: string): Text =>
    rewrite(run, text, (given) => {
      try {
        return convert(given);
      } catch {
        throw new EvaluationError('D3140', { value: given, token });
      }
    });

/** Bytes that `String.fromCharCode` takes in one call. */
const BATCH = 8_192;

/** Base64 of the text in UTF-8; the library encodes the lower byte of each unit. By what browsers have, too. */
const encodeBase64 = (text: string): string => {
  if (text.isWellFormed()) {
    const bytes = new TextEncoder().encode(text);
    const batches = Array.from({ length: Math.ceil(bytes.length / BATCH) }, (_, index) =>
      String.fromCharCode(...bytes.subarray(index * BATCH, (index + 1) * BATCH)),
    );
    return btoa(batches.join(''));
  }
  throw new EvaluationError('D3156', { message: 'is not Unicode: it has half of a surrogate pair' });
};

/** Matches Base64 in either alphabet, with padding or without. */
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const decodeBase64 = (text: string): string => {
  const given = text.replaceAll(/\s/g, '');
  const digits = given.replace(/={1,2}$/, '');
  if (!BASE64.test(given) || digits.length % 4 === 1)
    throw new EvaluationError('D3156', { message: 'is not Base64' });
  const standard = digits.replaceAll('-', '+').replaceAll('_', '/');
  try {
    return utf8.decode(Uint8Array.from(atob(standard), (byte) => byte.charCodeAt(0)));
  } catch {
    throw new EvaluationError('D3156', { message: 'has bytes that are not UTF-8' });
  }
};

export const textFunctions: Readonly<Record<string, Native>> = {
  string: native('<x-b?:s>', (run, value: unknown, ...[prettify]: [boolean?]) =>
    value === undefined ? undefined : stringify(run.budget, value, prettify),
  ),
  substring: native('<s-nn?:s>', substring),
  substringBefore: native('<s-s:s>', (run, text: Text, end: string) =>
    readOnce(run, text, (given) => {
      const at = given.indexOf(end);
      return at === -1 ? given : given.slice(0, at);
    }),
  ),
  substringAfter: native('<s-s:s>', (run, text: Text, start: string) =>
    readOnce(run, text, (given) => {
      const at = given.indexOf(start);
      return at === -1 ? given : given.slice(at + start.length);
    }),
  ),
  lowercase: native('<s-:s>', (run, text?: string) => rewrite(run, text, (given) => given.toLowerCase())),
  uppercase: native('<s-:s>', (run, text?: string) => rewrite(run, text, (given) => given.toUpperCase())),
  length: native('<s-:n>', (run, text?: string) =>
    readOnce(run, text, (given) => toCharacters(run, given).length),
  ),
  trim: native('<s-:s>', (run, text?: string) => rewrite(run, text, trim)),
  pad: native('<s-ns?:s>', pad),
  join: native('<a<s>s?:s>', (run, texts: readonly string[] | undefined, separator?: string) =>
    joinTexts(run, texts, separator),
  ),
  base64encode: native('<s-:s>', (run, text?: string) => rewrite(run, text, encodeBase64)),
  base64decode: native('<s-:s>', (run, text?: string) => rewrite(run, text, decodeBase64)),
  encodeUrlComponent: native('<s-:s>', convertUrl('encodeUrlComponent', encodeURIComponent)),
  encodeUrl: native('<s-:s>', convertUrl('encodeUrl', encodeURI)),
  rawUrl: native('<x-:x>', (_run, value?: unknown) => value),
  decodeUrlComponent: native('<s-:s>', convertUrl('decodeUrlComponent', decodeURIComponent)),
  decodeUrl: native('<s-:s>', convertUrl('decodeUrl', decodeURI)),
};
