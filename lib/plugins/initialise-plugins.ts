import type { Clock, Logger } from '@hookloom/plugin-kit';
import { describeError, noteBlocking, pluginLogger, withinDeadline } from './call-plugin.ts';
import { describeNotLoaded, type LoadedEntry, type PluginEntry, toFailed } from './plugin.ts';

/** Time in milliseconds before a failed init is tried again, so that not every request waits for it. */
const RETRY_INIT_MS = 30_000;

interface Outcome {
  readonly result: Promise<PluginEntry>;
  /** When the init failed, in milliseconds since the epoch; null unless it has failed. */
  failedAt: number | null;
}

/**
 * @param entries - connected, and therefore without dependency cycles
 * @param deadlineMs - time limit for each plugin; independent plugins are initialised concurrently
 */
export const createInitialiser = (
  entries: readonly PluginEntry[],
  {
    clock,
    logger,
    deadlineMs,
  }: { readonly clock: Clock; readonly logger: Logger; readonly deadlineMs: number },
) => {
  const byId = new Map(
    entries.flatMap((entry) => (entry.status === 'loaded' ? [[entry.id, entry] as const] : [])),
  );
  const outcomes = new Map<string, Outcome>();
  const initialised = new Set<LoadedEntry>();

  /**
   * Initialises a plugin once, after its dependencies. Never throws. After {@link RETRY_INIT_MS}, the next call tries a
   * failed init again.
   */
  const initialise = (entry: PluginEntry): Promise<PluginEntry> => {
    if (entry.status !== 'loaded') return Promise.resolve(entry);
    const known = outcomes.get(entry.id);
    if (known !== undefined && !isDue(known)) return known.result;
    const outcome: Outcome = { result: runInit(entry), failedAt: null };
    outcomes.set(entry.id, outcome);
    void outcome.result.then(({ status }) => {
      if (status !== 'loaded') outcome.failedAt = clock.now();
    });
    return outcome.result;
  };

  const isDue = ({ failedAt }: Outcome): boolean =>
    failedAt !== null && clock.now() - failedAt >= RETRY_INIT_MS;

  /** Runs the init of a plugin; never throws. */
  const runInit = async (entry: LoadedEntry): Promise<PluginEntry> => {
    const failed = await findFailed(entry);
    const required = failed.find(({ optional }) => optional !== true);
    if (required !== undefined) return fail(entry, describeNotLoaded(required.pluginId));
    const warnings = [...entry.warnings, ...failed.map(({ pluginId }) => describeNotLoaded(pluginId))];
    try {
      const { init } = entry.plugin;
      if (init !== undefined) {
        const context = { logger: pluginLogger(logger, entry.id), clock };
        await withinDeadline(clock, deadlineMs, (signal) =>
          noteBlocking(clock, 'its init', warnings, () => init({ ...context, signal })),
        );
      }
    } catch (thrown) {
      return fail(entry, `its init failed: ${describeError(thrown)}`);
    }
    initialised.add(entry);
    return { ...entry, warnings };
  };

  const fail = (entry: LoadedEntry, error: string): PluginEntry => {
    logger.error('plugin not loaded', { plugin: entry.id, reason: error });
    return toFailed(entry, error);
  };

  /** The dependencies whose init has failed. */
  const findFailed = async ({ plugin }: LoadedEntry) => {
    const found = await Promise.all(
      plugin.dependencies.map(async (dependency) => {
        const entry = byId.get(dependency.pluginId);
        if (entry === undefined) return [];
        return (await initialise(entry)).status === 'loaded' ? [] : [dependency];
      }),
    );
    return found.flat();
  };

  return { initialise, /** The plugins whose init has succeeded. */ initialised };
};
