import { describeError } from '@hookloom/plugin-kit/host';

/** A mistake in a request's body. */
interface FoundError {
  /** Its place: a JSON pointer as a URI fragment (RFC 6901 §6). */
  readonly pointer: string;
  readonly detail: string;
  /** The correction of a workflow: see `Problem`, with places as in `pointer`. */
  readonly proposal?: readonly object[];
}

const describeCount = ({ count, errors }: { count: number; errors: readonly FoundError[] }): string =>
  `${count === 1 ? 'There is a problem' : `There are ${count} problems`}, ${count > errors.length ? `of which "errors" has the first ${errors.length}` : 'see "errors"'}.`;

/*
 * Errors that callers and operators see. An export is named by its code, and gives the error's HTTP status, title and
 * detail. The detail is public: it says what is wrong and where, without secrets, stack traces or input. Internal
 * details belong in `cause`. A bundle holds only the errors that it imports.
 */

// Reading a request
export const BODY_TOO_LARGE = (p: { limitBytes: number }) =>
  describeError('BODY_TOO_LARGE', 413, `The body is larger than ${p.limitBytes} bytes.`);
// `isJson` says that the body is JSON, with something in it that is refused
export const BODY_INVALID = (p: { reason: string; isJson?: true }) =>
  describeError('BODY_INVALID', 400, `The body is invalid: ${p.reason}.`);
export const BODY_TOO_DEEP = (p: { limit: number }) =>
  describeError(
    'BODY_TOO_DEEP',
    400,
    `The body is nested deeper than ${p.limit} levels.`,
    'Body nested too deeply',
  );
export const REQUEST_INVALID = (p: { reason: string }) =>
  describeError('REQUEST_INVALID', 400, `The request can't be read: ${p.reason}.`);
export const NOT_FOUND = () =>
  describeError('NOT_FOUND', 404, 'No enabled workflow listens at this address.');
export const METHOD_NOT_ALLOWED = (p: { allow: readonly string[] }) =>
  describeError('METHOD_NOT_ALLOWED', 405, `Methods allowed at this address: ${p.allow.join(', ')}.`);
// `challenge` is the value of `WWW-Authenticate` (RFC 9110 §11.6.1)
export const UNAUTHORIZED = (_: { challenge: string }) =>
  describeError('UNAUTHORIZED', 401, 'The credentials are missing or wrong.');

// The service itself
export const CONFIGURATION_INVALID = (p: { reason: string }) =>
  describeError('CONFIGURATION_INVALID', 500, `The configuration is invalid: ${p.reason}.`);
export const STORE_UNAVAILABLE = () =>
  describeError('STORE_UNAVAILABLE', 503, 'The store is unavailable; nothing was started. Try again.');
export const DATA_VERSION_UNSUPPORTED = (p: {
  table: string;
  version: number;
  oldest: number;
  newest: number;
}) =>
  describeError(
    'DATA_VERSION_UNSUPPORTED',
    503,
    `Table ${p.table} has an item of schema version ${p.version}; this release reads versions ${p.oldest} to ${p.newest}: see docs/stored-data.md.`,
    'Stored data unsupported',
  );
export const SECRETS_UNAVAILABLE = () =>
  describeError(
    'SECRETS_UNAVAILABLE',
    503,
    'The secret store is unavailable; nothing was started. Try again.',
  );
export const AUTHENTICATION_MISCONFIGURED = () =>
  describeError(
    'AUTHENTICATION_MISCONFIGURED',
    503,
    'This webhook requires authentication, but has no usable credential; nothing was started.',
  );
export const ANSWER_TOO_LARGE = (p: { limitBytes: number }) =>
  describeError(
    'ANSWER_TOO_LARGE',
    500,
    `The response exceeds the limit of ${p.limitBytes} bytes.`,
    'Response too large',
  );
export const INTERNAL = () =>
  describeError('INTERNAL', 500, 'Something failed on our side.', 'Internal error');

// Running a workflow
export const EXECUTION_FAILED = (p: { executionId: string }) =>
  describeError('EXECUTION_FAILED', 500, `Execution ${p.executionId} failed; see its record.`);
export const EXECUTION_TIMED_OUT = (p: { executionId: string }) =>
  describeError('EXECUTION_TIMED_OUT', 504, `Execution ${p.executionId} timed out.`);
export const NO_RESPONSE = (p: { executionId: string }) =>
  describeError(
    'NO_RESPONSE',
    500,
    `Execution ${p.executionId} ended without reaching a respondToWebhook node.`,
  );
