import { cpSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { defineConfig } from 'vitepress';

// The site of these pages: `npm run docs:site` builds it in dist/site, with a search, and each page as Markdown beside it. GitHub shows the
// same files, so what a page links to outside of this folder leads to the repository.

const repository = 'https://github.com/hookloom/hookloom';
const root = resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Where scripts/publish-docs.ts puts the pages of each version. */
const SITE = 'https://hookloom.github.io/hookloom/';

/** Versions that are published when these pages are built; later ones are on the page of all. */
const versions = process.env.DOCS_VERSIONS?.split(' ') ?? [];

/** Pages by what a reader is about to do. */
const sidebar: readonly (readonly [text: string, pages: readonly string[]])[] = [
  ['Choose', ['compare', 'guarantees', 'limits', 'upgrading']],
  [
    'Build workflows',
    [
      'workflow-format',
      'webhooks',
      'triggers',
      'approvals',
      'state',
      'files',
      'credentials',
      'events',
      'samples',
    ],
  ],
  ['Nodes', ['nodes/INDEX', 'code-node', 'aws-node', 'llm-node', 'databases']],
  ['Work with it', ['command-line', 'console', 'teams', 'executions', 'requests', 'admin-api']],
  ['Run it', ['deploying', 'operating', 'notices', 'metrics', 'costs', 'traces', 'runbooks', 'stored-data']],
  ['Extend it', ['plugins', 'architecture', 'promises', 'dependencies']],
];

/** The first heading of a page. */
const titleOf = (page: string): string =>
  /^# (.+)$/m.exec(readFileSync(join(root, 'docs', `${page}.md`), 'utf8'))?.[1] ?? page;

/** A link of a page, as the site needs it. @param page - below docs/ */
const toSite = (link: string, page: string): string => {
  if (/^([a-z]+:|#)/.test(link)) return link;
  const path = join('docs', dirname(page), link);
  return path.startsWith('docs/') ? link.replace('INDEX.md', 'index.md') : `${repository}/blob/main/${path}`;
};

export default defineConfig({
  title: 'Hookloom',
  description: 'Workflow automation in your own AWS account',
  srcDir: '.',
  outDir: '../dist/site',
  cleanUrls: true,
  rewrites: { 'nodes/INDEX.md': 'nodes/index.md' },
  markdown: {
    attrs: { disable: true }, // braces at the end of a cell are JSON
    config: (markdown) => {
      const { rules } = markdown.renderer;
      // Expressions of workflows have the braces of Vue's.
      for (const name of ['text', 'code_inline'] as const) {
        const render = rules[name];
        rules[name] = (...token) => (render?.(...token) ?? '').replaceAll('{{', '&#123;&#123;');
      }
      markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const link = token.attrGet('href');
          if (token.type === 'link_open' && link !== null)
            token.attrSet('href', toSite(link, env.relativePath));
        }
      });
    },
  },
  buildEnd: ({ outDir, pages }) => {
    for (const page of pages) cpSync(join(root, 'docs', page), join(outDir, page));
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      {
        text: version,
        items: [
          ...versions.map((name) => ({ text: name, link: `${SITE}v${name}/`, target: '_self' })),
          { text: 'All versions', link: SITE, target: '_self' },
          { text: 'Releases', link: `${repository}/releases` },
        ],
      },
    ],
    sidebar: sidebar.map(([text, pages]) => ({
      text,
      items: pages.map((page) => ({ text: titleOf(page), link: `/${page.replace(/INDEX$/, '')}` })),
    })),
    socialLinks: [{ icon: 'github', link: repository }],
    editLink: { pattern: `${repository}/edit/main/docs/:path`, text: 'Change this page' },
    outline: [2, 3],
    footer: { message: 'MIT license' },
  },
});
