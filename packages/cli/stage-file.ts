import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isPlainObject, type JsonValue } from '@hookloom/plugin-kit';
import * as v from 'valibot';
import type { TargetContext } from './command.ts';
import { CommandError } from './command-error.ts';
import { callerFolder } from './local/project-folder.ts';
import { locateValues, parseJson } from './parse-json.ts';
import { readInput } from './read-file.ts';
import { writeText } from './write-file.ts';

// What workflows of a folder need of a stage, in a file beside them: `{ "crm": { "type": "httpBearer", … } }`. The file holds
// no secrets and no values, so `deploy` can't create what is missing; it says what is. Only what an entry states is compared and
// pulled: a key that an entry lacks may differ from stage to stage.

/** A difference between a folder and a service that `deploy` can't remove. */
export interface StageDifference {
  /** What differs: `credential crm is missing`. */
  readonly line: string;
  /** The command that removes the difference. */
  readonly command: string;
}

/** An entry: what the file states of a credential or a variable. */
type Entry = Readonly<Record<string, JsonValue | undefined>> & { readonly type: string };

/** The kind of things that a file names. */
export interface StageFile<Stated extends Entry> {
  readonly file: string;
  /** What one is called: `credential`. */
  readonly noun: string;
  readonly entry: v.GenericSchema<unknown, Stated>;
  /** Whether a key of the file can name one. */
  readonly isName: (name: string) => boolean;
  /** Reads those of the service, as the file has them. */
  readonly readStored: (context: TargetContext) => Promise<ReadonlyMap<string, Stated>>;
  readonly toCreateCommand: (name: string, wanted: Stated) => string;
  /** @param differing - the keys whose values differ */
  readonly toChangeCommand: (name: string, wanted: Stated, differing: readonly string[]) => string;
}

/**
 * What a folder states that is not so in the service; reads nothing from it if the folder states nothing.
 *
 * @param isUsed - whether a workflow of the folder uses what has the name; others are not compared
 * @throws CommandError for an invalid file
 */
export const compareStageFile = async <Stated extends Entry>(
  folder: string,
  kind: StageFile<Stated>,
  isUsed: (name: string) => boolean,
  context: TargetContext,
): Promise<readonly StageDifference[]> => {
  const { noun } = kind;
  const all = (await readStageFile(folder, kind, context)) ?? new Map<string, Stated>();
  const named = new Map([...all].filter(([name]) => isUsed(name)));
  if (named.size === 0) return [];
  const stored = await kind.readStored(context);
  return [...named].flatMap(([name, wanted]): StageDifference[] => {
    const known = stored.get(name);
    if (known === undefined) {
      const line = `${noun} ${name} is missing (${wanted.type})`;
      return [{ line, command: kind.toCreateCommand(name, wanted) }];
    }
    const differing = Object.keys(wanted).filter((key) => !isSameValue(wanted[key], known[key]));
    if (differing.length === 0) return [];
    const values = differing.map((key) => `${key} ${fieldToText(known[key])} → ${fieldToText(wanted[key])}`);
    const line = `${noun} ${name} differs: ${values.join(', ')}`;
    return [{ line, command: kind.toChangeCommand(name, wanted, differing) }];
  });
};

/**
 * Writes what differs; entries that the service lacks stay, with a warning.
 *
 * @param isUsed - whether a workflow of the folder uses what has the name: others are only updated
 */
export const pullStageFile = async <Stated extends Entry>(
  folder: string,
  kind: StageFile<Stated>,
  isUsed: (name: string) => boolean,
  context: TargetContext,
): Promise<void> => {
  const { io } = context;
  const named = (await readStageFile(folder, kind, context)) ?? new Map<string, Stated>();
  const stored = await kind.readStored(context);
  const path = join(folder, kind.file);
  const merged = new Map(named);
  for (const [name, known] of stored) {
    const before = named.get(name);
    if (before === undefined && !isUsed(name)) continue;
    const keys = Object.keys(before ?? known);
    if (before !== undefined && keys.every((key) => isSameValue(before[key], known[key]))) continue;
    merged.set(name, Object.fromEntries(keys.map((key) => [key, known[key]])) as Stated);
    io.print(`${kind.noun} ${name}: ${before === undefined ? 'new' : 'changed'}, ${path}`);
  }
  for (const name of named.keys())
    if (!stored.has(name)) io.note(io.paint('yellow', `${path}: the service has no ${kind.noun} ${name}`));
  if (isDeepStrictEqual(merged, named)) return;
  const sorted = Object.fromEntries([...merged].sort(([one], [other]) => (one < other ? -1 : 1)));
  await writeText(path, `${JSON.stringify(sorted, null, 2)}\n`, io);
};

/**
 * What the file of a folder states; null if the folder has no such file.
 *
 * @throws CommandError for an invalid file
 */
export const readStageFile = async <Stated extends Entry>(
  folder: string,
  { file, noun, entry, isName }: StageFile<Stated>,
  { io }: Pick<TargetContext, 'io'>,
): Promise<ReadonlyMap<string, Stated> | null> => {
  const path = join(folder, file);
  if ((await stat(resolve(callerFolder(io.env), path)).catch(() => null)) === null) return null;
  const { name, text } = await readInput(path, io);
  const content = parseJson(text, name);
  const placeOf = locateValues(text);
  const refuse = (pointer: string, message: string): never => {
    throw new CommandError(`${name}:${placeOf(pointer)}: ${pointer || '/'} ${message}`);
  };
  if (!isPlainObject(content)) return refuse('', `must be an object with one key for each ${noun}`);
  return new Map(
    Object.entries(content).map(([key, value]) => {
      if (!isName(key)) refuse(`/${key}`, `can't name a ${noun}`);
      const { success, output, issues } = v.safeParse(entry, value, { abortEarly: true });
      if (success) return [key, output];
      const [{ path: keys = [], message }] = issues;
      return refuse(['', key, ...keys.map((item) => String(item.key))].join('/'), message);
    }),
  );
};

/** The order of a list has no meaning. */
const isSameValue = (one: JsonValue | undefined, other: JsonValue | undefined): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? isDeepStrictEqual(one.toSorted(), other.toSorted())
    : isDeepStrictEqual(one, other);

const fieldToText = (value: JsonValue | undefined): string =>
  value === undefined ? 'none' : Array.isArray(value) ? value.join(' ') : JSON.stringify(value);

/** Options of a command, their values quoted for a shell, since they come from a file. */
export const writeOptions = (option: string, values: readonly string[]): string =>
  values
    .map((value) => (/^[\w./:=@,+-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`))
    .map((value) => ` ${option} ${value}`)
    .join('');
