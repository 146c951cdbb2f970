import { lazy } from '@hookloom/plugin-kit';
import type { InstalledPlugins } from '../../plugins/installed-plugin.ts';
import type { DuePoll } from '../../triggers/start-by-event.ts';
import type { Config } from '../config.ts';
import { openConfig } from './parts.ts';
import { openRuns } from './runs.ts';

/** Opens the function for express runs, which also polls: what for is loaded on first use. */
export const openExpressRuns = (installed: InstalledPlugins, config: Config = openConfig()) => {
  const parts = openRuns(installed, config);
  const load = lazy(async () => (await import('./open-poll.chunk.ts')).openPoll(config, parts));
  return { ...parts, runPoll: async (due: DuePoll, requestId: string) => (await load())(due, requestId) };
};
