import { suggestLuxonFormat } from '@hookloom/counted-jsonata';

/** What is wrong with a format of a date; null for one of Luxon. */
export const describeFormat = (format: string): string | null => {
  const meant = suggestLuxonFormat(format);
  if (meant === null) return null;
  const hint = meant === '' ? ', such as "yyyy-MM-dd HH:mm"' : `; did you mean ${JSON.stringify(meant)}?`;
  return `is not in tokens of Luxon${hint}`;
};
