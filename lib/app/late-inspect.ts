import type { Logger } from '../contract/services.ts';
import type { Inspect } from '../health/inspect.ts';
import type { Config } from './config.ts';

/** The inspection of the plugins, whose code is loaded for the first report. */
export const lateInspect = (config: Config, logger: Logger): Inspect => {
  let loaded: Promise<Inspect> | undefined;
  const load = async (): Promise<Inspect> =>
    (await import('./open-inspect.chunk.ts')).openInspect(config, logger);
  return async (registry, options) => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return (await loaded)(registry, options);
  };
};
