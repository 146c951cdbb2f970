import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { toReleasedTemplate, withPackager } from './release/released-template.ts';

/**
 * Makes the folder of a release: `npm run release:folder [-- FOLDER]`, by default `dist/release`. It has the template that starts the
 * service in any account, the zips of its functions, a module for Terraform, packages for npm, a bill of materials, notes, and the checksums of all.
 */
const root = resolve(import.meta.dirname, '..');
const [folder = join(root, 'dist/release')] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const run = (command: string, ...parameters: readonly string[]): string =>
  execFileSync(command, parameters, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
  });
const say = (text: string) => process.stderr.write(`${text}\n`);

/** What the changelog says of the version, or of what is not released yet. */
const notesOf = (changelog: string): string => {
  const sections = changelog.split(/^## /m).slice(1);
  const own = sections.find((section) => section.startsWith(version)) ?? sections[0] ?? '';
  return `# Hookloom ${version}\n${own.slice(own.indexOf('\n'))}`;
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, 'functions'), { recursive: true });
const packaged = mkdtempSync(join(tmpdir(), 'hookloom-release-'));
try {
  say('packaging the functions …');
  run('npx', 'serverless', 'package', '--package', join(packaged, 'service'));
  for (const zip of readdirSync(join(packaged, 'service')).filter((name) => name.endsWith('.zip')))
    cpSync(join(packaged, 'service', zip), join(folder, 'functions', zip));
  say('packaging the template, with and without each option …');
  const template = withPackager(root, (packageWith) => toReleasedTemplate(version, packageWith));
  writeFileSync(join(folder, 'template.json'), JSON.stringify(template));
  cpSync(join(root, 'resources/terraform'), join(folder, 'terraform'), { recursive: true });
  say('packing the plugin kit, and the construct for CDK with this release …');
  for (const name of ['plugin-kit', 'cdk']) {
    const built = join(packaged, name);
    run('node', 'scripts/build-package.ts', name, built);
    if (name === 'cdk')
      for (const part of ['template.json', 'functions'])
        cpSync(join(folder, part), join(built, 'release', part), { recursive: true });
    run('npm', 'pack', '--silent', '--pack-destination', folder, built);
  }
  say('packing the service for npm …');
  const quiet = '--disable-warning=ExperimentalWarning'; // of what strips types
  run(
    'node',
    quiet,
    'scripts/build-service-package.ts',
    join(folder, 'template.json'),
    join(packaged, 'hookloom'),
  );
  run('npm', 'pack', '--silent', '--pack-destination', folder, join(packaged, 'hookloom'));
} finally {
  rmSync(packaged, { recursive: true, force: true });
}
writeFileSync(join(folder, 'sbom.cdx.json'), run('npm', 'sbom', '--sbom-format=cyclonedx', '--omit=dev'));
writeFileSync(join(folder, 'NOTES.md'), notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')));
const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const sums = files.map((entry) => {
  const file = join(entry.parentPath, entry.name);
  const sum = createHash('sha256').update(readFileSync(file)).digest('hex');
  return `${sum}  ${file.slice(folder.length + 1)}`;
});
writeFileSync(
  join(folder, 'SHA256SUMS'),
  `${sums.sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join('\n')}\n`,
);
say(`${folder}: ${files.length + 1} files`);
