import { existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isPlainObject, type Logger, type NodeExecutor, type PluginHandle } from '@hookloom/plugin-kit';
import { type NodeTest, nodeTypeChecks } from '@hookloom/plugin-kit/testing';
import { systemClock } from '../../../lib/adapters/runtime/system-clock.ts';
import { describeError } from '../../../lib/plugins/call-plugin.ts';
import { checkHealth } from '../../../lib/plugins/health.ts';
import {
  type InstalledPlugin,
  legacyAction,
  legacyTrigger,
  unified,
} from '../../../lib/plugins/installed-plugin.ts';
import { loadRegistry } from '../../../lib/plugins/load-registry.ts';
import type { PluginEntry, PluginNodeType } from '../../../lib/plugins/plugin.ts';
import { listPlugins } from '../../../lib/plugins/summaries.ts';
import { installedPlugins } from '../../../nodes/installed.ts';

type Row = ReturnType<typeof listPlugins>['plugins'][number];
type Health = Awaited<ReturnType<typeof checkHealth>>['plugins'][string];

interface NodeTypeFindings {
  readonly nodeType: string;
  /** Whether the example is executed; false without one: only the declaration is checked. */
  readonly isExecuted: boolean;
  readonly checkCount: number;
  readonly problems: readonly string[];
}

export interface PluginFindings {
  /** The plugin's row, as in the admin list. */
  readonly row: Row;
  readonly health: Health;
  /** Findings by node type; empty when the plugin is not loaded. */
  readonly nodeTypes: readonly NodeTypeFindings[];
}

/**
 * Loads a plugin with the installed ones, as the service does, and runs the contract suite on its node types.
 *
 * @param added - the plugins of a user's folder, which are installed, too
 */
export const checkPlugin = async (
  file: string,
  added: readonly InstalledPlugin[],
): Promise<PluginFindings> => {
  const plugin = await toInstalled(file);
  const others = [...installedPlugins, ...added].filter(({ id }) => id !== plugin.id);
  const options = { clock: systemClock, logger: silent };
  const registry = await loadRegistry([...others, plugin], options);
  try {
    const entries = (await registry.initialise()).filter(({ id }) => id === plugin.id);
    const [row] = listPlugins({ plugins: entries }, systemClock.now()).plugins;
    const health = (await checkHealth(registry, options)).plugins[plugin.id];
    if (row === undefined || health === undefined) throw new Error(`"${plugin.id}" is not in the registry`);
    return { row, health, nodeTypes: await checkNodeTypes(entries, await loadExamples(file)) };
  } finally {
    await registry.destroy();
  }
};

/** Makes a plugin's line for the list of installed plugins; the registry also reports an import that throws. */
const toInstalled = async (file: string): Promise<InstalledPlugin> => {
  const load = () => import(pathToFileURL(file).href);
  const provider: unknown = await load().then(
    (module) => module.default,
    () => null,
  );
  if (isPlainObject(provider) && typeof provider.nodeType === 'string') {
    const legacy = 'firedBy' in provider ? legacyTrigger : legacyAction;
    return legacy(provider.nodeType, load);
  }
  const name = basename(file, extname(file));
  const id = isPlainObject(provider) && typeof provider.id === 'string' ? provider.id : null;
  return unified(id ?? (name === 'index' ? basename(dirname(file)) : name), load);
};

/** The default export of `examples.ts` next to the plugin, by node type; empty without the file. */
const loadExamples = async (file: string): Promise<Readonly<Record<string, NodeTest>>> => {
  const examples = join(dirname(file), `examples${extname(file)}`);
  return existsSync(examples) ? (await import(pathToFileURL(examples).href)).default : {};
};

const checkNodeTypes = (
  [entry]: readonly PluginEntry[],
  examples: Readonly<Record<string, NodeTest>>,
): Promise<NodeTypeFindings[]> => {
  const nodeTypes = entry?.status === 'loaded' ? entry.plugin.nodeTypes : [];
  return Promise.all(
    nodeTypes.map(async (nodeType) => {
      const handle = toHandle(nodeType, await nodeType.getExecutor());
      const declared = nodeTypeChecks(handle, null).length;
      const checks = nodeTypeChecks(handle, examples[handle.id]);
      const problems: string[] = [];
      for (const { name, run } of checks) {
        await run().catch((error: unknown) => problems.push(`${name}: ${describeError(error)}`));
      }
      const isExecuted = checks.length > declared;
      return { nodeType: handle.id, isExecuted, checkCount: checks.length, problems };
    }),
  );
};

/** A node type of either API as a handle, which lacks what is null in the node type. */
const toHandle = (
  { nodeType, firedBy: _firedBy, ...about }: PluginNodeType,
  executor: NodeExecutor,
): PluginHandle => ({
  ...(Object.fromEntries(Object.entries(about).filter(([, value]) => value !== null)) as Omit<
    PluginHandle,
    'id' | 'execute'
  >),
  id: nodeType,
  execute: (node, input, context) => executor.execute(node, input, context),
});

/** A logger that drops the plugin's logs, which are not part of the findings. */
const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
