import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { projectRoot, runCommand } from '../support/run-command.ts';

const site = mkdtempSync(join(tmpdir(), 'hookloom-site-'));
const read = (file: string): string => readFileSync(join(site, file), 'utf8');
const docs = globSync('**/*.md', { cwd: join(projectRoot, 'docs') });

/** Fails for a link to a page that does not exist. */
beforeAll(async () => {
  const { code, stdout, stderr } = await runCommand('vitepress', ['build', 'docs', '--outDir', site], {
    cwd: projectRoot,
  });
  expect({ code, problems: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, problems: '' });
});
afterAll(() => rmSync(site, { recursive: true }));

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
  expect(own.filter((page) => !navigation.includes(`href="/${page.replace('.md', '')}"`))).toEqual([]);
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
