import { type Logger, lazy } from '@hookloom/plugin-kit';
import type { Context } from 'aws-lambda';
import { createFunctionProcess, type FunctionProcess } from '../adapters/runtime/function-process.ts';
import { systemClock } from '../adapters/runtime/system-clock.ts';
import { type AnswerPing, type Pong, plainPing } from '../health/ping.ts';
import type { AssertEnabled } from '../plugins/disabled-plugins.ts';
import type { InstalledPlugins } from '../plugins/installed-plugin.ts';
import { type LoadedOnUse, loadOnUse } from '../plugins/load-node-types.ts';
import { loadRegistry, type Registry } from '../plugins/load-registry.ts';
import { type Config, readConfig } from './config.ts';

let functionProcess: FunctionProcess | null = null;

/** The process, if it serves a single function; null in tests and on the command line. */
export const openProcess = ({ ownsProcess }: Config, logger: Logger): FunctionProcess | null => {
  if (!ownsProcess) return null;
  functionProcess ??= createFunctionProcess({ logger });
  return functionProcess;
};

type Handler<Event, Result> = (event: Event, context: Context) => Promise<Result>;

/**
 * Wraps a handler for export. Call it after opening the parts: it answers pings, so a response means that the function
 * started with a complete configuration.
 *
 * @param answerPing - answers an event if it is a ping; null for any other event
 */
export const serve = <Event, Result>(
  handler: Handler<Event, Result>,
  answerPing: AnswerPing = plainPing,
): Handler<Event, Result> => {
  const served = functionProcess?.serve(handler) ?? handler;
  return async (event, context) =>
    (answerPing(event, () => toPong(context)) as Result) ?? served(event, context);
};

const toPong = (context?: Context): Pong => ({
  hookloom: 'pong',
  function: context?.functionName,
  time: systemClock.now(),
  config: readConfig(process.env),
});

interface RegistryOptions {
  /** All installed plugins, if the registry is of a part of them. */
  readonly installed?: InstalledPlugins;
  /** For sandboxes that run nodes. */
  readonly assertEnabled?: AssertEnabled | undefined;
}

/** Builds the registry of these plugins on first use, once per sandbox; after a failure, the next call tries again. */
export const openRegistry = (
  plugins: InstalledPlugins,
  config: Config,
  logger: Logger,
  { installed = plugins, assertEnabled }: RegistryOptions = {},
): (() => Promise<Registry>) => {
  const ownProcess = openProcess(config, logger);
  const others = installed.filter((plugin) => !plugins.includes(plugin)).map(({ id }) => id);
  return lazy(async () => {
    const built = await loadRegistry(plugins, {
      logger,
      clock: systemClock,
      disabled: config.disabledPlugins.filter((id) => !others.includes(id)),
      deadlineMs: config.pluginDeadlineMs,
      serviceVersion: config.version,
      outside: ownProcess?.outside,
      assertEnabled,
    });
    ownProcess?.onEnd(built.destroy);
    return built;
  });
};

/**
 * The plugins of this sandbox, loaded as workflows need them.
 *
 * @param assertEnabled - for sandboxes that run nodes
 */
export const openPlugins = (
  installed: InstalledPlugins,
  config: Config,
  logger: Logger,
  assertEnabled?: AssertEnabled,
): LoadedOnUse =>
  loadOnUse(installed, (plugins) => openRegistry(plugins, config, logger, { installed, assertEnabled }));
