/** A path with a query, from which empty values are left out. */
export const withQuery = (path: string, query: Readonly<Record<string, string>>): string => {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
};
