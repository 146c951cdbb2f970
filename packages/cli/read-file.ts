import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { quote } from '../../lib/shared/describe.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import type { InferCalled } from '../authoring/validation/types/called-workflows.ts';
import { validateWorkflow } from '../authoring/validation/validate.ts';
import { CommandError } from './command-error.ts';
import { checkEntries, type Entry } from './event-entries.ts';
import type { Io } from './io.ts';
import { callerFolder } from './local/project-folder.ts';
import { locateValues, parseJson, parseWorkflow } from './parse-json.ts';

/** The streams and the environment that a file is read with. */
type InputIo = Pick<Io, 'readStdin'> & Partial<Pick<Io, 'env'>>;

/**
 * Reads a file; `-` is standard input.
 *
 * @throws CommandError when it can't be read
 */
export const readInput = async (file: string, io: InputIo) =>
  file === '-'
    ? { name: 'stdin', text: withoutMark(await io.readStdin()) }
    : { name: file, text: withoutMark(await readFileText(file, io.env)) };

/** Some editors begin UTF-8 with a byte order mark, which a JSON parser may ignore (RFC 8259 §8.1). */
const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

const readFileText = async (file: string, env: Io['env'] = {}): Promise<string> => {
  try {
    return await readFile(resolve(callerFolder(env), file), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`${file}: ${code === 'ENOENT' ? 'no such file' : `can't be read (${code})`}`);
  }
};

/** Whether a file may be a workflow: `*.json`, but not what is beside the workflows. */
export const isWorkflowFile = (name: string): boolean => name.endsWith('.json') && !isBeside(name);

/** A JSON Schema for editors, or what a folder says about the stage. An id has no dot, so that no workflow has such a file. */
const isBeside = (name: string): boolean => /\.(?:schema|stage)\.json$/.test(name);

/** The workflow files among several paths, as a shell lists them for `workflows/*.json`. */
export const onlyWorkflows = (paths: readonly string[]): readonly string[] => {
  const others = paths.filter((path) => !isBeside(path));
  return others.length === 0 ? paths : others;
};

/**
 * The workflow files to read: for a folder, all below it, in name order.
 *
 * @throws CommandError for a folder without any
 */
export const listFiles = async (paths: readonly string[], { env }: InputIo): Promise<string[]> => {
  const lists = onlyWorkflows(paths).map(async (path) => {
    const folder = resolve(callerFolder(env ?? {}), path);
    const isFolder = path !== '-' && (await stat(folder).catch(() => null))?.isDirectory() === true;
    if (!isFolder) return [path];
    const names = (await readdir(folder, { recursive: true })).filter(
      (name) => isWorkflowFile(name) && !/(?:^|[\\/])(?:node_modules|\.[^\\/]*)[\\/]/.test(name),
    );
    if (names.length === 0) throw new CommandError(`${path}: contains no workflow files (*.json)`);
    return names.sort().map((name) => join(path, name));
  });
  return (await Promise.all(lists)).flat();
};

export interface WorkflowFile {
  readonly file: string;
  readonly definition: WorkflowDefinition;
  /** One line each: `orders.json:12:9: warning: /nodes/1 …`. */
  readonly warnings: readonly string[];
  /** The same, for other programs. */
  readonly findings: readonly FileFinding[];
  /** Converts a problem to such a line. */
  readonly toLine: (problem: Problem) => string;
  readonly toFinding: (problem: Problem) => FileFinding;
}

/** A problem with its place in a file, for other programs. */
export interface FileFinding extends Pick<Problem, 'message' | 'proposal' | 'types'> {
  readonly severity: 'error' | 'warning';
  /** JSON pointer (RFC 6901) of the value, and where the value begins. */
  readonly pointer: string;
  readonly line: number;
  readonly column: number;
}

/** What is wrong with a workflow file that can't be stored. */
export class InvalidWorkflow extends CommandError {
  readonly findings: readonly FileFinding[];
  constructor(message: string, findings: readonly FileFinding[]) {
    super(message);
    this.findings = findings;
  }
}

/**
 * Reads and checks a workflow file; `-` is standard input.
 *
 * @throws CommandError if it is not JSON
 * @throws InvalidWorkflow with each problem on its own line: `orders.json:12:9: /nodes/1/type …`
 */
export const readWorkflow = async (
  file: string,
  io: InputIo,
  findNodeType: FindNodeType,
  inferCalled?: InferCalled,
): Promise<WorkflowFile> => {
  const { name, text } = await readInput(file, io);
  const parsed = parseWorkflow(text, name);
  const { definition, problems, warnings } = await validateWorkflow(parsed, findNodeType, null, inferCalled);
  const { toLine, toFinding } = createPlacing(name, text);
  const found = [...problems, ...warnings];
  if (definition === null) throw new InvalidWorkflow(found.map(toLine).join('\n'), found.map(toFinding));
  return {
    file,
    definition,
    warnings: warnings.map(toLine),
    findings: warnings.map(toFinding),
    toLine,
    toFinding,
  };
};

/**
 * Reads and checks a file with an event or a message, or a list of them; `-` is standard input.
 *
 * @throws CommandError with each problem on its own line: `upload.json:3:12: /detail must be object`
 */
export const readEntries = async (file: string, io: InputIo): Promise<readonly Entry[]> => {
  const { name, text } = await readInput(file, io);
  const { value, problems } = checkEntries(parseJson(text, name));
  if (value === null) throw new CommandError(problems.map(createPlacing(name, text).toLine).join('\n'));
  return value;
};

const createPlacing = (name: string, text: string) => {
  const placeOf = locateValues(text);
  return {
    toLine: ({ path, message, severity }: Problem): string => {
      const kind = severity === undefined ? '' : `${severity}: `;
      return `${name}:${placeOf(path)}: ${kind}${path || '/'} ${message}`;
    },
    toFinding: ({ path: pointer, severity, ...problem }: Problem): FileFinding => {
      const [line = 1, column = 1] = placeOf(pointer).split(':').map(Number);
      return { severity: severity ?? 'error', pointer, line, column, ...problem };
    },
  };
};

/** One line for each file with the id of one before it: stored together, the last one would win. */
export const findSameIds = (
  files: readonly { readonly file: string; readonly id: string | null }[],
): string[] => {
  const first = new Map<string, string>();
  return files.flatMap(({ file, id }) => {
    if (id === null) return [];
    const before = first.get(id);
    if (before === undefined) first.set(id, file);
    return before === undefined
      ? []
      : [`${file}: /id ${quote(id)} is already the id of ${before}: change one of them`];
  });
};
