import type { Logger } from '../contract/services.ts';
import type { Inspect } from '../health/inspect.ts';
import { lazy } from '../shared/lazy.ts';
import type { Config } from './config.ts';

/** The inspection of the plugins, whose code is loaded for the first report. */
export const lateInspect = (config: Config, logger: Logger): Inspect => {
  const load = lazy(async () => (await import('./open-inspect.chunk.ts')).openInspect(config, logger));
  return async (registry, options) => (await load())(registry, options);
};
