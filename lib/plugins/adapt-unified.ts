import type { PluginProvider } from '../contract/plugin.ts';
import type { Plugin } from './plugin.ts';

/** A unified provider as a plugin; each handle becomes a node type with an executor. */
export const adaptUnified = (provider: PluginProvider): Plugin => ({
  id: provider.id,
  name: provider.name,
  version: provider.version,
  description: provider.description,
  category: provider.category,
  dependencies: provider.dependencies ?? [],
  init: provider.init?.bind(provider),
  destroy: provider.destroy?.bind(provider),
  healthCheck: provider.healthCheck?.bind(provider),
  nodeTypes: provider.handles.map((handle) => ({
    nodeType: handle.id,
    kind: handle.kind,
    name: handle.name,
    description: handle.description,
    category: provider.category,
    pure: handle.kind === 'trigger' || handle.pure === true,
    schema: handle.schema,
    getExecutor: async () => ({
      getNodeType: () => handle.id,
      execute: (node, input, context) => handle.execute(node, input, context),
    }),
  })),
});
