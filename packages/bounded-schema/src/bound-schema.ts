import { compilePattern, createMatcher, UnsupportedPattern } from '@hookloom/linear-regex';
import { checkBigIntegers, describeBigInteger } from './big-integers.ts';

export type JsonMap = Readonly<Record<string, unknown>>;

/** Maximum number of items that are compared in pairs. */
const MAX_UNIQUE_ITEMS = { any: 100, short: 1_000 };
/** Length of the longest string that counts as short. */
const MAX_SHORT = 1_000;

/** A valid part of a schema that this engine cannot check. */
export class UnsupportedSchema extends RangeError {
  /** JSON Pointer to the problem, within the schema. */
  readonly place: string;
  /** Completes a sentence about the part: `is not supported: use $ref`. */
  readonly reason: string;

  /** @param keyword - a keyword of the schema at `place` */
  constructor(what: string, place: string, keyword: string, reason: string, cause?: unknown) {
    super(`Parameter "schema" has ${what} at ${place || 'its top level'}, which ${reason}`, { cause });
    this.place = `${place}/${keyword}`;
    this.reason = reason;
  }
}

interface BoundedSchema {
  readonly schema: JsonMap;
  /** The checks that the schema uses, by format name. */
  readonly formats: ReadonlyMap<string, (text: string) => boolean>;
  /** Resets the work counter for the next value. Beyond `maxWork`, the checks throw a RangeError. */
  restart(maxWork: number): void;
  /** The keyword in the original schema, with the message of its violation. */
  describe(error: { readonly keyword: string; readonly error: string }): {
    readonly keyword: string;
    readonly message: string;
  };
}

/** Keywords whose values are data, not schemas. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples']);

/** Keywords whose values map names, which are not keywords, to schemas. */
const mapKeywords = new Set(['properties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);

/**
 * Keywords whose schema applies to every item or key. `true` and `false` become objects there, so that each check is
 * counted.
 */
const itemKeywords = new Set(['additionalItems', 'contains', 'items', 'unevaluatedItems']);
const keyKeywords = new Set(['additionalProperties', 'propertyNames', 'unevaluatedProperties']);

/** Work of checking one value against one schema. It is higher where the validator adds a key to a pointer. */
const VALUE_WORK = 16;
const KEY_WORK = 40;

const FORMAT = 'pattern ';

/** The validator's message for `{ "enum": [] }`, which stands in for `false`. */
const NOTHING_ALLOWED = 'Instance does not match any of [].';

/**
 * Rewrites a schema so that checking it takes bounded work. Patterns become formats, which a linear-time matcher
 * checks; `uniqueItems`, which compares all pairs, gets an upper bound; integers that a number can't hold are checked as
 * such although they are strings; and every check is counted.
 *
 * @throws RangeError that names the place, for a pattern that needs backtracking, `patternProperties` and the format
 * `url`
 */
export const boundSchema = (schema: JsonMap): BoundedSchema => {
  const formats = new Map<string, (text: string) => boolean>();
  let left = 0;
  const spend = (work: number): void => {
    left -= work;
    if (left < 0) throw new RangeError('Parameter "schema" takes too many steps on this value');
  };

  const addPattern = (pattern: string, place: string): string => {
    const name = `${FORMAT}${pattern}`;
    if (!formats.has(name)) {
      const matches = createMatcher(compile(pattern, place));
      formats.set(name, (text) => matches(text, spend));
    }
    return name;
  };

  const addCheck = (name: string, check: (text: string) => boolean): string => {
    formats.set(name, (text) => {
      spend(text.length);
      return check(text);
    });
    return name;
  };

  const bound = (value: unknown, place: string, work = VALUE_WORK): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => bound(item, `${place}/${index}`));
    return isMap(value) ? boundMap(value, place, work) : value;
  };

  const boundMap = (keywords: JsonMap, place: string, work: number): JsonMap => {
    checkKeywords(keywords, place);
    const big = checkBigIntegers(keywords);
    const added: JsonMap[] = big.formats.map(({ name, check }) => ({ format: addCheck(name, check) }));
    const entries = Object.entries(keywords).flatMap(([keyword, inner]): [string, unknown][] => {
      if (keyword === 'pattern' && typeof inner === 'string') {
        added.push({ format: addPattern(inner, place) });
        return [];
      }
      if (keyword === 'uniqueItems' && inner === true) {
        added.push(boundUniqueItems());
        return [];
      }
      if (keyword === 'type' && big.type !== undefined) return [[keyword, big.type]];
      return [[keyword, boundKeyword(keyword, inner, `${place}/${keyword}`)]];
    });
    return countChecks(joinSchemas(Object.fromEntries(entries), added), work, spend);
  };

  const boundKeyword = (keyword: string, value: unknown, place: string): unknown => {
    if (dataKeywords.has(keyword)) return value;
    const isForKeys = keyKeywords.has(keyword);
    if (isForKeys || itemKeywords.has(keyword)) {
      const counted = typeof value === 'boolean' ? toMap(value) : value;
      return bound(counted, place, isForKeys ? KEY_WORK : VALUE_WORK);
    }
    if (!mapKeywords.has(keyword) || !isMap(value)) return bound(value, place);
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, bound(inner, `${place}/${escapeKey(name)}`)]),
    );
  };

  return {
    schema: boundMap(schema, '', VALUE_WORK),
    formats,
    restart: (maxWork) => {
      left = maxWork;
    },
    describe: ({ keyword, error }) => {
      if (error === NOTHING_ALLOWED) return { keyword: 'false', message: 'False boolean schema.' };
      const ofBig = describeBigInteger(keyword, error);
      if (ofBig !== null) return ofBig;
      const pattern = keyword === 'format' ? findPattern(error) : null;
      if (pattern === null) return { keyword, message: error };
      return { keyword: 'pattern', message: `String does not match pattern "${pattern}".` };
    },
  };
};

