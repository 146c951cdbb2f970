import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { branchesOf, eitherOf, isUnknown, itemSchema, LOWER_CASE } from '@hookloom/plugin-kit/host';

/**
 * What is known of a value before any run: a JSON Schema with few keywords. `{}` says nothing, so nothing is claimed. It has
 * `type` (one, and never `integer`), or `anyOf`; `enum`; for readers `description` and `examples`; of an object `properties`, `required` and `additionalProperties`; of a
 * list `items`. A sequence, which is one item or a list of several, has `sequence: true`.
 */
export type Type = JsonObject;

export const ANYTHING: Type = {};
export const TEXT: Type = { type: 'string' };
export const NUMBER: Type = { type: 'number' };
export const BOOLEAN: Type = { type: 'boolean' };

export const listOf = (items: Type): Type => ({ type: 'array', items });

/** The type of `$execution`. */
export const EXECUTION: Type = {
  type: 'object',
  properties: {
    id: TEXT,
    workflowId: TEXT,
    workflowVersion: NUMBER,
    startedAt: TEXT,
    stage: TEXT,
    trigger: { type: 'object', properties: { nodeId: TEXT, type: TEXT }, additionalProperties: false },
  },
  additionalProperties: false,
};

const MAX_DEPTH = 30;

/** The types in a type, each counted wherever it occurs, beyond which nothing is claimed: {@link toType} visits them all. */
const MAX_SIZE = 2_000;

const sizes = new WeakMap<object, number>();

const sizeOf = (type: Type): number => {
  const known = sizes.get(type);
  if (known !== undefined) return known;
  const { properties, items, additionalProperties, anyOf } = type;
  const parts = [items, additionalProperties, anyOf, properties].flatMap((part) =>
    part === anyOf || part === properties ? Object.values(part ?? {}) : [part],
  );
  const size = parts.filter(isPlainObject).reduce((sum, part) => sum + sizeOf(part as Type), 1);
  sizes.set(type, size);
  return size;
};

/** A type of limited size, since one that contains another twice can double from node to node. */
export const limitSize = (type: Type): Type => (sizeOf(type) > MAX_SIZE ? ANYTHING : type);

const known = new WeakMap<object, Type>();

/** Reads a JSON Schema as a type; what it says with other keywords is left out. */
export const toType = (schema: unknown, depth = 0): Type => {
  if (!isPlainObject(schema) || depth > MAX_DEPTH) return ANYTHING;
  const found = known.get(schema) ?? withNotes(readType(schema as JsonObject, depth), schema as JsonObject);
  known.set(schema, found);
  return found;
};

/** Lets {@link toType} return a type as it is, with what is remembered of it. */
export const keepType = (type: Type): Type => {
  known.set(type, type);
  return type;
};

/** What is said of a value in words. */
const withNotes = (type: Type, { description, examples, example }: JsonObject): Type => {
  const given = Array.isArray(examples) ? examples.slice(0, 1) : example === undefined ? [] : [example];
  return typeof description !== 'string' && given.length === 0
    ? type
    : {
        ...type,
        ...(typeof description === 'string' ? { description: description.slice(0, MAX_NOTE) } : {}),
        ...(given.length > 0 && JSON.stringify(given).length <= MAX_NOTE ? { examples: given } : {}),
      };
};

/** Longer descriptions are cut, and longer examples left out. In UTF-16 units. */
const MAX_NOTE = 500;

const readType = (schema: JsonObject, depth: number): Type => {
  const { type, enum: choices, const: constant, anyOf, oneOf = anyOf, $ref, allOf } = schema;
  if ($ref !== undefined || allOf !== undefined) return ANYTHING;
  if (Array.isArray(oneOf)) return eitherOf(oneOf.map((branch) => toType(branch, depth + 1)));
  if (Array.isArray(type)) return eitherOf(type.map((one) => readType({ ...schema, type: one }, depth + 1)));
  const values = constant === undefined ? choices : [constant];
  if (Array.isArray(values)) return ofValues(values, type);
  if (type === 'object') return readObject(schema, depth);
  if (type === 'array') return listOf(toType(schema.items, depth + 1));
  if (type === 'integer') return NUMBER;
  return type === 'null' || SCALARS.has(String(type)) ? { type: String(type) } : ANYTHING;
};

const ofValues = (values: readonly unknown[], type: unknown): Type =>
  eitherOf(
    [...Map.groupBy(values, typeNameOf)]
      .filter(([name]) => type === undefined || name === type || type === 'integer')
      .map(([name, own]) => (SCALARS.has(name) ? ({ type: name, enum: own } as Type) : { type: name })),
  );

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

export const typeNameOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

const readObject = (
  { properties, required, additionalProperties, propertyNames }: JsonObject,
  depth: number,
) => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(isPlainObject(properties) ? properties : {}).map(([name, field]) => [
      name,
      toType(field, depth + 1),
    ]),
  ),
  ...(Array.isArray(required) ? { required } : {}),
  ...(additionalProperties === false ? { additionalProperties } : {}),
  ...(isPlainObject(additionalProperties)
    ? { additionalProperties: toType(additionalProperties, depth + 1) }
    : {}),
  ...(isLowerCase(propertyNames) ? { propertyNames } : {}),
});

/** As the kit's `headers` say it. */
const isLowerCase = (rule: unknown): boolean => isPlainObject(rule) && rule.pattern === LOWER_CASE;

/** Whether it is an object of headers, whose names are lower case. */
export const isHeaders = ({ propertyNames }: Type): boolean => propertyNames !== undefined;

/** The type of an object with these fields and no others. @param required - those that are never absent */
export const objectOf = (
  properties: Readonly<Record<string, Type>>,
  required: readonly string[] = [],
): Type => ({ type: 'object', properties, required, additionalProperties: false });

/** Whether a value may be of a JSON type. */
export const mayBe = (type: Type, name: string): boolean =>
  isUnknown(type) || branchesOf(type).some((branch) => branch.type === name);

/** Whether a path over a list gives the value: one item, a list of several, or nothing. */
export const isSequence = ({ sequence }: Type): boolean => sequence === true;

/**
 * The type of what a path gives for the items of a list, each of which gives one value of a type.
 *
 * @param isFlat - whether lists among these values become their items, as all do but those in brackets
 */
export const sequenceOf = (each: Type, isFlat = true): Type => {
  const one = isFlat ? contextOf(each).each : each;
  return isUnknown(one) ? { sequence: true } : { ...eitherOf([one, listOf(one)]), sequence: true };
};

/** The values that a path continues with: the value itself, or the items if it is a list. */
export const contextOf = (type: Type): { readonly each: Type; readonly isList: boolean } => {
  const isList = isSequence(type) || branchesOf(type).some((branch) => branch.type === 'array');
  if (!isList) return { each: type, isList };
  return {
    each: isUnknown(type)
      ? ANYTHING
      : eitherOf(branchesOf(type).map((branch) => (branch.type === 'array' ? itemSchema(branch) : branch))),
    isList,
  };
};

/** The names of an object's fields; null if there may be others. */
export const namesOf = (type: Type): readonly string[] | null => {
  const names = branchesOf(type).flatMap((branch) => {
    if (branch.type !== 'object')
      return SCALARS.has(String(branch.type)) || branch.type === 'null' ? [] : [null];
    return branch.additionalProperties === false ? Object.keys(branch.properties as object) : [null];
  });
  return names.includes(null) ? null : [...new Set(names as string[])];
};
