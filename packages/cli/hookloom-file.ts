import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { type InstalledPlugin, unified } from '../../lib/plugins/installed-plugin.ts';
import { CommandError } from './command-error.ts';
import { FOLDER_FILE } from './local/project-folder.ts';
import { locateValues, parseJson } from './parse-json.ts';

// What a user's folder has beside its workflows: `{ "plugins": { "acme-chat": "./plugins/acme-chat" }, "stages": { … } }`.

const text = v.string('must be text');

const stage = v.strictObject(
  {
    /** Its region; the environment's if absent. */
    region: v.optional(text),
    /** The bucket for code; `hookloom-ACCOUNT-REGION` if absent. */
    assetsBucket: v.optional(text),
    /** Parameters of the template. */
    parameters: v.optional(v.record(v.string(), text, 'must be an object'), {}),
  },
  'can only have the keys region, assetsBucket and parameters',
);

const hookloomFile = v.strictObject(
  {
    $schema: v.optional(v.string()),
    /** The module of each plugin, by the plugin's id: a path that begins with a dot, or the name of an npm package. */
    plugins: v.optional(v.record(v.string(), text, 'must be an object'), {}),
    stages: v.optional(v.record(v.string(), stage, 'must be an object'), {}),
  },
  'can only have the keys plugins and stages',
);

type HookloomFile = v.InferOutput<typeof hookloomFile>;

/** What the file of a folder says; as if it were empty where there is none. @throws CommandError for an invalid one */
export const readHookloomFile = (folder: string): HookloomFile => {
  const path = join(folder, FOLDER_FILE);
  if (!existsSync(path)) return { plugins: {}, stages: {} };
  const content = readFileSync(path, 'utf8');
  const { success, output, issues } = v.safeParse(hookloomFile, parseJson(content, path), {
    abortEarly: true,
  });
  if (success) return output;
  const [{ path: keys = [], message }] = issues;
  const pointer = ['', ...keys.map(({ key }) => String(key))].join('/');
  throw new CommandError(`${path}:${locateValues(content)(pointer)}: ${pointer || '/'} ${message}`);
};

/**
 * What to import for each plugin of a folder, by its id: a file, absolute, or the name of a package.
 *
 * @throws CommandError for an invalid hookloom.json, and for a path without a plugin
 */
export const listPluginModules = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(readHookloomFile(folder).plugins).map(([id, module]) => {
      if (!module.startsWith('.')) return [id, module];
      const file = findPluginFile(join(folder, module));
      if (file === null)
        throw new CommandError(`${FOLDER_FILE}: /plugins/${id}: there is no plugin in ${module}`);
      return [id, file];
    }),
  );

/** The module of a plugin: a file, or the index of a folder. Null when there is none. */
export const findPluginFile = (path: string): string | null => {
  const files = [path, join(path, 'index.ts'), join(path, 'index.js')];
  return files.find((file) => existsSync(file) && statSync(file).isFile()) ?? null;
};

/** The plugins of a folder, for this process; functions get them when they are built. @throws CommandError as above */
export const readFolderPlugins = (folder: string): readonly InstalledPlugin[] => {
  const { resolve } = createRequire(join(folder, FOLDER_FILE));
  return [...listPluginModules(folder)].map(([id, module]) =>
    unified(id, () => import(pathToFileURL(resolve(module)).href)),
  );
};
