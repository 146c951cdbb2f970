/** How much of a text is shown and searched, in UTF-16 units. */
export const MAX_TEXT = 200;

/** A value in a line. */
export const describeValue = (value: unknown, maxText = MAX_TEXT): string => {
  if (Array.isArray(value)) return `list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'object';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > maxText ? `${value.slice(0, maxText).toWellFormed()}…` : value);
};