export const RESPONSE_INVALID = (p: { executionId: string; reason: string }) =>
  describeError(
    'RESPONSE_INVALID',
    500,
    `The response of execution ${p.executionId} can't be sent: ${p.reason}.`,
  );
export const ALREADY_STARTED = (p: { executionId: string }) =>
  describeError(
    'ALREADY_STARTED',
    409,
    `Execution ${p.executionId} was already started; see its record for the outcome.`,
  );
export const WORKFLOW_INVALID = (p: { reason: string }) =>
  describeError('WORKFLOW_INVALID', 500, `The stored workflow can't run: ${p.reason}.`);
export const DISPATCH_REFUSED = () =>
  describeError(
    'DISPATCH_REFUSED',
    503,
    'The background engine is not accepting executions right now. Try again: the execution starts only once.',
  );
export const ENGINE_UNAVAILABLE = () =>
  describeError(
    'ENGINE_UNAVAILABLE',
    503,
    'The background engine is not responding; nothing was changed. Try again.',
  );
export const EVENT_NOT_PUBLISHED = (p: { executionId: string }) =>
  describeError(
    'EVENT_NOT_PUBLISHED',
    503,
    `The event of execution ${p.executionId} could not be published.`,
  );
export const DELIVERY_KEY_REUSED = (p: { executionId: string }) =>
  describeError(
    'DELIVERY_KEY_REUSED',
    422,
    `This delivery key was already used with a different body, by execution ${p.executionId}; nothing was started.`,
  );

// Callback answers
export const CALLBACK_NOT_FOUND = () =>
  describeError('CALLBACK_NOT_FOUND', 404, 'Nothing is waiting for an answer at this address.');
export const CALLBACK_GONE = (p: { reason: string }) =>
  describeError('CALLBACK_GONE', 410, `${p.reason} Nothing was changed.`);
export const ANSWER_UNCONFIRMED = () =>
  describeError(
    'ANSWER_UNCONFIRMED',
    503,
    'The engine received the answer but did not confirm it; see the execution record for the outcome.',
  );
export const ANSWER_INVALID = (p: { reason: string }) =>
  describeError('ANSWER_INVALID', 400, `The answer was not accepted: ${p.reason}; nothing was changed.`);
// Sent as a member of the problem
export const ANSWER_MISMATCH = (_: { errors: readonly FoundError[] }) =>
  describeError(
    'ANSWER_MISMATCH',
    400,
    'The answer does not match the requested fields; nothing was changed.',
    'Answer does not match its fields',
  );

// Features of webhooks
// Neither a 5xx nor a status that senders retry: the service is healthy, and the same call would fail again.
export const LOOP_DETECTED = (p: { reason: string }) =>
  describeError('LOOP_DETECTED', 409, `Through this service, ${p.reason}; nothing was started.`);
// The same detail for every reason; the log has the reason
export const SIGNATURE_INVALID = (_: { challenge?: string }) =>
  describeError('SIGNATURE_INVALID', 403, 'The signature of the request is missing or wrong.');
export const AUTHORIZATION_MALFORMED = (_: { challenge: string }) =>
  describeError('AUTHORIZATION_MALFORMED', 400, 'The Authorization header has no well-formed bearer token.');
export const HANDSHAKE_REFUSED = () =>
  describeError(
    'HANDSHAKE_REFUSED',
    403,
    'This webhook does not accept this handshake; nothing was started.',
  );
export const HANDSHAKE_UNANSWERED = () =>
  describeError(
    'HANDSHAKE_UNANSWERED',
    422,
    'The handshake response could not be computed for this request; nothing was started.',
  );
export const HANDSHAKE_UNCONFIRMED = () =>
  describeError(
    'HANDSHAKE_UNCONFIRMED',
    503,
    'The subscription could not be confirmed; nothing was started. Try again.',
  );
export const WEBHOOK_MISCONFIGURED = () =>
  describeError(
    'WEBHOOK_MISCONFIGURED',
    503,
    'A feature of this webhook is misconfigured; nothing was started.',
  );
export const SENDER_KEYS_UNAVAILABLE = () =>
  describeError(
    'SENDER_KEYS_UNAVAILABLE',
    503,
    'The keys of the sender could not be loaded; nothing was started. Try again.',
  );
export const WEBHOOK_PAUSED = () =>
  describeError('WEBHOOK_PAUSED', 503, 'This webhook is paused; nothing was started.');
export const BODY_UNSUPPORTED = (p: { reason: string }) =>
  describeError('BODY_UNSUPPORTED', 415, `The body can't be read: ${p.reason}.`);
