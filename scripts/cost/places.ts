/**
 * Replaces the content of a Markdown page's places. A place is the text between the comments `<!-- NAME -->` and
 * `<!-- /NAME -->`.
 *
 * @param texts - by name
 * @throws Error when the page has no such place
 */
export const fillPlaces = (page: string, texts: Readonly<Record<string, string>>): string =>
  Object.entries(texts).reduce((filled, [name, text]) => {
    const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [from, to] = [filled.indexOf(start), filled.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`The page has no place ${start} … ${end}`);
    return `${filled.slice(0, from + start.length)}\n\n${text}\n\n${filled.slice(to)}`;
  }, page);

/** The lines that only one text contains, as `- ` of the first and `+ ` of the second. */
export const findDifferences = (before: string, after: string): string[] => {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  return [
    ...old.filter((line) => !fresh.includes(line)).map((line) => `- ${line}`),
    ...fresh.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ];
};
