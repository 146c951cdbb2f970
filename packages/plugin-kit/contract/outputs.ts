import { isPlainObject, type JsonObject, type JsonValue } from './json.ts';

/**
 * What an output delivers: a JSON Schema, or a function of the node's parameters that gives one, which gets them as stored, with
 * expressions as text. What depends on the data of a node is a reference to it: see `Given`. An object has only the fields that
 * `properties` names if it says `additionalProperties: false`, as `closed` does.
 */
export type OutputSchema = object | ((parameters: JsonObject) => object);

/**
 * The outputs of a node: a list of names; or each name with what is delivered there, which validation and editors know then; or
 * a function of the node's parameters that gives either, as for `switch`, whose cases are its outputs. If a function throws, or
 * a name is an expression, the outputs are known only during a run, and validation accepts any name. `error` (for
 * `onError: route`) and `response` exist on every node and can't be declared.
 */
export type NodeOutputs = DeclaredOutputs | ((parameters: JsonObject) => DeclaredOutputs);

type DeclaredOutputs = readonly string[] | Readonly<Record<string, OutputSchema>>;

const ANYTHING: JsonObject = {};

/** The names of a node's outputs. @throws what the node type's function throws */
export const namesOfOutputs = (outputs: NodeOutputs, parameters: JsonObject): readonly string[] => {
  const declared = typeof outputs === 'function' ? outputs(parameters) : outputs;
  return isPlainObject(declared) ? Object.keys(declared) : (declared as readonly string[]);
};

/** What a node delivers on an output: `{}`, anything, if that is not declared. @throws what the node type's function throws */
export const schemaOfOutput = (outputs: NodeOutputs, parameters: JsonObject, name: string): JsonObject => {
  const declared = typeof outputs === 'function' ? outputs(parameters) : outputs;
  if (!isPlainObject(declared) || !Object.hasOwn(declared, name)) return ANYTHING;
  const schema = declared[name] as OutputSchema;
  return (typeof schema === 'function' ? schema(parameters) : schema) as JsonObject;
};

/** The data that a schema of an output can refer to, as JSON Schemas. */
export interface GivenSchemas {
  /** The merged input of the node. */
  readonly input: JsonObject;
  /** An object with what each connected node delivers, by its id. */
  readonly inputs: JsonObject;
  /** The parameters, with the values of their expressions. */
  readonly parameters: JsonObject;
  /** What the last nodes of its body deliver. */
  readonly body: JsonObject;
  /** The parameters as stored, with expressions as text. */
  readonly stored: JsonObject;
}

/** Replaces the references of an output's schema. @returns a JSON Schema without references */
export const resolveOutput = (schema: JsonObject, given: GivenSchemas): JsonObject => {
  const { $ref, merged, cases, schemaIn } = schema;
  if (typeof $ref === 'string') return follow($ref, given);
  if (isPlainObject(cases)) return resolveOutput(chooseCase(schema, given.stored), given);
  if (typeof schemaIn === 'string') return toObjectOrAny(given.stored[schemaIn]);
  if (Array.isArray(merged))
    return (merged as readonly JsonObject[]).map((part) => resolveOutput(part, given)).reduce(mergeSchemas);
  const resolve = (value: JsonValue): JsonValue =>
    isPlainObject(value) ? resolveOutput(value as JsonObject, given) : value;
  const resolved = Object.entries(schema).map(([keyword, value]): [string, JsonValue] => {
    if (keyword === 'properties') return [keyword, mapValues(value as JsonObject, resolve)];
    if (keyword === 'items' || keyword === 'additionalProperties') return [keyword, resolve(value)];
    return [keyword, keyword === 'anyOf' ? (value as readonly JsonValue[]).map(resolve) : value];
  });
  return Object.fromEntries(resolved);
};

const chooseCase = ({ by, ifGiven, cases, initial = '' }: JsonObject, stored: JsonObject): JsonObject => {
  const name =
    by === undefined
      ? Object.hasOwn(stored, String(ifGiven))
        ? 'given'
        : 'otherwise'
      : String(stored[String(by)] ?? initial);
  return Object.hasOwn(cases as JsonObject, name) ? toObjectOrAny((cases as JsonObject)[name]) : ANYTHING;
};

const toObjectOrAny = (value: JsonValue | undefined): JsonObject =>
  isPlainObject(value) ? (value as JsonObject) : ANYTHING;

const mapValues = (map: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));

