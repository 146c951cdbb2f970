import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { quote } from '../../../../lib/shared/describe.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { splitTemplate } from '../../../../lib/workflows/expressions/template.ts';
import { proposeValue } from '../proposals/proposal.ts';

/** Stands for the value of an expression. */
const VALUE = '\u0000';

interface Slip {
  readonly pattern: RegExp;
  readonly message: string;
  /** What is probably meant, if that is certain. */
  readonly meant?: (text: string) => string;
}

/** What is allowed in a URL, and probably means something else. */
const slips: readonly Slip[] = [
  { pattern: /^https?:\/\/[^?#]*[^:/]\/\//, message: 'has an empty segment "//" in its path' },
  { pattern: /#/, message: 'has a "#": what follows is never sent, since it is for browsers' },
  {
    pattern: /&amp;/,
    message: 'has "&amp;", which is "&" in HTML alone',
    meant: (text) => text.replaceAll('&amp;', '&'),
  },
  { pattern: /^[^?]*&[\w.-]+=/, message: 'has "&" before any "?": a query begins with "?"' },
  { pattern: /\?[^?]*\?[\w.-]+=/, message: 'has two "?": the parts of a query are joined by "&"' },
  { pattern: /%25[0-9a-f]{2}/i, message: 'has "%25…", so it is encoded twice' },
];

/** Placeholders of other tools, which stay as they are: `:id`, `{id}`, `<id>`. */
const PLACEHOLDERS = /\/(:[a-z]\w{0,50}|\{\w{1,50}\}|<\w{1,50}>)(?=\/|\?|$)/i;

/** Checks the text of a URL around its expressions. */
export const checkLink = (text: string, path: string): Problem[] => {
  const plain = splitTemplate(text)
    .map((part) => ('text' in part ? part.text : VALUE))
    .join('');
  const [, placeholder] = PLACEHOLDERS.exec(plain) ?? [];
  if (placeholder !== undefined) {
    const name = placeholder.replaceAll(/\W/g, '');
    return [
      warn(
        path,
        `${quote(placeholder)} is sent as it is: a value is written in {{ }}, such as {{ body.${name} }}`,
      ),
    ];
  }
  const slip = slips.find(({ pattern }) => pattern.test(plain));
  if (slip === undefined) return [];
  return [{ ...warn(path, slip.message), ...proposeValue(path, slip.meant?.(text) ?? null) }];
};

const warn = (path: string, message: string): Problem => ({ path, message, severity: 'warning' });

/** Finds names that a request has twice in its query: in its URL, in `query`, and as the parameter of its pages. */
export const checkQuery = (parameters: JsonObject, place: string): Problem[] => {
  const { url, query, pagination, pageParameter } = parameters;
  const given = isPlainObject(query) ? Object.keys(query) : [];
  const inUrl =
    typeof url === 'string'
      ? [...(url.split('?')[1] ?? '').matchAll(/(?:^|&)([\w.[\]-]{1,100})=/g)].map(([, name = '']) => name)
      : [];
  const ofPages =
    pagination === 'page' || pagination === 'cursor'
      ? typeof pageParameter === 'string' && pageParameter !== ''
        ? pageParameter
        : pagination
      : null;
  const twice = (name: string, path: string): Problem[] =>
    ofPages === name
      ? [
          warn(
            path,
            `gives ${quote(name)}, which each page has as its own: the query gets both; set firstPage instead`,
          ),
        ]
      : [];
  return [
    ...inUrl.flatMap((name) =>
      given.includes(name)
        ? [warn(`${place}/query/${name}`, `is in "url", too: the query gets both`)]
        : twice(name, `${place}/url`),
    ),
    ...given.flatMap((name) => twice(name, `${place}/query/${name}`)),
    ...given
      .filter((name) => /[?&=]/.test(name))
      .map((name) =>
        warn(`${place}/query/${name.replaceAll('/', '~1')}`, 'is a name, without "?", "&" and "="'),
      ),
  ];
};
