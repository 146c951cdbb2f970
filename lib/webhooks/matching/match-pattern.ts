import type { JsonObject } from '@hookloom/plugin-kit';

/**
 * Matches the segments of a path against a pattern, in linear time. `:name` matches one segment; `*name` at the end
 * matches all remaining ones, at least one.
 *
 * @param path - decoded, without empty segments, `.` and `..`
 * @returns the values by name; null if the path does not match
 */
export const matchPattern = (pattern: readonly string[], path: readonly string[]): JsonObject | null => {
  const takesRest = pattern.at(-1)?.startsWith('*') === true;
  if (takesRest ? path.length < pattern.length : path.length !== pattern.length) return null;
  const values: [string, string][] = [];
  for (const [at, segment] of pattern.entries()) {
    const given = path[at] ?? '';
    if (segment.startsWith(':')) values.push([segment.slice(1), given]);
    else if (segment.startsWith('*')) values.push([segment.slice(1), path.slice(at).join('/')]);
    else if (segment !== given) return null;
  }
  return Object.fromEntries(values);
};
