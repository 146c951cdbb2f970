import { defineAction, Type } from '@hookloom/plugin-kit';
import { baseUrl, blocks, channel, credentials, escapeText, text, ts } from './parameters.ts';

export const slackUpdateMessage = defineAction({
  id: 'slackUpdateMessage',
  name: 'Slack message update',
  description: 'Replaces the text and the blocks of a message that the same app has posted to Slack',
  parameters: Type.Object({
    channel,
    ts: ts('Which message: the `ts` that slackMessage puts out'),
    text,
    escapeText,
    blocks,
    baseUrl,
  }),
  credentials,
  example: {
    parameters: { channel: '{{ channel }}', ts: '{{ ts }}', text: 'Order A-1 is on its way' },
    input: { channel: 'C0123456789', ts: '1763800000.000100' },
    output: { channel: 'C0123456789', ts: '1763800000.000100' },
  },
  execute: async ({ parameters, context }) => {
    const { updateMessage } = await import('./web-api.chunk.ts');
    return updateMessage(parameters, context);
  },
});
