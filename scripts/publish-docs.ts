import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compareVersions } from 'compare-versions';

/**
 * Adds the pages of this version to the site of all versions: `npm run docs:publish -- FOLDER`. Each version has a folder, with a menu of the others;
 * the page above leads to the newest.
 */
const root = resolve(import.meta.dirname, '..');
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder of the site');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Where the site is: as GitHub has it, below the name of the repository. */
const BASE = '/hookloom/';

mkdirSync(folder, { recursive: true });
const earlier = readdirSync(folder).flatMap((name) => /^v(\d+\.\d+\.\d+)$/.exec(name)?.[1] ?? []);
const versions = [...new Set([version, ...earlier])].sort(compareVersions).reverse();
const outDir = resolve(folder, `v${version}`);
execFileSync('npx', ['vitepress', 'build', 'docs', '--base', `${BASE}v${version}/`, '--outDir', outDir], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
  env: { ...process.env, DOCS_VERSIONS: versions.join(' ') },
});
const links = versions.map((name) => `<li><a href="v${name}/">${name}</a></li>`).join('\n');
writeFileSync(
  join(folder, 'index.html'),
  `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hookloom: versions of the pages</title>
<h1>Hookloom</h1>
<p><a href="v${versions[0]}/">The pages of the newest version</a>. All versions:</p>
<ul>
${links}
</ul>
`,
);
