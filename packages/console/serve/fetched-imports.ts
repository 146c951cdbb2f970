import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Metafile } from 'esbuild';

type Outputs = Metafile['outputs'];

/** Files that a file imports, with itself, and all that these import. */
const filesOf = (outputs: Outputs, file: string, found = new Set<string>()): ReadonlySet<string> => {
  if (found.has(file)) return found;
  found.add(file);
  for (const { path, kind } of outputs[file]?.imports ?? [])
    if (kind === 'import-statement') filesOf(outputs, path, found);
  return found;
};

/**
 * Lets the page fetch a part's files before it imports them (src/main.tsx): browsers remember that an import failed, so it could
 * not be tried again.
 *
 * @param page - the file that the page begins with
 * @throws Error if an import of the page is not where the build says
 */
export const fetchImports = (outputs: Outputs, page: string): void => {
  const present = filesOf(outputs, page);
  for (const [file, { imports }] of Object.entries(outputs)) {
    let text = readFileSync(file, 'utf8');
    for (const { path } of imports.filter(({ kind }) => kind === 'dynamic-import')) {
      const call = `import("./${basename(path)}")`;
      if (!text.includes(call)) throw new Error(`${basename(file)} has no ${call}`);
      const needed = [...filesOf(outputs, path)]
        .filter((one) => !present.has(one))
        .map((one) => basename(one));
      text = text.replaceAll(
        call,
        `(globalThis.fetchFiles?.(${JSON.stringify(needed)})??Promise.resolve()).then(()=>${call})`,
      );
    }
    writeFileSync(file, text);
  }
};
