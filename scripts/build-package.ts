import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Builds a package for npm: JavaScript and declarations, since Node does not strip types below node_modules. The
 * workspace package exports the sources and is private; `npm publish` gets the built one.
 *
 * `node scripts/build-package.ts plugin-kit|cdk [FOLDER]`, by default `dist/NAME`.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const [name = '', target = join(root, 'dist', name)] = process.argv.slice(2);
const source = join(root, 'packages', name);

const toBuilt = (file: string) => ({
  types: file.replace(/\.ts$/, '.d.ts'),
  default: file.replace(/\.ts$/, '.js'),
});

rmSync(target, { recursive: true, force: true });
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', source, '--outDir', target], { stdio: 'inherit' });
const {
  private: _private,
  devDependencies: _development,
  exports,
  ...about
} = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
const built = Object.entries<string>(exports).map(([name, file]) => [name, toBuilt(file)]);
writeFileSync(
  join(target, 'package.json'),
  JSON.stringify({ ...about, exports: Object.fromEntries(built) }, null, 2),
);
for (const file of [join(source, 'README.md'), join(root, 'LICENSE')]) {
  copyFileSync(file, join(target, file.split('/').at(-1) ?? ''));
}