// Sent as a member of the problem
export const BODY_SCHEMA_MISMATCH = (_: { errors: readonly FoundError[] }) =>
  describeError(
    'BODY_SCHEMA_MISMATCH',
    400,
    'The body does not match the JSON Schema of this trigger; nothing was started.',
    'Body does not match its schema',
  );
export const RATE_LIMITED = (p: { retryAfterSeconds: number }) =>
  describeError(
    'RATE_LIMITED',
    429,
    `This webhook accepts no more requests for ${p.retryAfterSeconds} s; nothing was started.`,
    'Too many requests',
  );
export const CONCURRENCY_LIMITED = (p: { max: number; retryAfterSeconds: number }) =>
  describeError(
    'CONCURRENCY_LIMITED',
    429,
    `This workflow has reached its limit of concurrent executions (${p.max}); nothing was started.`,
    'Too many executions',
  );
export const FILTER_UNDECIDED = () =>
  describeError(
    'FILTER_UNDECIDED',
    422,
    'The filter of this webhook failed or did not return true or false for this request; nothing was started.',
  );
export const UPLOAD_INVALID = (p: { reason: string }) =>
  describeError('UPLOAD_INVALID', 400, `The upload was not accepted: ${p.reason}.`);
export const UPLOAD_NOT_FOUND = (p: { reason: string }) =>
  describeError('UPLOAD_NOT_FOUND', 404, `Upload not found: ${p.reason}; nothing was started.`);
export const CALLER_NOT_ALLOWED = () =>
  describeError(
    'CALLER_NOT_ALLOWED',
    403,
    'This webhook accepts no requests from this address; nothing was started.',
  );
export const ORIGIN_NOT_ALLOWED = () =>
  describeError('ORIGIN_NOT_ALLOWED', 403, 'This webhook accepts no requests from scripts of this origin.');

// Operators: executions and plugins
export const QUERY_INVALID = (p: { reason: string }) =>
  describeError('QUERY_INVALID', 400, `The query is invalid: ${p.reason}.`);
export const CONTENT_TYPE_UNSUPPORTED = () =>
  describeError(
    'CONTENT_TYPE_UNSUPPORTED',
    415,
    'The body must be JSON: send it with the header content-type: application/json.',
  );
export const EXECUTION_NOT_FOUND = (p: { executionId: string }) =>
  describeError(
    'EXECUTION_NOT_FOUND',
    404,
    `There is no execution ${p.executionId}, or its record has expired.`,
  );
export const EXECUTIONS_NOT_COMPARABLE = (p: { executionId: string; workflowId: string; other: string }) =>
  describeError(
    'EXECUTIONS_NOT_COMPARABLE',
    422,
    `Execution ${p.executionId} is of the workflow ${p.workflowId}, the other one of ${p.other}; only executions of one workflow can be compared.`,
  );
export const SUCCESS_NOT_FOUND = (p: { workflowId: string }) =>
  describeError(
    'SUCCESS_NOT_FOUND',
    404,
    `The workflow ${p.workflowId} has no other execution that succeeded; name the one to compare with.`,
  );
export const NOT_CANCELLABLE = (p: { executionId: string; reason: string }) =>
  describeError('NOT_CANCELLABLE', 409, `Execution ${p.executionId} can't be cancelled: ${p.reason}.`);
export const NOT_RETRYABLE = (p: { executionId: string; reason: string }) =>
  describeError('NOT_RETRYABLE', 409, `Execution ${p.executionId} can't be retried like this: ${p.reason}.`);
export const NOTHING_TO_RETRY = () =>
  describeError(
    'NOTHING_TO_RETRY',
    409,
    'No execution that matches the filter can be retried; with "dryRun": true, the answer says why.',
  );
export const TOO_MANY_TO_RETRY = (p: { max: number; checkedSince: string }) =>
  describeError(
    'TOO_MANY_TO_RETRY',
    422,
    `More than ${p.max} executions match the filter, or checking them takes too long. Start with "filter": {"from": "${p.checkedSince}"}, and then retry those before.`,
  );
export const BULK_RETRY_NOT_FOUND = (p: { bulkRetryId: string }) =>
  describeError(
    'BULK_RETRY_NOT_FOUND',
    404,
    `There is no bulk retry ${p.bulkRetryId}, or its record has expired.`,
  );
export const BULK_RETRY_NOT_RUNNING = (p: { bulkRetryId: string; state: string }) =>
  describeError(
    'BULK_RETRY_NOT_RUNNING',
    409,
    `Bulk retry ${p.bulkRetryId} starts no more executions: it is ${p.state}.`,
  );
