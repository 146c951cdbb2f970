import type { Mistake } from '@hookloom/bounded-schema';
import type { JsonValue } from '@hookloom/plugin-kit';
import { quote } from '../../../lib/shared/describe.ts';
import { splitTemplate } from '../../../lib/workflows/expressions/template.ts';

/** Longer strings get no suggestion. */
const MAX_LENGTH = 200;

/** Strings that look like expressions: a path, a comparison. */
const LOOKS_COMPUTED = /^(?:\$|[A-Za-z_][A-Za-z0-9_]*[.[])|[<>=]|\s(?:and|or|in)\s/;

/** The schema's description in parentheses, or an empty string. */
export const describeSchema = ({ schema: { description } }: Mistake): string => {
  return typeof description === 'string' && description !== '' ? ` (${description})` : '';
};

/** Message for a value of the wrong type. A template keeps its value's type only when it is a single expression. */
export const describeType = (mistake: Mistake): string => {
  const { limit, value: data } = mistake;
  const types: readonly unknown[] = Array.isArray(limit) ? limit : [limit];
  const message = `must be ${types.join(' or ')}`;
  const about = `${message}${describeSchema(mistake)}`;
  if (typeof data !== 'string' || data.length > MAX_LENGTH) return about;
  const parts = splitTemplate(data);
  if (parts.some((part) => 'expression' in part)) {
    const whole = parts
      .map((part) => ('text' in part ? part.text : part.expression.trim()))
      .join('')
      .trim();
    return `${message}, but a template with more than one expression is a string; did you mean ${quote(`{{ ${whole} }}`)}?`;
  }
  if (typesOf(parse(data)).some((type) => types.includes(type))) {
    return `${message}; did you mean ${data.trim()}, without quotes?`;
  }
  return LOOKS_COMPUTED.test(data) && !data.includes('{')
    ? `${message}; did you mean ${quote(`{{ ${data} }}`)}?`
    : about;
};

const parse = (text: string): JsonValue | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Types of JSON Schema. */
const typesOf = (value: JsonValue | undefined): string[] => {
  if (value === undefined) return [];
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
};
