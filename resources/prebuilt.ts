import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

interface File {
  readonly name: string;
  readonly contents: Uint8Array;
}

/**
 * An esbuild plugin for values that are slow to compute and always the same: a module `NAME.prebuilt.ts`, whose default
 * export is bytes, is evaluated when a bundle is built, once per process that builds. The bundle reads the bytes from a file
 * next to it.
 *
 * @param files - receives the files, whose names contain a content hash
 */
export const createPrebuilt = (files: File[]): Plugin => ({
  name: 'prebuilt',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.prebuilt\.ts$/ }, async ({ path }) => {
      const { default: contents }: { default: Uint8Array } = await import(pathToFileURL(path).href);
      const hash = createHash('sha256').update(contents).digest('hex').slice(0, 8);
      const name = `${basename(path, '.prebuilt.ts')}-${hash}.bin`;
      files.push({ name, contents });
      const read = `readFileSync(new URL(${JSON.stringify(name)}, import.meta.url))`;
      return { contents: `import { readFileSync } from 'node:fs'; export default ${read};`, loader: 'js' };
    });
  },
});
