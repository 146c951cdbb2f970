import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

// Makes a release of the folder in which it runs: `npm run release -- 0.3.0` sets the version of all packages but the plugin
// kit, which has its own, and of the commands in the pages; puts version and date above what the changelog has as unreleased; commits this, and tags it v0.3.0.

const KIT = 'plugin-kit';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { date: { type: 'string' } } });
const [version = ''] = positionals;
const { date = new Date().toISOString().slice(0, 10) } = values;
const git = (...parameters: readonly string[]): string =>
  execFileSync('git', parameters, { encoding: 'utf8' }).trim();
const fail = (message: string): never => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
};

interface Package {
  version?: string;
  dependencies?: Record<string, string>;
  packages?: Record<string, Package>;
}

/** Sets the version of a package, and of others of this project on which it depends. */
const setVersion = (about: Package): void => {
  if (about.version !== undefined) about.version = version;
  for (const name of Object.keys(about.dependencies ?? {}))
    if (name.startsWith('@hookloom/') && !name.endsWith(KIT) && about.dependencies !== undefined)
      about.dependencies[name] = version;
};

const change = (path: string, edit: (about: Package) => void): void => {
  const about: Package = JSON.parse(readFileSync(path, 'utf8'));
  edit(about);
  writeFileSync(path, `${JSON.stringify(about, null, 2)}\n`);
};

if (!/^\d+\.\d+\.\d+$/.test(version)) fail('Name the version: npm run release -- 0.3.0');
if (git('status', '--porcelain') !== '') fail('There are changes that are in no commit.');
if (git('tag', '--list', `v${version}`) !== '') fail(`The tag v${version} exists.`);
const changelog = readFileSync('CHANGELOG.md', 'utf8');
const head = /^## Unreleased\n+(?=[^\n#]|###)/m;
if (!head.test(changelog)) fail('CHANGELOG.md has nothing below "## Unreleased".');

for (const path of ['package.json', ...globSync('packages/*/package.json')])
  if (!path.includes(KIT)) change(path, setVersion);
change('package-lock.json', (lock) => {
  lock.version = version;
  for (const [path, about] of Object.entries(lock.packages ?? {}))
    if (!path.includes('node_modules') && !path.includes(KIT)) setVersion(about);
});
for (const page of globSync('docs/{deploying,operating}.md')) {
  const text = readFileSync(page, 'utf8');
  const named = /(?<=hookloom[-/])\d+\.\d+\.\d+(?=[/.])|\d+\.\d+\.\d+(?=\+1a2b3c4)/g; // folders, packages, outputs
  writeFileSync(page, text.replaceAll(named, version));
}
writeFileSync('CHANGELOG.md', changelog.replace(head, `## Unreleased\n\n## ${version} - ${date}\n\n`));
git('commit', '--quiet', '--all', '--message', `Release ${version}`);
git('tag', '--annotate', `v${version}`, '--message', `Release ${version}`);
process.stdout.write(
  `v${version} is ${git('rev-parse', '--short=7', 'HEAD')}. To publish it: git push --follow-tags\n`,
);
