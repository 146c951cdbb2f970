import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { Marked, type Token } from 'marked';

const root = resolve(import.meta.dirname, '..');
const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md', 'nodes/*/*.md'], { cwd: root });

/** What a page links to, and the anchors of its headings as GitHub makes them. */
const readPage = (page: string) => {
  const links: string[] = [];
  const anchors = new Map<string, number>();
  const visit = (token: Token): void => {
    if (token.type === 'link' || token.type === 'image') links.push(token.href);
    if (token.type !== 'heading') return;
    const name = textOf(token.tokens ?? [])
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const times = anchors.get(name) ?? 0;
    anchors.set(name, times + 1);
    if (times > 0) anchors.set(`${name}-${times}`, 1);
  };
  const marked = new Marked();
  marked.walkTokens(marked.lexer(readFileSync(join(root, page), 'utf8')), visit);
  return { links, anchors };
};

const textOf = (tokens: readonly Token[]): string =>
  tokens
    .map((token) =>
      'tokens' in token && token.tokens ? textOf(token.tokens) : token.raw.replaceAll('`', ''),
    )
    .join('');

test.each(pages)('%s links to files and headings that exist', (page) => {
  const broken = readPage(page).links.filter((link) => {
    if (URL.canParse(link)) return false;
    const [path = '', anchor = ''] = decodeURI(link).split('#');
    const target = path === '' ? page : relative(root, resolve(root, dirname(page), path));
    if (!existsSync(join(root, target))) return true;
    if (anchor === '' || statSync(join(root, target)).isDirectory()) return false;
    return !target.endsWith('.md') || !readPage(target).anchors.has(anchor);
  });
  expect(broken).toEqual([]);
});

test.each(['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'docs/architecture.md'])(
  'the scripts that %s names exist',
  (page) => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const named = readFileSync(join(root, page), 'utf8').matchAll(/npm run (?:-s )?([a-z][a-z:-]*)/g);
    expect([...named].map(([, name = '']) => name).filter((name) => !Object.hasOwn(scripts, name))).toEqual(
      [],
    );
  },
);
