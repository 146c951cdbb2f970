import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { parseTree } from 'jsonc-parser';
import { compareDefinitions } from '../../lib/workflows/definition/compare-definitions.ts';
import { CURRENT_FORMAT } from '../../lib/workflows/definition/schema.ts';
import { findFormatChanges } from '../authoring/validation/find-format-changes.ts';
import { validateWorkflow } from '../authoring/validation/validate.ts';
import { CommandError, usageError } from './command-error.ts';
import { describeChanges } from './difference-text.ts';
import type { Io } from './io.ts';
import { locateValues, parseWorkflow } from './parse-json.ts';
import { listFiles, readInput, readWorkflow } from './read-file.ts';
import { writeText } from './write-file.ts';

interface Upgrade {
  readonly file: string;
  /** Null for a file that has the current format. */
  readonly text: string | null;
  readonly lines: readonly string[];
  /** What its runs may do differently. */
  readonly changes: readonly string[];
}

/**
 * Rewrites files to the current format, and prints what changes. The rest of a file stays as it is written. If one has a
 * problem, none is written.
 *
 * @throws CommandError with the problems of all files
 */
export const upgradeFiles = async (
  paths: readonly string[],
  isDryRun: boolean,
  { io, findNodeType }: { readonly io: Io; readonly findNodeType: FindNodeType },
): Promise<void> => {
  if (paths.includes('-')) throw usageError('Standard input cannot be rewritten: name a file.');
  const upgrades: Upgrade[] = [];
  const problems: string[] = [];
  for (const file of await listFiles(paths, io)) {
    try {
      upgrades.push(await upgradeFile(file, io, findNodeType));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new CommandError([...problems, 'Nothing was written.'].join('\n'));
  for (const { file, text, lines, changes } of upgrades) {
    if (text !== null && !isDryRun) await writeText(file, text, io);
    for (const line of lines) io.print(line);
    for (const change of changes) io.note(io.paint('yellow', change));
  }
  if (isDryRun) io.note('Nothing was written.');
};

const upgradeFile = async (file: string, io: Io, findNodeType: FindNodeType): Promise<Upgrade> => {
  const { definition } = await readWorkflow(file, io, findNodeType);
  const from = definition.format ?? 1;
  if (from === CURRENT_FORMAT)
    return { file, text: null, lines: [`${file}: has format ${from}`], changes: [] };
  const text = writeFormat((await readInput(file, io)).text);
  const placeOf = locateValues(text);
  const { definition: upgraded, problems } = await validateWorkflow(parseWorkflow(text, file), findNodeType);
  const toLine = ({ path, message }: { readonly path: string; readonly message: string }) =>
    `${file}:${placeOf(path)}: ${path} ${message}`;
  if (upgraded === null) throw new CommandError(problems.map(toLine).join('\n'));
  return {
    file,
    text,
    lines: [
      `${file}: format ${from} to ${CURRENT_FORMAT}`,
      ...describeChanges(compareDefinitions(definition, upgraded), io.columns),
    ],
    changes: findFormatChanges(definition, findNodeType).map(toLine),
  };
};

/** Writes the format into a valid file: as its first key, or after `$schema`. */
const writeFormat = (text: string): string => {
  const properties = parseTree(text)?.children ?? [];
  const find = (name: string) => properties.find(({ children }) => children?.[0]?.value === name);
  const [, present] = find('format')?.children ?? [];
  if (present !== undefined)
    return `${text.slice(0, present.offset)}${CURRENT_FORMAT}${text.slice(present.offset + present.length)}`;
  const [first] = properties;
  const start = first?.offset ?? 0;
  const blanks = text.slice(text.lastIndexOf('{', start) + 1, start);
  const before = find('$schema');
  const member = `"format": ${CURRENT_FORMAT}`;
  if (before === undefined) return `${text.slice(0, start)}${member},${blanks}${text.slice(start)}`;
  const end = before.offset + before.length;
  return `${text.slice(0, end)},${blanks}${member}${text.slice(end)}`;
};
