import type { NodeExecutor } from '../contract/node.ts';
import type { FindNodeType, NodeType } from '../contract/node-type.ts';
import type { Clock, Logger } from '../contract/services.ts';
import { claimNodeTypes } from './claim-node-types.ts';
import { connectPlugins } from './connect-plugins.ts';
import { describeError } from './describe-error.ts';
import { createInitialiser } from './initialise-plugins.ts';
import type { InstalledPlugin } from './installed-plugin.ts';
import type { PluginEntry } from './plugin.ts';
import { readPlugin } from './read-plugin.ts';
import { withinDeadline } from './within-deadline.ts';

interface RegistryOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Ids of plugins that are switched off. */
  readonly disabled?: readonly string[];
  /** For loading, initialising and tidying up one plugin, each; 2,000 by default. */
  readonly deadlineMs?: number;
  /** Runs what plugins make once, apart from what the node is made to answer for that needs it first. */
  readonly outside?: (<Value>(work: () => Value) => Value) | undefined;
}

/** All installed plugins, by their metadata. Built once, then it never changes. */
export interface Registry {
  /** In the order of the list. Those that are `loaded` by then may be used: their init is run on their first use. */
  readonly plugins: readonly PluginEntry[];
  /** An executor of a node type is given when the plugin that brings it is initialised. */
  readonly findNodeType: FindNodeType;
  /** Initialises all plugins. Gives them as they turned out, in the order of the list. */
  initialise(): Promise<readonly PluginEntry[]>;
  /** Lets every plugin tidy up whose init has succeeded, all at once, each within its deadline. Never rejects. */
  destroy(): Promise<void>;
}

/**
 * Loads the installed plugins, checks their metadata and connects them. None is initialised: the use of one
 * waits for that one, and for what it depends on. What goes wrong with a plugin is confined to it and shown; none can
 * make this reject.
 */
export const loadRegistry = async (
  installed: readonly InstalledPlugin[],
  { logger, clock, disabled = [], deadlineMs = 2_000, outside = (work) => work() }: RegistryOptions,
): Promise<Registry> => {
  const options = { logger, clock, deadlineMs, outside };
  const read = await readAll(installed, disabled, options);
  const plugins = connectPlugins(claimNodeTypes(read));
  for (const entry of plugins) {
    if (entry.status === 'failed')
      logger.error('plugin not loaded', { plugin: entry.id, reason: entry.error });
  }
  for (const id of disabled) {
    if (!installed.some((item) => item.id === id))
      logger.warn('plugin to switch off is not installed', { plugin: id });
  }
  return toRegistry(plugins, options);
};

interface Options extends Required<Pick<RegistryOptions, 'logger' | 'clock' | 'deadlineMs'>> {
  readonly outside: NonNullable<RegistryOptions['outside']>;
}

const readAll = (
  installed: readonly InstalledPlugin[],
  disabled: readonly string[],
  { clock, deadlineMs }: Options,
): Promise<PluginEntry[]> =>
  Promise.all(
    installed.map(async (item, index): Promise<PluginEntry> => {
      const { id, api } = item;
      const about = { id, api, kind: item.api === 'legacy' ? item.kind : 'provider', plugin: null } as const;
      if (disabled.includes(id)) return { ...about, status: 'disabled', error: 'it is switched off' };
      if (installed.findIndex((other) => other.id === id) < index)
        return { ...about, status: 'failed', error: `there is another plugin "${id}" before it` };
      try {
        const plugin = await withinDeadline(clock, deadlineMs, () => readPlugin(item));
        return { ...about, status: 'loaded', plugin, warnings: [] };
      } catch (error) {
        return { ...about, status: 'failed', error: describeError(error) };
      }
    }),
  );

const toRegistry = (plugins: readonly PluginEntry[], options: Options): Registry => {
  const { logger, clock, deadlineMs, outside } = options;
  const { initialise, initialised } = createInitialiser(plugins, options);
  const nodeTypes = new Map(
    plugins.flatMap((entry) =>
      entry.status !== 'loaded'
        ? []
        : entry.plugin.nodeTypes.map((nodeType) => [
            nodeType.nodeType,
            loadOnce(nodeType, () => outside(async () => refuseFailed(await initialise(entry)))),
          ]),
    ),
  );
  return Object.freeze({
    plugins: Object.freeze(plugins),
    findNodeType: (nodeType: string) => nodeTypes.get(nodeType) ?? null,
    initialise: () => Promise.all(plugins.map(initialise)),
    destroy: async () => {
      await Promise.all(
        initialised().map(async ({ id, plugin }) => {
          try {
            await withinDeadline(clock, deadlineMs, () => plugin.destroy?.());
          } catch (error) {
            logger.warn('plugin not tidied up', { plugin: id, reason: describeError(error) });
          }
        }),
      );
    },
  });
};

/** A node type can't be used, since the plugin that brings it could not be initialised. */
class PluginNotLoadedError extends Error {
  constructor(pluginId: string, reason: string) {
    super(`the plugin "${pluginId}" is not loaded: ${reason}`);
    this.name = 'PluginNotLoaded';
  }
}

const refuseFailed = (entry: PluginEntry): void => {
  if (entry.status !== 'loaded') throw new PluginNotLoadedError(entry.id, entry.error);
};

/** The executor is loaded when it is first needed, and then kept; what failed may be tried again. */
const loadOnce = (nodeType: NodeType, prepare: () => Promise<void>): NodeType => {
  let executor: Promise<NodeExecutor> | undefined;
  const load = async (): Promise<NodeExecutor> => {
    await prepare();
    return nodeType.getExecutor();
  };
  return {
    ...nodeType,
    getExecutor: () => {
      executor ??= load().catch((error: unknown) => {
        executor = undefined;
        throw error;
      });
      return executor;
    },
  };
};
