import type { Logger } from '../contract/services.ts';
import type { Inspect } from '../health/inspect.ts';
import type { Config } from './config.ts';

/** The inspection of the plugins, whose code is loaded for the first report. */
export const lateInspect = (config: Config, logger: Logger): Inspect => {
  let loaded: Promise<Inspect> | undefined;
  return async (registry, options) => {
    loaded ??= import('./open-inspect.chunk.ts').then(({ openInspect }) => openInspect(config, logger));
    return (await loaded)(registry, options);
  };
};
