import type { ServerResponse } from 'node:http';
import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { aLocalServer, type ReceivedRequest } from './a-local-server.ts';

export const SLACK_TOKEN = 'xoxb-canary';

interface Message {
  readonly [name: string]: JsonValue;
  readonly ts: string;
}

/**
 * A server with the methods of Slack's Web API that the nodes call, one channel and one user. It answers as
 * https://docs.slack.dev/reference/methods says: with 200 for failures too, except that it limits the rate.
 */
export const aSlackServer = async () => {
  const messages: Message[] = [];
  const reactions = new Set<string>();
  const files = new Map<string, string>();
  const shared: JsonValue[] = [];
  /** What the next calls are answered with, in place of what they ask for. */
  const failures: {
    readonly status?: number;
    readonly headers?: Record<string, string>;
    readonly body: unknown;
  }[] = [];

  const method =
    (answer: (given: JsonObject) => JsonObject | string) =>
    (request: ReceivedRequest, response: ServerResponse) => {
      const failure = failures.shift();
      const given = readArguments(request);
      const isKnown = request.headers.authorization === `Bearer ${SLACK_TOKEN}`;
      const answered = isKnown ? answer(given) : 'invalid_auth';
      const body = typeof answered === 'string' ? { ok: false, error: answered } : { ok: true, ...answered };
      response.writeHead(failure?.status ?? 200, { 'content-type': 'application/json', ...failure?.headers });
      response.end(JSON.stringify(failure?.body ?? body));
    };
  const withChannel =
    (answer: (given: JsonObject) => JsonObject | string) =>
    (given: JsonObject): JsonObject | string =>
      given.channel === 'C1' ? answer(given) : 'channel_not_found';

  const server = await aLocalServer({
    '/api/chat.postMessage': method(
      withChannel((given) => {
        const message = { ...given, ts: `1763800000.00000${messages.length + 1}` };
        messages.push(message);
        return { channel: 'C1', ts: message.ts, message };
      }),
    ),
    '/api/chat.update': method(
      withChannel((given) => {
        const index = messages.findIndex(({ ts }) => ts === given.ts);
        if (index === -1) return 'message_not_found';
        messages[index] = { ...messages[index], ...given, ts: String(given.ts) };
        return { channel: 'C1', ts: given.ts ?? null };
      }),
    ),
    '/api/reactions.add': method(
      withChannel(({ timestamp, name }) => {
        const reaction = `${timestamp} ${name}`;
        if (reactions.has(reaction)) return 'already_reacted';
        reactions.add(reaction);
        return {};
      }),
    ),
    '/api/users.lookupByEmail': method(({ email }) =>
      email === 'ann@example.com'
        ? {
            user: {
              id: 'U1',
              name: 'ann',
              deleted: false,
              is_bot: false,
              tz: 'Europe/London',
              profile: { real_name: 'Ann Smith', display_name: '', email: 'ann@example.com' },
            },
          }
        : 'users_not_found',
    ),
    '/api/files.getUploadURLExternal': method(({ filename, length }) =>
      Number(length) > 0
        ? {
            file_id: `F-${filename}`,
            upload_url: `${server.origin}/upload?file=F-${filename}&length=${length}`,
          }
        : 'invalid_arguments',
    ),
    '/upload': ({ url, headers, body }, response) => {
      const { searchParams } = new URL(url, 'http://slack');
      const isAsAnnounced =
        Buffer.byteLength(body) === Number(searchParams.get('length')) && headers.authorization === undefined;
      if (isAsAnnounced) files.set(searchParams.get('file') ?? '', body);
      response.writeHead(isAsAnnounced ? 200 : 400).end(isAsAnnounced ? 'OK - 4' : 'wrong length');
    },
    '/api/files.completeUploadExternal': method((given) => {
      shared.push(given);
      return { files: given.files ?? [] };
    }),
    '/services/T1/B1/canary': ({ body }, response) => {
      const failure = failures.shift();
      if (failure === undefined) messages.push({ ...JSON.parse(body), ts: '0' });
      response.writeHead(failure?.status ?? 200, failure?.headers).end(failure?.body ?? 'ok');
    },
  });
  const { origin, received, close } = server;
  return { origin, baseUrl: `${origin}/api`, received, messages, files, shared, failures, close };
};

/** Methods that take JSON, and others in the query. */
const readArguments = ({ method, url, headers, body }: ReceivedRequest): JsonObject =>
  method === 'POST' && headers['content-type'] === 'application/json; charset=utf-8'
    ? JSON.parse(body)
    : Object.fromEntries(new URL(url, 'http://slack').searchParams);
