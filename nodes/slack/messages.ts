import {
  defineAction,
  fromAttempt,
  isJsonMap,
  isPassing,
  type JsonObject,
  type JsonValue,
  readErrorBody,
  Type,
  toStatusError,
} from '@hookloom/plugin-kit';
import {
  baseUrl,
  blocks,
  callSlack,
  channel,
  credentials,
  escapeText,
  text,
  toMessage,
  ts,
} from './call-slack.ts';

/** Returns the place of a message, in which the channel is an id, even if it was given by name. */
const toPlace = ({ channel = null, ts = null }: JsonObject): JsonObject => ({ channel, ts });

const toUser = ({ id = null, name = null, tz = null, is_bot, deleted, ...user }: JsonObject): JsonValue => {
  const profile = isJsonMap(user.profile) ? user.profile : {};
  return {
    id,
    name,
    realName: profile.real_name ?? null,
    displayName: profile.display_name ?? null,
    email: profile.email ?? null,
    timeZone: tz,
    isBot: is_bot === true,
    isDeleted: deleted === true,
  };
};

/** A placeholder, which the URL of the credential replaces. */
const PLACE = 'https://hooks.slack.com/';

export const slackMessage = defineAction({
  id: 'slackMessage',
  name: 'Slack message',
  description: 'Posts a message to a Slack channel, or to a thread in it',
  parameters: Type.Object({
    channel,
    text,
    escapeText,
    blocks,
    threadTs: Type.Optional(ts('The `ts` of a message, to reply in its thread')),
    replyBroadcast: Type.Boolean({ default: false, description: 'Also show a reply in the channel' }),
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
    const { baseUrl, channel, threadTs, replyBroadcast, unfurlLinks } = parameters;
    const body = {
      channel,
      ...toMessage(parameters),
      ...(threadTs === undefined ? {} : { thread_ts: threadTs, reply_broadcast: replyBroadcast }),
      unfurl_links: unfurlLinks,
    };
    return toPlace(await callSlack({ baseUrl, method: 'chat.postMessage', body }, context));
  },
});

export const slackUpdateMessage = defineAction({
  id: 'slackUpdateMessage',
  name: 'Slack message update',
  description: 'Replaces the text and the blocks of a Slack message that the same app posted',
  parameters: Type.Object({
    channel,
    ts: ts('The `ts` of the message, from the output of slackMessage'),
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
    const { baseUrl, channel, ts } = parameters;
    const body = { channel, ts, blocks: [], ...toMessage(parameters) }; // without blocks, those of the message are removed
    return toPlace(await callSlack({ baseUrl, method: 'chat.update', body }, context));
  },
});

export const slackAddReaction = defineAction({
  id: 'slackAddReaction',
  name: 'Slack reaction',
  description: 'Adds a reaction to a Slack message. It is not a failure if the reaction already exists',
  parameters: Type.Object({
    channel,
    ts: ts('The `ts` of the message'),
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
  execute: async ({ parameters: { baseUrl, channel, ts, emoji }, context }) => {
    const body = { channel, timestamp: ts, name: emoji };
    const call = { baseUrl, method: 'reactions.add', body, expected: ['already_reacted'] };
    return { added: (await callSlack(call, context)).ok === true };
  },
});

export const slackFindUser = defineAction({
  id: 'slackFindUser',
  name: 'Slack user',
  description:
    'Finds a Slack user by e-mail address, for instance to send a direct message with slackMessage. Outputs { user }, null if there is none',
  parameters: Type.Object({
    email: Type.String({
      minLength: 3,
      maxLength: 320,
      format: 'email',
      description: 'E-mail address of the user',
    }),
    baseUrl,
  }),
  credentials,
  example: {
    parameters: { email: '{{ customer.email }}' },
    input: { customer: { email: 'ann@example.com' } },
    output: {
      user: {
        id: 'U0123456789',
        name: 'ann',
        realName: 'Ann Smith',
        displayName: 'Ann',
        email: 'ann@example.com',
        timeZone: 'Europe/London',
        isBot: false,
        isDeleted: false,
      },
    },
  },
  execute: async ({ parameters: { baseUrl, email }, context }) => {
    const call = { baseUrl, method: 'users.lookupByEmail', query: { email }, expected: ['users_not_found'] };
    const { user } = await callSlack(call, context);
    return { user: isJsonMap(user) ? toUser(user) : null };
  },
});

export const slackWebhook = defineAction({
  id: 'slackWebhook',
  name: 'Slack webhook',
  description:
    'Posts a message to an incoming webhook of Slack, or of a compatible chat such as Mattermost. The URL is the credential',
  parameters: Type.Object({ text, escapeText, blocks }),
  credentials: { types: ['slackWebhook'], required: true },
  example: {
    parameters: { text: 'Order {{ number }} is paid', escapeText: true },
    input: { number: 'A-1' },
    output: { posted: true },
  },
  /** An incoming webhook answers in plain text: `ok`, or an error code such as `channel_is_archived`. */
  execute: async ({ parameters, context }) => {
    const response = await context.services.http.request({
      method: 'POST',
      url: PLACE,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(toMessage(parameters)),
      ...fromAttempt(context),
      maxRedirects: 0,
      maxResponseBytes: 65_536,
    });
    const { status } = response;
    if (status >= 200 && status <= 299) return { posted: true };
    const { body } = readErrorBody(response);
    const isCode = typeof body === 'string' && /^\w{1,100}$/.test(body);
    throw toStatusError(response, {
      isRetryable: isPassing(status),
      now: context.services.clock.now(),
      ...(isCode ? { code: body, problem: body } : {}),
    });
  },
});