export const WORKFLOWS_LEFT_STORED = (p: { workflowIds: readonly string[] }) =>
  describeError(
    'WORKFLOWS_LEFT_STORED',
    503,
    `Not all workflows could be stored; these have their new version: ${p.workflowIds.join(', ')}. Store all of them again.`,
  );
export const WORKFLOW_NOT_FOUND = (p: { workflowId: string }) =>
  describeError('WORKFLOW_NOT_FOUND', 404, `There is no workflow ${p.workflowId}.`);
export const VERSION_NOT_FOUND = (p: { workflowId: string; version: number }) =>
  describeError('VERSION_NOT_FOUND', 404, `Workflow ${p.workflowId} has no version ${p.version}.`);
export const NOT_STARTABLE = (p: { workflowId: string; reason: string }) =>
  describeError('NOT_STARTABLE', 409, `Workflow ${p.workflowId} can't be started like this: ${p.reason}.`);
export const NOT_LISTENABLE = (p: { workflowId: string; reason: string }) =>
  describeError('NOT_LISTENABLE', 409, `Workflow ${p.workflowId} can't listen like this: ${p.reason}.`);
export const REQUEST_NOT_FOUND = (p: { id: string }) =>
  describeError('REQUEST_NOT_FOUND', 404, `There is no recorded request ${p.id}, or its record has expired.`);
export const REQUEST_NOT_REPEATABLE = (p: { id: string; reason: string }) =>
  describeError('REQUEST_NOT_REPEATABLE', 409, `Request ${p.id} can't be sent again: ${p.reason}.`);
export const CREDENTIAL_NOT_FOUND = (p: { credentialId: string }) =>
  describeError('CREDENTIAL_NOT_FOUND', 404, `There is no credential ${p.credentialId}.`);
export const PLUGIN_NOT_FOUND = (p: { near: string | null }) =>
  describeError(
    'PLUGIN_NOT_FOUND',
    404,
    p.near === null
      ? 'No plugin with this id is installed.'
      : `No plugin with this id is installed, but "${p.near}" is.`,
  );
export const PLUGIN_NOT_SWITCHED = (p: { id: string; reason: string }) =>
  describeError('PLUGIN_NOT_SWITCHED', 409, `The plugin ${p.id} can't be disabled on a stage. ${p.reason}`);
export const NODE_TYPE_NOT_FOUND = (p: { near: string | null }) =>
  describeError(
    'NODE_TYPE_NOT_FOUND',
    404,
    p.near === null
      ? 'No installed plugin has this node type.'
      : `No installed plugin has this node type, but "${p.near}" exists.`,
  );
export const CREDENTIAL_TYPE_NOT_FOUND = (p: { near: string | null }) =>
  describeError(
    'CREDENTIAL_TYPE_NOT_FOUND',
    404,
    p.near === null
      ? 'No installed plugin has this credential type.'
      : `No installed plugin has this credential type, but "${p.near}" exists.`,
  );

// Operators: workflows and credentials
export const WORKFLOW_TOO_LARGE = (p: { bytes: number; limitBytes: number }) =>
  describeError(
    'WORKFLOW_TOO_LARGE',
    413,
    `The stored definition has ${p.bytes} bytes; the limit is ${p.limitBytes}.`,
  );
export const WORKFLOW_CHANGED = (p: { workflowId: string }) =>
  describeError(
    'WORKFLOW_CHANGED',
    409,
    `Workflow ${p.workflowId} was changed in the meantime; read it again and retry.`,
  );
export const PRECONDITION_FAILED = (p: { resource: string; currentVersion: number | null }) =>
  describeError(
    'PRECONDITION_FAILED',
    412,
    p.currentVersion === null
      ? `The ${p.resource} does not exist, or was removed in the meantime. Nothing was stored.`
      : `The current version of the ${p.resource} is ${p.currentVersion}: read it, merge your changes, and send them with If-Match: "${p.currentVersion}". Nothing was stored.`,
  );
export const WORKFLOWS_INVALID = (p: { count: number; errors: readonly FoundError[] }) =>
  describeError('WORKFLOWS_INVALID', 422, `${describeCount(p)} Nothing was stored.`);
export const NODE_NOT_TRIABLE = (p: { count: number; errors: readonly FoundError[] }) =>
  describeError('NODE_NOT_TRIABLE', 422, `${describeCount(p)} Nothing was run.`);
