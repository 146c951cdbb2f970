import { entry } from '@hookloom/plugin-kit/host';

/** Errors of features of webhooks, as those of `catalogue`: apart from them, since a webhook without features loads none. */
export const featureCatalogue = {
  // Neither a 5xx nor a status that senders retry: the service is healthy, and the same call would fail again.
  LOOP_DETECTED: entry(
    409,
    'Loop detected',
    (p: { limit: number }) =>
      `${p.limit} executions in a row have called this service, each the next one: this one is not started.`,
  ),
  SIGNATURE_INVALID: entry(
    403,
    'Signature invalid',
    // One sentence for all reasons: the cause has which, for the log
    (_: { challenge?: string }) => 'The signature of the request is missing or wrong.',
  ),
  AUTHORIZATION_MALFORMED: entry(
    400,
    'Authorization malformed',
    (_: { challenge: string }) => 'The header Authorization holds no well-formed bearer token.',
  ),
  HANDSHAKE_REFUSED: entry(
    403,
    'Handshake refused',
    () => 'This handshake is not one that the webhook answers; nothing was started.',
  ),
  HANDSHAKE_UNANSWERED: entry(
    422,
    'Handshake unanswered',
    () => 'The answer of this handshake can not be made for this request; nothing was started.',
  ),
  HANDSHAKE_UNCONFIRMED: entry(
    503,
    'Handshake unconfirmed',
    () => 'The subscription can not be confirmed now; nothing was started. Try again.',
  ),
  WEBHOOK_MISCONFIGURED: entry(
    503,
    'Webhook misconfigured',
    () => 'A feature of this webhook can not be used as it is set up; nothing was started.',
  ),
  SENDER_KEYS_UNAVAILABLE: entry(
    503,
    'Keys of the sender unavailable',
    () => 'The keys of the sender can not be read now; nothing was started. Try again.',
  ),
  WEBHOOK_PAUSED: entry(503, 'Webhook paused', () => 'This webhook is paused; nothing was started.'),
  BODY_UNSUPPORTED: entry(
    415,
    'Body unsupported',
    (p: { reason: string }) => `The body can't be read: ${p.reason}.`,
  ),
  BODY_SCHEMA_MISMATCH: entry(
    400,
    'Body does not match its schema',
    // Sent as a member of the problem
    (_: { errors: readonly { readonly pointer: string; readonly detail: string }[] }) =>
      'The body does not match the JSON Schema of this webhook; nothing was started.',
  ),
  RATE_LIMITED: entry(
    429,
    'Too many requests',
    (p: { retryAfterSeconds: number }) =>
      `This webhook takes no more requests for ${p.retryAfterSeconds} s; nothing was started.`,
  ),
  CONCURRENCY_LIMITED: entry(
    429,
    'Too many executions',
    (p: { max: number; retryAfterSeconds: number }) =>
      `As many executions of this workflow go on as may at once (${p.max}); nothing was started.`,
  ),
  FILTER_UNDECIDED: entry(
    422,
    'Filter undecided',
    () => 'The filter of this webhook says neither yes nor no to this request; nothing was started.',
  ),
  UPLOAD_INVALID: entry(
    400,
    'Upload invalid',
    (p: { reason: string }) => `The upload can't be taken: ${p.reason}.`,
  ),
  UPLOAD_NOT_FOUND: entry(
    404,
    'Upload not found',
    (p: { reason: string }) => `There is no such upload: ${p.reason}; nothing was started.`,
  ),
  CALLER_NOT_ALLOWED: entry(
    403,
    'Caller not allowed',
    () => 'This webhook takes no requests from this address; nothing was started.',
  ),
  ORIGIN_NOT_ALLOWED: entry(
    403,
    'Origin not allowed',
    () => 'This webhook takes no requests from scripts of this origin.',
  ),
} as const;
