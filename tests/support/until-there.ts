import { existsSync, watch } from 'node:fs';
import { dirname } from 'node:path';

/** Resolves when a file is there that another process writes. */
export const untilThere = (file: string): Promise<void> =>
  new Promise((resolve) => {
    const check = () => {
      if (!existsSync(file)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(dirname(file), check);
    check();
  });
