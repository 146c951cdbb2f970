import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isWorkflowFile } from '../../cli/read-file.ts';
import type { SamplesEvent, SamplesResults } from './samples-function.ts';
import type { SeededSample } from './seed.ts';

/** Invokes the samples function, of the current code. */
export type CallSamples = <Action extends SamplesEvent['action']>(
  event: Extract<SamplesEvent, { readonly action: Action }>,
) => Promise<SamplesResults[Action]>;

export interface WorkflowFiles {
  /** Called when a file of the folder was written, created or removed. */
  changed(path: string): void;
  /** The file that has the stored version of a workflow, with its text; null if none has. */
  findFile(workflowId: string): { readonly name: string; readonly text: string } | null;
  /** Whether a file has the id of this workflow, whatever else is in it. */
  hasFile(workflowId: string): boolean;
  /** Called when a file was written with what is stored. */
  written(name: string, workflowId: string, text: string): void;
  /** Validates invalid files again after a code change. */
  retryInvalid(): void;
  close(): void;
}

/** Editors write a file in several steps: changes within this time are one edit. */
const DEBOUNCE_MS = 50;
/** Some editors briefly remove a file to replace it. */
const REPLACE_MS = 300;

/** Syncs the workflow files to the store: stores edited ones, removes the workflows of removed ones, and logs both. */
export const createWorkflowFiles = (parts: {
  readonly folder: string;
  readonly seeded: readonly SeededSample[];
  readonly call: CallSamples;
  readonly log: (line: string) => void;
}): WorkflowFiles => {
  const { folder, seeded, call, log } = parts;
  /** The workflow of each file that is stored. */
  const ids = new Map(seeded.flatMap((file) => ('isOther' in file ? [[file.name, file.id] as const] : [])));
  /** The id in each file that was not stored because another file has it. */
  const conflicts = new Map(
    seeded.flatMap((file) => ('problem' in file && 'id' in file ? [[file.name, file.id] as const] : [])),
  );
  /** The problems of each invalid workflow file. */
  const invalid = new Map(
    seeded.flatMap((file) => ('problem' in file ? [[file.name, file.problem] as const] : [])),
  );
  /** The text of each file whose definition is the stored one. */
  const texts = new Map<string, string>();
  for (const file of seeded) {
    const text = 'isOther' in file && !file.isOther ? readWorkflowText(join(folder, file.name)) : null;
    if (text !== null) texts.set(file.name, text);
  }
  const pending = new Map<string, NodeJS.Timeout>();
  let isClosed = false;
  /** Serial updates: an older state of a file must not be stored after a newer one. */
  let last: Promise<void> = Promise.resolve();

  /** Removes a workflow unless another file defines it, such as one that could not be stored because of this one. */
  const removeWorkflow = async (workflowId: string, name: string, reason: string): Promise<void> => {
    await retryConflicts(workflowId);
    if ([...ids.values()].includes(workflowId)) return;
    if (await call<'remove'>({ action: 'remove', workflowId })) {
      log(`workflows/${name} ${reason}: ${workflowId} was removed`);
    }
  };

  /** The other files by id. A conflict does not prevent an edited file from keeping its own id. */
  const othersOf = (name: string): Record<string, string> => {
    const waiting = [...conflicts].filter(([, id]) => id !== ids.get(name));
    // The old name of a renamed file is still known for a moment.
    const present = [...waiting, ...ids].filter(
      ([other]) => other !== name && existsSync(join(folder, other)),
    );
    return Object.fromEntries(present.map(([other, id]) => [id, `workflows/${other}`]));
  };

  const store = async (name: string): Promise<void> => {
    // An edit after this is another change, which is stored in turn.
    const text = readWorkflowText(join(folder, name));
    texts.delete(name);
    const result = await call<'put'>({ action: 'put', file: join(folder, name), others: othersOf(name) });
    conflicts.delete(name);
    if ('problem' in result) {
      if ('id' in result) conflicts.set(name, result.id);
      if (invalid.get(name) === result.problem) return;
      invalid.set(name, result.problem);
      const kept = ids.has(name) ? '; the stored version stays' : '';
      log(`workflows/${name} was not stored${kept}:\n${result.problem}`);
      return;
    }
    const before = ids.get(name);
    ids.set(name, result.id);
    invalid.delete(name);
    if (text !== null) texts.set(name, text);
    if (result.changed) {
      log(`workflows/${name}: ${result.id} is now at version ${result.version}`);
      for (const warning of result.warnings) log(`workflows/${name}: ${warning}`);
    }
    if (before !== undefined && before !== result.id) {
      await removeWorkflow(before, name, `now defines ${result.id}`);
    }
  };

  const retryConflicts = async (workflowId: string): Promise<void> => {
    for (const [name, id] of [...conflicts]) if (id === workflowId) await store(name);
  };

  const remove = async (name: string): Promise<void> => {
    const id = ids.get(name);
    const conflict = conflicts.get(name);
    for (const names of [ids, conflicts, invalid, texts]) names.delete(name);
    if (id !== undefined) await removeWorkflow(id, name, 'no longer exists');
    if (conflict !== undefined) await retryConflicts(conflict);
  };

  const update = (name: string): void => {
    last = last.then(async () => {
      if (isClosed) return;
      try {
        await (existsSync(join(folder, name)) ? store(name) : remove(name));
      } catch (error) {
        if (!isClosed) log(`workflows/${name} was not stored: ${(error as Error).message}`);
      }
    });
  };

  const schedule = (name: string, delayMs: number, act: () => void): void => {
    clearTimeout(pending.get(name));
    pending.set(
      name,
      setTimeout(() => {
        pending.delete(name);
        act();
      }, delayMs),
    );
  };

  return {
    changed: (path) => {
      const name = basename(path);
      if (isClosed || !isWorkflowFile(name)) return;
      invalid.delete(name); // the problem is logged again after each edit
      schedule(name, DEBOUNCE_MS, () => {
        if (existsSync(join(folder, name))) update(name);
        else schedule(name, REPLACE_MS, () => update(name));
      });
    },
    findFile: (workflowId) => {
      const [name] = [...ids].find(([, id]) => id === workflowId) ?? [];
      const text = name === undefined ? undefined : texts.get(name);
      return name === undefined || text === undefined ? null : { name, text };
    },
    hasFile: (workflowId) => [...ids.values(), ...conflicts.values()].includes(workflowId),
    written: (name, workflowId, text) => {
      ids.set(name, workflowId);
      texts.set(name, text);
    },
    retryInvalid: () => {
      for (const name of invalid.keys()) update(name);
    },
    close: () => {
      isClosed = true;
      for (const timer of pending.values()) clearTimeout(timer);
    },
  };
};

/** @returns null if there is no such file, or it can't be read */
const readWorkflowText = (file: string): string | null => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
};
