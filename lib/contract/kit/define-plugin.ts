import type { PluginProvider } from '../plugin.ts';

/** Declares a plugin: the default export of its module. */
export const definePlugin = (provider: PluginProvider): PluginProvider => provider;
