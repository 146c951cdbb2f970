import type { JsonObject } from '@hookloom/plugin-kit';

/**
 * Matches the segments of a path with those of a pattern, in time proportional to them. `:name` takes one segment, `*name`
 * at the end all that are left, at least one.
 *
 * @param path - decoded, without empty segments, `.` and `..`
 * @returns the values by name; null when the path does not fit
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
