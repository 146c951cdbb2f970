/** A map by name, of rows that have several names for a value, with spaces between them. */
export const byName = (
  rows: readonly (readonly [names: string, value: string])[],
): ReadonlyMap<string, string> =>
  new Map(rows.flatMap(([names, value]) => names.split(' ').map((name) => [name, value] as const)));
