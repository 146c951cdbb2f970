import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { projectRoot, runCommand } from '../support/run-command.ts';

/** Of all versions. */
const folder = mkdtempSync(join(tmpdir(), 'hookloom-site-'));
const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
const base = `/hookloom/v${version}/`;
const site = join(folder, `v${version}`);
const read = (file: string): string => readFileSync(join(site, file), 'utf8');
const docs = globSync('**/*.md', { cwd: join(projectRoot, 'docs') });

/** Fails for a link to a page that does not exist. */
beforeAll(async () => {
  for (const earlier of ['v0.1.0', 'v0.0.10', 'v0.0.9']) mkdirSync(join(folder, earlier));
  const { code, stdout, stderr } = await runCommand('node', ['scripts/publish-docs.ts', folder], {
    cwd: projectRoot,
  });
  expect({ code, problems: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, problems: '' });
});
afterAll(() => rmSync(folder, { recursive: true }));

test('every page is there, as a page and as Markdown', () => {
  const files = globSync('**/*', { cwd: site });
  for (const page of docs)
    expect(files).toEqual(
      expect.arrayContaining([page, page.replace(/INDEX\.md$/, 'index.md').replace(/\.md$/, '.html')]),
    );
});

test('every page but decisions and single nodes is in the navigation', () => {
  const navigation = read('webhooks.html');
  const own = docs.filter((page) => !page.includes('/') && page !== 'index.md');
  expect(own.filter((page) => !navigation.includes(`href="${base}${page.replace('.md', '')}"`))).toEqual([]);
});

test('an expression keeps its braces, and a link out of the pages leads to the repository', () => {
  expect(read('workflow-format.html').match(/\{\{ \$/)?.[0]).toBe('{{ $');
  const links = [...read('architecture.html').matchAll(/href="([^"]+)"/g)].map(([, link]) => link);
  expect(links).toContain('https://github.com/hookloom/hookloom/blob/main/packages/lambda-stage/README.md');
});

test('the search finds pages without a server', () => {
  const [index = ''] = globSync('assets/chunks/@localSearchIndexroot*.js', { cwd: site });
  expect(read(index).includes('workflow-format')).toBe(true);
});

test('versions stand side by side: each has a menu of them, and the page above leads to all, the newest first', () => {
  const names = [version, '0.1.0', '0.0.10', '0.0.9'];
  const menu = [
    ...read('webhooks.html').matchAll(/href="https:\/\/hookloom\.github\.io\/hookloom\/(?:v([\d.]+)\/)?"/g),
  ];
  expect([...new Set(menu.map(([, name = 'all']) => name))]).toEqual([...names, 'all']);
  const above = readFileSync(join(folder, 'index.html'), 'utf8');
  expect([...above.matchAll(/<li><a href="v([\d.]+)\/">/g)].map(([, name]) => name)).toEqual(names);
  expect(read('webhooks.html')).toContain(`src="${base}assets/`);
});
