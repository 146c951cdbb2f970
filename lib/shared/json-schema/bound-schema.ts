import { compilePattern } from '../regex/compile-pattern.ts';
import { UnsupportedPattern } from '../regex/parse-pattern.ts';
import { search } from '../regex/search.ts';

const MAX_STEPS = 2_000_000;
const MAX_UNIQUE_ITEMS = 1_000;

/** A JSON object; its values are JSON. */
export type JsonMap = Readonly<Record<string, unknown>>;

interface BoundedSchema {
  readonly schema: JsonMap;
  /** Checks that the schema refers to, by the names of their formats. */
  readonly formats: ReadonlyMap<string, (text: string) => boolean>;
  /** Begins the count of the steps of patterns again, for the next value. */
  restart(): void;
  /** The keyword that an error of a format stands for. */
  keywordOf(error: string): string;
  /** The message for an error of the validator. */
  describe(error: string): string;
}

/** Keywords whose values are data, not schemas. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples']);

/** Keywords whose values have schemas by names, which are no keywords. */
const mapKeywords = new Set(['properties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);

const FORMAT = 'pattern ';

/**
 * Replaces what could take a validator longer than the size of a value says: patterns become formats, which the linear
 * matcher checks; `uniqueItems`, which compares all pairs, gets a bound.
 *
 * @throws RangeError with the place, for a pattern that needs backtracking, `patternProperties` and the format `url`
 */
export const boundSchema = (schema: JsonMap): BoundedSchema => {
  const formats = new Map<string, (text: string) => boolean>();
  let steps = 0;
  const spend = (spent: number): void => {
    steps += spent;
    if (steps > MAX_STEPS)
      throw new RangeError('Parameter "schema" has patterns that take too many steps on this value');
  };

  const addPattern = (pattern: string, place: string): string => {
    const name = `${FORMAT}${pattern}`;
    if (!formats.has(name)) {
      const program = compile(pattern, place);
      formats.set(name, (text) => search(program, text, 0, spend) !== null);
    }
    return name;
  };

  const bound = (value: unknown, place: string): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => bound(item, `${place}/${index}`));
    return isMap(value) ? boundMap(value, place) : value;
  };

  const boundMap = (keywords: JsonMap, place: string): JsonMap => {
    checkKeywords(keywords, place);
    const added: unknown[] = [];
    const entries = Object.entries(keywords).flatMap(([keyword, inner]): [string, unknown][] => {
      if (keyword === 'pattern' && typeof inner === 'string') {
        added.push({ format: addPattern(inner, `${place}/pattern`) });
        return [];
      }
      if (keyword === 'uniqueItems' && inner === true) {
        const isShort = { maxItems: MAX_UNIQUE_ITEMS };
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        added.push({ if: isShort, then: { uniqueItems: true }, else: isShort });
        return [];
      }
      return [[keyword, boundKeyword(keyword, inner, `${place}/${keyword}`)]];
    });
    if (added.length === 0) return Object.fromEntries(entries);
    const { allOf = [], ...others } = Object.fromEntries(entries);
    return { ...others, allOf: [...(Array.isArray(allOf) ? allOf : []), ...added] };
  };

  const boundKeyword = (keyword: string, value: unknown, place: string): unknown => {
    if (dataKeywords.has(keyword)) return value;
    if (!mapKeywords.has(keyword) || !isMap(value)) return bound(value, place);
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, bound(inner, `${place}/${name}`)]),
    );
  };

  return {
    schema: boundMap(schema, ''),
    formats,
    restart: () => {
      steps = 0;
    },
    keywordOf: (error) => (findPattern(error) === null ? 'format' : 'pattern'),
    describe: (error) => {
      const pattern = findPattern(error);
      return pattern === null ? error : `String does not match pattern "${pattern}".`;
    },
  };
};

/** The pattern in a message such as `String does not match format "pattern ^a".` */
const findPattern = (error: string): string | null => {
  const start = error.indexOf(`"${FORMAT}`);
  return start === -1 ? null : error.slice(start + FORMAT.length + 1, error.lastIndexOf('"'));
};

const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const checkKeywords = (schema: JsonMap, place: string): void => {
  if (isMap(schema.patternProperties))
    throw new RangeError(
      `Parameter "schema" has patternProperties at ${place}, which are not supported: use propertyNames with a pattern`,
    );
  if (schema.format === 'url')
    throw new RangeError(`Parameter "schema" has the format "url" at ${place}: use "uri"`);
};

const compile = (pattern: string, place: string) => {
  try {
    // Checked with the flag that JSON Schema sets, and compiled without it, since the matcher reads UTF-16 units.
    return compilePattern(new RegExp(new RegExp(pattern, 'u').source));
  } catch (cause) {
    const reason = cause instanceof UnsupportedPattern ? cause.message : 'it is no regular expression';
    throw new RangeError(`Parameter "schema" has a pattern at ${place} that can't be used: ${reason}`, {
      cause,
    });
  }
};
