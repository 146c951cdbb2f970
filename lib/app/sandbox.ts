import { type Logger, lazy } from '@hookloom/plugin-kit';
import type { Context } from 'aws-lambda';
import { installedPlugins } from '../../plugins/installed.ts';
import { createFunctionProcess, type FunctionProcess } from '../adapters/runtime/function-process.ts';
import { systemClock } from '../adapters/runtime/system-clock.ts';
import { type AnswerPing, type Pong, plainPing } from '../health/ping.ts';
import type { AssertEnabled } from '../plugins/disabled-plugins.ts';
import type { InstalledPlugin } from '../plugins/installed-plugin.ts';
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

/**
 * Builds the registry on first use, once per sandbox; after a failure, the next call tries again.
 *
 * @param plugins - all installed plugins by default
 */
export const openRegistry = (
  config: Config,
  logger: Logger,
  plugins: readonly InstalledPlugin[] = installedPlugins,
  assertEnabled?: AssertEnabled,
): (() => Promise<Registry>) => {
  const ownProcess = openProcess(config, logger);
  const others = installedPlugins.filter((plugin) => !plugins.includes(plugin)).map(({ id }) => id);
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
export const openPlugins = (config: Config, logger: Logger, assertEnabled?: AssertEnabled): LoadedOnUse =>
  loadOnUse(installedPlugins, (plugins) => openRegistry(config, logger, plugins, assertEnabled));
