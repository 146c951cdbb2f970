import { entry } from '@hookloom/plugin-kit/host';

/** Errors that only operators see. Separate from `catalogue`, since webhooks and runs do not load them. */
export const operatorCatalogue = {
  // Executions and plugins
  QUERY_INVALID: entry(400, 'Query invalid', (p: { reason: string }) => `The query is invalid: ${p.reason}.`),
  CONTENT_TYPE_UNSUPPORTED: entry(
    415,
    'Content type unsupported',
    () => 'The body must be JSON: send it with the header content-type: application/json.',
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
      `Not all workflows could be stored; these have their new version: ${p.workflowIds.join(', ')}. Store all of them again.`,
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
    (p: { id: string }) => `There is no recorded request ${p.id}, or its record has expired.`,
  ),
  REQUEST_NOT_REPEATABLE: entry(
    409,
    'Request not repeatable',
    (p: { id: string; reason: string }) => `Request ${p.id} can't be sent again: ${p.reason}.`,
  ),
  CREDENTIAL_NOT_FOUND: entry(
    404,
    'Credential not found',
    (p: { credentialId: string }) => `Outbound credential ${p.credentialId} does not exist.`,
  ),
  CREDENTIAL_UNTESTED: entry(
    503,
    'Credential untested',
    (p: { credentialId: string; reason: string }) =>
      `Credential ${p.credentialId} could not be tested: ${p.reason}.`,
  ),
  PLUGIN_NOT_FOUND: entry(404, 'Plugin not found', (p: { near: string | null }) =>
    p.near === null
      ? 'No plugin with this id is installed.'
      : `No plugin with this id is installed, but "${p.near}" is.`,
  ),
  // Stored data; webhooks and runs throw these too
  DATA_VERSION_UNSUPPORTED: entry(
    503,
    'Stored data unsupported',
    (p: { table: string; version: number; oldest: number; newest: number }) =>
      `Table ${p.table} has an item of schema version ${p.version}; this release reads versions ${p.oldest} to ${p.newest}: see docs/stored-data.md.`,
  ),
  // Workflows and credentials
  WORKFLOW_TOO_LARGE: entry(
    413,
    'Workflow too large',
    (p: { bytes: number; limitBytes: number }) =>
      `The stored definition has ${p.bytes} bytes; the limit is ${p.limitBytes}.`,
  ),
  WORKFLOW_CHANGED: entry(
    409,
    'Workflow changed',
    (p: { workflowId: string }) =>
      `Workflow ${p.workflowId} was changed in the meantime; read it again and retry.`,
  ),
  REGISTRATION_REFUSED: entry(
    422,
    'Registration refused',
    (p: { workflowId: string; triggerNodeId: string; path: string | null; reason: string }) =>
      `Trigger ${p.triggerNodeId} of ${p.workflowId} can't be registered: ${p.path === null ? '' : `${p.path}: `}${p.reason}. Nothing was stored.`,
  ),
  TOO_MANY_SECRETS: entry(
    409,
    'Too many secrets',
    (p: { credentialId: string; count: number }) =>
      `${p.credentialId} has ${p.count} live secrets; revoke one first.`,
  ),
} as const;
