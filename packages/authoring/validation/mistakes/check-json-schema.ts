import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { didYouMean, quote, toPointerKey } from '../../../../lib/shared/describe.ts';
import { findNearest } from '../../../../lib/shared/near-name.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { byName } from '../proposals/by-name.ts';
import { proposeValue } from '../proposals/proposal.ts';

/** Keywords that apply to values of one type only. */
const typeOf = byName([
  ['minLength maxLength pattern contentEncoding contentMediaType contentSchema', 'string'],
  ['minimum maximum exclusiveMinimum exclusiveMaximum multipleOf', 'number'],
  ['items prefixItems additionalItems unevaluatedItems contains minContains maxContains', 'array'],
  ['minItems maxItems uniqueItems', 'array'],
  ['properties required additionalProperties unevaluatedProperties patternProperties', 'object'],
  ['propertyNames minProperties maxProperties dependentRequired dependentSchemas dependencies', 'object'],
]);

/** Draft 2020-12 and draft-07, plus OpenAPI's annotations. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...typeOf.keys(),
  ...['type', 'enum', 'const', 'format', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ...['$ref', '$defs', 'definitions', '$id', '$schema', '$anchor', '$comment', '$vocabulary'],
  ...['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor'],
  ...['title', 'description', 'default', 'examples', 'example', 'deprecated', 'readOnly', 'writeOnly'],
]);

/** Words of other schema formats and our equivalents. */
const foreignKeywords = byName([
  ['nullable', '"type": ["…", "null"]'],
  ['optional', '"required" of the enclosing object'],
  ['min', '"minimum", "minLength" or "minItems"'],
  ['max', '"maximum", "maxLength" or "maxItems"'],
  ['length', '"minLength" and "maxLength"'],
  ['regex', '"pattern"'],
  ['values options', '"enum"'],
  ['fields property', '"properties"'],
]);

/** Formats that are checked, and those that OpenAPI adds, which are not, and say so in no other way. */
const FORMATS: ReadonlySet<string> = new Set(
  (
    'date time date-time duration email hostname ipv4 ipv6 uri uri-reference uri-template uuid json-pointer ' +
    'relative-json-pointer regex int32 int64 float double decimal byte binary password'
  ).split(' '),
);

/** Other names of formats. */
const foreignFormats = byName([
  ['mail e-mail mailbox', 'email'],
  ['datetime timestamp iso8601 iso-8601', 'date-time'],
  ['guid', 'uuid'],
  ['ip', 'ipv4'],
  ['domain host', 'hostname'],
]);

/** Keywords whose value is a schema, a list of schemas or an object of schemas. */
const INNER = ['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', '$defs', 'definitions', 'dependentSchemas'];

/**
 * Finds what a checker silently ignores: keywords that are misspelt or have no effect on the type, and required
 * properties that are not described while a similar name is.
 */
export const checkJsonSchema = (schema: unknown, path: string): Problem[] => {
  const problems: Problem[] = [];
  const visit = (value: unknown, at: string): void => {
    if (!isPlainObject(value)) return;
    problems.push(
      ...checkKeywords(value as JsonObject, at),
      ...checkRequired(value as JsonObject, at),
      ...checkLimits(value as JsonObject, at),
    );
    for (const name of INNER) visit(value[name], `${at}/${name}`);
    for (const name of [...LISTS, ...MAPS]) {
      if (typeof value[name] !== 'object') continue;
      for (const [key, inner] of Object.entries(value[name] ?? {}))
        visit(inner, `${at}/${name}/${toPointerKey(key)}`);
    }
  };
  visit(schema, path);
  return problems;
};

const warning = (path: string, message: string): Problem => ({ path, message, severity: 'warning' });

const checkKeywords = (schema: JsonObject, path: string): Problem[] => {
  const names = Object.keys(schema);
  const unknown = names.filter((name) => !KEYWORDS.has(name) && !name.startsWith('x-'));
  const slips = unknown.flatMap((name) => {
    const message = describeUnknown(name, schema[name]);
    return message === null ? [] : [warning(`${path}/${toPointerKey(name)}`, message)];
  });
  if (slips.length === 0 && names.length > 0 && unknown.length === names.length)
    return [warning(path, 'has no JSON Schema keyword, so every value is valid; did you mean "const"?')];
  return [...slips, ...checkEffect(schema, path), ...checkFormatName(schema, path)];
};

