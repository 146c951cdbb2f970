import {
  closed,
  defineAction,
  fromAttempt,
  isJsonMap,
  isPassing,
  type JsonObject,
  type JsonValue,
  like,
  orNull,
  readErrorBody,
  Type,
  toStatusError,
} from '@hookloom/plugin-kit';
import { blocks, channel, escapeText, slack, text, toMessage, ts } from './call-slack.ts';

/** Returns the place of a message, in which the channel is an id, even if it was given by name. */
const messagePlace = closed({ channel: orNull(Type.String()), ts: orNull(Type.String()) });

const toMessagePlace = ({ channel = null, ts = null }: JsonObject): JsonObject => ({ channel, ts });

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

export const slackMessage = slack({
  id: 'slackMessage',
  name: 'Slack message',
  description: 'Posts a message to a Slack channel, or to a thread in it',
  parameters: {
    channel,
    text,
    escapeText,
    blocks,
    threadTs: Type.Optional(ts('The `ts` of a message, to reply in its thread')),
    replyBroadcast: Type.Boolean({ default: false, description: 'Also show a reply in the channel' }),
    unfurlLinks: Type.Boolean({ default: true, description: 'Show previews of the links of the text' }),
  },
  outputs: { main: messagePlace },
  example: {
    parameters: { channel: 'C0123456789', text: 'Order {{ number }} is paid', escapeText: true },
    input: { number: 'A-1' },
    output: { channel: 'C0123456789', ts: '1763800000.000100' },
  },
  request: ({ channel, threadTs, replyBroadcast, unfurlLinks, ...message }) => ({
    method: 'chat.postMessage',
    body: {
      channel,
      ...toMessage(message),
      ...(threadTs === undefined ? {} : { thread_ts: threadTs, reply_broadcast: replyBroadcast }),
      unfurl_links: unfurlLinks,
    },
  }),
  output: toMessagePlace,
});

export const slackUpdateMessage = slack({
  id: 'slackUpdateMessage',
  name: 'Slack message update',
  description: 'Replaces the text and the blocks of a Slack message that the same app posted',
  parameters: {
    channel,
    ts: ts('The `ts` of the message, from the output of slackMessage'),
    text,
    escapeText,
    blocks,
  },
  outputs: { main: messagePlace },
  example: {
    parameters: { channel: '{{ channel }}', ts: '{{ ts }}', text: 'Order A-1 is on its way' },
    input: { channel: 'C0123456789', ts: '1763800000.000100' },
    output: { channel: 'C0123456789', ts: '1763800000.000100' },
  },
  request: ({ channel, ts, ...message }) => ({
    method: 'chat.update',
    body: { channel, ts, blocks: [], ...toMessage(message) }, // without blocks, those of the message are removed
  }),
  output: toMessagePlace,
});

export const slackAddReaction = slack({
  id: 'slackAddReaction',
  name: 'Slack reaction',
  description: 'Adds a reaction to a Slack message. It is not a failure if the reaction already exists',
  parameters: {
    channel,
    ts: ts('The `ts` of the message'),
    emoji: Type.String({
      holes: 'fail',
      pattern: '^[^:\\s]{1,100}(?:::[^:\\s]{1,100})?$',
      description: 'Name of the emoji without colons, such as thumbsup or thumbsup::skin-tone-2',
    }),
  },
  outputs: { main: closed({ added: Type.Boolean() }) },
  example: {
    parameters: { channel: '{{ channel }}', ts: '{{ ts }}', emoji: 'white_check_mark' },
    input: { channel: 'C0123456789', ts: '1763800000.000100' },
    output: { added: true },
  },
  request: ({ channel, ts, emoji }) => ({
    method: 'reactions.add',
    body: { channel, timestamp: ts, name: emoji },
    expected: ['already_reacted'],
  }),
  output: ({ ok }) => ({ added: ok === true }),
});

const exampleUser = {
  id: 'U0123456789',
  name: 'ann',
  realName: 'Ann Smith',
  displayName: 'Ann',
  email: 'ann@example.com',
  timeZone: 'Europe/London',
  isBot: false,
  isDeleted: false,
};

export const slackFindUser = slack({
  id: 'slackFindUser',
  name: 'Slack user',
  description:
    'Finds a Slack user by e-mail address, for instance to send a direct message with slackMessage. Outputs { user }, null if there is none',
  parameters: {
    email: Type.String({
      holes: 'fail',
      minLength: 3,
      maxLength: 320,
      format: 'email',
      description: 'E-mail address of the user',
    }),
  },
  outputs: { main: closed({ user: orNull(like(exampleUser)) }) },
  example: {
    parameters: { email: '{{ customer.email }}' },
    input: { customer: { email: 'ann@example.com' } },
    output: { user: exampleUser },
  },
  request: ({ email }) => ({
    method: 'users.lookupByEmail',
    query: { email },
    expected: ['users_not_found'],
  }),
  output: ({ user }) => ({ user: isJsonMap(user) ? toUser(user) : null }),
});

export const slackWebhook = defineAction({
  id: 'slackWebhook',
  name: 'Slack webhook',
  description:
    'Posts a message to an incoming webhook of Slack, or of a compatible chat such as Mattermost. The URL is the credential',
  parameters: Type.Object({ text, escapeText, blocks }),
  credentials: { types: ['slackWebhook'], required: true },
  outputs: { main: closed({ posted: Type.Boolean() }) },
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
