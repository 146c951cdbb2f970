import { isPlainObject } from '@hookloom/plugin-kit';

type Schema = Readonly<Record<string, unknown>>;

/** A key of an object, as its JSON Schema describes it. */
export interface SchemaField {
  /** With backticks around code in a name that is a condition. */
  readonly name: string;
  /** `string`, `array of object`, `string or number`; with backticks around code. */
  readonly type: string;
  readonly isRequired: boolean;
  /** The default as JSON; null if there is none. */
  readonly initial: string | null;
  /** The only values that are allowed, as JSON; empty if others are, too. */
  readonly allowed: readonly string[];
  /** Bounds in words: `at most 200 characters`. */
  readonly limits: readonly string[];
  readonly description: string;
  /** The keys of the object, of its items or of its values; a group for each shape that it may have. */
  readonly groups: readonly (readonly SchemaField[])[];
}

/** What a schema of an object says of its keys, and of keys of which some are required. */
export interface SchemaFields {
  readonly groups: readonly (readonly SchemaField[])[];
  /** `Exactly one of seconds, until is required.`; null if nothing is said. */
  readonly choice: string | null;
}

/** Schemas within schemas are followed so far. */
const MAX_DEPTH = 8;

/** Reads a JSON Schema of an object, which is a plugin's and may be anything. */
export const toSchemaFields = (schema: unknown): SchemaFields => {
  const root = toSchema(schema);
  return { groups: findGroups(root, 0), choice: describeChoice(root) };
};

const toSchema = (value: unknown): Schema => (isPlainObject(value) ? value : {});

const listOrEmpty = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The schemas one of which applies. */
const variantsOf = ({ oneOf, anyOf }: Schema): Schema[] =>
  [...listOrEmpty(oneOf), ...listOrEmpty(anyOf)].filter(isPlainObject);

/** The schemas of values whose keys have no names of their own. */
const unnamedOf = ({ additionalProperties, patternProperties }: Schema): Schema[] =>
  [additionalProperties, ...Object.values(toSchema(patternProperties))].filter(isPlainObject);

const findGroups = (schema: Schema, depth: number): SchemaField[][] => {
  if (depth > MAX_DEPTH) return [];
  const { properties, required, items } = schema;
  if (isPlainObject(properties)) {
    const names = new Set(listOrEmpty(required));
    const fields = Object.entries(properties).map(([name, value]) =>
      toSchemaField(name, toSchema(value), names.has(name), depth),
    );
    return fields.length === 0 ? [] : [fields];
  }
  return [items, ...variantsOf(schema), ...unnamedOf(schema)]
    .filter(isPlainObject)
    .flatMap((part) => findGroups(part, depth + 1));
};

const toSchemaField = (name: string, schema: Schema, isRequired: boolean, depth: number): SchemaField => ({
  name,
  type: describeType(schema, depth),
  // A key that has a default may be left out.
  isRequired: isRequired && schema.default === undefined,
  initial: schema.default === undefined ? null : JSON.stringify(schema.default),
  allowed: findAllowed(schema),
  limits: describeLimits(schema),
  description: typeof schema.description === 'string' ? schema.description : '',
  groups: findGroups(schema, depth + 1),
});

const findAllowed = (schema: Schema): string[] => {
  if ('const' in schema) return [JSON.stringify(schema.const)];
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value));
  const variants = variantsOf(schema);
  return variants.length > 0 && variants.every((variant) => 'const' in variant)
    ? variants.flatMap(findAllowed)
    : [];
};

const describeType = (schema: Schema, depth: number): string => {
  const { type, items } = schema;
  if (depth > MAX_DEPTH) return 'any';
  if (Array.isArray(type)) return type.map(String).join(' or ');
  const [first] = findAllowed(schema);
  if (type === undefined && first !== undefined) return typeNameOf(JSON.parse(first));
  const variants = variantsOf(schema);
  if (type === undefined && variants.length > 0)
    return [...new Set(variants.map((variant) => describeType(variant, depth + 1)))].join(' or ');
  if (type === 'array' && isPlainObject(items)) {
    const inner = describeType(items, depth + 1);
    return inner === 'any' ? 'array' : `array of ${inner}`;
  }
  return typeof type === 'string' ? type : 'any';
};

const typeNameOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

const number = new Intl.NumberFormat('en');
const counted = (count: number, unit: string): string =>
  `${number.format(count)} ${count === 1 ? unit : `${unit}s`}`;

/** Keywords that bound a value, by the type of their own. */
const NUMERIC: Readonly<Record<string, (value: number) => string>> = {
  minimum: (value) => `at least ${number.format(value)}`,
  exclusiveMinimum: (value) => `above ${number.format(value)}`,
  maximum: (value) => `at most ${number.format(value)}`,
  exclusiveMaximum: (value) => `below ${number.format(value)}`,
  multipleOf: (value) => `a multiple of ${number.format(value)}`,
  minLength: (value) => (value === 1 ? 'not empty' : `at least ${counted(value, 'character')}`),
  maxLength: (value) => `at most ${counted(value, 'character')}`,
  minItems: (value) => (value === 1 ? 'not empty' : `at least ${counted(value, 'item')}`),
  maxItems: (value) => `at most ${counted(value, 'item')}`,
};

const TEXTUAL: Readonly<Record<string, (value: string) => string>> = {
  pattern: (value) => `matches ${value}`,
  format: (value) => `format: ${value.replaceAll('-', ' ')}`,
  holes: () => 'an address',
};

const describeLimits = (schema: Schema): string[] => [
  ...Object.entries(NUMERIC).flatMap(([keyword, describe]) => {
    const value = schema[keyword];
    return typeof value === 'number' ? [describe(value)] : [];
  }),
  ...Object.entries(TEXTUAL).flatMap(([keyword, describe]) => {
    const value = schema[keyword];
    return typeof value === 'string' ? [describe(value)] : [];
  }),
];

/** Variants at the top that only require keys. */
const describeChoice = (schema: Schema): string | null => {
  const choices = variantsOf(schema)
    .map(({ required }) => listOrEmpty(required).map(String).join(' and '))
    .filter((names) => names !== '');
  if (choices.length === 0) return null;
  return `${'oneOf' in schema ? 'Exactly' : 'At least'} one of these is required: ${choices.join(', ')}.`;
};
