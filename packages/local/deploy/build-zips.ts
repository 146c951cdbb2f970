import { createHash } from 'node:crypto';
import { dirname, join, relative } from 'node:path';
import { type BuildResult, build, type Plugin } from 'esbuild';
import { type Zippable, zipSync } from 'fflate';
import pLimit from 'p-limit';
import { createAddedPlugins } from '../../../resources/added-plugins.ts';
import { createChunks } from '../../../resources/chunks.ts';
import { withEsbuild } from '../../../resources/with-esbuild.ts';
import { CommandError } from '../../cli/command-error.ts';
import { listPluginModules } from '../../cli/hookloom-file.ts';
import { describeBuildError } from '../functions/bundler.ts';
import { readServiceFile } from '../functions/service-file.ts';

/** The zips of the functions, by name, and a hash of all that is in them. */
export interface FunctionZips {
  readonly zips: ReadonlyMap<string, Uint8Array>;
  readonly hash: string;
}

const BUILDS_AT_ONCE = 4;

/**
 * Builds the functions with the plugins of a user's folder, as `serverless package` builds those of a release: the same code has
 * the same hash on every machine.
 *
 * @param project - the folder of the service
 * @param home - the folder with hookloom.json
 * @throws CommandError for code that can't be built
 */
export const buildZips = async (project: string, home: string): Promise<FunctionZips> => {
  const { functions, esbuild, bundleExtension } = readServiceFile(project);
  const plugins = [createAddedPlugins(home, () => listPluginModules(home)), createChunks()];
  const limit = pLimit(BUILDS_AT_ONCE);
  const built = await Promise.all(
    functions.map(({ key, module }) =>
      limit(async () => {
        const options = { project, module, esbuild, bundleExtension, plugins };
        return [`${key}.zip`, await buildFunction(options)] as const;
      }),
    ),
  ).catch((error: unknown) => {
    throw new CommandError(
      `The functions can't be built:\n${describeBuildError(error, (file) => relative(home, join(project, file)))}`,
    );
  });
  const hash = createHash('sha256');
  for (const [name, files] of built)
    for (const [file, content] of files) hash.update(`${name}/${file} ${content.length}\n`).update(content);
  return {
    zips: new Map(built.map(([name, files]) => [name, toZip(files)])),
    hash: hash.digest('hex').slice(0, 16),
  };
};

/** The files of a function, sorted by name. */
type Files = readonly (readonly [name: string, content: Uint8Array])[];

const buildFunction = async (options: {
  readonly project: string;
  readonly module: string;
  readonly esbuild: Readonly<Record<string, unknown>>;
  readonly bundleExtension: string;
  readonly plugins: readonly Plugin[];
}): Promise<Files> => {
  const { project, module, esbuild, bundleExtension, plugins } = options;
  const outfile = join(project, `${module}${bundleExtension}`); // a name only: nothing is written
  const { outputFiles = [] }: BuildResult = await withEsbuild(() =>
    build({
      ...esbuild,
      absWorkingDir: project,
      entryPoints: [`${module}.ts`],
      outfile,
      write: false,
      logLevel: 'silent',
      plugins: [...plugins],
    }),
  );
  const root = join(
    dirname(outfile),
    ...dirname(module)
      .split('/')
      .map(() => '..'),
  );
  return outputFiles
    .map(({ path, contents }) => [relative(root, path).replaceAll('\\', '/'), contents] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
};

/** The first time that a zip can have: the same content is the same zip. */
const TIME = new Date(1980, 0, 1);

const toZip = (files: Files): Uint8Array => {
  const content: Zippable = Object.fromEntries(files.map(([name, bytes]) => [name, bytes]));
  return zipSync(content, { level: 6, mtime: TIME });
};
