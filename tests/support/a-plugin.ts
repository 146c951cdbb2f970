import type { ActionProvider, PluginHandle, PluginProvider, TriggerProvider } from '@hookloom/plugin-kit';
import type { InstalledPlugin } from '../../lib/plugins/installed-plugin.ts';

/** A sound handle; a test spoils what it is about. */
export const aHandle = (changes: Partial<PluginHandle> = {}): PluginHandle => ({
  id: 'greet',
  name: 'Greet',
  description: 'Says hello',
  kind: 'action',
  pure: true,
  schema: { type: 'object', additionalProperties: false },
  execute: () => ({ greeting: 'Hello' }),
  ...changes,
});

/** A sound unified provider with one handle. */
export const aProvider = (changes: Partial<PluginProvider> = {}): PluginProvider => ({
  id: 'greeter',
  name: 'Greeter',
  version: '1.2.3',
  description: 'Says hello',
  category: 'example',
  handles: [aHandle()],
  ...changes,
});

/** A sound legacy provider; for a trigger and for an action alike. */
export const aLegacyProvider = (
  changes: Partial<TriggerProvider & ActionProvider> = {},
): TriggerProvider & ActionProvider => ({
  nodeType: 'ring',
  displayName: 'Ring',
  description: 'Rings',
  category: 'example',
  version: '0.1.0',
  properties: [{ name: 'tone', displayName: 'Tone', type: 'string', default: 'high' }],
  getExecutor: () => ({ getNodeType: () => changes.nodeType ?? 'ring', execute: () => ({ rung: true }) }),
  ...changes,
});

/** A line in the list of installed plugins, whatever its module exports. */
export const installedUnified = (exported: unknown, id = 'greeter'): InstalledPlugin => ({
  id,
  api: 'unified',
  load: async () => ({ default: exported }),
});

export const installedLegacy = (
  exported: unknown,
  { id = 'ring', kind = 'trigger' }: { readonly id?: string; readonly kind?: 'trigger' | 'action' } = {},
): InstalledPlugin => ({ id, api: 'legacy', kind, load: async () => ({ default: exported }) });
