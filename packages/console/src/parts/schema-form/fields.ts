import { isPlainObject, type JsonValue, jsonEquals } from '@hookloom/plugin-kit';

/** What a form edits a value with. */
export type Kind =
  | { readonly type: 'text'; readonly isLong: boolean }
  | { readonly type: 'number'; readonly isInteger: boolean }
  | { readonly type: 'boolean' }
  | { readonly type: 'choice'; readonly options: readonly JsonValue[] }
  | { readonly type: 'list'; readonly item: Kind }
  | { readonly type: 'map'; readonly item: Kind }
  | { readonly type: 'object'; readonly fields: readonly Field[] }
  | { readonly type: 'oneOf'; readonly kinds: readonly Kind[] }
  /** An expression without braces. */
  | { readonly type: 'expression' }
  | { readonly type: 'code' }
  | { readonly type: 'cron' }
  | { readonly type: 'file' }
  | { readonly type: 'jsonSchema' }
  /** Any JSON: also what no other kind describes. */
  | { readonly type: 'json' };

export interface Field {
  readonly key: string;
  readonly kind: Kind;
  readonly description: string;
  /** The default; undefined if there is none. */
  readonly initial: JsonValue | undefined;
  readonly isRequired: boolean;
}

export const toItemField = (key: string, kind: Kind, description = ''): Field => ({
  key,
  kind,
  description,
  initial: undefined,
  isRequired: false,
});

/** With the keys that the value has and the schema does not, as JSON. */
export const withOthers = (
  fields: readonly Field[],
  value: object,
  description: string,
): readonly Field[] => {
  const known = new Set(fields.map(({ key }) => key));
  const others = Object.keys(value).filter((key) => !known.has(key));
  return [...fields, ...others.map((key) => toItemField(key, JSON_KIND, description))];
};

type Schema = Readonly<Record<string, unknown>>;

/** Schemas within schemas are followed so far; what is deeper is edited as JSON. */
const MAX_DEPTH = 8;

/** Longer texts have several lines. In characters. */
const LINE = 1_000;

const JSON_KIND: Kind = { type: 'json' };

/** A value of unknown type, as most are that expressions give. */
const ANY: Kind = {
  type: 'oneOf',
  kinds: [
    { type: 'text', isLong: false },
    { type: 'number', isInteger: false },
    { type: 'boolean' },
    JSON_KIND,
  ],
};

/** Keywords that no kind of field has; a schema with one of them is edited as JSON, unless it has a type that does. */
const OPAQUE = ['$ref', '$dynamicRef', 'prefixItems', 'patternProperties'];

/** The fields of a form, from the JSON Schema of an object, which is a plugin's and may be anything. */
export const toFields = (schema: unknown): readonly Field[] => fieldsOf(toSchema(schema), 0);

const toSchema = (value: unknown): Schema => (isPlainObject(value) ? value : {});

const listOrEmpty = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const fieldsOf = ({ properties, required }: Schema, depth: number): Field[] =>
  Object.entries(toSchema(properties)).map(([key, value]) => {
    const schema = toSchema(value);
    return {
      key,
      kind: toKind(schema, depth),
      description: typeof schema.description === 'string' ? schema.description : '',
      initial: schema.default as JsonValue | undefined,
      isRequired: listOrEmpty(required).includes(key) && schema.default === undefined,
    };
  });

const toKind = (schema: Schema, depth: number): Kind => {
  const { type, format, items, additionalProperties, properties } = schema;
  if (depth > MAX_DEPTH || OPAQUE.some((keyword) => keyword in schema)) return JSON_KIND;
  if (format === 'json-schema' || format === 'form') return { type: 'jsonSchema' };
  if (format === 'file') return { type: 'file' };
  const options = findOptions(schema);
  if (options !== null) return { type: 'choice', options };
  const variants = variantsOf(schema);
  if (variants.length > 0 && type === undefined && properties === undefined)
    return { type: 'oneOf', kinds: variants.map((variant) => toKind(variant, depth + 1)) };
  switch (type) {
    case 'string':
      return toTextKind(schema);
    case 'number':
    case 'integer':
      return { type: 'number', isInteger: type === 'integer' };
    case 'boolean':
      return { type: 'boolean' };
    case 'array':
      return { type: 'list', item: items === undefined ? ANY : toKind(toSchema(items), depth + 1) };
    case 'object': {
      const fields = fieldsOf(schema, depth + 1);
      if (fields.length > 0) return { type: 'object', fields };
      return { type: 'map', item: toKind(toSchema(additionalProperties), depth + 1) };
    }
    case undefined:
      return Object.keys(schema).every((keyword) => ANNOTATIONS.includes(keyword)) ? ANY : JSON_KIND;
    default:
      return JSON_KIND;
  }
};

