import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const LIST = /[\\/]nodes[\\/]added\.ts$/;

/**
 * An esbuild plugin that has the plugins of a user's folder in the place of `nodes/added.ts`.
 *
 * @param folder - from which packages are resolved
 * @param list - what to import for each plugin, by its id: asked at each build
 */
export const createAddedPlugins = (folder: string, list: () => ReadonlyMap<string, string>): Plugin => ({
  name: 'added-plugins',
  setup: ({ onLoad }) => {
    onLoad({ filter: LIST }, () => {
      const helper = join(fileURLToPath(new URL('..', import.meta.url)), 'lib/plugins/installed-plugin.ts');
      const plugins = [...list()].map(
        ([id, module]) => `unified(${JSON.stringify(id)}, () => import(${JSON.stringify(module)})),`,
      );
      const contents = [
        `import { unified } from ${JSON.stringify(helper)};`,
        'export const addedPlugins = [',
        ...plugins,
        '];',
      ];
      return { contents: contents.join('\n'), resolveDir: folder };
    });
  },
});
