import type { PluginHandle, PluginProvider } from '@hookloom/plugin-kit';
import type { NodeType } from '@hookloom/plugin-kit/host';
import { fillInDeclarations, readSource } from './fill-in-declarations.ts';
import type { Plugin } from './plugin.ts';

/** A unified provider as a plugin; each handle becomes a node type with an executor. */
export const adaptUnified = (provider: PluginProvider): Plugin => ({
  id: provider.id,
  name: provider.name,
  version: provider.version,
  description: provider.description,
  category: provider.category,
  // Copied, like everything here, so that a plugin can't change its metadata after it was checked.
  dependencies: (provider.dependencies ?? []).map(({ pluginId, version, optional = false }) => ({
    pluginId,
    ...(version === undefined ? {} : { version }),
    optional,
  })),
  init: provider.init?.bind(provider),
  destroy: provider.destroy?.bind(provider),
  healthCheck: provider.healthCheck?.bind(provider),
  credentialTypes: (provider.credentialTypes ?? []).map(({ secretFields, hosts, ...type }) => ({
    ...type,
    secretFields: [...secretFields],
    ...(hosts === undefined ? {} : { hosts: typeof hosts === 'function' ? hosts : [...hosts] }),
  })),
  nodeTypes: provider.handles.map((handle) => ({
    nodeType: handle.id,
    kind: handle.kind,
    name: handle.name,
    description: handle.description,
    category: provider.category,
    example: handle.example ?? null,
    pure: handle.kind === 'trigger' || readPurity(handle),
    control: handle.control === undefined ? null : { ...handle.control },
    ...fillInDeclarations(handle),
    firedBy: readSource(handle.kind, handle.firedBy),
    schema: handle.schema,
    getExecutor: async () => ({
      getNodeType: () => handle.id,
      execute: (node, input, context) => handle.execute(node, input, context),
    }),
  })),
});

const readPurity = (handle: PluginHandle): NodeType['pure'] => {
  const { pure = false } = handle;
  return typeof pure === 'function' ? pure.bind(handle) : pure;
};
