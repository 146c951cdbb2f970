import { type ComponentType, lazy } from 'react';

interface RoutedView {
  /** Below the console's path. */
  readonly path: string;
  /** Of the tab and in the browser's history; what follows a colon is filled in from the path. */
  readonly title: string;
  readonly View: ComponentType;
}

type Load = () => Promise<{ readonly default: ComponentType }>;

const loadTypes = () => import('../views/reference/type-table.tsx');

const loadEditor: Load = () => import('../views/editor/editor-view.tsx');

const SECTIONS: readonly (readonly [path: string, title: string, load: Load])[] = [
  ['/', 'Overview', () => import('../views/overview/overview.tsx')],
  ['/workflows', 'Workflows', () => import('../views/workflows.tsx')],
  ['/executions', 'Executions', () => import('../views/executions/executions.tsx')],
  ['/bulk-retries', 'Bulk retries', () => import('../views/bulk-retries/bulk-retries.tsx')],
  ['/requests', 'Requests', () => import('../views/requests/requests.tsx')],
  ['/approvals', 'Approvals', () => import('../views/approvals.tsx')],
  ['/credentials', 'Credentials', () => import('../views/credentials/credentials.tsx')],
  ['/variables', 'Variables', () => import('../views/variables/variables.tsx')],
  ['/state', 'State', () => import('../views/state/state.tsx')],
  ['/plugins', 'Plugins and health', () => import('../views/plugins/plugins.tsx')],
  ['/node-types', 'Node types', async () => ({ default: (await loadTypes()).NodeTypes })],
];

const OTHERS: typeof SECTIONS = [
  ['/new-workflow', 'New workflow', loadEditor],
  ['/workflows/:workflowId/edit', 'Edit :workflowId', loadEditor],
  ['/workflows/:workflowId', ':workflowId · Workflow', () => import('../views/workflow/workflow-view.tsx')],
  [
    '/executions/:executionId',
    'Execution :executionId',
    () => import('../views/execution/execution-view.tsx'),
  ],
  [
    '/executions/:executionId/compare',
    'Compare :executionId',
    () => import('../views/execution/compare-view.tsx'),
  ],
  ['/bulk-retries/new', 'Retry many executions', () => import('../views/bulk-retries/new-bulk-retry.tsx')],
  [
    '/bulk-retries/:bulkRetryId',
    'Bulk retry :bulkRetryId',
    () => import('../views/bulk-retries/bulk-retry.tsx'),
  ],
  ['/requests/:requestId', 'Request :requestId', () => import('../views/requests/request.tsx')],
  [
    '/credentials/:credentialId',
    ':credentialId · Credential',
    () => import('../views/credentials/credential.tsx'),
  ],
  ['/state/entry', 'Entry of state', () => import('../views/state/entry.tsx')],
  ['/plugins/:pluginId', ':pluginId · Plugin', () => import('../views/plugins/plugin.tsx')],
  ['/node-types/:nodeType', ':nodeType · Node type', () => import('../views/reference/node-type.tsx')],
  ['/credential-types', 'Credential types', async () => ({ default: (await loadTypes()).CredentialTypes })],
  [
    '/credential-types/:type',
    ':type · Credential type',
    () => import('../views/reference/credential-type.tsx'),
  ],
];

/** The views, of which the first that matches is shown; the code of each is loaded when it is opened. */
export const views: readonly RoutedView[] = [...SECTIONS, ...OTHERS].map(([path, title, load]) => ({
  path,
  title,
  View: lazy(load),
}));

/** The navigation, in order. */
export const sections = SECTIONS.map(([path, text]) => ({ path, text }));
