import { describe, expect, test } from '@jest/globals';
import { answerProblem } from '../../lib/http/problem.ts';
import * as catalogue from '../../lib/shared/error-catalogue.ts';
import { AppError, type ErrorCode, type ErrorParameters } from '../../lib/shared/errors.ts';

const executionId = 'execution-1';
const reason = 'it is odd';
const target = 'GET api.example.com';

/** Parameters for every code of the catalogue; one that is missing here does not compile. */
const examples = {
  BODY_TOO_LARGE: { limitBytes: 5 },
  BODY_INVALID: { reason },
  CONTENT_TYPE_UNSUPPORTED: {},
  BODY_UNSUPPORTED: { reason: 'its encoding' },
  BODY_TOO_DEEP: { limit: 100 },
  REQUEST_INVALID: { reason },
  NOT_FOUND: {},
  METHOD_NOT_ALLOWED: { allow: ['GET', 'HEAD'] },
  UNAUTHORIZED: { challenge: 'Basic realm="x"' },
  SIGNATURE_INVALID: {},
  AUTHORIZATION_MALFORMED: { challenge: 'Bearer realm="x", error="invalid_request"' },
  HANDSHAKE_REFUSED: {},
  HANDSHAKE_UNANSWERED: {},
  HANDSHAKE_UNCONFIRMED: {},
  SENDER_KEYS_UNAVAILABLE: {},
  STORE_UNAVAILABLE: {},
  AUTHENTICATION_MISCONFIGURED: {},
  WEBHOOK_MISCONFIGURED: {},
  WEBHOOK_PAUSED: {},
  CALLER_NOT_ALLOWED: {},
  ORIGIN_NOT_ALLOWED: {},
  ANSWER_TOO_LARGE: { limitBytes: 5 },
  INTERNAL: {},
  EXECUTION_FAILED: { executionId },
  EXECUTION_TIMED_OUT: { executionId },
  NO_RESPONSE: { executionId },
  RESPONSE_INVALID: { executionId, reason },
  ALREADY_STARTED: { executionId },
  LOOP_DETECTED: { reason: 'it loops' },
  WORKFLOW_INVALID: { reason },
  OUTBOUND_REFUSED: { target, reason },
  OUTBOUND_FAILED: { target, reason },
  OUTBOUND_TIMEOUT: { target, timeoutMs: 5 },
  OUTBOUND_TOO_LARGE: { target, limitBytes: 5 },
  CONFIGURATION_INVALID: { reason },
  WORKFLOW_TOO_LARGE: { bytes: 6, limitBytes: 5 },
  WORKFLOW_CHANGED: { workflowId: 'shop' },
  PRECONDITION_FAILED: { resource: 'workflow shop', currentVersion: 7 },
  OPTIONS_NOT_FOUND: { nodeType: 'slackMessage', parameter: 'text' },
  NODE_NOT_TRIABLE: { count: 1, errors: [{ pointer: '#/nodeId', detail: 'A sentence.' }] },
  WORKFLOWS_INVALID: { count: 1, errors: [{ pointer: '#/id', detail: 'A sentence.' }] },
  WORKFLOW_IN_USE: { workflowId: 'shop', users: ['orders: the node "call"'] },
  VARIABLE_NOT_FOUND: { near: 'region' },
  VARIABLES_INVALID: { count: 1, errors: [{ pointer: '#/value', detail: 'A sentence.' }] },
  VARIABLE_IN_USE: { name: 'region', users: ['orders: the node "call"'] },
  CREDENTIAL_CHANGED: { credentialId: 'key' },
  CREDENTIAL_BUSY: { credentialId: 'key' },
  DISPATCH_REFUSED: {},
  ENGINE_UNAVAILABLE: {},
  EVENT_NOT_PUBLISHED: { executionId },
  BODY_SCHEMA_MISMATCH: { errors: [{ pointer: '#/id', detail: 'A sentence.' }] },
  FILTER_UNDECIDED: {},
  CONCURRENCY_LIMITED: { max: 5, retryAfterSeconds: 3 },
  RATE_LIMITED: { retryAfterSeconds: 3 },
  DELIVERY_KEY_REUSED: { executionId },
  CALLBACK_NOT_FOUND: {},
  CALLBACK_GONE: { reason },
  ANSWER_UNCONFIRMED: {},
  ANSWER_INVALID: { reason },
  ANSWER_MISMATCH: { errors: [{ pointer: '#/id', detail: 'A sentence.' }] },
  QUERY_INVALID: { reason },
  EXECUTION_NOT_FOUND: { executionId },
  EXECUTIONS_NOT_COMPARABLE: { executionId, workflowId: 'orders', other: 'mail' },
  SUCCESS_NOT_FOUND: { workflowId: 'orders' },
  NOT_CANCELLABLE: { executionId, reason },
  NOT_RETRYABLE: { executionId, reason },
  NOTHING_TO_RETRY: {},
  TOO_MANY_TO_RETRY: { max: 5_000, checkedSince: '2026-11-20T12:00:00.000Z' },
  BULK_RETRY_NOT_FOUND: { bulkRetryId: '20261125T043600123-a1b2c3d4' },
  BULK_RETRY_NOT_RUNNING: { bulkRetryId: '20261125T043600123-a1b2c3d4', state: 'done' },
  WORKFLOWS_LEFT_STORED: { workflowIds: ['orders'] },
  WORKFLOW_NOT_FOUND: { workflowId: 'orders' },
  VERSION_NOT_FOUND: { workflowId: 'orders', version: 7 },

  NOT_LISTENABLE: { workflowId: 'orders', reason: 'it has no webhook' },
  NOT_STARTABLE: { workflowId: 'orders', reason: 'it is disabled' },
  CREDENTIAL_NOT_FOUND: { credentialId: 'crm' },
  CREDENTIAL_EXISTS: { credentialId: 'crm' },
  CREDENTIAL_INVALID: { count: 1, errors: [{ pointer: '#/type', detail: 'A sentence.' }] },
  CREDENTIAL_UNSUITABLE: { credentialId: 'crm', reason },
  CREDENTIAL_IN_USE: { credentialId: 'crm', users: ['orders: the node "call"'] },
  PLUGIN_NOT_SWITCHED: { id: 'flow', reason: 'It is not loaded: broken.' },
  PLUGIN_NOT_FOUND: { near: 'flow' },
  NODE_TYPE_NOT_FOUND: { near: 'set' },
  CREDENTIAL_TYPE_NOT_FOUND: { near: 'smtp' },
  FILE_INVALID: { reason },
  FILE_NOT_FOUND: { name: 'a.pdf' },
  FILE_CHANGED: { name: 'a.pdf' },
  FILE_TOO_LARGE: { name: 'a.pdf', limitBytes: 5 },
  TOO_MANY_FILES: { limit: 5 },
  SECRETS_UNAVAILABLE: {},
  DATA_VERSION_UNSUPPORTED: { table: 'hookloom-dev-executions', version: 4, oldest: 2, newest: 3 },
  UPLOAD_INVALID: { reason },
  UPLOAD_NOT_FOUND: { reason },
  CREDENTIAL_REJECTED: { target: 'POST login.example.com', reason },
  REGISTRATION_REFUSED: { workflowId: 'orders', triggerNodeId: 'hourly', path: '/cron', reason },
  REQUEST_NOT_FOUND: { id: 'orders.r20261120T1200-07' },
  REQUEST_NOT_REPEATABLE: {
    id: 'orders.r20261120T1200-07',
    reason: 'its body is too long to be stored in full',
  },
  STATE_ENTRY_NOT_FOUND: {},
  STATE_VALUE_MISSING: {},
  STATE_INVALID: { reason: 'Parameter "value" makes an entry of 400001 bytes' },
  TOO_MANY_SECRETS: { credentialId: 'key', count: 5 },
} satisfies { [Code in ErrorCode]: ErrorParameters<Code> };

