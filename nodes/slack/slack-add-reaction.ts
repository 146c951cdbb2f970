import { defineAction, Type } from '@hookloom/plugin-kit';
import { baseUrl, channel, credentials, ts } from './parameters.ts';

export const slackAddReaction = defineAction({
  id: 'slackAddReaction',
  name: 'Slack reaction',
  description: 'Adds a reaction to a message of Slack. One that is there already is no failure',
  parameters: Type.Object({
    channel,
    ts: ts('Which message: its `ts`'),
    emoji: Type.String({
      pattern: '^[^:\\s]{1,100}(?:::[^:\\s]{1,100})?$',
      description: 'Name of the emoji without colons, such as thumbsup or thumbsup::skin-tone-2',
    }),
    baseUrl,
  }),
  credentials,
  example: {
    parameters: { channel: '{{ channel }}', ts: '{{ ts }}', emoji: 'white_check_mark' },
    input: { channel: 'C0123456789', ts: '1763800000.000100' },
    output: { added: true },
  },
  execute: async ({ parameters, context }) => {
    const { addReaction } = await import('./web-api.chunk.ts');
    return addReaction(parameters, context);
  },
});
