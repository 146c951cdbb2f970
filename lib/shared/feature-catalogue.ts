import { entry } from '@hookloom/plugin-kit/host';

/** Errors of webhook features. Separate from `catalogue`, since a webhook without features does not load them. */
export const featureCatalogue = {
  // Neither a 5xx nor a status that senders retry: the service is healthy, and the same call would fail again.
  LOOP_DETECTED: entry(
    409,
    'Loop detected',
    (p: { limit: number }) =>
      `${p.limit} executions in a row have each started the next one through this service; nothing was started.`,
  ),
  SIGNATURE_INVALID: entry(
    403,
    'Signature invalid',
    // The same detail for every reason; the log has the reason
    (_: { challenge?: string }) => 'The signature of the request is missing or wrong.',
  ),
  AUTHORIZATION_MALFORMED: entry(
    400,
    'Authorization malformed',
    (_: { challenge: string }) => 'The Authorization header has no well-formed bearer token.',
  ),
  HANDSHAKE_REFUSED: entry(
    403,
    'Handshake refused',
    () => 'This webhook does not accept this handshake; nothing was started.',
  ),
  HANDSHAKE_UNANSWERED: entry(
    422,
    'Handshake unanswered',
    () => 'The handshake response could not be computed for this request; nothing was started.',
  ),
  HANDSHAKE_UNCONFIRMED: entry(
    503,
    'Handshake unconfirmed',
    () => 'The subscription could not be confirmed; nothing was started. Try again.',
  ),
  WEBHOOK_MISCONFIGURED: entry(
    503,
    'Webhook misconfigured',
    () => 'A feature of this webhook is misconfigured; nothing was started.',
  ),
  SENDER_KEYS_UNAVAILABLE: entry(
    503,
    'Sender keys unavailable',
    () => 'The keys of the sender could not be loaded; nothing was started. Try again.',
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
      `This webhook accepts no more requests for ${p.retryAfterSeconds} s; nothing was started.`,
  ),
  CONCURRENCY_LIMITED: entry(
    429,
    'Too many executions',
    (p: { max: number; retryAfterSeconds: number }) =>
      `This workflow has reached its limit of concurrent executions (${p.max}); nothing was started.`,
  ),
  FILTER_UNDECIDED: entry(
    422,
    'Filter undecided',
    () =>
      'The filter of this webhook failed or did not return true or false for this request; nothing was started.',
  ),
  UPLOAD_INVALID: entry(
    400,
    'Upload invalid',
    (p: { reason: string }) => `The upload was not accepted: ${p.reason}.`,
  ),
  UPLOAD_NOT_FOUND: entry(
    404,
    'Upload not found',
    (p: { reason: string }) => `Upload not found: ${p.reason}; nothing was started.`,
  ),
  CALLER_NOT_ALLOWED: entry(
    403,
    'Caller not allowed',
    () => 'This webhook accepts no requests from this address; nothing was started.',
  ),
  ORIGIN_NOT_ALLOWED: entry(
    403,
    'Origin not allowed',
    () => 'This webhook accepts no requests from scripts of this origin.',
  ),
} as const;
