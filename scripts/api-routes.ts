import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { routes, type topics } from '../lib/app/api.ts';
import { fillPlaces, findDifferences } from './cost/places.ts';

// Writes the lists of routes in the pages from the declarations of routes. With `--check`, changes nothing and exits with 1
// when a page differs.

/** The page that lists the routes of a topic, in the place `routes: TOPIC`. */
const pages: Readonly<Record<keyof typeof topics, string>> = {
  workflows: 'docs/admin-api.md',
  trials: 'docs/admin-api.md',
  executions: 'docs/admin-api.md',
  bulkRetries: 'docs/admin-api.md',
  statistics: 'docs/admin-api.md',
  requests: 'docs/admin-api.md',
  approvals: 'docs/admin-api.md',
  credentials: 'docs/admin-api.md',
  variables: 'docs/admin-api.md',
  state: 'docs/admin-api.md',
  types: 'docs/admin-api.md',
  plugins: 'docs/operating.md',
  health: 'docs/operating.md',
};

const printRoutes = (wanted: string): string =>
  [
    '| route | answer |',
    '|---|---|',
    ...routes
      .filter(({ topic }) => topic === wanted)
      .map(({ route: { route, summary } }) => `| \`${route}\` | ${summary.replaceAll('|', '\\|')} |`),
  ].join('\n');

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

for (const [page, listed] of Map.groupBy(Object.entries(pages), ([, file]) => file)) {
  const path = new URL(`../${page}`, import.meta.url);
  const text = readFileSync(path, 'utf8');
  const texts = listed.map(([topic]) => [`routes: ${topic}`, printRoutes(topic)] as const);
  const fresh = fillPlaces(text, Object.fromEntries(texts));
  if (text === fresh) continue;
  if (!values.check) writeFileSync(path, fresh);
  else {
    console.error([`${page} is out of date:`, ...findDifferences(text, fresh)].join('\n'));
    console.error('Run `npm run docs:api` to update it.');
    process.exitCode = 1;
  }
}
