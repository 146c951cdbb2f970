import type { JsonObject, PluginHandle } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  slackAddReaction,
  slackFindUser,
  slackMessage,
  slackUpdateMessage,
  slackWebhook,
} from '../../../nodes/slack/messages.ts';
import { slackUploadFile } from '../../../nodes/slack/upload-file.ts';
import { aCallingContext, callNode, failureOf } from '../../support/a-calling-context.ts';
import { aSlackServer, SLACK_TOKEN } from '../../support/a-slack-server.ts';

let slack: Awaited<ReturnType<typeof aSlackServer>>;

beforeAll(async () => {
  slack = await aSlackServer();
});
beforeEach(() => {
  slack.messages.length = 0;
  slack.failures.length = 0;
});
afterAll(() => slack.close());

const bearer = (token: string) => ({ type: 'httpBearer', secret: { token } });

const run = async (handle: PluginHandle, parameters: JsonObject, token = SLACK_TOKEN): Promise<JsonObject> =>
  callNode(handle, { baseUrl: slack.baseUrl, ...parameters }, await aCallingContext(bearer(token)));

const message = { channel: 'C1', text: 'Tea & <https://example.com|cake>' };

describe('slackMessage', () => {
  test('posts the text, as markup or literally', async () => {
    expect(await run(slackMessage, message)).toEqual({ channel: 'C1', ts: '1763800000.000001' });
    await run(slackMessage, { ...message, escapeText: true });
    expect(slack.messages).toMatchObject([
      { channel: 'C1', text: 'Tea & <https://example.com|cake>', unfurl_links: true },
      { text: 'Tea &amp; &lt;https://example.com|cake&gt;' },
    ]);
    expect(slack.messages[0]).not.toHaveProperty('blocks');
    expect(slack.messages[0]).not.toHaveProperty('thread_ts');
  });

  test('posts blocks into a thread', async () => {
    const blocks = [{ type: 'divider' }];
    await run(slackMessage, { ...message, blocks, threadTs: '1763800000.000001', replyBroadcast: true });
    expect(slack.messages).toMatchObject([{ blocks, thread_ts: '1763800000.000001', reply_broadcast: true }]);
  });

  test('fails with Slack’s error code, and is not retried', async () => {
    expect(await failureOf(run(slackMessage, { ...message, channel: 'C2' }))).toMatchObject({
      name: 'HttpStatusError',
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ answered 200: channel_not_found$/),
      isRetryable: false,
      details: { code: 'channel_not_found', status: 200, body: { ok: false, error: 'channel_not_found' } },
    });
  });

  test.each([
    [{ ok: false, error: 'invalid_auth' }, 'invalid_auth'],
    [
      { ok: false, error: 'missing_scope', needed: 'chat:write', provided: 'users:read' },
      'missing_scope, the token needs the scope chat:write',
    ],
    [
      {
        ok: false,
        error: 'invalid_blocks',
        response_metadata: { messages: ['[ERROR] no such block [/blocks/0]'] },
      },
      'invalid_blocks: [ERROR] no such block [/blocks/0]',
    ],
    [{ ok: false }, 'unknown_error'],
    [['no map'], 'its answer is not a JSON object: check that baseUrl is the URL of the Web API'],
  ])('%j is the failure %s', async (body, problem) => {
    slack.failures.push({ body });
    const { message: text, isRetryable } = await failureOf(run(slackMessage, message));
    expect(text.replace(/^\S+ answered 200: /, '')).toBe(problem);
    expect(isRetryable).toBe(false);
  });

  test.each([
    [429, { 'retry-after': '30' }, { ok: false, error: 'ratelimited' }, 30_000],
    [429, { 'retry-after': '30' }, 'slow down', 30_000],
    [200, { 'retry-after': '30' }, { ok: false, error: 'ratelimited' }, 30_000],
    [200, {}, { ok: false, error: 'internal_error' }, undefined],
    [503, {}, { ok: false, error: 'service_unavailable' }, undefined],
  ])('%d %j %j is retried', async (status, headers, body, retryAfterMs) => {
    slack.failures.push({ status, headers, body });
    expect(await failureOf(run(slackMessage, message))).toMatchObject({ isRetryable: true, retryAfterMs });
  });

  test.each([
    [{ channel: '' }, 'channel'],
    [{ text: '' }, 'text'],
    [{ threadTs: 'latest' }, 'threadTs'],
    [{ baseUrl: 'slack.com' }, 'baseUrl'],
    [{ baseUrl: 'http://' }, 'baseUrl'],
  ])('%j names the wrong parameter', async (wrong, name) => {
    await expect(run(slackMessage, { ...message, ...wrong })).rejects.toThrow(`Parameter "${name}"`);
  });
});

describe('slackUpdateMessage', () => {
  test('replaces text and blocks', async () => {
    const { ts = '' } = await run(slackMessage, { ...message, blocks: [{ type: 'divider' }] });
    expect(await run(slackUpdateMessage, { channel: 'C1', ts, text: 'new' })).toEqual({ channel: 'C1', ts });
    expect(slack.messages).toMatchObject([{ text: 'new', blocks: [] }]);
  });

  test('fails for a missing message', async () => {
    expect(await failureOf(run(slackUpdateMessage, { ...message, ts: '1763800000.999999' }))).toMatchObject({
      details: { code: 'message_not_found' },
    });
  });
});

