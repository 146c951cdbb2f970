/**
 * How a value is checked that is an integer in JSON, but a string of its digits here, since a number can't hold it: as
 * an integer. The checks are formats, which apply to strings alone; their names are data, for messages.
 */
interface BigIntegerChecks {
  /** The types with which the schema accepts such strings; undefined to leave its own. */
  readonly type: readonly string[] | undefined;
  readonly formats: readonly { readonly name: string; readonly check: (text: string) => boolean }[];
}

const NUMERIC: Readonly<Record<string, (text: string, limit: number) => boolean>> = {
  minimum: (text, limit) => Number(text) >= limit,
  maximum: (text, limit) => Number(text) <= limit,
  exclusiveMinimum: (text, limit) => Number(text) > limit,
  exclusiveMaximum: (text, limit) => Number(text) < limit,
  multipleOf: (text, divisor) => isMultiple(text, divisor),
};

/** Added twice, which no schema has, so that messages can leave it out. */
const AND_TEXTS = ['string', 'string'];
const AND_TEXTS_IN_MESSAGE = ', "string", "string".';

const FORMAT = 'big integer ';

/** Finds what the keywords of one schema say about such strings. */
export const checkBigIntegers = (keywords: Readonly<Record<string, unknown>>): BigIntegerChecks => {
  const types = [keywords.type].flat().filter((type) => typeof type === 'string');
  const isForNumbers = types.includes('integer') || types.includes('number');
  const isForTexts = types.length === 0 || types.includes('string');
  if (!isForNumbers && types.length > 0) return { type: undefined, formats: [] };
  const limits = Object.entries(NUMERIC).flatMap(([keyword, isWithin]) => {
    const limit = keywords[keyword];
    if (typeof limit !== 'number') return [];
    const check = (text: string) => !isBigInteger(text) || isWithin(text, limit);
    return [{ name: `${FORMAT}${keyword} ${limit}`, check }];
  });
  if (isForTexts) return { type: undefined, formats: limits };
  const ofType = { name: `${FORMAT}type ${types.join('", "')}`, check: isBigInteger };
  return { type: [...types, ...AND_TEXTS], formats: [ofType, ...limits] };
};

/** The keyword and the message in place of those of a check; null for others. */
export const describeBigInteger = (
  keyword: string,
  error: string,
): { readonly keyword: string; readonly message: string } | null => {
  if (keyword === 'type' && error.endsWith(AND_TEXTS_IN_MESSAGE))
    return { keyword, message: `${error.slice(0, -AND_TEXTS_IN_MESSAGE.length)}.` };
  const start = keyword === 'format' ? error.indexOf(`"${FORMAT}`) : -1;
  if (start === -1) return null;
  const name = error.slice(start + FORMAT.length + 1, error.lastIndexOf('"'));
  const [of = ''] = name.split(' ', 1);
  const limit = name.slice(of.length + 1);
  return of === 'type'
    ? { keyword: of, message: `Instance type "string" is invalid. Expected "${limit}".` }
    : { keyword: of, message: `Number ${MESSAGES[of]} ${limit}.` };
};

const MESSAGES: Readonly<Record<string, string>> = {
  minimum: 'is less than',
  maximum: 'is greater than',
  exclusiveMinimum: 'is less than',
  exclusiveMaximum: 'is greater than or equal to',
  multipleOf: 'is not a multiple of',
};

const INTEGER = /^-?[1-9]\d{15,}$/;

const isBigInteger = (text: string): boolean => INTEGER.test(text) && !Number.isSafeInteger(Number(text));

/** The largest divisor of which ten times a rest is exact. */
const MAX_DIVISOR = Number.MAX_SAFE_INTEGER / 16;

const isMultiple = (text: string, divisor: number): boolean => {
  if (!Number.isInteger(divisor) || divisor > MAX_DIVISOR) return Number(text) % divisor === 0;
  let rest = 0;
  for (let at = text.startsWith('-') ? 1 : 0; at < text.length; at += 1)
    rest = (rest * 10 + text.charCodeAt(at) - 0x30) % divisor;
  return rest === 0;
};
