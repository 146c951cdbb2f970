import type { JsonMap } from './json-map.ts';

/**
 * Counts the checks of a validator, which is interpreted: it reads all keywords whenever it checks a value against the schema,
 * `$recursiveAnchor` among them. That is a keyword of 2019-09 and no part of 2020-12; its value stays.
 *
 * @param schema - is changed
 * @param work - of one check, in units of about 30 ns as in `createMatcher`
 */
export const countChecks = (schema: JsonMap, work: number, spend: (work: number) => void): JsonMap => {
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

/** Names and constants, each about one unit for each value that is checked; schemas within have counts of their own. */
const countEntries = ({ required, properties, enum: values }: JsonMap): number =>
  countValues(required) + countValues(values) + countKeys(properties);

const countKeys = (map: unknown): number => Object.keys(map ?? {}).length;

const countValues = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.values(value).reduce<number>((sum, inner) => sum + 1 + countValues(inner), 0);