/** The schema at the end of a reference such as `#input/properties/id`. */
const follow = ($ref: string, given: GivenSchemas): JsonObject => {
  const [root = '', ...keys] = $ref.slice(1).split('/').map(unescapeKey);
  let found = (given as unknown as Readonly<Record<string, JsonObject>>)[root] ?? ANYTHING;
  for (let at = 0; at < keys.length; at += 1) {
    if (keys[at] === 'items') found = itemSchema(found);
    else if (keys[at] === 'additionalProperties') found = anyFieldSchema(found);
    else found = fieldSchema(found, keys[++at] ?? '') ?? ANYTHING;
  }
  return found;
};

const unescapeKey = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~');

/** More alternatives say nothing that a reader could use. */
const MAX_BRANCHES = 20;

/** The schema of one of several. Lists and objects are compared by identity: what they contain can be large. Notes don't make a difference. */
export const eitherOf = (schemas: readonly JsonObject[]): JsonObject => {
  const [only] = schemas;
  if (only !== undefined && schemas.length === 1) return only;
  const branches = new Map<unknown, JsonObject>();
  for (const schema of schemas)
    for (const branch of branchesOf(schema)) {
      const isLarge = branch.type === 'object' || branch.type === 'array';
      const key = isLarge ? branch : JSON.stringify(branch, withoutNotes);
      if (!branches.has(key)) branches.set(key, branch);
      if (isUnknown(branch) || branches.size > MAX_BRANCHES) return ANYTHING;
    }
  const [first = ANYTHING, ...others] = branches.values();
  return others.length === 0 ? first : { anyOf: [first, ...others] };
};

const withoutNotes = (keyword: string, value: unknown): unknown =>
  keyword === 'description' || keyword === 'examples' ? undefined : value;

/** The alternatives of a schema; the schema itself if it has none. */
export const branchesOf = (schema: JsonObject): readonly JsonObject[] =>
  Array.isArray(schema.anyOf) ? (schema.anyOf as readonly JsonObject[]) : [schema];

/** Whether a schema says nothing. */
export const isUnknown = ({ type, anyOf }: JsonObject): boolean => type === undefined && anyOf === undefined;

/** The schema of the items of a list; `{}` if nothing is known of them. */
export const itemSchema = (schema: JsonObject): JsonObject =>
  eitherOf(
    branchesOf(schema).map(({ type, items }) =>
      type === 'array' && isPlainObject(items) ? (items as JsonObject) : ANYTHING,
    ),
  );

/** The schema of a field; null if there is no such field, `{}` if nothing is known of it. */
export const fieldSchema = (schema: JsonObject, name: string): JsonObject | null => {
  const found = branchesOf(schema).map((branch) => ownField(branch, name));
  const known = found.filter((field) => field !== null);
  return known.length === 0 ? null : eitherOf(known);
};

const ownField = ({ type, properties, additionalProperties = true }: JsonObject, name: string) => {
  if (type !== undefined && type !== 'object') return null;
  if (isPlainObject(properties) && Object.hasOwn(properties, name)) return properties[name] as JsonObject;
  if (isPlainObject(additionalProperties)) return additionalProperties as JsonObject;
  return additionalProperties === false ? null : ANYTHING;
};

/** The schema of any of an object's fields. */
const anyFieldSchema = ({ properties, additionalProperties }: JsonObject): JsonObject =>
  additionalProperties === false && isPlainObject(properties)
    ? eitherOf(Object.values(properties as Readonly<Record<string, JsonObject>>))
    : isPlainObject(additionalProperties) && properties === undefined
      ? (additionalProperties as JsonObject)
      : ANYTHING;

/** The schema of two objects merged, of which the second one's fields win. */
export const mergeSchemas = (first: JsonObject, second: JsonObject): JsonObject => {
  const [base, over] = [toObject(first), toObject(second)];
  const fields = Object.entries(base.properties).map(([name, schema]): [string, JsonObject] => {
    const own = ownField(second, name);
    if (own === null || own === schema) return [name, schema];
    return [name, over.required.includes(name) ? own : eitherOf([schema, own])];
  });
  // What the second one may lack is what the first one has, if it has it.
  const added = Object.entries(over.properties).map(([name, schema]): [string, JsonObject] => [
    name,
    base.isClosed || over.required.includes(name) ? schema : (ownField(first, name) ?? schema),
  ]);
  return {
    type: 'object',
    properties: { ...Object.fromEntries(added), ...Object.fromEntries(fields) },
    required: [...new Set([...base.required, ...over.required])],
    ...(base.isClosed && over.isClosed ? { additionalProperties: false } : {}),
  };
};

const toObject = ({ type, properties, required, additionalProperties }: JsonObject) => ({
  properties: (isPlainObject(properties) ? properties : {}) as Readonly<Record<string, JsonObject>>,
  required: Array.isArray(required) ? (required as readonly string[]) : [],
  isClosed: type === 'object' && additionalProperties === false,
});
