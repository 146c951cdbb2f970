import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join, sep } from 'node:path';

export interface TreeWatcher {
  close(): void;
}

/** Linux cannot watch a whole tree, and Node's emulation loses files that editors replace. */
const IS_RECURSIVE = process.platform === 'darwin' || process.platform === 'win32';

const IGNORED = new Set(['node_modules', '.git']);

/**
 * Reports changes to files and folders and below those folders, including folders created or replaced later.
 * @param folder - their parent
 * @param names - of the files and folders, existing or not
 * @param onChange - called with the path of a file or folder that was written, created or removed
 */
export const watchTree = (
  folder: string,
  names: readonly string[],
  onChange: (path: string) => void,
): TreeWatcher => {
  const watchers = new Map<string, FSWatcher>();

  const unwatch = (path: string): void => {
    for (const [watched, watcher] of watchers) {
      if (watched !== path && !watched.startsWith(path + sep)) continue;
      watcher.close();
      watchers.delete(watched);
    }
  };

  const watchOne = (path: string, isRelevant: (name: string) => boolean): void => {
    try {
      const watcher = watch(path, { recursive: IS_RECURSIVE }, (_event, name) => {
        if (name !== null && !isRelevant(name)) return;
        const changed = name === null ? path : join(path, name);
        if (!IS_RECURSIVE && name !== null) watchBelow(changed);
        onChange(changed);
      });
      watcher.on('error', () => unwatch(path));
      watchers.set(path, watcher);
    } catch {
      // It does not exist.
    }
  };

  /** Replaces the watchers: the name may now belong to a different folder. */
  const watchBelow = (path: string): void => {
    unwatch(path);
    const children = listFolders(path);
    if (children === null) return;
    watchOne(path, (name) => !IGNORED.has(name));
    for (const child of children) watchBelow(join(path, child));
  };

  if (IS_RECURSIVE) for (const name of names) watchOne(join(folder, name), () => true);
  else {
    watchOne(folder, (name) => names.includes(name));
    for (const name of names) watchBelow(join(folder, name));
  }
  return {
    close: () => {
      for (const watcher of watchers.values()) watcher.close();
    },
  };
};

/** The folders in a folder; null when the path is not a folder. */
const listFolders = (path: string): readonly string[] | null => {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !IGNORED.has(entry.name))
      .map(({ name }) => name);
  } catch {
    return null;
  }
};