export const OPTIONS_NOT_FOUND = (p: { nodeType: string; parameter: string }) =>
  describeError(
    'OPTIONS_NOT_FOUND',
    404,
    `There is no node type ${JSON.stringify(p.nodeType.slice(0, 100))} that finds options for a parameter ${JSON.stringify(p.parameter.slice(0, 100))}.`,
  );
export const WORKFLOW_IN_USE = (p: { workflowId: string; users: readonly string[] }) =>
  describeError(
    'WORKFLOW_IN_USE',
    409,
    `Workflow ${p.workflowId} is used by other workflows, see "users". To remove it anyway, set force=true.`,
  );
export const STATE_ENTRY_NOT_FOUND = () =>
  describeError(
    'STATE_ENTRY_NOT_FOUND',
    404,
    'There is no entry of state with this key, or it has expired.',
    'Entry not found',
  );
export const STATE_VALUE_MISSING = () =>
  describeError(
    'STATE_VALUE_MISSING',
    404,
    'The value of this entry is no longer in the bucket. Put it again, or delete the entry.',
    'Value missing',
  );
export const STATE_INVALID = (p: { reason: string }) =>
  describeError('STATE_INVALID', 422, `${p.reason}. Nothing was stored.`, 'Entry invalid');
export const VARIABLE_NOT_FOUND = (p: { near: string | null }) =>
  describeError(
    'VARIABLE_NOT_FOUND',
    404,
    p.near === null
      ? 'This stage has no variable with this name.'
      : `This stage has no variable with this name, but "${p.near}".`,
  );
export const VARIABLES_INVALID = (p: { count: number; errors: readonly FoundError[] }) =>
  describeError('VARIABLES_INVALID', 422, `${describeCount(p)} Nothing was stored.`);
export const VARIABLE_IN_USE = (p: { name: string; users: readonly string[] }) =>
  describeError(
    'VARIABLE_IN_USE',
    409,
    `Workflows read the variable ${p.name}, see "users". To remove it anyway, set force=true.`,
  );
export const REGISTRATION_REFUSED = (p: {
  workflowId: string;
  triggerNodeId: string;
  path: string | null;
  reason: string;
  /** Its place in the request, if that has the workflow. */
  errors?: readonly FoundError[];
}) =>
  describeError(
    'REGISTRATION_REFUSED',
    422,
    `Trigger ${p.triggerNodeId} of ${p.workflowId} can't be registered: ${p.path === null ? '' : `${p.path}: `}${p.reason.replace(/\.$/, '')}. Nothing was stored.`,
  );
export const CREDENTIAL_CHANGED = (p: { credentialId: string }) =>
  describeError(
    'CREDENTIAL_CHANGED',
    409,
    `Credential ${p.credentialId} was changed in the meantime; retry.`,
  );
export const CREDENTIAL_BUSY = (p: { credentialId: string }) =>
  describeError(
    'CREDENTIAL_BUSY',
    409,
    `Credential ${p.credentialId} is being renewed or changed by another request; nothing was changed. Retry.`,
  );
export const CREDENTIAL_EXISTS = (p: { credentialId: string }) =>
  describeError(
    'CREDENTIAL_EXISTS',
    409,
    `The credential ${p.credentialId} already exists; rotate it, or choose another id.`,
  );
export const CREDENTIAL_INVALID = (p: { count: number; errors: readonly FoundError[] }) =>
  describeError('CREDENTIAL_INVALID', 422, `${describeCount(p)} Nothing was stored.`);
export const CREDENTIAL_UNSUITABLE = (p: { credentialId: string; reason: string }) =>
  describeError('CREDENTIAL_UNSUITABLE', 409, `${p.credentialId} ${p.reason}.`);
export const CREDENTIAL_IN_USE = (p: { credentialId: string; users: readonly string[] }) =>
  describeError(
    'CREDENTIAL_IN_USE',
    409,
    `Credential ${p.credentialId} is used by workflows, see "users". To remove it anyway, set force=true.`,
  );
export const TOO_MANY_SECRETS = (p: { credentialId: string; count: number }) =>
  describeError('TOO_MANY_SECRETS', 409, `${p.credentialId} has ${p.count} live secrets; revoke one first.`);

// Services that nodes call
export {
  CREDENTIAL_REJECTED,
  FILE_CHANGED,
  FILE_INVALID,
  FILE_NOT_FOUND,
  FILE_TOO_LARGE,
  OUTBOUND_FAILED,
  OUTBOUND_REFUSED,
  OUTBOUND_TIMEOUT,
  OUTBOUND_TOO_LARGE,
  TOO_MANY_FILES,
} from '@hookloom/plugin-kit';