const checkFormatName = ({ format }: JsonObject, path: string): Problem[] => {
  if (typeof format !== 'string' || FORMATS.has(format)) return [];
  const near = foreignFormats.get(format.toLowerCase()) ?? findNearest(format, FORMATS);
  const place = `${path}/format`;
  const message = `is not a format of JSON Schema, so every text is valid${didYouMean(near)}`;
  return [{ ...warning(place, message), ...proposeValue(place, near) }];
};

const describeUnknown = (name: string, value: unknown): string | null => {
  const foreign = foreignKeywords.get(name);
  const isSchema = isPlainObject(value) && Object.keys(value).some((key) => KEYWORDS.has(key));
  const near = findNearest(name, KEYWORDS);
  const about = 'is not a JSON Schema keyword and has no effect';
  if (foreign !== undefined) return `${about}; did you mean ${foreign}?`;
  if (near !== null) return `${about}${didYouMean(near)}`;
  return isSchema ? `${about}: properties belong in "properties"` : null;
};

/** Reports keywords that don't apply to the schema's type. */
const checkEffect = (schema: JsonObject, path: string): Problem[] => {
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  if (types.length === 0) return [];
  const checked: readonly string[] = types.map((type) => (type === 'integer' ? 'number' : type));
  return Object.keys(schema).flatMap((name) => {
    const type = typeOf.get(name);
    return type === undefined || checked.includes(type)
      ? []
      : [
          warning(
            `${path}/${name}`,
            `has no effect on the type ${types.join(' or ')}: it applies to ${type}`,
          ),
        ];
  });
};

/** Pairs of limits, of which the first one is not the greater one. */
const LIMITS = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

const typeNameOf = (value: JsonValue): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

/** Reports schemas that no value, or not the value of their own keyword, meets. */
const checkLimits = (schema: JsonObject, path: string): Problem[] => {
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  const isOfType = (value: JsonValue): boolean =>
    types.length === 0 ||
    types.includes(typeNameOf(value)) ||
    (typeof value === 'number' && types.includes('number'));
  const { enum: choices, const: only, pattern, required, properties, additionalProperties } = schema;
  const values: readonly (readonly [JsonValue, string])[] = [
    ...(Array.isArray(choices) ? choices.map((value, at) => [value, `enum/${at}`] as const) : []),
    ...(only === undefined ? [] : [[only, 'const'] as const]),
    ...((schema.default ?? null) === null ? [] : [[schema.default as JsonValue, 'default'] as const]),
  ];
  const known = isPlainObject(properties) ? properties : {};
  return [
    ...LIMITS.flatMap(([low, high]) =>
      Number(schema[low]) > Number(schema[high])
        ? [warning(`${path}/${low}`, `is greater than ${quote(high)}, so no value is valid`)]
        : [],
    ),
    ...values.flatMap(([value, place]) =>
      isOfType(value)
        ? []
        : [
            warning(
              `${path}/${place}`,
              `is ${JSON.stringify(value)}, which is not of the type ${types.join(' or ')}`,
            ),
          ],
    ),
    ...(typeof pattern === 'string' && /^\/.{1,300}\/[a-z]{0,3}$/.test(pattern)
      ? [
          warning(
            `${path}/pattern`,
            'has slashes around it, which are a part of the pattern: write it without them',
          ),
        ]
      : []),
    ...(additionalProperties === false && Array.isArray(required) && schema.patternProperties === undefined
      ? required.flatMap((name, at) =>
          typeof name === 'string' &&
          !Object.hasOwn(known, name) &&
          findNearest(name, Object.keys(known)) === null
            ? [
                warning(
                  `${path}/required/${at}`,
                  `${quote(name)} is required, and no property of that name is allowed`,
                ),
              ]
            : [],
        )
      : []),
  ];
};

const checkRequired = ({ required, properties }: JsonObject, path: string): Problem[] => {
  if (!Array.isArray(required) || !isPlainObject(properties)) return [];
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  return required.flatMap((name, index) => {
    if (typeof name !== 'string' || Object.hasOwn(properties, name)) return [];
    const near = findNearest(name, optional);
    if (near === null) return [];
    const place = `${path}/required/${index}`;
    const message = `${quote(name)} is not a property here${didYouMean(near)}`;
    return [{ ...warning(place, message), ...proposeValue(place, near) }];
  });
};
