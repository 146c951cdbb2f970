import { readFileSync } from 'node:fs';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { parse } from 'yaml';
import { createChunks } from '../../resources/chunks.ts';

const root = new URL('../../', import.meta.url);

interface ServerlessFile {
  readonly functions: Record<string, { readonly handler: string }>;
  readonly custom: {
    readonly esbuild: Pick<BuildOptions, 'minify' | 'format' | 'target' | 'mainFields'> & {
      /** Packages excluded from every bundle; none if absent. */
      readonly exclude?: string[];
    };
  };
}

const { functions, custom }: ServerlessFile = parse(readFileSync(new URL('serverless.yml', root), 'utf8'), {
  logLevel: 'silent',
});

/** The source files of the functions, by name. */
export const functionFiles: readonly (readonly [name: string, file: string])[] = Object.entries(
  functions,
).map(([name, { handler }]) => [name, handler.replace(/\.handler$/, '.ts')]);

/**
 * Bundles a file as for a deployment.
 * @param file - relative to the project
 */
export const buildBundle = async (file: string, outfile: string): Promise<Metafile> => {
  const { minify, format, target, mainFields, exclude: external = [] } = custom.esbuild;
  const { metafile } = await build({
    entryPoints: [new URL(file, root).pathname],
    outfile,
    bundle: true,
    platform: 'node',
    metafile: true,
    logLevel: 'error',
    plugins: [createChunks()],
    minify,
    format,
    target,
    mainFields,
    external,
  } as BuildOptions & { metafile: true });
  return metafile;
};
