import { defineAction, Type } from '@hookloom/plugin-kit';
import { blocks, escapeText, text } from './parameters.ts';

export const slackWebhook = defineAction({
  id: 'slackWebhook',
  name: 'Slack webhook',
  description:
    'Posts a message to an incoming webhook of Slack, or of a chat that takes the same, such as Mattermost. The URL is the credential',
  parameters: Type.Object({ text, escapeText, blocks }),
  credentials: { types: ['slackWebhook'], required: true },
  example: {
    parameters: { text: 'Order {{ number }} is paid', escapeText: true },
    input: { number: 'A-1' },
    output: { posted: true },
  },
  execute: async ({ parameters, context }) => {
    const { postToWebhook } = await import('./post-to-webhook.chunk.ts');
    return postToWebhook(parameters, context);
  },
});
