import { routes, type topics } from '../lib/app/describe-api.ts';
import { markdownTable, toCell, updatePages } from './cost/places.ts';

// Writes the lists of routes in the pages from the declarations of routes. With `--check`, changes nothing and exits with 1
// when a page differs.

/** The page that lists the routes of a topic, in the place `routes: TOPIC`. */
const pages: Readonly<Record<keyof typeof topics, string>> = {
  workflows: 'docs/admin-api.md',
  trials: 'docs/admin-api.md',
  executions: 'docs/admin-api.md',
  bulkRetries: 'docs/admin-api.md',
  statistics: 'docs/admin-api.md',
  notices: 'docs/notices.md',
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
  markdownTable(
    ['route', 'answer'],
    routes
      .filter(({ topic }) => topic === wanted)
      .map(({ route: { route, summary } }) => [`\`${route}\``, toCell(summary)]),
  );

const byPage = Map.groupBy(Object.keys(pages), (topic) => pages[topic as keyof typeof topics]);
const texts = [...byPage].map(([page, listed]) => [
  page,
  Object.fromEntries(listed.map((topic) => [`routes: ${topic}`, printRoutes(topic)])),
]);
updatePages(Object.fromEntries(texts), 'docs:api');
