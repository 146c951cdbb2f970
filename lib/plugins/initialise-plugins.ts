import type { Clock, Logger } from '../contract/services.ts';
import { checkDependencies } from './check-dependencies.ts';
import { describeError } from './describe-error.ts';
import { type LoadedEntry, type PluginEntry, toFailed } from './plugin.ts';
import { pluginLogger } from './plugin-logger.ts';
import { withinDeadline } from './within-deadline.ts';

export interface InitOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** For one plugin; what does not depend on one another is initialised at once. */
  readonly deadlineMs: number;
}

/** Initialises what can be, each plugin once and after what it depends on; what fails takes its dependents along. */
export const initialisePlugins = (
  entries: readonly PluginEntry[],
  options: InitOptions,
): Promise<PluginEntry[]> => {
  const candidates = new Map(
    entries.flatMap((entry) => (entry.status === 'loaded' ? [[entry.id, entry] as const] : [])),
  );
  const plugins = new Map([...candidates].map(([id, { plugin }]) => [id, plugin]));

  const settle = async (entry: LoadedEntry): Promise<PluginEntry> => {
    const { error, warnings } = checkDependencies(entry.plugin, plugins);
    if (error !== null) return toFailed(entry, error);
    const failed = await findFailed(entry);
    const required = failed.find(({ optional }) => optional !== true);
    if (required !== undefined) return toFailed(entry, describeFailed(required.pluginId));
    try {
      await initialise(entry, options);
    } catch (thrown) {
      return toFailed(entry, `its init failed: ${describeError(thrown)}`);
    }
    return { ...entry, warnings: [...warnings, ...failed.map(({ pluginId }) => describeFailed(pluginId))] };
  };

  /** Which of its dependencies are installed, but did not load. There is no way round in a circle: that was checked. */
  const findFailed = async ({ plugin }: LoadedEntry) => {
    const outcomes = await Promise.all(
      plugin.dependencies.map(async (dependency) => {
        const found = candidates.get(dependency.pluginId);
        if (found === undefined) return [];
        return (await settleOnce(found)).status === 'loaded' ? [] : [dependency];
      }),
    );
    return outcomes.flat();
  };

  const settled = new Map<string, Promise<PluginEntry>>();
  const settleOnce = (entry: LoadedEntry): Promise<PluginEntry> => {
    const result = settled.get(entry.id) ?? settle(entry);
    settled.set(entry.id, result);
    return result;
  };

  return Promise.all(entries.map((entry) => (entry.status === 'loaded' ? settleOnce(entry) : entry)));
};

const initialise = ({ id, plugin }: LoadedEntry, { clock, logger, deadlineMs }: InitOptions) =>
  withinDeadline(clock, deadlineMs, (signal) =>
    plugin.init?.({ logger: pluginLogger(logger, id), clock, signal }),
  );

const describeFailed = (pluginId: string): string =>
  `it depends on the plugin "${pluginId}", which is not loaded`;
