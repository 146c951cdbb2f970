import { type ComponentType, lazy } from 'react';

interface RoutedView {
  /** Below the console's path. */
  readonly path: string;
  /** Of the tab and in the browser's history; what follows a colon is filled in from the path. */
  readonly title: string;
  readonly View: ComponentType;
}

/** The views; the code of each is loaded when it is opened. */
export const views: readonly RoutedView[] = [
  { path: '/', title: 'Overview', View: lazy(() => import('../views/overview/overview.tsx')) },
  { path: '/workflows', title: 'Workflows', View: lazy(() => import('../views/workflows.tsx')) },
  {
    path: '/new-workflow',
    title: 'New workflow',
    View: lazy(() => import('../views/editor/editor-view.tsx')),
  },
  {
    path: '/workflows/:workflowId/edit',
    title: 'Edit :workflowId',
    View: lazy(() => import('../views/editor/editor-view.tsx')),
  },
  {
    path: '/workflows/:workflowId',
    title: ':workflowId · Workflow',
    View: lazy(() => import('../views/workflow/workflow-view.tsx')),
  },
  {
    path: '/executions',
    title: 'Executions',
    View: lazy(() => import('../views/executions/executions.tsx')),
  },
  {
    path: '/executions/:executionId',
    title: 'Execution :executionId',
    View: lazy(() => import('../views/execution/execution-view.tsx')),
  },
  {
    path: '/executions/:executionId/compare',
    title: 'Compare :executionId',
    View: lazy(() => import('../views/execution/compare-view.tsx')),
  },
  {
    path: '/bulk-retries',
    title: 'Bulk retries',
    View: lazy(() => import('../views/bulk-retries/bulk-retries.tsx')),
  },
  {
    path: '/bulk-retries/new',
    title: 'Retry many executions',
    View: lazy(() => import('../views/bulk-retries/new-bulk-retry.tsx')),
  },
  {
    path: '/bulk-retries/:bulkRetryId',
    title: 'Bulk retry :bulkRetryId',
    View: lazy(() => import('../views/bulk-retries/bulk-retry.tsx')),
  },
  { path: '/requests', title: 'Requests', View: lazy(() => import('../views/requests/requests.tsx')) },
  {
    path: '/requests/:requestId',
    title: 'Request :requestId',
    View: lazy(() => import('../views/requests/request.tsx')),
  },
  { path: '/approvals', title: 'Approvals', View: lazy(() => import('../views/approvals.tsx')) },
  {
    path: '/credentials',
    title: 'Credentials',
    View: lazy(() => import('../views/credentials/credentials.tsx')),
  },
  {
    path: '/credentials/:credentialId',
    title: ':credentialId · Credential',
    View: lazy(() => import('../views/credentials/credential.tsx')),
  },
  { path: '/variables', title: 'Variables', View: lazy(() => import('../views/variables/variables.tsx')) },
  { path: '/state', title: 'State', View: lazy(() => import('../views/state/state.tsx')) },
  { path: '/state/entry', title: 'Entry of state', View: lazy(() => import('../views/state/entry.tsx')) },
  { path: '/plugins', title: 'Plugins and health', View: lazy(() => import('../views/plugins/plugins.tsx')) },
  {
    path: '/plugins/:pluginId',
    title: ':pluginId · Plugin',
    View: lazy(() => import('../views/plugins/plugin.tsx')),
  },
  { path: '/node-types', title: 'Node types', View: lazy(() => import('../views/reference/node-types.tsx')) },
  {
    path: '/node-types/:nodeType',
    title: ':nodeType · Node type',
    View: lazy(() => import('../views/reference/node-type.tsx')),
  },
  {
    path: '/credential-types',
    title: 'Credential types',
    View: lazy(() => import('../views/reference/credential-types.tsx')),
  },
  {
    path: '/credential-types/:type',
    title: ':type · Credential type',
    View: lazy(() => import('../views/reference/credential-type.tsx')),
  },
];

/** The navigation, in order. */
export const sections: readonly { readonly path: string; readonly text: string }[] = [
  { path: '/', text: 'Overview' },
  { path: '/workflows', text: 'Workflows' },
  { path: '/executions', text: 'Executions' },
  { path: '/bulk-retries', text: 'Bulk retries' },
  { path: '/requests', text: 'Requests' },
  { path: '/approvals', text: 'Approvals' },
  { path: '/credentials', text: 'Credentials' },
  { path: '/variables', text: 'Variables' },
  { path: '/state', text: 'State' },
  { path: '/plugins', text: 'Plugins and health' },
  { path: '/node-types', text: 'Node types' },
];
