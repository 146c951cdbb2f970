/** What there is of a request before a trigger has it: what a `deduplication` sees. */
export const REQUEST_FIELDS = [
  'body',
  'headers',
  'queryParams',
  'requestMethod',
  'requestPath',
  'remoteAddress',
  'triggeredAt',
] as const;

/** The output of a `webhookTrigger`: exactly these. */
export const WEBHOOK_FIELDS = [...REQUEST_FIELDS, 'triggerType'] as const;
