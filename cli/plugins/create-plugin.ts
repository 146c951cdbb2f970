import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** An unscoped package name, from which node types are named. */
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const MAX_NAME_LENGTH = 40;

export const isPluginName = (name: string): boolean => name.length <= MAX_NAME_LENGTH && NAME.test(name);

/**
 * Writes a working plugin.
 *
 * @param template - folder of the template, whose names are replaced
 * @param folder - does not exist yet
 * @returns the names of the files
 */
export const createPlugin = async (name: string, template: string, folder: string): Promise<string[]> => {
  await mkdir(folder, { recursive: true });
  const files = (await readdir(template)).sort();
  for (const file of files) {
    const text = await readFile(join(template, file), 'utf8');
    await writeFile(join(folder, file), rename(text, name));
  }
  return files;
};

/** Replaces the template's names in every spelling. */
const rename = (text: string, name: string): string => {
  const words = name.split('-');
  const camelCase = words.map((word, index) => (index === 0 ? word : capitalise(word))).join('');
  const title = [capitalise(words[0] ?? ''), ...words.slice(1)].join(' ');
  return text
    .replaceAll('plugin-template', name)
    .replaceAll('pluginTemplate', camelCase)
    .replaceAll('Plugin template', title);
};

const capitalise = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
