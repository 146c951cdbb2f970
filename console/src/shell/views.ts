import { type ComponentType, lazy } from 'react';

/** The views by path; the code of each is loaded when it is opened. */
export const views: readonly { readonly path: string; readonly View: ComponentType }[] = [
  { path: '/', View: lazy(() => import('../views/overview/overview.tsx')) },
  { path: '/workflows', View: lazy(() => import('../views/workflows.tsx')) },
  { path: '/workflows/:workflowId', View: lazy(() => import('../views/workflow/workflow-view.tsx')) },
  { path: '/executions', View: lazy(() => import('../views/executions/executions.tsx')) },
  {
    path: '/executions/:executionId',
    View: lazy(() => import('../views/execution/execution-view.tsx')),
  },
  {
    path: '/executions/:executionId/compare',
    View: lazy(() => import('../views/execution/compare-view.tsx')),
  },
  { path: '/bulk-retries', View: lazy(() => import('../views/bulk-retries/bulk-retries.tsx')) },
  { path: '/bulk-retries/new', View: lazy(() => import('../views/bulk-retries/new-bulk-retry.tsx')) },
  { path: '/bulk-retries/:bulkRetryId', View: lazy(() => import('../views/bulk-retries/bulk-retry.tsx')) },
  { path: '/requests', View: lazy(() => import('../views/requests/requests.tsx')) },
  { path: '/requests/:requestId', View: lazy(() => import('../views/requests/request.tsx')) },
  { path: '/approvals', View: lazy(() => import('../views/approvals.tsx')) },
  { path: '/credentials', View: lazy(() => import('../views/credentials/credentials.tsx')) },
  {
    path: '/credentials/:credentialId',
    View: lazy(() => import('../views/credentials/credential.tsx')),
  },
  { path: '/variables', View: lazy(() => import('../views/variables/variables.tsx')) },
  { path: '/plugins', View: lazy(() => import('../views/plugins/plugins.tsx')) },
  { path: '/plugins/:pluginId', View: lazy(() => import('../views/plugins/plugin.tsx')) },
  { path: '/node-types', View: lazy(() => import('../views/reference/node-types.tsx')) },
  { path: '/node-types/:nodeType', View: lazy(() => import('../views/reference/node-type.tsx')) },
  { path: '/credential-types', View: lazy(() => import('../views/reference/credential-types.tsx')) },
  { path: '/credential-types/:type', View: lazy(() => import('../views/reference/credential-type.tsx')) },
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
  { path: '/plugins', text: 'Plugins and health' },
  { path: '/node-types', text: 'Node types' },
];
