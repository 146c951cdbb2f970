import type { CredentialType } from '@hookloom/plugin-kit';
import { textSchema } from './text-schema.ts';

/** No live test: any request to the URL posts a message. */
export const slackWebhook: CredentialType = {
  id: 'slackWebhook',
  name: 'Slack webhook',
  description:
    'Sends to the URL of an incoming webhook, which is the secret, in place of the one of the request',
  schema: textSchema('url', { url: { pattern: '^https?://', description: 'URL of the incoming webhook' } }),
  secretFields: ['url'],
  hosts: ({ url = '' }) => [new URL(url).host],
  setsUrl: true,
  apply: (request, { url = '' }) => ({ ...request, url }),
};
