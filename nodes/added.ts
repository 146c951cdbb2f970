import type { InstalledPlugin } from '../lib/plugins/installed-plugin.ts';

/**
 * The plugins of a folder that has the service as a package: none here. When functions are built for such a folder,
 * `resources/added-plugins.ts` has its list in the place of this one.
 */
export const addedPlugins: readonly InstalledPlugin[] = [];
