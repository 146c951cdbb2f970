/** Fields of a request before its trigger has run: the input of a `deduplication`. */
export const REQUEST_FIELDS = [
  'body',
  'headers',
  'queryParams',
  'requestMethod',
  'requestPath',
  'remoteAddress',
  'triggeredAt',
] as const;

/** All fields in the output of a `webhookTrigger`. */
export const WEBHOOK_FIELDS = [...REQUEST_FIELDS, 'triggerType'] as const;
