import { defineAction, Type } from '@hookloom/plugin-kit';
import { baseUrl, blocks, channel, credentials, escapeText, text, ts } from './parameters.ts';

export const slackMessage = defineAction({
  id: 'slackMessage',
  name: 'Slack message',
  description: 'Posts a message to a channel of Slack, or into a thread of it',
  parameters: Type.Object({
    channel,
    text,
    escapeText,
    blocks,
    threadTs: Type.Optional(ts('The `ts` of a message, to answer in its thread')),
    replyBroadcast: Type.Boolean({ default: false, description: 'Show an answer in the channel as well' }),
    unfurlLinks: Type.Boolean({ default: true, description: 'Show previews of the links of the text' }),
    baseUrl,
  }),
  credentials,
  example: {
    parameters: { channel: 'C0123456789', text: 'Order {{ number }} is paid', escapeText: true },
    input: { number: 'A-1' },
    output: { channel: 'C0123456789', ts: '1763800000.000100' },
  },
  execute: async ({ parameters, context }) => {
    const { postMessage } = await import('./web-api.chunk.ts');
    return postMessage(parameters, context);
  },
});
