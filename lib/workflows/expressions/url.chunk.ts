import { isDotSegment, type JsonValue } from '@hookloom/plugin-kit';
import { ExpressionError, toHoleError } from './expression-error.ts';
import type { ParsedExpression } from './language.chunk.ts';
import type { Result, TemplatePart } from './scope.ts';
import { toText } from './to-text.ts';

/** What the schema says about a parameter that is a URL. */
export interface UrlRule {
  /** `uri-reference` if it may be relative. */
  readonly format?: JsonValue;
  /** Whether an expression that gives nothing is an error, as in format 2 of workflow files. */
  readonly needsValues?: boolean;
}

/** A template of a URL, with the values of its expressions. */
interface UrlTemplate {
  readonly parts: readonly TemplatePart[];
  /** One for each part; those of literal text are not read. */
  readonly values: readonly Result[];
  /** Its path in the parameters of the node. */
  readonly place: string;
  readonly rule: UrlRule;
}

/** Longer URLs are refused, before anything is encoded. In UTF-16 units. */
const MAX_LENGTH = 100_000;
/** A host name has at most 253 characters (RFC 1035 §2.3.4). */
const MAX_HEAD = 1_000;

/**
 * Joins the parts of a URL so that no value leaves its place: in the path, the query and the fragment it is encoded as by
 * `{var}` of RFC 6570, in the host it can be a part of a name, in the port digits. A value at the start is taken as
 * written.
 *
 * @throws ExpressionError that names the expression, but not its value, which may be secret
 */