/** Keywords that allow any value. `withoutResult`, `holes` and `constant` are our own. */
const ANNOTATIONS = [
  'title',
  'description',
  'default',
  'examples',
  'withoutResult',
  'holes',
  'constant',
  '$comment',
];

const toTextKind = ({ format, pattern, maxLength }: Schema): Kind => {
  if (format === 'javascript') return { type: 'code' };
  if (format === 'jsonata') return { type: 'expression' };
  if (format === 'cron-expression') return { type: 'cron' };
  const isFree = format === undefined && pattern === undefined;
  return { type: 'text', isLong: isFree && typeof maxLength === 'number' && maxLength > LINE };
};

const variantsOf = ({ oneOf, anyOf }: Schema): readonly Schema[] =>
  [...listOrEmpty(oneOf), ...listOrEmpty(anyOf)].filter(isPlainObject);

/** The values one of which must be chosen; null if others are allowed. */
const findOptions = (schema: Schema): readonly JsonValue[] | null => {
  if ('const' in schema) return [schema.const as JsonValue];
  if (Array.isArray(schema.enum)) return schema.enum;
  const options = variantsOf(schema).map(findOptions);
  return options.length > 0 && options.every((each) => each !== null) ? options.flat() : null;
};

/** Whether its input takes many lines while it has no value. */
export const isLarge = (kind: Kind): boolean => {
  if (kind.type === 'oneOf') return kind.kinds[0] !== undefined && isLarge(kind.kinds[0]);
  return kind.type === 'object' || kind.type === 'jsonSchema';
};

/**
 * An object with another value at a key, in the order that it had: without the key if the value is undefined or the
 * default, which is left out.
 */
export const withField = (
  object: Readonly<Record<string, JsonValue>>,
  { key, initial }: Pick<Field, 'key' | 'initial'>,
  value: JsonValue | undefined,
): Readonly<Record<string, JsonValue>> => {
  const isLeftOut = value === undefined || (initial !== undefined && jsonEquals(value, initial));
  const entries = Object.entries(object);
  if (isLeftOut) return Object.fromEntries(entries.filter(([name]) => name !== key));
  return Object.hasOwn(object, key)
    ? Object.fromEntries(entries.map(([name, old]) => [name, name === key ? value : old]))
    : Object.fromEntries([...entries, [key, value]]);
};

export interface ParameterProblem {
  /** JSON pointer (RFC 6901) into the parameters; empty for all of them. */
  readonly path: string;
  readonly message: string;
}

export const pointerTo = (path: string, key: string | number): string =>
  `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The key that a message says is missing; null if it says something else. */
export const missingKeyOf = (message: string): string | null =>
  /^lacks the key "(.{1,100})"$/.exec(message)?.[1] ?? null;

/** With a missing key at its own field, if the form has one for it. */
export const placeMissing = (
  problems: readonly ParameterProblem[],
  fields: readonly Field[],
): readonly ParameterProblem[] =>
  problems.map((problem) => {
    const key = missingKeyOf(problem.message);
    const object = problem.path
      .split('/')
      .slice(1)
      .reduce<Kind | undefined>(partOfKind, { type: 'object', fields });
    const hasField = object?.type === 'object' && object.fields.some((field) => field.key === key);
    return key !== null && hasField
      ? { path: pointerTo(problem.path, key), message: 'is required' }
      : problem;
  });

const partOfKind = (kind: Kind | undefined, key: string): Kind | undefined => {
  if (kind?.type === 'object')
    return kind.fields.find((field) => pointerTo('', field.key) === `/${key}`)?.kind;
  return kind?.type === 'list' || kind?.type === 'map' ? kind.item : undefined;
};

/** The messages for a value: with those of its parts, if they have no fields of their own. */
export const messagesAt = (
  problems: readonly ParameterProblem[],
  path: string,
  hasParts: boolean,
): readonly string[] =>
  problems
    .filter((problem) => problem.path === path || (!hasParts && problem.path.startsWith(`${path}/`)))
    .map(({ message }) => message);
