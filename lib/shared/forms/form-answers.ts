import { compileJsonSchema, isMap, type JsonMap } from '@hookloom/bounded-schema';
import { isBigInteger } from '@hookloom/plugin-kit';
import type { FormError } from './form-error.ts';
import { type FormField, propertiesOf, type Scalar, toFields } from './form-fields.ts';

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

/** A number, or the digits of an integer that a number can't hold; null for any other text. */
const readNumber = (text: string): number | string | null => {
  if (text.length > MAX_DIGITS || !NUMBER.test(text)) return null;
  const digits = text.replace(/^([+-]?)0*(?=\d)/, (_, sign) => (sign === '-' ? sign : ''));
  if (isBigInteger(digits)) return digits;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
};

const MAX_ERRORS = 50;
/** Limit of the validator's work, about 100 ms: see `compileJsonSchema`. */
const MAX_WORK = 2_000_000;

/**
 * Validates the answers to a form against its JSON Schema. Names without a field are refused, whatever the schema says
 * about them.
 *
 * @param schema - a schema without problems, see {@link findFormProblems}
 */
export const checkAnswers = (schema: JsonMap, answers: JsonMap): readonly FormError[] => {
  const fields = new Map(toFields(schema).map((field) => [field.name, field]));
  const known = propertiesOf(schema);
  const [expected, unknown] = splitNames(answers, known);
  const errors = [
    ...unknown
      .slice(0, MAX_ERRORS)
      .map((name) => ({ name: null, message: `There is no field ${quote(name)}.` })),
    ...[...fields.values()]
      .filter(({ isRequired, name }) => isRequired && !Object.hasOwn(answers, name))
      .map((field) => ({ name: field.name, message: describeMissing(field) })),
    ...findViolations(schema, expected, fields),
  ];
  return firstOfEach(errors).slice(0, MAX_ERRORS);
};

/** The answers to known fields, and the names of all others. */
const splitNames = (answers: JsonMap, known: JsonMap): [JsonMap, readonly string[]] => {
  const entries = Object.entries(answers);
  const isKnown = (name: string) => Object.hasOwn(known, name);
  return [
    Object.fromEntries(entries.filter(([name]) => isKnown(name))),
    entries.map(([name]) => name).filter((name) => !isKnown(name)),
  ];
};

const findViolations = (
  schema: JsonMap,
  answers: JsonMap,
  fields: ReadonlyMap<string, FormField>,
): readonly FormError[] => {
  const violations = validateAnswers(schema, answers);
  if (violations === null) return [{ name: null, message: 'These answers take too long to check.' }];
  return violations
    .filter(({ pointer, keyword }) => pointer !== '#' || !WHOLE.has(keyword))
    .map(({ pointer, keyword }) => {
      const field = fields.get(nameAt(pointer));
      return field === undefined
        ? { name: null, message: 'These answers are not consistent with each other.' }
        : { name: field.name, message: describeViolation(field, keyword) };
    });
};

/** Keywords of the whole object that are checked here, with better messages. */
const WHOLE = new Set(['required', 'additionalProperties', 'unevaluatedProperties', 'false']);

const validateAnswers = (schema: JsonMap, answers: JsonMap) => {
  try {
    return compileJsonSchema(schema)(answers, { maxWork: MAX_WORK });
  } catch (error) {
    // The schema was tested when it was stored: if checking fails now, the answers are the cause.
    if (error instanceof RangeError) return null;
    throw error;
  }
};

/** The first segment of a JSON Pointer in a URI fragment (RFC 6901 §6). */
const nameAt = (pointer: string): string => {
  const [, segment = ''] = pointer.split('/', 2);
  return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
};

/** Keeps only the first error of each field. */
const firstOfEach = (errors: readonly FormError[]): readonly FormError[] => {
  const seen = new Set<string>();
  return errors.filter(({ name, message }) => {
    const key = name === null ? ` ${message}` : `#${name}`;
    return seen.has(key) ? false : seen.add(key) !== undefined;
  });
};

const describeMissing = ({ kind }: FormField): string =>
  kind === 'choice'
    ? 'Choose one of the options.'
    : kind === 'date'
      ? 'Enter a date.'
      : 'Fill in this field.';

const TYPES: Readonly<Record<FormField['kind'], string>> = {
  line: 'Enter a text.',
  text: 'Enter a text.',
  email: 'Enter an e-mail address, such as ada@example.com.',
  number: 'Enter a number, such as 12.5.',
  integer: 'Enter a whole number, such as 12.',
  boolean: 'Tick this box, or leave it empty.',
  date: 'Enter a date, such as 2026-01-31.',
  choice: 'Choose one of the options.',
};

/** What a keyword asks for, by its value in the schema. */
const LIMITS: Readonly<Record<string, (limit: unknown) => string>> = {
  minimum: (limit) => `Enter a number of ${limit} or more.`,
  maximum: (limit) => `Enter a number of ${limit} or less.`,
  exclusiveMinimum: (limit) => `Enter a number above ${limit}.`,
  exclusiveMaximum: (limit) => `Enter a number below ${limit}.`,
  multipleOf: (limit) => `Enter a multiple of ${limit}.`,
  minLength: (limit) => `Enter at least ${limit} characters.`,
  maxLength: (limit) => `Enter at most ${limit} characters.`,
  pattern: () => 'This is not in the requested format.',
  const: () => 'This is not the requested value.',
};

const describeViolation = ({ kind, schema, isRequired }: FormField, keyword: string): string => {
  if (keyword === 'const' && kind === 'boolean' && isRequired) return 'Tick this box.';
  const describeLimit = Object.hasOwn(LIMITS, keyword) ? LIMITS[keyword] : undefined;
  return describeLimit?.(isMap(schema) ? schema[keyword] : undefined) ?? TYPES[kind];
};

const quote = (name: string): string => JSON.stringify(name.slice(0, 40).toWellFormed());
