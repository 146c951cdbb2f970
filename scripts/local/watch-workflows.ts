import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import type { Target } from '../../cli/target.ts';
import { putSample } from './seed.ts';

/** Editors write a file in several steps; what comes within this time is one edit. */
const SETTLING_MS = 50;

/** Stores a workflow file again whenever it is edited, and says so. */
export const watchWorkflows = (folder: string, stores: Target): FSWatcher => {
  const pending = new Map<string, NodeJS.Timeout>();

  const store = async (name: string): Promise<void> => {
    try {
      const { id, version, changed } = await putSample(join(folder, name), stores);
      if (changed) console.log(`workflows/${name}: ${id} is at version ${version} now`);
    } catch (error) {
      console.error(
        `workflows/${name} was not taken over, the version before it goes on:\n${(error as Error).message}`,
      );
    }
  };

  return watch(folder, (_event, name) => {
    if (name === null || !name.endsWith('.json')) return;
    clearTimeout(pending.get(name));
    pending.set(
      name,
      setTimeout(() => store(name), SETTLING_MS),
    );
  });
};
