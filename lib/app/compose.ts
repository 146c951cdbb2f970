import type { Context } from 'aws-lambda';
import { installedPlugins } from '../../plugins/installed.ts';
import { createFunctionProcess, type FunctionProcess } from '../adapters/runtime/function-process.ts';
import { createLogger } from '../adapters/runtime/logger.ts';
import { systemClock } from '../adapters/runtime/system-clock.ts';
import type { Logger } from '../contract/services.ts';
import { loadRegistry, type Registry } from '../plugins/load-registry.ts';
import { type Config, readConfig } from './config.ts';
import type { AdminParts } from './plugins-handlers.ts';

// The composition root: where configuration, plugins, stores and engine meet. Each function takes from it what it
// needs, and its bundle holds no more than that.

/** @throws AppError `CONFIGURATION_INVALID`, which keeps the function from starting: better than half working */
export const openConfig = (): Config => readConfig(process.env);

export const openLogger = ({ logLevel, stage }: Config): Logger =>
  createLogger({ level: logLevel, fields: { service: 'hookloom', stage } });

let functionProcess: FunctionProcess | null = null;

/** The process, where it serves a function alone; null in tests and on the command line. */
export const openProcess = ({ ownsProcess }: Config, logger: Logger): FunctionProcess | null => {
  if (!ownsProcess) return null;
  functionProcess ??= createFunctionProcess({ logger });
  return functionProcess;
};

/** A handler as it is exported, once its function is opened. */
export const serve = <Event, Result>(
  handler: (event: Event, context: Context) => Promise<Result>,
): ((event: Event, context: Context) => Promise<Result>) => functionProcess?.serve(handler) ?? handler;

/** The registry is built once per sandbox, when it is first needed; a build that failed is tried again. */
export const openRegistry = (config: Config, logger: Logger): (() => Promise<Registry>) => {
  const ownProcess = openProcess(config, logger);
  let registry: Promise<Registry> | undefined;
  const load = async (): Promise<Registry> => {
    const built = await loadRegistry(installedPlugins, {
      logger,
      clock: systemClock,
      disabled: config.disabledPlugins,
      deadlineMs: config.pluginDeadlineMs,
      outside: ownProcess?.outside,
    });
    ownProcess?.onEnd(built.destroy);
    return built;
  };
  return () => {
    registry ??= load().catch((error: unknown) => {
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
