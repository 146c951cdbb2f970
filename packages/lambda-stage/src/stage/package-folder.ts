import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { StartError } from '../database/start-error.ts';
import type { Template } from './door/template.ts';

/** What is deployed: the template, and the content of the functions' zips. */
export interface PackageFolder {
  readonly template: Template;
  /** The folder with the content of a zip, by the zip's name without `.zip`. @throws StartError without one */
  readonly folderOf: (zip: string) => string;
}

/** The template's file: as the Serverless Framework names it, or as most others do. */
const TEMPLATES = ['cloudformation-template-update-stack.json', 'template.json'];

const findTemplate = (folder: string): string => {
  const found = TEMPLATES.find((name) => existsSync(join(folder, name)));
  if (found === undefined) throw new StartError(`${folder} has neither ${TEMPLATES.join(' nor ')}.`);
  return found;
};

/**
 * Opens a package whose zips are unpacked: `NAME/` or `functions/NAME/` beside the template.
 *
 * @throws StartError for a folder without a template
 */
export const openPackage = (folder: string): PackageFolder => ({
  template: JSON.parse(readFileSync(join(folder, findTemplate(folder)), 'utf8')),
  folderOf: (zip) => {
    const found = [join(folder, 'functions', zip), join(folder, zip)].find((one) => existsSync(one));
    if (found === undefined) throw new StartError(`${folder} has no ${zip}.zip, and no folder ${zip}.`);
    return found;
  },
});

/** Unpacks the zips of a package, each into a folder of its name, next to the template; folders are copied. */
export const unpackPackage = (from: string, to: string): void => {
  mkdirSync(to, { recursive: true });
  const template = findTemplate(from);
  writeFileSync(join(to, template), readFileSync(join(from, template)));
  for (const { name } of readdirSync(from, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
    cpSync(join(from, name), join(to, name), { recursive: true });
  for (const name of readdirSync(from).filter((file) => file.endsWith('.zip'))) {
    const files = unzipSync(readFileSync(join(from, name)));
    for (const [path, bytes] of Object.entries(files)) {
      const file = join(to, 'functions', name.slice(0, -'.zip'.length), path);
      mkdirSync(dirname(file), { recursive: true });
      if (!path.endsWith('/')) writeFileSync(file, bytes);
    }
  }
};
