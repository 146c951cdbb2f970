import { isJsonMap, type JsonObject, type JsonValue, type NodeContext } from '@hookloom/plugin-kit';
import { callSlack } from './call-slack.ts';
import { type MessageParameters, toMessage } from './to-message.ts';

interface Place {
  readonly baseUrl: string;
  readonly channel: string;
}

interface PostedMessage extends Place, MessageParameters {
  readonly threadTs?: string;
  readonly replyBroadcast: boolean;
  readonly unfurlLinks: boolean;
}

/** chat.postMessage */
export const postMessage = async (message: PostedMessage, context: NodeContext): Promise<JsonObject> => {
  const { baseUrl, channel, threadTs, replyBroadcast, unfurlLinks } = message;
  const body = {
    channel,
    ...toMessage(message),
    ...(threadTs === undefined ? {} : { thread_ts: threadTs, reply_broadcast: replyBroadcast }),
    unfurl_links: unfurlLinks,
  };
  return toPlace(await callSlack({ baseUrl, method: 'chat.postMessage', body }, context));
};

interface UpdatedMessage extends Place, MessageParameters {
  readonly ts: string;
}

/** chat.update: without blocks, those of the message are removed. */
export const updateMessage = async (message: UpdatedMessage, context: NodeContext): Promise<JsonObject> => {
  const { baseUrl, channel, ts } = message;
  const body = { channel, ts, blocks: [], ...toMessage(message) };
  return toPlace(await callSlack({ baseUrl, method: 'chat.update', body }, context));
};

/** The channel has its id here, also where it was given by name. */
const toPlace = ({ channel = null, ts = null }: JsonObject): JsonObject => ({ channel, ts });

interface Reaction extends Place {
  readonly ts: string;
  readonly emoji: string;
}

/** reactions.add */
export const addReaction = async (
  { baseUrl, channel, ts, emoji }: Reaction,
  context: NodeContext,
): Promise<JsonObject> => {
  const { ok } = await callSlack(
    {
      baseUrl,
      method: 'reactions.add',
      body: { channel, timestamp: ts, name: emoji },
      expected: ['already_reacted'],
    },
    context,
  );
  return { added: ok === true };
};

interface UserQuery {
  readonly baseUrl: string;
  readonly email: string;
}

/** users.lookupByEmail */
export const findUser = async ({ baseUrl, email }: UserQuery, context: NodeContext): Promise<JsonObject> => {
  const { user } = await callSlack(
    { baseUrl, method: 'users.lookupByEmail', query: { email }, expected: ['users_not_found'] },
    context,
  );
  return { user: isJsonMap(user) ? toUser(user) : null };
};

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
