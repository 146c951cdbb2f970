import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SamplesEvent, SamplesResults } from './samples-function.ts';
import type { SeededSample } from './seed.ts';

/** Does one action with the store, by the newest code. */
export type CallSamples = <Action extends SamplesEvent['action']>(
  event: Extract<SamplesEvent, { readonly action: Action }>,
) => Promise<SamplesResults[Action]>;

export interface WorkflowFiles {
  /** A file of the folder was written, made or removed. */
  changed(path: string): void;
  /** The code has changed: what was refused may be accepted now. */
  retryRefused(): void;
  close(): void;
}

/** Editors write a file in several steps; what comes within this time is one edit. */
const SETTLING_MS = 50;
/** Some editors take a file away for a moment, to put another one in its place. */
const GONE_MS = 300;

/**
 * Keeps the store as the workflow files are: stores one again whenever it is edited, removes the workflow of one that is
 * gone, and says so.
 * @param seeded the files that the store has already
 */
export const createWorkflowFiles = (parts: {
  readonly folder: string;
  readonly seeded: readonly SeededSample[];
  readonly call: CallSamples;
  readonly log: (line: string) => void;
}): WorkflowFiles => {
  const { folder, seeded, call, log } = parts;
  /** The workflow in each file. */
  const ids = new Map(seeded.flatMap((file) => ('id' in file ? [[file.name, file.id] as const] : [])));
  /** What is wrong with each file that was not taken over. */
  const refused = new Map(
    seeded.flatMap((file) => ('problem' in file ? [[file.name, file.problem] as const] : [])),
  );
  const pending = new Map<string, NodeJS.Timeout>();
  let isClosed = false;
  /** One after the other: an older state of a file must not be stored after a newer one. */
  let last: Promise<void> = Promise.resolve();

  const removeUnlessElsewhere = async (workflowId: string, name: string, why: string): Promise<void> => {
    if ([...ids.values()].includes(workflowId)) return;
    if (await call<'remove'>({ action: 'remove', workflowId })) {
      log(`workflows/${name} ${why}: ${workflowId} was removed`);
    }
  };

  const store = async (name: string): Promise<void> => {
    const result = await call<'put'>({ action: 'put', file: join(folder, name) });
    if ('problem' in result) {
      if (refused.get(name) === result.problem) return;
      refused.set(name, result.problem);
      const stays = ids.has(name) ? ', the version before it goes on' : '';
      log(`workflows/${name} was not taken over${stays}:\n${result.problem}`);
      return;
    }
    const before = ids.get(name);
    ids.set(name, result.id);
    refused.delete(name);
    if (result.changed) {
      log(`workflows/${name}: ${result.id} is at version ${result.version} now`);
      for (const warning of result.warnings) log(`workflows/${name}: ${warning}`);
    }
    if (before !== undefined && before !== result.id) {
      await removeUnlessElsewhere(before, name, `is ${result.id} now`);
    }
  };

  const forget = async (name: string): Promise<void> => {
    const id = ids.get(name);
    ids.delete(name);
    refused.delete(name);
    if (id !== undefined) await removeUnlessElsewhere(id, name, 'is gone');
  };

  const update = (name: string): void => {
    last = last.then(async () => {
      if (isClosed) return;
      try {
        await (existsSync(join(folder, name)) ? store(name) : forget(name));
      } catch (error) {
        if (!isClosed) log(`workflows/${name} was not taken over: ${(error as Error).message}`);
      }
    });
  };

  const updateIn = (name: string, delayMs: number, act: () => void): void => {
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
      if (isClosed || !name.endsWith('.json')) return;
      refused.delete(name); // an edit that mends nothing is worth another word
      updateIn(name, SETTLING_MS, () => {
        if (existsSync(join(folder, name))) update(name);
        else updateIn(name, GONE_MS, () => update(name));
      });
    },
    retryRefused: () => {
      for (const name of refused.keys()) update(name);
    },
    close: () => {
      isClosed = true;
      for (const timer of pending.values()) clearTimeout(timer);
    },
  };
};