const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const toMap = (schema: boolean): JsonMap => (schema ? {} : { enum: [] });

/** Adds schemas that the value must match too. */
const joinSchemas = (schema: JsonMap, added: readonly JsonMap[]): JsonMap => {
  const [first] = added;
  if (first === undefined) return schema;
  // Usually only one pattern is added. Merging it costs one check per value instead of three.
  if (added.length === 1 && Object.keys(first).every((keyword) => !Object.hasOwn(schema, keyword)))
    return { ...schema, ...first };
  const { allOf } = schema;
  return { ...schema, allOf: [...(Array.isArray(allOf) ? allOf : []), ...added] };
};

const boundUniqueItems = (): JsonMap => {
  const unique = { uniqueItems: true };
  const areShort = { items: { type: ['null', 'boolean', 'number', 'string'], maxLength: MAX_SHORT } };
  const upTo = (maxItems: number, then: JsonMap, otherwise: JsonMap): JsonMap => ({
    if: { maxItems },
    then,
    else: otherwise,
  });
  const { any, short } = MAX_UNIQUE_ITEMS;
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  const ofMany = { if: areShort, then: unique, else: { maxItems: any } };
  return upTo(any, unique, upTo(short, ofMany, { maxItems: short }));
};

/** The pattern in a message such as `String does not match format "pattern ^a".` */
const findPattern = (error: string): string | null => {
  const start = error.indexOf(`"${FORMAT}`);
  return start === -1 ? null : error.slice(start + FORMAT.length + 1, error.lastIndexOf('"'));
};

export const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON Schema keywords that are not checked. They are refused, since ignoring them would accept invalid values. */
const unsupportedKeywords: Readonly<Record<string, string>> = {
  patternProperties: 'use "propertyNames" with a pattern',
  $dynamicRef: 'use $ref',
};

/** Formats that have no check, or only a slow one. */
const unsupportedFormats: Readonly<Record<string, string>> = {
  url: 'use "uri"',
  'idn-hostname': 'use "hostname", or a pattern',
  'idn-email': 'use "email", or a pattern',
  iri: 'use "uri", or a pattern',
  'iri-reference': 'use "uri-reference", or a pattern',
};

const checkKeywords = (schema: JsonMap, place: string): void => {
  for (const [keyword, instead] of Object.entries(unsupportedKeywords)) {
    if (Object.hasOwn(schema, keyword))
      throw new UnsupportedSchema(keyword, place, keyword, `is not supported: ${instead}`);
  }
  const { format } = schema;
  if (typeof format === 'string' && Object.hasOwn(unsupportedFormats, format))
    throw new UnsupportedSchema(
      `the format "${format}"`,
      place,
      'format',
      `is not checked: ${unsupportedFormats[format]}`,
    );
};

const compile = (pattern: string, place: string) => {
  try {
    return compilePattern(new RegExp(pattern, 'u')); // JSON Schema Core §6.4: patterns use Unicode mode
  } catch (cause) {
    const reason = cause instanceof UnsupportedPattern ? cause.message : 'it is not a regular expression';
    throw new UnsupportedSchema('a pattern', place, 'pattern', `can't be used: ${reason}`, cause);
  }
};

/**
 * Counts the checks of an interpreting validator. Each time it checks a value against a schema, it reads all keywords,
 * so a getter for `$recursiveAnchor`, a 2019-09 keyword that 2020-12 dropped, sees every check. Its value is preserved.
 *
 * @param schema - modified in place
 * @param work - the work of one check, in units of about 30 ns as in `createMatcher`
 */
const countChecks = (schema: JsonMap, work: number, spend: (work: number) => void): JsonMap => {
  const { $recursiveAnchor } = schema;
  const inAll = work + countEntries(schema);
  return Object.defineProperty(schema, '$recursiveAnchor', {
    enumerable: false,
    get: () => {
      spend(inAll);
      return $recursiveAnchor;
    },
  });
};

/** Each name or constant costs about one unit per checked value. Nested schemas are counted separately. */
const countEntries = ({ required, properties, enum: values }: JsonMap): number =>
  countValues(required) + countValues(values) + countKeys(properties);

const countKeys = (map: unknown): number => Object.keys(map ?? {}).length;

const countValues = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.values(value).reduce<number>((sum, inner) => sum + 1 + countValues(inner), 0);