test('slackAddReaction adds a reaction once', async () => {
  const parameters = { channel: 'C1', ts: '1763800000.000001', emoji: 'thumbsup::skin-tone-2' };
  expect(await run(slackAddReaction, parameters)).toEqual({ added: true });
  expect(await run(slackAddReaction, parameters)).toEqual({ added: false });
});

test('slackFindUser finds a user, or returns none', async () => {
  expect(await run(slackFindUser, { email: 'ann@example.com' })).toEqual({
    user: {
      id: 'U1',
      name: 'ann',
      realName: 'Ann Smith',
      displayName: '',
      email: 'ann@example.com',
      timeZone: 'Europe/London',
      isBot: false,
      isDeleted: false,
    },
  });
  expect(await run(slackFindUser, { email: 'bob+1@example.com' })).toEqual({ user: null });
  expect(await failureOf(run(slackFindUser, { email: 'ann@example.com' }, 'xoxb-old'))).toMatchObject({
    details: { code: 'invalid_auth' },
  });
});

describe('slackUploadFile', () => {
  test('uploads a text, and shares it in a thread', async () => {
    const parameters = {
      text: 'tü',
      name: 'a.txt',
      channel: 'C1',
      comment: 'Hi',
      threadTs: '1.2',
      title: 'A',
    };
    expect(await run(slackUploadFile, parameters)).toEqual({ fileId: 'F-a.txt', title: 'A' });
    expect(slack.files.get('F-a.txt')).toBe('tü');
    expect(slack.shared.at(-1)).toEqual({
      files: [{ id: 'F-a.txt', title: 'A' }],
      channel_id: 'C1',
      initial_comment: 'Hi',
      thread_ts: '1.2',
    });
  });

  test('uploads a file of the execution', async () => {
    const context = await aCallingContext(bearer(SLACK_TOKEN));
    const content = async function* () {
      yield Buffer.from('a,b\n');
      yield Buffer.from('1,2\n');
    };
    const file = await context.services.files.save(content(), { name: 'r.csv', mediaType: 'text/csv' });
    const output = await callNode(slackUploadFile, { baseUrl: slack.baseUrl, file }, context);
    expect(output).toEqual({ fileId: 'F-r.csv', title: 'r.csv' });
    expect(slack.files.get('F-r.csv')).toBe('a,b\n1,2\n');
    expect(slack.shared.at(-1)).toEqual({ files: [{ id: 'F-r.csv', title: 'r.csv' }] });
  });

  test('fails when the file is refused', async () => {
    const upload_url = `${slack.origin}/upload?length=1`;
    slack.failures.push({ body: { ok: true, file_id: 'F1', upload_url } });
    expect(await failureOf(run(slackUploadFile, { text: 'tea', name: 'a.txt' }))).toMatchObject({
      message: expect.stringMatching(/ answered 400: the file was not accepted$/),
      isRetryable: false,
      details: { status: 400, body: 'wrong length' },
    });
  });

  test('fails without an upload URL', async () => {
    slack.failures.push({ body: { ok: true } });
    expect(await failureOf(run(slackUploadFile, { text: 'tea', name: 'a.txt' }))).toMatchObject({
      message: expect.stringMatching(/^Slack returned no address for the upload/),
    });
  });

  test.each([
    [{}, 'Parameter "file" must be a file, unless text is given, got nothing'],
    [{ file: { name: 'a' } }, 'Parameter "file" must be a file, got object'],
    [{ text: 'a' }, 'Parameter "name" must be a string when text is given, got nothing'],
  ])('%j is refused before anything is sent', async (parameters, problem) => {
    const { length } = slack.received;
    await expect(run(slackUploadFile, parameters)).rejects.toThrow(problem);
    expect(slack.received).toHaveLength(length);
  });
});

describe('slackWebhook', () => {
  const post = async (parameters: JsonObject) => {
    const secret = { url: `${slack.origin}/services/T1/B1/canary` };
    return callNode(slackWebhook, parameters, await aCallingContext({ type: 'slackWebhook', secret }));
  };

  test('posts to the URL of the credential', async () => {
    const blocks = [{ type: 'divider' }];
    expect(await post({ text: '<b>', escapeText: true, blocks })).toEqual({ posted: true });
    expect(slack.messages).toEqual([{ text: '&lt;b&gt;', blocks, ts: '0' }]);
  });

  test.each([
    [404, 'no_service', false, { code: 'no_service' }],
    [410, 'channel_is_archived', false, { code: 'channel_is_archived' }],
    [429, '<p>slow down', true, {}],
    [500, '', true, {}],
  ])('%d %s is a failure that does not show the URL', async (status, body, isRetryable, details) => {
    slack.failures.push({ status, body });
    const failure = await failureOf(post({ text: 'a' }));
    expect(failure).toMatchObject({ isRetryable, details: { status, body, ...details } });
    expect(JSON.stringify(failure)).not.toContain('canary');
  });
});
