import { Type } from '@hookloom/plugin-kit';

// Parameters that several node types have.

export const baseUrl = Type.String({
  default: 'https://slack.com/api',
  pattern: '^https?://',
  description: "URL of Slack's Web API, or of a gateway before it",
});

export const channel = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Id of the channel, such as C0123456789; an id of a user sends a direct message',
});

export const text = Type.String({
  minLength: 1,
  maxLength: 40_000,
  description: "The message in Slack's markup (mrkdwn); with blocks, what notifications show",
});

export const escapeText = Type.Boolean({
  default: false,
  description:
    'Show &, < and > of the text as they are, so that data in it is no mention (<!channel>) and no link; blocks are sent as they are',
});

export const blocks = Type.Array(Type.Record(Type.String(), Type.Unknown()), {
  default: [],
  maxItems: 50,
  description: 'Blocks of the Block Kit, which are shown in place of the text',
});

export const ts = (description: string) =>
  Type.String({ pattern: '^[0-9]{1,12}\\.[0-9]{1,9}$', description });

/** A bot's or a user's token (xoxb-…, xoxp-…). */
export const credentials = { types: ['httpBearer'], required: true } as const;
