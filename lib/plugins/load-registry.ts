import {
  type Clock,
  type CredentialType,
  type Logger,
  lazy,
  type NodeExecutor,
  type PluginProvider,
} from '@hookloom/plugin-kit';
import { type FindNodeType, isPure, type NodeType } from '@hookloom/plugin-kit/host';
import { compareVersions } from 'compare-versions';
import { adaptUnified } from './adapt-provider.ts';
import { describeError, withinDeadline } from './call-plugin.ts';
import { createInitialiser } from './initialise-plugins.ts';
import type { InstalledPlugin } from './installed-plugin.ts';
import { checkUnified } from './metadata/check-metadata.ts';
import { type Plugin, type PluginEntry, toFailed } from './plugin.ts';

interface RegistryOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Ids of the plugins to leave out. */
  readonly disabled?: readonly string[];
  /** Time limit for each `load`, `init` and `destroy` of one plugin, in milliseconds; 2,000 by default. */
  readonly deadlineMs?: number;
  /**
   * Semantic version of this service, of which a plugin may require a minimum. If absent, no plugin is refused for
   * that.
   */
  readonly serviceVersion?: string;
  /**
   * Runs `init` outside the execution that first needs it, so that later errors are not attributed to that execution.
   */
  readonly outside?: (<Value>(work: () => Value) => Value) | undefined;
  /**
   * Throws if a plugin is disabled meanwhile. Called with its id before each execution of a node that is a step, and
   * each use of a credential.
   */
  readonly assertEnabled?: ((pluginId: string) => Promise<void>) | undefined;
}

/** All installed plugins, known by their metadata. Immutable. */
export interface Registry {
  /**
   * The plugins in the order of the list of installed plugins. The `init` of a `loaded` plugin runs on its first use.
   */
  readonly plugins: readonly PluginEntry[];
  /** Finds a node type, whose `getExecutor` waits for the `init` of its plugin. */
  readonly findNodeType: FindNodeType;
  /** The credential types by id. Like executors, they wait for the `init` of their plugin. */
  readonly credentialTypes: ReadonlyMap<string, CredentialType>;
  /** Initialises all plugins. @returns their entries in the order of the list */
  initialise(): Promise<readonly PluginEntry[]>;
  /** Calls `destroy` of every initialised plugin, concurrently, each within its deadline. Never throws. */
  destroy(): Promise<void>;
}

/**
 * Loads the installed plugins, and checks their metadata and dependencies. Each is initialised on its first use, after
 * its dependencies. Never throws: a failure affects only its plugin, and is recorded in the plugin's entry.
 */
export const loadRegistry = async (
  installed: readonly InstalledPlugin[],
  { deadlineMs = 2_000, ...given }: RegistryOptions,
): Promise<Registry> => {
  const options = { ...given, deadlineMs };
  const { logger, disabled = [] } = options;
  const read = await readInstalled(installed, options);
  const plugins = await connectDependencies(claimCredentialTypes(claimNodeTypes(read)));
  for (const entry of plugins) {
    if (entry.status === 'failed')
      logger.error('plugin not loaded', { plugin: entry.id, reason: entry.error });
  }
  for (const id of disabled) {
    if (!installed.some((item) => item.id === id))
      logger.warn('a disabled plugin is not installed', { plugin: id });
  }
  return toRegistry(plugins, options);
};

type Options = RegistryOptions & { readonly deadlineMs: number };

/** Checks dependencies, which few plugins have. */
const connectDependencies = async (entries: readonly PluginEntry[]): Promise<readonly PluginEntry[]> =>
  entries.some(({ plugin }) => plugin !== null && plugin.dependencies.length > 0)
    ? (await import('./connect-plugins.chunk.ts')).connectPlugins(entries)
    : entries;

const readInstalled = (
  installed: readonly InstalledPlugin[],
  { clock, deadlineMs, serviceVersion, disabled = [] }: Options,
): Promise<PluginEntry[]> =>
  Promise.all(
    installed.map(async (item, index): Promise<PluginEntry> => {
      const { id, api } = item;
      const about = { id, api, kind: item.api === 'legacy' ? item.kind : 'provider', plugin: null } as const;
      if (disabled.includes(id)) return { ...about, status: 'disabled', error: 'it is disabled' };
      try {
        if (installed.findIndex((other) => other.id === id) < index)
          throw new Error(`an earlier plugin in the list has the same id, "${id}"`);
        const plugin = await withinDeadline(clock, deadlineMs, () => readPlugin(item, serviceVersion));
        return { ...about, status: 'loaded', plugin, warnings: [] };
      } catch (error) {
        return { ...about, status: 'failed', error: describeError(error) };
      }
    }),
  );

