const MAX_NAME_LENGTH = 80;
const MAX_NAMES = 12;

/** A name in quotes for a message, truncated to {@link MAX_NAME_LENGTH}. */
export const quote = (name: string): string =>
  name.length <= MAX_NAME_LENGTH ? `"${name}"` : `"${name.slice(0, MAX_NAME_LENGTH)}…"`;

/** Lists names in quotes: `"a", "b"`, or `"a", "b" and 7 more`. */
export const quoteAll = (names: Iterable<string>): string => {
  const all = [...names];
  const shown = all.slice(0, MAX_NAMES).map(quote).join(', ');
  return all.length <= MAX_NAMES ? shown : `${shown} and ${all.length - MAX_NAMES} more`;
};

/** The end of a message that suggests a name; empty for null. */
export const didYouMean = (suggestion: string | null): string =>
  suggestion === null ? '' : `; did you mean ${quote(suggestion)}?`;

/** A key, escaped for a JSON pointer (RFC 6901 §3). */
export const toPointerKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
