import { entry } from '@hookloom/plugin-kit/host';

/**
 * Errors that callers and operators see: code, HTTP status, title and detail. The detail is public: it says what is
 * wrong and where, without secrets, stack traces or input. Internal details belong in `cause`.
 */
export const catalogue = {
  // Reading a request
  BODY_TOO_LARGE: entry(
    413,
    'Body too large',
    (p: { limitBytes: number }) => `The body is larger than ${p.limitBytes} bytes.`,
  ),
  BODY_INVALID: entry(400, 'Body invalid', (p: { reason: string }) => `The body is invalid: ${p.reason}.`),
  BODY_TOO_DEEP: entry(
    400,
    'Body nested too deeply',
    (p: { limit: number }) => `The body is nested deeper than ${p.limit} levels.`,
  ),
  REQUEST_INVALID: entry(
    400,
    'Request invalid',
    (p: { reason: string }) => `The request can't be read: ${p.reason}.`,
  ),
  NOT_FOUND: entry(404, 'Not found', () => 'No enabled workflow listens at this address.'),
  METHOD_NOT_ALLOWED: entry(
    405,
    'Method not allowed',
    (p: { allow: readonly string[] }) => `Methods allowed at this address: ${p.allow.join(', ')}.`,
  ),
  UNAUTHORIZED: entry(
    401,
    'Unauthorized',
    // `challenge` is the value of `WWW-Authenticate` (RFC 9110 §11.6.1)
    (_: { challenge: string }) => 'The credentials are missing or wrong.',
  ),
  // The service itself
  STORE_UNAVAILABLE: entry(
    503,
    'Store unavailable',
    () => 'The store is unavailable or throttling; nothing was started. Try again.',
  ),
  SECRETS_UNAVAILABLE: entry(
    503,
    'Secrets unavailable',
    () => 'The secret store is unavailable or throttling; nothing was started. Try again.',
  ),
  AUTHENTICATION_MISCONFIGURED: entry(
    503,
    'Authentication misconfigured',
    () => 'This webhook requires authentication, but has no usable credential; nothing was started.',
  ),
  ANSWER_TOO_LARGE: entry(
    500,
    'Response too large',
    (p: { limitBytes: number }) => `The response exceeds the limit of ${p.limitBytes} bytes.`,
  ),
  INTERNAL: entry(500, 'Internal error', () => 'Something failed on our side.'),
  // Running a workflow
  EXECUTION_FAILED: entry(
    500,
    'Execution failed',
    (p: { executionId: string }) => `Execution ${p.executionId} failed; see its record.`,
  ),
  EXECUTION_TIMED_OUT: entry(
    504,
    'Execution timed out',
    (p: { executionId: string }) => `Execution ${p.executionId} timed out.`,
  ),
  NO_RESPONSE: entry(
    500,
    'No response',
    (p: { executionId: string }) =>
      `Execution ${p.executionId} ended without reaching a respondToWebhook node.`,
  ),
  RESPONSE_INVALID: entry(
    500,
    'Response invalid',
    (p: { executionId: string; reason: string }) =>
      `The response of execution ${p.executionId} can't be sent: ${p.reason}.`,
  ),
  ALREADY_STARTED: entry(
    409,
    'Already started',
    (p: { executionId: string }) =>
      `Execution ${p.executionId} was already started; see its record for the outcome.`,
  ),
  WORKFLOW_INVALID: entry(
    500,
    'Workflow invalid',
    (p: { reason: string }) => `The stored workflow can't run: ${p.reason}.`,
  ),
  DISPATCH_REFUSED: entry(
    503,
    'Dispatch refused',
    () =>
      'The background engine is not accepting executions right now. Try again: the execution starts only once.',
  ),
  ENGINE_UNAVAILABLE: entry(
    503,
    'Engine unavailable',
    () => 'The background engine is not responding; nothing was changed. Try again.',
  ),
  EVENT_NOT_PUBLISHED: entry(
    503,
    'Event not published',
    (p: { executionId: string }) => `The event of execution ${p.executionId} could not be published.`,
  ),
  DELIVERY_KEY_REUSED: entry(
    422,
    'Delivery key reused',
    (p: { executionId: string }) =>
      `This delivery key was already used with a different body, by execution ${p.executionId}; nothing was started.`,
  ),
  // Callback answers
  CALLBACK_NOT_FOUND: entry(
    404,
    'Callback not found',
    () => 'Nothing is waiting for an answer at this address.',
  ),
  CALLBACK_GONE: entry(410, 'Callback gone', (p: { reason: string }) => `${p.reason} Nothing was changed.`),
  ANSWER_UNCONFIRMED: entry(
    503,
    'Answer unconfirmed',
    () => 'The engine received the answer but did not confirm it; see the execution record for the outcome.',
  ),
  ANSWER_INVALID: entry(
    400,
    'Answer invalid',
    (p: { reason: string }) => `The answer was not accepted: ${p.reason}; nothing was changed.`,
  ),
  ANSWER_MISMATCH: entry(
    400,
    'Answer does not match its fields',
    // Sent as a member of the problem
    (_: { errors: readonly { readonly pointer: string; readonly detail: string }[] }) =>
      'The answer does not match the requested fields; nothing was changed.',
  ),
  // Executions, for operators
  EXECUTION_NOT_FOUND: entry(
    404,
    'Execution not found',
    (p: { executionId: string }) => `There is no execution ${p.executionId}, or its record has expired.`,
  ),
  // Operators
  CONFIGURATION_INVALID: entry(
    500,
    'Configuration invalid',
    (p: { reason: string }) => `The configuration is invalid: ${p.reason}.`,
  ),
  CREDENTIAL_CHANGED: entry(
    409,
    'Credential changed',
    (p: { credentialId: string }) => `Credential ${p.credentialId} was changed in the meantime; retry.`,
  ),
} as const;
