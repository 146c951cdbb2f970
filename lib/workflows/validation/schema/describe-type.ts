import type { ErrorObject } from 'ajv';
import type { JsonValue } from '../../../contract/json.ts';
import { quote } from '../../../shared/describe.ts';
import { splitTemplate } from '../../expressions/template.ts';

/** Longer texts are nothing that a suggestion helps with. */
const MAX_LENGTH = 200;

/** What can only be meant as an expression: a path, a comparison. */
const LOOKS_COMPUTED = /^(?:\$|[A-Za-z_][A-Za-z0-9_]*[.[])|[<>=]|\s(?:and|or|in)\s/;

/** What the schema says of the value; nothing when it does not. */
export const describeSchema = ({ parentSchema }: ErrorObject): string => {
  const description: unknown = parentSchema?.description;
  return typeof description === 'string' && description !== '' ? ` (${description})` : '';
};

/**
 * What to say of a value that has another type than its place wants. Only a text that is one expression has the type
 * of its value: with anything beside it, it is a text.
 */
export const describeType = (error: ErrorObject): string => {
  const { message = 'has the wrong type', params, data } = error;
  const about = `${message}${describeSchema(error)}`;
  if (typeof data !== 'string' || data.length > MAX_LENGTH) return about;
  const parts = splitTemplate(data);
  if (parts.some((part) => 'expression' in part)) {
    const whole = parts
      .map((part) => ('text' in part ? part.text : part.expression.trim()))
      .join('')
      .trim();
    return `${message}, and is a text, since it is more than one expression; did you mean ${quote(`{{ ${whole} }}`)}?`;
  }
  const types: readonly unknown[] = Array.isArray(params.type) ? params.type : [params.type];
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

/** In the words of JSON Schema. */
const typesOf = (value: JsonValue | undefined): string[] => {
  if (value === undefined) return [];
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
};
