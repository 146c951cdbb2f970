import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Replaces the content of a Markdown page's places. A place is the text between the comments `<!-- NAME -->` and
 * `<!-- /NAME -->`.
 *
 * @param texts - by name
 * @throws Error when the page has no such place
 * @internal
 */
export const fillPlaces = (page: string, texts: Readonly<Record<string, string>>): string =>
  Object.entries(texts).reduce((filled, [name, text]) => {
    const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [from, to] = [filled.indexOf(start), filled.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`The page has no place ${start} … ${end}`);
    return `${filled.slice(0, from + start.length)}\n\n${text}\n\n${filled.slice(to)}`;
  }, page);

/** The lines that only one text contains, as `- ` of the first and `+ ` of the second. @internal */
export const findDifferences = (before: string, after: string): string[] => {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  return [
    ...old.filter((line) => !fresh.includes(line)).map((line) => `- ${line}`),
    ...fresh.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ];
};

/** A table in Markdown; rows are text as it is in a cell. */
export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [toRow(head), `|${'---|'.repeat(head.length)}`, ...rows.map(toRow)].join('\n');

const toRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Text in a cell of a table. */
export const toCell = (text: string): string => text.replaceAll('|', '\\|');

export const readProjectFile = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

/**
 * Writes files of the project. With `--check` on the command line, it writes none, and exits with 1 when one differs.
 *
 * @param texts - by path; null to remove a file
 * @param command - that writes them: `docs:nodes`
 */
export const updateFiles = (texts: Readonly<Record<string, string | null>>, command: string): void => {
  const { check } = parseArgs({ options: { check: { type: 'boolean' } } }).values;
  const outdated = Object.keys(texts).filter(
    (path) => (existsSync(`${root}${path}`) ? readProjectFile(path) : null) !== texts[path],
  );
  for (const path of outdated) {
    const text = texts[path] ?? null;
    if (check === true) {
      const before = existsSync(`${root}${path}`) ? readProjectFile(path) : '';
      console.error([`${path} is out of date:`, ...findDifferences(before, text ?? '')].join('\n'));
    } else if (text === null) rmSync(`${root}${path}`);
    else writeFileSync(`${root}${path}`, text);
  }
  if (check !== true || outdated.length === 0) return;
  console.error(`Run \`npm run ${command}\` to update ${outdated.length === 1 ? 'it' : 'them'}.`);
  process.exitCode = 1;
};

/** Writes the places of pages, as `updateFiles` does. @param pages - the texts of places by name, by page */
export const updatePages = (
  pages: Readonly<Record<string, Readonly<Record<string, string>>>>,
  command: string,
): void => {
  const texts = Object.entries(pages).map(([page, places]) => [
    page,
    fillPlaces(readProjectFile(page), places),
  ]);
  updateFiles(Object.fromEntries(texts), command);
};