describe.each(Object.entries(catalogue))('%s', (code, entry) => {
  const parameters = examples[code as ErrorCode];
  const error = new AppError(entry as never, parameters as never, new Error('the cause'));
  const { status, headers, body } = answerProblem(error, 'request-1');

  test('is problem details with a stable type, and does not reveal its cause', () => {
    expect(JSON.parse(body ?? '')).toEqual({
      type: `urn:hookloom:problem:${code.toLowerCase().replaceAll('_', '-')}`,
      title: expect.stringMatching(/^[A-Z][a-zA-Z ]+$/),
      status,
      detail: expect.stringMatching(/^.+\.$/),
      instance: 'request-1',
      ...('executionId' in parameters && status !== 404 ? { executionId } : {}),
      ...('errors' in parameters ? { errors: parameters.errors } : {}),
      ...('users' in parameters ? { users: parameters.users } : {}),
      ...('currentVersion' in parameters ? { currentVersion: parameters.currentVersion } : {}),
    });
    expect(headers['content-type']).toBe('application/problem+json');
    expect(body).not.toMatch(/undefined|the cause|\[object/);
  });

  test('has the header that its status, or RFC 6750, requires, and no other', () => {
    const { 'content-type': _type, 'cache-control': _cache, ...rest } = headers;
    const asked = { 401: 'www-authenticate', 405: 'allow', 429: 'retry-after', 503: 'retry-after' } as Record<
      number,
      string
    >;
    const named = 'executionId' in parameters && status !== 404 ? ['hookloom-execution-id'] : [];
    const own = 'challenge' in parameters ? 'www-authenticate' : asked[status];
    expect(Object.keys(rest)).toEqual([...named, ...(own === undefined ? [] : [own])]);
  });
});

test('a reason of a plugin that ends with a full stop gets no second one', () => {
  const refused = { workflowId: 'orders', triggerNodeId: 'queue', path: null, reason: 'There is no queue.' };
  const { message } = new AppError(catalogue.REGISTRATION_REFUSED, refused);
  expect(message).toBe("Trigger queue of orders can't be registered: There is no queue. Nothing was stored.");
});
