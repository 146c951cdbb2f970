import type { NodeExecutor } from '../contract/node.ts';
import type { FindNodeType, NodeType } from '../contract/node-type.ts';
import type { Clock, Logger } from '../contract/services.ts';
import { claimNodeTypes } from './claim-node-types.ts';
import { describeError } from './describe-error.ts';
import { initialisePlugins } from './initialise-plugins.ts';
import type { InstalledPlugin } from './installed-plugin.ts';
import type { PluginEntry } from './plugin.ts';
import { readPlugin } from './read-plugin.ts';
import { withinDeadline } from './within-deadline.ts';

export interface RegistryOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Ids of plugins that are switched off. */
  readonly disabled?: readonly string[];
  /** For loading, initialising and tidying up one plugin, each; 2,000 by default. */
  readonly deadlineMs?: number;
}

/** All installed plugins, as they turned out. Built once, then it never changes. */
export interface Registry {
  /** In the order of the list. */
  readonly plugins: readonly PluginEntry[];
  readonly findNodeType: FindNodeType;
  /** Lets every loaded plugin tidy up, within its deadline. */
  destroy(): Promise<void>;
}

/**
 * Loads, checks, connects and initialises the installed plugins. What goes wrong with one of them is confined to
 * it and shown; no plugin can make this reject.
 */
export const loadRegistry = async (
  installed: readonly InstalledPlugin[],
  { logger, clock, disabled = [], deadlineMs = 2_000 }: RegistryOptions,
): Promise<Registry> => {
  const options = { logger, clock, deadlineMs };
  const read = await readAll(installed, disabled, options);
  const plugins = await initialisePlugins(claimNodeTypes(read), options);
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

type Options = Required<Pick<RegistryOptions, 'logger' | 'clock' | 'deadlineMs'>>;

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

const toRegistry = (plugins: readonly PluginEntry[], { logger, clock, deadlineMs }: Options): Registry => {
  const loaded = plugins.flatMap(({ status, plugin }) => (status === 'loaded' ? [plugin] : []));
  const nodeTypes = new Map(
    loaded.flatMap(({ nodeTypes }) => nodeTypes.map((nodeType) => [nodeType.nodeType, loadOnce(nodeType)])),
  );
  return Object.freeze({
    plugins: Object.freeze(plugins),
    findNodeType: (nodeType: string) => nodeTypes.get(nodeType) ?? null,
    destroy: async () => {
      await Promise.all(
        loaded.map(async ({ id, destroy }) => {
          try {
            await withinDeadline(clock, deadlineMs, () => destroy?.());
          } catch (error) {
            logger.warn('plugin not tidied up', { plugin: id, reason: describeError(error) });
          }
        }),
      );
    },
  });
};

/** The executor is loaded when it is first needed, and then kept; a load that failed may be tried again. */
const loadOnce = (nodeType: NodeType): NodeType => {
  let executor: Promise<NodeExecutor> | undefined;
  return {
    ...nodeType,
    getExecutor: () => {
      executor ??= nodeType.getExecutor().catch((error: unknown) => {
        executor = undefined;
        throw error;
      });
      return executor;
    },
  };
};
