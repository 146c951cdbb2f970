import { lazy } from '@hookloom/plugin-kit';
import type { OpenFiles } from '../engine/session.ts';
import type { FileParts, FilesFor } from '../executions/files/execution-files.ts';
import type { Config } from './config.ts';

/** Files, loaded on first use: few runs have any. */
export const lateFiles = (config: Config, executions: FileParts['executions']): FilesFor => {
  const loadFilesFor = lazy(async () =>
    (await import('./open-files.chunk.ts')).openFiles(config, executions),
  );
  return (execution) => {
    const openFiles = lazy<OpenFiles>(async () => (await loadFilesFor())(execution));
    return (nodeKey, signal) => {
      const open = lazy(async () => (await openFiles())(nodeKey, signal));
      return {
        save: async (content, about) => (await open()).save(content, about),
        open: async (file) => (await open()).open(file),
      };
    };
  };
};
