/**
 * Known senders, which a trigger's `deduplication` may name, with the expression that finds the key of their
 * deliveries. A repeated delivery has the same key.
 * https://docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers,
 * https://docs.stripe.com/webhooks#handle-duplicate-events, https://api.slack.com/apis/events-api#callback-field,
 * https://shopify.dev/docs/apps/build/webhooks/best-practices,
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md, and the pages in
 * `webhooks/features/signature/schemes.ts`
 */
export const deliveryKeys: Readonly<Record<string, string>> = {
  github: 'headers.`x-github-delivery`',
  stripe: 'body.id',
  slack: 'body.event_id',
  shopify: 'headers.`x-shopify-webhook-id`',
  standardWebhooks: 'headers.`webhook-id` ?? headers.`svix-id`',
  twitch: 'headers.`twitch-eventsub-message-id`',
  paypal: 'body.id',
  mux: 'body.id',
  paddle: 'body.event_id',
  pagerDuty: 'body.event.id',
  sns: 'body.MessageId',
  mailgun: 'body.signature.token',
  telegram: 'body.update_id',
};