const toRegistry = (plugins: readonly PluginEntry[], options: Options): Registry => {
  const { logger, clock, deadlineMs, outside = (work) => work(), assertEnabled } = options;
  const { initialise, initialised } = createInitialiser(plugins, options);
  const prepare = (entry: PluginEntry) => () => outside(async () => assertLoaded(await initialise(entry)));
  const loaded = plugins.filter((entry) => entry.status === 'loaded');
  const nodeTypes = new Map(
    loaded.flatMap((entry) =>
      entry.plugin.nodeTypes.map((nodeType) => {
        const checked =
          assertEnabled === undefined ? nodeType : checkSteps(nodeType, entry.id, assertEnabled);
        return [nodeType.nodeType, loadOnce(checked, prepare(entry))];
      }),
    ),
  );
  const credentialTypes = new Map(
    loaded.flatMap((entry) =>
      entry.plugin.credentialTypes.map((type) => {
        const prepareUse = async () => {
          await prepare(entry)();
          await assertEnabled?.(entry.id);
        };
        return [type.id, callPrepared(type, prepareUse)];
      }),
    ),
  );
  return Object.freeze({
    plugins: Object.freeze(plugins),
    findNodeType: (nodeType: string) => nodeTypes.get(nodeType) ?? null,
    credentialTypes,
    initialise: () => Promise.all(plugins.map(initialise)),
    destroy: async () => {
      await Promise.all(
        [...initialised].map(async ({ id, plugin }) => {
          try {
            await withinDeadline(clock, deadlineMs, () => plugin.destroy?.());
          } catch (error) {
            logger.warn('plugin not destroyed', { plugin: id, reason: describeError(error) });
          }
        }),
      );
    },
  });
};

/** @throws Error `PluginNotLoaded` if the plugin could not be initialised */
const assertLoaded = (entry: PluginEntry): void => {
  if (entry.status === 'loaded') return;
  const error = new Error(`the plugin "${entry.id}" is not loaded: ${entry.error}`);
  throw Object.assign(error, { name: 'PluginNotLoaded' });
};

/** Wraps a credential type so that its calls wait for the init of its plugin. */
const callPrepared = (type: CredentialType, prepare: () => Promise<void>): CredentialType => {
  const { apply, test } = type;
  return {
    ...type,
    ...(apply === undefined ? {} : { apply: (...args) => prepare().then(() => apply(...args)) }),
    ...(test === undefined ? {} : { test: (...args) => prepare().then(() => test(...args)) }),
  };
};

/** Caches the executor of a node type after it is first loaded; a failed load is repeated. */
const loadOnce = (nodeType: NodeType, prepare: () => Promise<void>): NodeType => {
  const getExecutor = lazy(async (): Promise<NodeExecutor> => {
    await prepare();
    return nodeType.getExecutor();
  });
  return { ...nodeType, getExecutor };
};

/**
 * Wraps a node type so that a check precedes every execution that is a step. What is no step is repeated by a replay,
 * which must not end differently.
 */
const checkSteps = (
  nodeType: NodeType,
  pluginId: string,
  check: (pluginId: string) => Promise<void>,
): NodeType => {
  const { kind, pure, control } = nodeType;
  if (kind === 'trigger' || control !== null || pure === true) return nodeType;
  return {
    ...nodeType,
    getExecutor: async () => {
      const executor = await nodeType.getExecutor();
      return {
        getNodeType: () => executor.getNodeType(),
        execute: async (node, input, context) => {
          if (!isPure(nodeType, node.parameters)) await check(pluginId);
          return executor.execute(node, input, context);
        },
      };
    },
  };
};

/** Types of inbound credentials, which belong to the service itself. */
const INBOUND = ['apiKey', 'basic'];

/**
 * Assigns each name to the first plugin that declares it. A plugin fails as a whole if another one already has one of
 * its names. This is decided by metadata, before any init: which code a node type runs must not depend on another
 * plugin's init.
 * @param owners - of names that no plugin may declare
 */
const claimNames = (
  entries: readonly PluginEntry[],
  what: string,
  namesOf: (plugin: Plugin) => readonly string[],
  owners = new Map<string, string>(),
): PluginEntry[] =>
  entries.map((entry) => {
    if (entry.status !== 'loaded') return entry;
    const names = namesOf(entry.plugin);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined) return toFailed(entry, `it declares the ${what} "${twice}" twice`);
    const taken = names.find((name) => owners.has(name));
    if (taken !== undefined)
      return toFailed(entry, `its ${what} "${taken}" already belongs to ${owners.get(taken)}`);
    for (const name of names) owners.set(name, `the plugin "${entry.id}"`);
    return entry;
  });

const claimNodeTypes = (entries: readonly PluginEntry[]): PluginEntry[] =>
  claimNames(entries, 'node type', ({ nodeTypes }) => nodeTypes.map(({ nodeType }) => nodeType));

const claimCredentialTypes = (entries: readonly PluginEntry[]): PluginEntry[] =>
  claimNames(
    entries,
    'credential type',
    ({ credentialTypes }) => credentialTypes.map(({ id }) => id),
    new Map(INBOUND.map((type) => [type, 'the service itself'])),
  );

/**
 * Imports an installed plugin and checks its metadata.
 * @throws Error if the import fails, the metadata is invalid, or the plugin needs a newer service
 */
const readPlugin = async (installed: InstalledPlugin, serviceVersion?: string): Promise<Plugin> => {
  const { id, api } = installed;
  const { default: provider } = await installed.load();
  if (api === 'legacy') {
    const { adaptLegacy, checkLegacy } = await import('./legacy-plugin.chunk.ts');
    requireValid(checkLegacy(id, provider));
    return adaptLegacy(id, installed.kind, provider as Parameters<typeof adaptLegacy>[2]);
  }
  requireValid(checkUnified(id, provider));
  const { minimumServiceVersion: minimum } = provider as PluginProvider;
  if (serviceVersion !== undefined && minimum !== undefined && compareVersions(serviceVersion, minimum) < 0)
    throw new Error(`it needs version ${minimum} of the service or later; this is ${serviceVersion}`);
  return adaptUnified(provider as PluginProvider);
};

const requireValid = (problems: readonly string[]): void => {
  if (problems.length > 0) throw new Error(`its metadata is invalid: ${problems.join('; ')}`);
};
