/** Something that one can go to. */
export interface Found {
  /** What it is, in the plural: results of a group are together. */
  readonly group: string;
  readonly label: string;
  readonly detail: string;
  /** A path of the console. */
  readonly path: string;
}

/** The id of an execution: 256 bits in base64url. */
export const isExecutionId = (text: string): boolean => /^[\w-]{43}$/.test(text);

/**
 * Orders what was found: within each group those come first whose name is the text, then those whose name begins with
 * it; groups stay in their order, but one with an exact name is first.
 */
export const rankFound = (text: string, found: readonly Found[]): Found[] => {
  const wanted = text.trim().toLowerCase();
  const score = ({ label }: Found): number => {
    const name = label.toLowerCase();
    if (name === wanted) return 0;
    return name.startsWith(wanted) ? 1 : 2;
  };
  const groups = [...Map.groupBy(found, ({ group }) => group).values()].map((group) =>
    group.toSorted((a, b) => score(a) - score(b)),
  );
  return groups.toSorted((a, b) => Math.min(...a.map(score), 1) - Math.min(...b.map(score), 1)).flat();
};

/** Views whose name contains the text. */
export const findViews = (
  text: string,
  sections: readonly { readonly path: string; readonly text: string }[],
): Found[] => {
  const wanted = text.trim().toLowerCase();
  return sections
    .filter(({ text: name }) => name.toLowerCase().includes(wanted))
    .map(({ path, text: name }) => ({ group: 'Views', label: name, detail: '', path }));
};
