import { type JsonValue, wrongParameter } from '@hookloom/plugin-kit';

interface StatusRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Parses a list of status codes (`404`) and ranges of them (`"200-299"`).
 *
 * @param name - of the parameter, for errors
 * @returns whether a status is one of them
 * @throws TypeError that names the item
 */
export const parseStatusSet = (name: string, list: readonly JsonValue[]): ((status: number) => boolean) => {
  const ranges = list.map((item, index) => {
    const range = toRange(item);
    if (range === null)
      throw wrongParameter(`${name}/${index}`, 'a status such as 404 or a range such as "200-299"', item);
    return range;
  });
  return (status) => ranges.some(({ first, last }) => status >= first && status <= last);
};

const RANGE = /^([1-9]\d\d)(?:-([1-9]\d\d))?$/;

const toRange = (item: JsonValue): StatusRange | null => {
  if (typeof item !== 'string' && typeof item !== 'number') return null;
  const [, from, to = from] = RANGE.exec(String(item)) ?? [];
  const [first, last] = [Number(from), Number(to)];
  return first <= last ? { first, last } : null; // false for NaN
};
