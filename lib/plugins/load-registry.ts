import type { NodeExecutor } from '../contract/node.ts';
import type { FindNodeType, NodeType } from '../contract/node-type.ts';
import type { Clock, Logger } from '../contract/services.ts';
import { checkDependencies } from './check-dependencies.ts';
import { describeError } from './describe-error.ts';
import type { InstalledPlugin } from './installed-plugin.ts';
import type { Plugin, PluginEntry } from './plugin.ts';
import { readPlugin } from './read-plugin.ts';
import { withinDeadline } from './within-deadline.ts';

export interface RegistryOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Ids of plugins that are switched off. */
  readonly disabled?: readonly string[];
  /** For loading and for initialising one plugin, each; 2,000 by default. */
  readonly deadlineMs?: number;
}

/** All installed plugins, as they turned out. Built once, then it never changes. */
export interface Registry {
  /** In the order of the list. */
  readonly plugins: readonly PluginEntry[];
  readonly findNodeType: FindNodeType;
  /** Lets every loaded plugin tidy up. */
  destroy(): Promise<void>;
}

/**
 * Loads, checks, connects and initialises the installed plugins. What goes wrong with one of them is confined to
 * it and shown; this never rejects.
 */
export const loadRegistry = async (
  installed: readonly InstalledPlugin[],
  { logger, clock, disabled = [], deadlineMs = 2_000 }: RegistryOptions,
): Promise<Registry> => {
  const read = await Promise.all(
    installed.map(async (item, index): Promise<PluginEntry> => {
      const about = {
        id: item.id,
        api: item.api,
        kind: item.api === 'legacy' ? item.kind : 'provider',
      } as const;
      if (disabled.includes(item.id))
        return { ...about, status: 'disabled', plugin: null, error: 'it is switched off' };
      if (installed.findIndex(({ id }) => id === item.id) < index) {
        return {
          ...about,
          status: 'failed',
          plugin: null,
          error: `there is another plugin "${item.id}" before it`,
        };
      }
      try {
        const plugin = await withinDeadline(clock, deadlineMs, () => readPlugin(item));
        return { ...about, status: 'loaded', plugin, warnings: [] };
      } catch (error) {
        return { ...about, status: 'failed', plugin: null, error: describeError(error) };
      }
    }),
  );

  const claimed = claimNodeTypes(read);
  const candidates = new Map(
    claimed.flatMap(({ status, plugin }) => (status === 'loaded' ? [[plugin.id, plugin]] : [])),
  );

  // One promise per plugin, so that each is initialised once, after what it depends on.
  const settled = new Map<string, Promise<PluginEntry>>();
  const settle = async (entry: PluginEntry): Promise<PluginEntry> => {
    if (entry.status !== 'loaded') return entry;
    const { error, warnings } = checkDependencies(entry.plugin, candidates);
    if (error !== null) return toFailed(entry, error);
    for (const { pluginId, optional } of entry.plugin.dependencies) {
      const dependency = claimed.find(({ id, status }) => id === pluginId && status === 'loaded');
      if (dependency === undefined) continue;
      const { status } = await settleOnce(dependency);
      if (status !== 'loaded' && optional !== true) {
        return toFailed(entry, `it depends on the plugin "${pluginId}", which is not loaded`);
      }
    }
    try {
      await withinDeadline(clock, deadlineMs, (signal) => entry.plugin.init?.({ logger, clock, signal }));
    } catch (error) {
      return toFailed(entry, `its init failed: ${describeError(error)}`);
    }
    return { ...entry, warnings };
  };
  const settleOnce = (entry: PluginEntry): Promise<PluginEntry> => {
    const result = settled.get(entry.id) ?? settle(entry);
    settled.set(entry.id, result);
    return result;
  };
  const plugins = await Promise.all(
    claimed.map((entry) => (entry.status === 'loaded' ? settleOnce(entry) : entry)),
  );

  for (const entry of plugins) {
    if (entry.status === 'failed')
      logger.error('plugin not loaded', { plugin: entry.id, reason: entry.error });
  }
  return toRegistry(plugins, logger);
};

/** The first plugin of the list that brings a node type has it; a plugin of which one is taken is left out whole. */
const claimNodeTypes = (entries: readonly PluginEntry[]): PluginEntry[] => {
  const owners = new Map<string, string>();
  return entries.map((entry) => {
    if (entry.status !== 'loaded') return entry;
    const names = entry.plugin.nodeTypes.map(({ nodeType }) => nodeType);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined) return toFailed(entry, `it brings the node type "${twice}" twice`);
    const taken = names.find((name) => owners.has(name));
    if (taken !== undefined) {
      return toFailed(entry, `its node type "${taken}" is taken by the plugin "${owners.get(taken)}"`);
    }
    for (const name of names) owners.set(name, entry.id);
    return entry;
  });
};

const toFailed = ({ id, api, kind, plugin }: PluginEntry, error: string): PluginEntry => ({
  id,
  api,
  kind,
  status: 'failed',
  plugin,
  error,
});

const toRegistry = (plugins: readonly PluginEntry[], logger: Logger): Registry => {
  const loaded = plugins.flatMap(({ status, plugin }) => (status === 'loaded' ? [plugin] : []));
  const nodeTypes = new Map(
    loaded.flatMap(({ nodeTypes }) => nodeTypes.map((nodeType) => [nodeType.nodeType, loadOnce(nodeType)])),
  );
  return Object.freeze({
    plugins: Object.freeze(plugins),
    findNodeType: (nodeType: string) => nodeTypes.get(nodeType) ?? null,
    destroy: async () => {
      const results = await Promise.allSettled(loaded.map(async (plugin: Plugin) => plugin.destroy?.()));
      results.forEach((result, index) => {
        if (result.status === 'rejected') {
          logger.warn('plugin not tidied up', {
            plugin: loaded[index]?.id,
            reason: describeError(result.reason),
          });
        }
      });
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
