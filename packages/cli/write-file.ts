import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { CommandError } from './command-error.ts';
import type { Io } from './io.ts';
import { callerFolder } from './local/project-folder.ts';

type FileIo = Pick<Io, 'env'>;

/** @throws CommandError when it can't be written */
export const writeText = async (file: string, text: string, { env }: FileIo): Promise<void> => {
  try {
    await writeFile(resolve(callerFolder(env), file), text);
  } catch (error) {
    throw toCommandError(file, error);
  }
};

/** Creates a folder, and those above it. @throws CommandError when it can't be created */
export const createFolder = async (folder: string, { env }: FileIo): Promise<void> => {
  try {
    await mkdir(resolve(callerFolder(env), folder), { recursive: true });
  } catch (error) {
    throw toCommandError(folder, error);
  }
};

const toCommandError = (path: string, error: unknown): CommandError => {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new CommandError(`${path}: no such folder`);
  if (code === 'EEXIST') return new CommandError(`${path}: is not a folder`);
  if (code === 'ENOTDIR') return new CommandError(`${path}: ${dirname(path)} is not a folder`);
  if (code === 'EISDIR') return new CommandError(`${path}: is a folder`);
  return new CommandError(`${path}: can't be written (${code})`);
};

/** Whether an output names a folder: it exists, or ends with a slash. */
export const isFolder = async (path: string, { env }: FileIo): Promise<boolean> =>
  /[\\/]$/.test(path) ||
  (await stat(resolve(callerFolder(env), path)).catch(() => null))?.isDirectory() === true;

/** The file of a workflow in a folder: an id is a file name (`isId`). */
export const fileOf = (folder: string, id: string): string => join(folder, `${id}.json`);

/**
 * The text of a workflow file. Keys always have the same order, so that differences in git are small.
 *
 * @param schema - what the file names as its `$schema`
 */
export const toFileText = (definition: WorkflowDefinition, schema?: unknown): string => {
  const { nodes, connections, settings, ...rest } = definition;
  const { format, id, name, description, enabled, tags, ...others } = rest;
  const first = { format, id, name, description, enabled, tags, settings, ...others };
  const content = {
    ...(schema === undefined ? {} : { $schema: schema }),
    ...first,
    nodes: nodes.map(({ id: nodeId, type, parameters, ...more }) => ({
      id: nodeId,
      type,
      ...more,
      parameters,
    })),
    connections,
  };
  return `${JSON.stringify(content, null, 2)}\n`;
};
