import { installedPlugins } from '../plugins/installed.ts';
import type { AdminParts } from './admin-functions.ts';
import { type Config, readConfig } from './config.ts';
import type { Logger } from './contract/services.ts';
import { loadRegistry, type Registry } from './plugins/load-registry.ts';
import { createLogger } from './services/logger.ts';
import { systemClock } from './services/system-clock.ts';

// The composition root: where configuration, plugins, stores and engine meet. Each function takes from it what it
// needs, and its bundle holds no more than that.

/** @throws AppError `CONFIGURATION_INVALID`, which keeps the function from starting: better than half working */
export const openConfig = (): Config => readConfig(process.env);

export const openLogger = ({ logLevel, stage }: Config): Logger =>
  createLogger({ level: logLevel, fields: { service: 'hookloom', stage } });

/** The registry is built once per sandbox, when it is first needed; a build that failed is tried again. */
export const openRegistry = (config: Config, logger: Logger): (() => Promise<Registry>) => {
  let registry: Promise<Registry> | undefined;
  return () => {
    registry ??= loadRegistry(installedPlugins, {
      logger,
      clock: systemClock,
      disabled: config.disabledPlugins,
      deadlineMs: config.pluginDeadlineMs,
    }).catch((error: unknown) => {
      registry = undefined;
      throw error;
    });
    return registry;
  };
};

/** What every admin function is made of. */
export const openAdmin = (config: Config = openConfig()): AdminParts & { readonly config: Config } => {
  const logger = openLogger(config);
  return { config, logger, clock: systemClock, loadRegistry: openRegistry(config, logger) };
};
