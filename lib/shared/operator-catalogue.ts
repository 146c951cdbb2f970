import { entry } from '@hookloom/plugin-kit/host';

/** Errors that operators alone see, as those of `catalogue`: apart from them, since webhooks and runs load none. */
export const operatorCatalogue = {
  // Executions and plugins
  QUERY_INVALID: entry(400, 'Query invalid', (p: { reason: string }) => `The query is wrong: ${p.reason}.`),
  CONTENT_TYPE_UNSUPPORTED: entry(
    415,
    'Content type unsupported',
    () => 'A body must be JSON and say so: send it with the header content-type: application/json.',
  ),
  NOT_CANCELLABLE: entry(
    409,
    'Not cancellable',
    (p: { executionId: string; reason: string }) =>
      `Execution ${p.executionId} can't be cancelled: ${p.reason}.`,
  ),
  NOT_RETRYABLE: entry(
    409,
    'Not retryable',
    (p: { executionId: string; reason: string }) =>
      `Execution ${p.executionId} can't be retried like this: ${p.reason}.`,
  ),
  WORKFLOWS_LEFT_STORED: entry(
    503,
    'Workflows left stored',
    (p: { workflowIds: readonly string[] }) =>
      `Not all workflows could be stored, and these have their new version: ${p.workflowIds.join(', ')}. Put all of them again.`,
  ),
  WORKFLOW_NOT_FOUND: entry(
    404,
    'Workflow not found',
    (p: { workflowId: string }) => `There is no workflow ${p.workflowId}.`,
  ),
  NOT_STARTABLE: entry(
    409,
    'Not startable',
    (p: { workflowId: string; reason: string }) =>
      `Workflow ${p.workflowId} can't be started like this: ${p.reason}.`,
  ),
  REQUEST_NOT_FOUND: entry(
    404,
    'Request not found',
    (p: { id: string }) => `There is no request ${p.id} on record, or its record has expired.`,
  ),
  REQUEST_NOT_REPEATABLE: entry(
    409,
    'Request not repeatable',
    (p: { id: string; reason: string }) => `Request ${p.id} can't be sent again: ${p.reason}.`,
  ),
  CREDENTIAL_NOT_FOUND: entry(
    404,
    'Credential not found',
    (p: { credentialId: string }) => `There is no credential ${p.credentialId} for calling out.`,
  ),
  CREDENTIAL_UNTESTED: entry(
    503,
    'Credential untested',
    (p: { credentialId: string; reason: string }) =>
      `The service could not test the credential ${p.credentialId}: ${p.reason}.`,
  ),
  PLUGIN_NOT_FOUND: entry(404, 'Plugin not found', (p: { near: string | null }) =>
    p.near === null
      ? 'No plugin with this id is installed.'
      : `No plugin with this id is installed, but "${p.near}" is.`,
  ),
  // Stored data, which functions of webhooks and runs meet as well
  DATA_VERSION_UNSUPPORTED: entry(
    503,
    'Stored data unsupported',
    (p: { table: string; version: number; oldest: number; newest: number }) =>
      `The table ${p.table} has an item of version ${p.version} of the schema; this release reads ${p.oldest} to ${p.newest}: see docs/stored-data.md.`,
  ),
  // Workflows and credentials
  WORKFLOW_TOO_LARGE: entry(
    413,
    'Workflow too large',
    (p: { bytes: number; limitBytes: number }) =>
      `The definition takes ${p.bytes} bytes in the store; it may take ${p.limitBytes}.`,
  ),
  WORKFLOW_CHANGED: entry(
    409,
    'Workflow changed',
    (p: { workflowId: string }) => `Workflow ${p.workflowId} was changed meanwhile; read it again and retry.`,
  ),
  REGISTRATION_REFUSED: entry(
    422,
    'Registration refused',
    (p: { workflowId: string; triggerNodeId: string; path: string | null; reason: string }) =>
      `The trigger ${p.triggerNodeId} of ${p.workflowId} can't be registered: ${p.path === null ? '' : `${p.path}: `}${p.reason}. Nothing was stored.`,
  ),
  TOO_MANY_SECRETS: entry(
    409,
    'Too many secrets',
    (p: { credentialId: string; count: number }) =>
      `${p.credentialId} has ${p.count} live secrets; revoke one first.`,
  ),
} as const;
