import type { PluginProvider } from '../contract/plugin.ts';

/** Declares a plugin: the default export of its module. */
export const definePlugin = (provider: PluginProvider): PluginProvider => provider;
