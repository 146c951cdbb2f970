import type { JsonMap } from '@hookloom/bounded-schema';
import { type FormField, type Scalar, toFields } from './form-fields.ts';

/** Maximum length of a number; real numbers have fewer digits. */
const MAX_DIGITS = 400;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Converts the fields of a form from strings to the types of its JSON Schema. Values that can't be converted stay as
 * typed, for the schema to refuse. Empty fields are absent; an unticked box is false.
 *
 * @param typed - by name; a list for a name sent several times. Names without a field are kept
 */
export const readForm = (schema: JsonMap, typed: JsonMap): JsonMap => {
  const fields = toFields(schema);
  const known = new Set(fields.map(({ name }) => name));
  const others = Object.entries(typed).filter(([name]) => !known.has(name));
  const read = fields.flatMap((field): [string, unknown][] => {
    const given = Object.hasOwn(typed, field.name) ? typed[field.name] : undefined;
    const value = typeof given === 'string' ? readField(field, given) : given;
    if (value !== undefined) return [[field.name, value]];
    return field.kind === 'boolean' ? [[field.name, false]] : [];
  });
  return Object.fromEntries([...read, ...others]);
};

/** Converts the text of a field; undefined if it is empty. */
const readField = ({ kind, options }: FormField, text: string): Scalar | undefined => {
  if (text === '') return undefined;
  switch (kind) {
    case 'number':
    case 'integer':
      return readNumber(text.trim()) ?? text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'choice':
      return options.find((option) => String(option) === text) ?? text;
    default:
      return text.replaceAll('\r\n', '\n'); // browsers send line breaks this way
  }
};

const readNumber = (text: string): number | null => {
  if (text.length > MAX_DIGITS || !NUMBER.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
};
