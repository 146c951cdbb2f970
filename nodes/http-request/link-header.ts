/** `<target>` and its parameters. Each alternative starts with another character: no backtracking. */
const LINK = /<([^<>]*)>((?:[^,"<]|"(?:[^"\\]|\\.)*")*)/g;
const PARAMETER = /;\s*([^\s=;,"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/**
 * Finds the target of the first link with the relation `next` (RFC 8288 §3).
 *
 * @param header - value of `Link`; repeated headers joined with a comma
 * @returns a URL, possibly relative; null for none
 */
export const findNextLink = (header: string): string | null => {
  for (const [, target = '', parameters = ''] of header.matchAll(LINK))
    if (relationsOf(parameters).includes('next')) return target;
  return null;
};

/** Of several `rel`, the first counts. */
const relationsOf = (parameters: string): readonly string[] => {
  for (const [, name = '', quoted, plain = ''] of parameters.matchAll(PARAMETER))
    if (name.toLowerCase() === 'rel') return (quoted ?? plain).toLowerCase().split(/\s+/);
  return [];
};
