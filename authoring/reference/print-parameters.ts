import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { toCode, toCodes, toLine } from './markdown.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The parameters of a node type as a list in Markdown; keys of objects and of list items are nested lists. */
export const printParameters = (schema: JsonObject): string => {
  const lines = printKeys(schema, '');
  return (lines.length === 0 ? ['None.'] : [...lines, ...printAlternatives(schema)]).join('\n');
};

const printKeys = (schema: Schema, indent: string): string[] => {
  const shapes = findShapes(schema);
  if (shapes.length === 1) return shapes.flatMap((shape) => printShape(shape, indent));
  return shapes.flatMap((shape) => [`${indent}- either`, ...printShape(shape, `${indent}  `)]);
};

/** The objects with named keys that a value, the items of a list or the values of a map may be. */
const findShapes = (schema: Schema): Schema[] => {
  if (isPlainObject(schema.properties)) return Object.keys(schema.properties).length === 0 ? [] : [schema];
  return [schema.items, ...branchesOf(schema), ...otherValues(schema)]
    .filter(isPlainObject)
    .flatMap(findShapes);
};

const branchesOf = ({ oneOf, anyOf }: Schema): unknown[] =>
  [oneOf, anyOf].flatMap((branches) => (Array.isArray(branches) ? branches : []));

const printShape = ({ properties, required }: Schema, indent: string): string[] => {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties as Schema).flatMap(([name, value]) => {
    const schema = isPlainObject(value) ? value : {};
    const { default: initial, description } = schema;
    const traits = [
      printType(schema),
      ...printBounds(schema),
      ...(initial === undefined ? [] : [`default ${toCode(JSON.stringify(initial))}`]),
      ...(initial === undefined && names.includes(name) ? ['required'] : []),
    ];
    const text = typeof description === 'string' ? `: ${toLine(description)}` : '';
    return [
      `${indent}- ${toCode(name)} (${toLine(traits.join(', '))})${text}`,
      ...printKeys(schema, `${indent}  `),
    ];
  });
};

const printType = (schema: Schema): string => {
  const { type, items, $ref } = schema;
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : null;
  if (values !== null) return toCodes(values.map(printValue));
  const branches = branchesOf(schema).filter(isPlainObject);
  if (type === undefined && branches.length > 0)
    return [...new Set(branches.map(printType))].join(branches.every(isConst) ? ', ' : ' or ');
  if (Array.isArray(type)) return type.map(printValue).join(' or ');
  if (type === 'array' && isPlainObject(items)) return `array of ${printType(items)}`;
  const [value] = type === 'object' ? otherValues(schema) : [];
  if (value !== undefined) return `object of ${printType(value)}`;
  return [type, $ref].find((name) => typeof name === 'string') ?? 'any JSON';
};

/** Schemas of values whose keys the schema does not name. */
const otherValues = ({ additionalProperties, patternProperties }: Schema): Schema[] =>
  [additionalProperties, ...Object.values(isPlainObject(patternProperties) ? patternProperties : {})].filter(
    isPlainObject,
  );

const isConst = (schema: Schema): boolean => 'const' in schema;

const printValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Keywords of JSON Schema that bound a value. */
const bounds: Readonly<Record<string, (value: string) => string>> = {
  minimum: (value) => `at least ${value}`,
  exclusiveMinimum: (value) => `above ${value}`,
  maximum: (value) => `at most ${value}`,
  exclusiveMaximum: (value) => `below ${value}`,
  minLength: (value) => (value === '1' ? 'not empty' : `at least ${value} characters`),
  maxLength: (value) => `at most ${value} characters`,
  minItems: (value) => (value === '1' ? 'not empty' : `at least ${value} items`),
  maxItems: (value) => `at most ${value} items`,
  pattern: (value) => `matches ${toCode(value)}`,
  format: (value) => `a ${String(value).replaceAll('-', ' ')}`,
};

const printBounds = (schema: Schema): string[] =>
  Object.entries(bounds).flatMap(([keyword, print]) => {
    const value = schema[keyword];
    return typeof value === 'string' || typeof value === 'number' ? [print(String(value))] : [];
  });

/** Alternatives at the top that only require keys, such as `seconds` or `until`. */
const printAlternatives = (schema: JsonObject): string[] => {
  const choices = branchesOf(schema).flatMap((branch) =>
    isPlainObject(branch) && Array.isArray(branch.required) ? [toCodes(branch.required.map(printValue))] : [],
  );
  if (choices.length === 0) return [];
  return ['', `${'oneOf' in schema ? 'Exactly' : 'At least'} one is required: ${choices.join(' or ')}.`];
};
