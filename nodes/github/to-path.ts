/**
 * A path of encoded segments.
 *
 * @throws RangeError for a segment that is empty, or that would lead elsewhere: URLs resolve dots, encoded ones too
 */
export const toPath = (segments: readonly string[]): string => {
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..')
      throw new RangeError(
        'A path, a repository or a name for GitHub must have no empty part, and none that is . or ..',
      );
  }
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
};