export const joinUrl = async (template: UrlTemplate): Promise<string> => {
  const { parts, values } = template;
  const name = template.place.replaceAll('/', '.');
  const isReference = template.rule.format === 'uri-reference';
  let text = '';
  let head: Head = { place: 'start', text: '', host: '' };
  let { place } = head as { place: Place };
  const inserted: Inserted[] = [];
  for (const [index, part] of parts.entries()) {
    let piece = 'text' in part ? part.text : '';
    if ('expression' in part) {
      const expression = part.expression.trim();
      const fail = (message: string): never => {
        throw new ExpressionError(`{{ ${expression} }} in the URL "${name}" ${message}`);
      };
      const value = values[index];
      if (template.rule.needsValues === true && (value === undefined || value === null))
        throw toHoleError(expression, value, `the URL "${name}"`);
      const given = toText(value);
      if (text.length + given.length > MAX_LENGTH) fail(`makes it longer than ${MAX_LENGTH} characters`);
      const next = parts[index + 1];
      const ends = next === undefined || !('text' in next) || /^[\\/?#:]/.test(next.text);
      const gap = { place, host: head.host, ends, isReference };
      piece = insertValue(given, await findForm(expression), gap, fail);
      if (place !== 'start') inserted.push({ from: text.length, to: text.length + piece.length, fail });
    }
    text += piece;
    if (isInHead(place)) {
      head = readHead(head.text + piece, isReference);
      ({ place } = head);
      if (isInHead(place) && head.text.length > MAX_HEAD)
        throw new ExpressionError(`The host of the URL "${name}" is too long`);
    } else place = placeAfter(place, piece);
  }
  checkSegments(text, inserted);
  return text;
};

// Where an expression is.

/** A part of a URL. The scheme is a place only in `http{{ s }}://…`. */
type Place = 'start' | 'scheme' | 'host' | 'port' | 'path' | 'query' | 'fragment';

/** What precedes the path. */
interface Head {
  readonly place: Place;
  readonly text: string;
  /** What the host begins with. */
  readonly host: string;
}

const isInHead = (place: Place): boolean => ['start', 'scheme', 'host', 'port'].includes(place);

const SCHEME = /^https?:[\\/]*/i;

/** Finds the place after a text, as the parser of URLs reads it: it skips blanks, tabs and line breaks, and `\` is `/`. */
const readHead = (text: string, isReference: boolean): Head => {
  const read = text.replaceAll(/[\t\n\r]/g, '').replace(/^[\0- ]+/, '');
  if (read === '') return { place: 'start', text, host: '' };
  const [scheme] = SCHEME.exec(read) ?? [];
  if (scheme === undefined) {
    const place = isReference ? placeAfter('path', read) : 'scheme';
    return { place, text, host: '' };
  }
  const host = read.slice(scheme.length);
  const end = host.search(/[\\/?#]/);
  if (end !== -1) return { place: placeAfter('path', host.slice(end)), text, host };
  return { place: /^(?:\[[^\]]*\]|[^[\]:]*):/.test(host) ? 'port' : 'host', text, host };
};

const placeAfter = (place: Place, text: string): Place => {
  if (place === 'fragment' || text.includes('#')) return 'fragment';
  return place === 'query' || text.includes('?') ? 'query' : 'path';
};

// How a value is written there.

/** What an expression gives: a value, or text that one of these functions has encoded. */
type Form = 'value' | 'component' | 'url' | 'raw';

const FORMS: ReadonlyMap<string, Form> = new Map([
  ['encodeUrlComponent', 'component'],
  ['encodeUrl', 'url'],
  ['rawUrl', 'raw'],
]);

/** What the outermost call of an expression gives. Loads the parser only for one that has such a call. */
const findForm = async (expression: string): Promise<Form> => {
  if (!/\$(?:encodeUrl|rawUrl)/.test(expression)) return 'value';
  const { parse } = await import('./language.chunk.ts');
  return formOf(parse(expression).tree) ?? 'value';
};

type Node = ParsedExpression['tree'];

/** @returns null for a literal, which is right in each form */
const formOf = (node: Node | undefined): Form | null => {
  switch (node?.type) {
    case undefined:
    case 'string':
    case 'number':
      return null;
    case 'variable':
      return FORMS.get(node.value) ?? 'value';
    case 'function':
      return node.procedure.type === 'variable' ? formOf(node.procedure) : 'value';
    case 'apply':
      return formOf(node.rhs);
    case 'block':
      return formOf(node.expressions.at(-1));
    case 'path':
      return formOf(node.steps.at(-1));
    case 'condition': {
      const [one, other] = [formOf(node.then), formOf(node.else)];
      return one === null || one === other ? other : other === null ? one : 'value';
    }
    default:
      return 'value';
  }
};

interface Gap {
  readonly place: Place;
  /** What the host begins with. */
  readonly host: string;
  /** Whether the host or the port ends after the expression. */
  readonly ends: boolean;
  readonly isReference: boolean;
}

/** Writes a value at its place. */
const insertValue = (given: string, form: Form, gap: Gap, fail: (message: string) => never): string => {
  const { place, isReference } = gap;
  if (place === 'start') {
    if (!isReference && given !== '' && !/^https?(?::\/\/|$)/i.test(given))
      fail('is at its start, so it must give a URL that begins with http:// or https://');
    return given;
  }
  if (form === 'raw' && /[\0- \\\x7f]/.test(given))
    fail('gives a blank, a backslash or a control character, which $rawUrl does not encode');
  const leavesHead = form === 'raw' && gap.ends && gap.host !== '' && /^[/?#]/.test(given);
  if (isInHead(place) && !leavesHead) return checkHead(given, gap, fail);
  switch (form) {
    case 'raw':
      return given;
    case 'url':
      if (place === 'path' ? /[?#]/.test(given) : place === 'query' && given.includes('#'))
        fail('gives "?" or "#", which $encodeUrl does not encode: leave it out, or write $rawUrl(…)');
      return given;
    case 'component':
      return ENCODED.test(given) ? given : encodeUrlPart(given);
    case 'value':
      return encodeUrlPart(given);
  }
};

/** What `encodeURIComponent` gives. */
const ENCODED = /^(?:[\w.~!'()*-]|%[\da-f]{2})*$/i;

/** A part of a name, several of them, and a whole one with its port. */
const LABEL = /^[\w-]*$/;
const NAME = /^[\w.-]*$/;
const HOST = /^(?:[\w.-]*|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

const checkHead = (given: string, { place, host, ends }: Gap, fail: (message: string) => never): string => {
  if (place === 'scheme') return /^[a-z]*$/i.test(given) ? given : fail('must give letters in its scheme');
  if (place === 'port') return /^\d{0,5}$/.test(given) ? given : fail('must give digits in its port');
  const isEnd = ends && host.includes('.') && /[a-z\d]$/i.test(host);
  const allowed = isEnd ? /^$/ : !ends ? LABEL : host === '' ? HOST : host.endsWith('.') ? NAME : LABEL;
  return allowed.test(given)
    ? given
    : fail(
        'gives what its host must not contain. If it gives a path, write its first slash before it, or $rawUrl(…)',
      );
};

/** All but what RFC 3986 calls unreserved, as by `{var}` of RFC 6570. A lone surrogate becomes U+FFFD. */
const encodeUrlPart = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

// What the parts make together.

/** Where an expression's text is in the URL. */
interface Inserted {
  readonly from: number;
  readonly to: number;
  readonly fail: (message: string) => never;
}

const HEAD = /^[\0- ]*(?:https?:[\\/]*[^\\/?#]*)?/i;

/** Refuses segments of dots that an expression is a part of: the parser of URLs removes them, even encoded ones. */
const checkSegments = (text: string, inserted: readonly Inserted[]): void => {
  const [head = ''] = HEAD.exec(text) ?? [];
  const [path = ''] = text.slice(head.length).split(/[?#]/, 1);
  let from = head.length;
  let next = 0;
  for (const segment of path.split(/[\\/]/)) {
    const to = from + segment.length;
    while ((inserted[next]?.to ?? from) < from) next += 1;
    const one = inserted[next];
    if (one !== undefined && one.from <= to && isDotSegment(segment.replaceAll(/[\t\n\r]/g, '').trimEnd()))
      one.fail('makes a segment of dots, which leads to another path');
    from = to + 1;
  }
};
