import { isPlainObject } from '@hookloom/plugin-kit';

const TYPES: ReadonlySet<unknown> = new Set([
  'string',
  'boolean',
  'number',
  'integer',
  'object',
  'array',
  'null',
]);

/** Maximum nesting of schemas, far more than real ones have. It also ends a schema that contains itself. */
const MAX_DEPTH = 50;

/**
 * Finds what makes a value an invalid JSON Schema, in the keywords that parameters use. All other keywords are checked
 * when a workflow is stored.
 * @returns the place of the first fault, such as `properties.url.type`; null if there is none
 */
export const findKeywordFault = (schema: unknown, place = '', depth = 0): string | null => {
  if (typeof schema === 'boolean') return null;
  if (!isPlainObject(schema) || depth > MAX_DEPTH) return place === '' ? 'the top' : place;
  const at = (key: string): string => (place === '' ? key : `${place}.${key}`);
  const keyword = Object.keys(keywords).find(
    (key) => schema[key] !== undefined && keywords[key]?.(schema[key]) === false,
  );
  if (keyword !== undefined) return at(keyword);
  for (const [key, inner] of innerSchemas(schema)) {
    const found = findKeywordFault(inner, at(key), depth + 1);
    if (found !== null) return found;
  }
  return null;
};

/** Whether a value is a pattern, compiled with the flag `u`, as JSON Schema prescribes. */
export const isPattern = (value: unknown): boolean => {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
};

const keywords: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => [value].flat().every((type) => TYPES.has(type)),
  properties: isPlainObject,
  required: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  enum: Array.isArray,
  anyOf: Array.isArray,
  oneOf: Array.isArray,
  allOf: Array.isArray,
  pattern: isPattern,
};

/** The schemas inside a schema, by their places. */
const innerSchemas = (schema: Record<string, unknown>): [string, unknown][] => [
  ...Object.entries(schema.properties ?? {}).map(([name, inner]): [string, unknown] => [
    `properties.${name}`,
    inner,
  ]),
  ...['anyOf', 'oneOf', 'allOf'].flatMap((key) =>
    ((schema[key] ?? []) as unknown[]).map((inner, index): [string, unknown] => [`${key}[${index}]`, inner]),
  ),
  ...['items', 'additionalProperties', 'not'].flatMap((key): [string, unknown][] =>
    schema[key] === undefined || Array.isArray(schema[key]) ? [] : [[key, schema[key]]],
  ),
];
