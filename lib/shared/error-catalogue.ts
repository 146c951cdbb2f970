import { entry } from '@hookloom/plugin-kit/host';

/**
 * Errors that callers and operators see: code, HTTP status, title, sentence. The sentence is public: it says what is
 * wrong and where, without secrets, stacks or input. Internal details belong in `cause`.
 */
export const catalogue = {
  // Reading a request
  BODY_TOO_LARGE: entry(
    413,
    'Body too large',
    (p: { limitBytes: number }) => `The body is larger than ${p.limitBytes} bytes.`,
  ),
  BODY_INVALID: entry(
    400,
    'Body invalid',
    (p: { reason: string }) => `The body is not what its content type says: ${p.reason}.`,
  ),
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
    (p: { allow: readonly string[] }) => `This address answers ${p.allow.join(', ')}.`,
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
    () => 'The store does not answer or is throttling; nothing was started. Try again.',
  ),
  SECRETS_UNAVAILABLE: entry(
    503,
    'Secrets unavailable',
    () => 'The secret store does not answer or is throttling; nothing was started. Try again.',
  ),
  AUTHENTICATION_MISCONFIGURED: entry(
    503,
    'Authentication misconfigured',
    () => 'This webhook requires credentials, but none are set up for it; nothing was started.',
  ),
  ANSWER_TOO_LARGE: entry(
    500,
    'Answer too large',
    (p: { limitBytes: number }) => `The answer is larger than the ${p.limitBytes} bytes that can be sent.`,
  ),
  INTERNAL: entry(500, 'Internal error', () => 'Something failed on our side.'),
  // Running a workflow
  EXECUTION_FAILED: entry(
    500,
    'Execution failed',
    (p: { executionId: string }) => `Execution ${p.executionId} failed; its record says where.`,
  ),
  EXECUTION_TIMED_OUT: entry(
    504,
    'Execution timed out',
    (p: { executionId: string }) => `Execution ${p.executionId} ran out of time.`,
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
      `Execution ${p.executionId} made an answer that can't be sent: ${p.reason}.`,
  ),
  ALREADY_STARTED: entry(
    409,
    'Already started',
    (p: { executionId: string }) =>
      `Execution ${p.executionId} was started before; its record has the outcome.`,
  ),
  WORKFLOW_INVALID: entry(
    500,
    'Workflow invalid',
    (p: { reason: string }) => `The stored workflow can't run: ${p.reason}.`,
  ),
  DISPATCH_REFUSED: entry(
    503,
    'Dispatch refused',
    () => 'The engine for background runs does not take the execution now. Try again: it is started once.',
  ),
  ENGINE_UNAVAILABLE: entry(
    503,
    'Engine unavailable',
    () => 'The engine for background runs does not answer; nothing was changed. Try again.',
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
      `Another body came under the same key and started execution ${p.executionId}; nothing was started.`,
  ),
  // Answers to callbacks
  CALLBACK_NOT_FOUND: entry(404, 'Callback not found', () => 'Nothing waits for an answer at this address.'),
  CALLBACK_GONE: entry(410, 'Callback gone', (p: { reason: string }) => `${p.reason} Nothing was changed.`),
  ANSWER_UNCONFIRMED: entry(
    503,
    'Answer unconfirmed',
    () =>
      'The engine was given the answer and did not confirm it; the record of the execution says what counted.',
  ),
  ANSWER_INVALID: entry(
    400,
    'Answer invalid',
    (p: { reason: string }) => `The answer can't be taken: ${p.reason}; nothing was changed.`,
  ),
  ANSWER_MISMATCH: entry(
    400,
    'Answer does not match its fields',
    // Sent as a member of the problem
    (_: { errors: readonly { readonly pointer: string; readonly detail: string }[] }) =>
      'The answer does not match the fields that are asked for; nothing was changed.',
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
    (p: { reason: string }) => `The configuration is not usable: ${p.reason}.`,
  ),
  CREDENTIAL_CHANGED: entry(
    409,
    'Credential changed',
    (p: { credentialId: string }) => `Credential ${p.credentialId} was changed meanwhile; retry.`,
  ),
} as const;
