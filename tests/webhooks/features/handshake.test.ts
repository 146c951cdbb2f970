import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { loadRegistry } from '../../../lib/plugins/load-registry.ts';
import { toPathConfigs } from '../../../lib/workflows/definition/to-path-configs.ts';
import { installedPlugins } from '../../../nodes/installed.ts';
import { validateWorkflow } from '../../../packages/authoring/validation/validate.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { aProblem, bodyOf } from '../../support/a-problem.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';
import { aSignedService } from '../../support/a-signed-service.ts';
import { cases } from '../../support/deep.ts';

const json = { 'content-type': 'application/json' };
const aJson = (value: unknown) => ({ body: JSON.stringify(value), headers: json });
const text = (body: string) => ({
  statusCode: 200,
  headers: expect.objectContaining({
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  }),
  body,
});

const aServiceFor = (handshake: JsonObject, secrets: readonly string[] = [], others: JsonObject = {}) =>
  aSignedService({ handshake, ...others }, { secrets });

describe('slack', () => {
  const challenge = aJson({
    type: 'url_verification',
    token: 't',
    challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
  });

  test('gets its challenge back, and no run starts; its events start runs', async () => {
    const { receive, executions } = await aServiceFor({ scheme: 'slack' });
    expect(await receive(challenge)).toEqual(text('3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P'));
    expect(executions.records()).toEqual([]);
    expect((await receive(aJson({ type: 'event_callback' }))).statusCode).toBe(200);
    expect(executions.records()).toHaveLength(1);
  });

  test('must sign it where the webhook requires a signature', async () => {
    const signature = { scheme: 'slack', credentialId: 'sender' };
    const { receive } = await aServiceFor({ scheme: 'slack' }, ['secret-of-slack'], { signature });
    expect(await receive(challenge)).toEqual(aProblem(403, 'signature-invalid'));
    const signed = createHmac('sha256', 'secret-of-slack')
      .update(`v0:1700000000:${challenge.body}`)
      .digest('hex');
    const headers = {
      ...json,
      'x-slack-request-timestamp': '1700000000',
      'x-slack-signature': `v0=${signed}`,
    };
    expect((await receive({ ...challenge, headers })).statusCode).toBe(200);
  });

  test.each([[7], [''], ['x'.repeat(5_000)]])('gets no response to a malformed challenge', async (odd) => {
    const { receive, lastLine } = await aServiceFor({ scheme: 'slack' });
    expect(await receive(aJson({ type: 'url_verification', challenge: odd }))).toEqual(
      aProblem(403, 'handshake-refused'),
    );
    expect(lastLine()).toMatchObject({
      reason: expect.stringMatching(/^handshake: its? (has no )?challenge/),
    });
  });
});

test('github: a ping is answered, and no run starts', async () => {
  const { receive, executions } = await aServiceFor({ scheme: 'github' });
  const ping = {
    ...aJson({ zen: 'Keep it logically awesome.' }),
    headers: { ...json, 'x-github-event': 'ping' },
  };
  expect(await receive(ping)).toEqual(text('pong'));
  expect(executions.records()).toEqual([]);
});

test('microsoftGraph: the token comes back as plain text', async () => {
  const { receive, executions } = await aServiceFor({ scheme: 'microsoftGraph' });
  const query = 'validationToken=Validation%3A+Testing+client+application+%3Cscript%3E';
  expect(await receive({ query, headers: { 'content-type': 'text/plain; charset=utf-8' } })).toEqual(
    text('Validation: Testing client application <script>'),
  );
  expect(executions.records()).toEqual([]);
  expect((await receive(aJson({ value: [] }))).statusCode).toBe(200);
});

test('microsoftGraph: the token of SharePoint, whose name is in lower case, comes back too', async () => {
  const { receive, executions } = await aServiceFor({ scheme: 'microsoftGraph' });
  const query = 'validationtoken=ac5e6bd6-7e0f-4b3b-a1f3-4f3b3c2b1a09';
  expect(await receive({ query, body: null })).toEqual(text('ac5e6bd6-7e0f-4b3b-a1f3-4f3b3c2b1a09'));
  expect(executions.records()).toEqual([]);
});

describe('meta', () => {
  const ask = (token: string, challenge = '1158201444') => ({
    method: 'GET',
    query: `hub.mode=subscribe&hub.challenge=${challenge}&hub.verify_token=${token}`,
  });

  test('gets its challenge for the verify token, by GET on a webhook for POST', async () => {
    const service = await aServiceFor({ scheme: 'meta', credentialId: 'sender' }, [
      'meatyhamhock',
      'before-it',
    ]);
    expect(await service.receive(ask('meatyhamhock'))).toEqual(text('1158201444'));
    expect(await service.receive(ask('before-it'))).toEqual(text('1158201444'));
    expect(service.executions.records()).toEqual([]);
  });

  test('gets 403 with another token, and reads the credential a limited number of times', async () => {
    const service = await aServiceFor({ scheme: 'meta', credentialId: 'sender' }, ['meatyhamhock']);
    for (let count = 0; count < 10; count++)
      expect(await service.receive(ask('wrong'))).toEqual(aProblem(403, 'handshake-refused'));
    expect(service.outbound.reads()).toBe(2);
    await service.putSecrets(['fresh-token']);
    service.clock.advance(5_000);
    expect(await service.receive(ask('fresh-token'))).toEqual(text('1158201444'));
  });

  test.each([
    ['any other GET', { method: 'GET' }],
    ['another mode', { method: 'GET', query: 'hub.mode=unsubscribe&hub.verify_token=meatyhamhock' }],
    ['another method', { method: 'PUT', query: ask('meatyhamhock').query }],
  ])('%s is still 405', async (_case, request) => {
    const service = await aServiceFor({ scheme: 'meta', credentialId: 'sender' }, ['meatyhamhock']);
    const answer = await service.receive(request);
    expect(answer).toEqual(aProblem(405, 'method-not-allowed'));
    expect(answer.headers).toMatchObject({ allow: 'POST' });
    expect(service.executions.records()).toEqual([]);
  });

  test('needs no authentication for the handshake, which Meta does not have; deliveries do', async () => {
    const service = await aServiceFor({ scheme: 'meta', credentialId: 'sender' }, ['meatyhamhock'], {
      authentication: 'apiKey',
      credentialId: 'gone',
    });
    expect((await service.receive(ask('meatyhamhock'))).statusCode).toBe(200);
    expect((await service.receive(aJson({}))).statusCode).toBe(503);
  });

  test('is answered by a webhook for GET too', async () => {
    const service = await aServiceFor({ scheme: 'meta', credentialId: 'sender' }, ['meatyhamhock'], {
      method: 'GET',
    });
    expect(await service.receive(ask('meatyhamhock'))).toEqual(text('1158201444'));
    expect((await service.receive({ method: 'GET' })).statusCode).toBe(200);
  });
});

describe('x', () => {
  // The example of https://gist.github.com/jcipriano/373d4d441e8041f775b6227c0e2fd1f3, by an engineer of Twitter
  const secret = 'z3ZX4v7mAAUGykl3EcmkqbartmuW8VFOOzCloLx9Q45P0hLrFu';
  const token = '9b4507b3-9040-4669-9ca3-6b94edb50553';

  test('gets the token signed with the consumer secret', async () => {
    const service = await aServiceFor({ scheme: 'x', credentialId: 'sender' }, [secret]);
    const answer = await service.receive({ method: 'GET', query: `crc_token=${token}&nonce=1` });
    expect(bodyOf(answer)).toEqual({ response_token: 'sha256=Cytd4Sq+NvEcV3MMrXxWJGJx5A+y/lXzzU2Maartkx8=' });
    expect(service.executions.records()).toEqual([]);
  });

  test.each(['{"body":"of a delivery"}', '', 'x'.repeat(203), 'a&crc_token=b', 'short', '1234567890123456'])(
    'gets nothing signed that is not a token: %j',
    async (odd) => {
      const service = await aServiceFor({ scheme: 'x', credentialId: 'sender' }, [secret]);
      const query = `crc_token=${odd.includes('&') ? odd : encodeURIComponent(odd)}`;
      expect(await service.receive({ method: 'GET', query })).toEqual(aProblem(403, 'handshake-refused'));
    },
  );
});

test('zoom: the token comes back signed, and no run starts', async () => {
  // https://developers.zoom.us/docs/api/webhooks/#validate-your-webhook-endpoint; the answer is that of @zoom/rivet 0.4.0
  const service = await aServiceFor({ scheme: 'zoom', credentialId: 'sender' }, ['secret-of-zoom']);
  const plainToken = 'qgg8vlvZRS6UYooatFL8Aw';
  const validation = aJson({
    payload: { plainToken },
    event_ts: 1654503849680,
    event: 'endpoint.url_validation',
  });
  expect(bodyOf(await service.receive(validation))).toEqual({
    plainToken,
    encryptedToken: '7ba36916c4848a78bebc7784ed8201a5627ee3cabe6dadf1e486b89d45f1979b',
  });
  for (const odd of [7, null, '', 'v0:1700000000:{}', 'x'.repeat(300)])
    expect(
      await service.receive(aJson({ payload: { plainToken: odd }, event: 'endpoint.url_validation' })),
    ).toEqual(aProblem(403, 'handshake-refused'));
  expect(service.executions.records()).toEqual([]);
  expect(await service.send(aJson({ event: 'meeting.started' }))).toBe(200);
});

describe('asana', () => {
  const secret = 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81';

  test('gets its secret back, even where deliveries must be signed', async () => {
    const signature = { scheme: 'asana', credentialId: 'sender' };
    const { receive, executions } = await aServiceFor({ scheme: 'asana' }, ['secret-of-asana'], {
      signature,
    });
    const answer = await receive({ headers: { ...json, 'x-hook-secret': secret }, body: '{}' });
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'x-hook-secret': secret } });
    expect(executions.records()).toEqual([]);
    expect((await receive({ headers: json, body: '{}' })).statusCode).toBe(403);
  });

  test.each(['short', `${'x'.repeat(20)}\r\na: b`, 'x'.repeat(201)])('%j does not', async (odd) => {
    const { receive } = await aServiceFor({ scheme: 'asana' });
    const answer = await receive({ headers: { ...json, 'x-hook-secret': odd }, body: '{}' });
    expect(answer).toEqual(aProblem(403, 'handshake-refused'));
  });
});

describe('discord', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url').toString('hex');
  const signed = (value: unknown) => {
    const { body } = aJson(value);
    const signature = sign(null, Buffer.from(`1700000000${body}`), privateKey).toString('hex');
    const headers = { ...json, 'x-signature-ed25519': signature, 'x-signature-timestamp': '1700000000' };
    return { body, headers };
  };
  const aService = () =>
    aServiceFor({ scheme: 'discord' }, [key], { signature: { scheme: 'discord', credentialId: 'sender' } });

  test('a signed PING gets PONG, an unsigned one gets 401, and neither starts a run', async () => {
    const { receive, executions } = await aService();
    const ping = { id: '1', type: 1, token: 't' };
    expect(bodyOf(await receive(signed(ping)))).toEqual({ type: 1 });
    expect(await receive(aJson(ping))).toEqual(aProblem(401, 'signature-invalid'));
    expect((await receive(signed({ version: 1, application_id: '1', type: 0 }))).statusCode).toBe(204);
    expect(executions.records()).toEqual([]);
  });

  test('commands and events start runs', async () => {
    const { send, executions } = await aService();
    expect(await send(signed({ id: '1', type: 2, data: {} }))).toBe(200);
    expect(await send(signed({ version: 1, type: 1, event: { type: 'QUEST_USER_ENROLLMENT' } }))).toBe(200);
    expect(executions.records()).toHaveLength(2);
  });
});

test('twitch: the challenge comes back as text; notifications start runs', async () => {
  const { receive, executions } = await aServiceFor({ scheme: 'twitch' });
  const of = (type: string) => ({
    ...aJson({ challenge: 'pogchamp-kappa-360noscope-vohiyo', subscription: {} }),
    headers: { ...json, 'twitch-eventsub-message-type': type },
  });
  expect(await receive(of('webhook_callback_verification'))).toEqual(
    text('pogchamp-kappa-360noscope-vohiyo'),
  );
  expect(executions.records()).toEqual([]);
  expect((await receive(of('notification'))).statusCode).toBe(200);
  expect(executions.records()).toHaveLength(1);
});

test('twitch: a challenge must be signed too', async () => {
  // The tests of https://github.com/twitch-rs/twitch_api
  const signature = { scheme: 'twitch', credentialId: 'sender' };
  const service = await aSignedService(
    { handshake: { scheme: 'twitch' }, signature },
    { secrets: ['HELLOabc2321'], at: Date.parse('2022-02-06T04:03:30Z') },
  );
  const challenge = {
    body: '{"challenge":"11535768-497e-14ec-8197-ba2cb5341a01","subscription":{"id":"8d8fa82b-9792-79da-4e11-a6fa58a7a582","status":"webhook_callback_verification_pending","type":"channel.subscribe","version":"1","condition":{"broadcaster_user_id":"88525095"},"transport":{"method":"webhook","callback":"http://localhost:80/twitch/eventsub"},"created_at":"2022-02-06T04:03:24.2706497Z","cost":0}}',
    headers: {
      ...json,
      'twitch-eventsub-message-id': '8d8fa82b-9792-79da-4e11-a6fa58a7a582',
      'twitch-eventsub-message-timestamp': '2022-02-06T04:03:24.2726598Z',
      'twitch-eventsub-message-type': 'webhook_callback_verification',
      'twitch-eventsub-message-signature':
        'sha256=091f6a5c74fba820f2d50e9d0c5e7650556ee009375af2cc662e610e670bc412',
    },
  };
  expect(await service.receive(challenge)).toEqual(text('11535768-497e-14ec-8197-ba2cb5341a01'));
  const altered = { ...challenge, body: challenge.body.replace('88525095', '88525096') };
  expect(await service.receive(altered)).toEqual(aProblem(403, 'signature-invalid'));
  expect(service.executions.records()).toEqual([]);
});

describe('cloudEvents', () => {
  const ask = (origin: string, headers = {}) => ({
    method: 'OPTIONS',
    headers: { 'webhook-request-origin': origin, 'webhook-request-rate': '120', ...headers },
  });

  test('allows a sender that asks by OPTIONS, at the rate of the webhook', async () => {
    const rateLimit = { requests: 100, seconds: 30, per: 'path' };
    const { receive, executions } = await aServiceFor({ scheme: 'cloudEvents' }, [], { rateLimit });
    expect(await receive(ask('eventemitter.example.com'))).toMatchObject({
      statusCode: 200,
      headers: {
        'webhook-allowed-origin': 'eventemitter.example.com',
        'webhook-allowed-rate': '200',
        allow: 'POST',
      },
    });
    expect(executions.records()).toEqual([]);
  });

  test('allows only named senders, and keeps OPTIONS closed for anything else', async () => {
    const { receive } = await aServiceFor({ scheme: 'cloudEvents', origins: ['eventgrid.azure.net'] }, [], {
      cors: { origins: ['*'] },
    });
    expect((await receive(ask('eventgrid.azure.net'))).headers).toMatchObject({
      'webhook-allowed-rate': '*',
    });
    for (const odd of ['evil.example', 'x'.repeat(301), 'a\r\nb: c'])
      expect(await receive(ask(odd))).toEqual(aProblem(403, 'handshake-refused'));
    expect((await receive({ method: 'OPTIONS' })).statusCode).toBe(405);
    const preflight = ask('', { origin: 'https://a.example', 'access-control-request-method': 'POST' });
    expect((await receive(preflight)).statusCode).toBe(204);
  });
});

describe('what a handshake signs', () => {
  const secret = 'consumer-secret-of-an-app';
  const header = 'x-twitter-webhooks-signature';
  const deliveries = {
    scheme: 'hmac',
    header,
    prefix: 'sha256=',
    encoding: 'base64',
    credentialId: 'sender',
  };
  const tokenLike = fc.stringMatching(/^[A-Za-z0-9_-]{10,40}={0,3}$/);
  const anyToken = fc.oneof(
    { weight: 3, arbitrary: tokenLike },
    fc.constantFrom(
      'admin=1',
      '123',
      'true',
      '"text"',
      '1'.repeat(30),
      'deadbeef'.repeat(4),
      `${'a'.repeat(20)}=`,
    ),
    fc.json(),
    fc.string(),
  );
  const contentTypes = [
    'application/json',
    'application/x-www-form-urlencoded',
    'text/plain',
    'application/octet-stream',
    undefined,
  ];

  test('is never accepted as a delivery, by this webhook or another one with the secret', async () => {
    const service = await aSignedService(
      { handshake: { scheme: 'x', credentialId: 'sender' }, signature: deliveries },
      { secrets: [secret] },
    );
    const plain = { scheme: 'hmac', header, prefix: 'sha256=', encoding: 'base64', credentialId: 'sender' };
    await service.put({ id: 'other', webhook: { signature: plain } });
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(anyToken, fc.constantFrom(...contentTypes), async (token, type) => {
        const query = `crc_token=${encodeURIComponent(token)}`;
        const answer = await service.receive({ method: 'GET', query });
        const isAnswered = answer.statusCode === 200;
        if (isAnswered) answered += 1;
        const signed = isAnswered ? bodyOf(answer).response_token : 'sha256=';
        const headers = { [header]: signed, ...(type === undefined ? {} : { 'content-type': type }) };
        for (const workflowId of ['shop', 'other'])
          expect(await service.send({ workflowId, body: token, headers })).not.toBe(200);
        expect(service.executions.records()).toEqual([]);
      }),
      { numRuns: cases(200, 5_000) },
    );
    expect(answered).toBeGreaterThan(10);
  });

  test('is distinguished from content: a delivery that is not a token is accepted', async () => {
    const service = await aSignedService({ signature: deliveries }, { secrets: [secret] });
    for (const body of ['{"for_user_id":"1"}', '1234567890123456', 'true', '"a text of sixteen"']) {
      const signed = createHmac('sha256', secret).update(body).digest('base64');
      expect(await service.send({ body, headers: { ...json, [header]: `sha256=${signed}` } })).toBe(200);
    }
  });
});

describe('custom', () => {
  const rule = {
    scheme: 'custom',
    match: 'body.event = "endpoint.validate"',
    answer: { status: 201, contentType: 'application/json', body: '{"token":"{{ body.token }}"}' },
  };

  test('responds with its template when its expression matches, and with nothing else', async () => {
    const { receive, executions } = await aServiceFor(rule);
    expect(await receive(aJson({ event: 'endpoint.validate', token: 'abc' }))).toMatchObject({
      statusCode: 201,
      headers: { 'content-type': 'application/json' },
      body: '{"token":"abc"}',
    });
    expect(executions.records()).toEqual([]);
    for (const body of [{ event: 'other' }, [], 7]) expect((await receive(aJson(body))).statusCode).toBe(200);
    expect(executions.records()).toHaveLength(3);
  });

  test('has its own method for the handshake only', async () => {
    const own = {
      scheme: 'custom',
      method: 'GET',
      match: '$exists(queryParams.challenge)',
      answer: { body: '{{ queryParams.challenge }}' },
    };
    const { receive, executions } = await aServiceFor(own);
    expect(await receive({ method: 'GET', query: 'challenge=42' })).toMatchObject({
      statusCode: 200,
      body: '42',
    });
    expect(await receive({ method: 'GET' })).toEqual(aProblem(405, 'method-not-allowed'));
    expect(executions.records()).toEqual([]);
  });

  const odd = 'a"b\\\\c\\n{}';

  test.each<[string, JsonObject, string]>([
    [
      'a text that is JSON has its values escaped',
      {
        contentType: 'application/json',
        body: '{"token":"<{{ body.token }}>","n":{{ body.n }},"no":{{ body.x }}}',
      },
      JSON.stringify({ token: `<${odd}>`, n: [1, 2], no: null }),
    ],
    [
      'a JSON value keeps the types of what is filled in',
      { body: { token: '{{ body.token }}', list: ['{{ body.n }}'], fixed: 1 } },
      JSON.stringify({ token: odd, list: [[1, 2]], fixed: 1 }),
    ],
    ['plain text is sent as it is', { body: '{{ body.token }}' }, odd],
    ['nothing is empty text', { body: '{{ body.x }}' }, ''],
  ])('%s', async (_case, answer, body) => {
    const { receive } = await aServiceFor({ ...rule, answer });
    const reply = await receive(aJson({ event: 'endpoint.validate', token: odd, n: [1, 2] }));
    const isText = answer.contentType === undefined && typeof answer.body === 'string';
    expect(reply).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': isText ? 'text/plain' : 'application/json' },
      body,
    });
  });

  test('distinguishes a response whose expression fails from a refused sender', async () => {
    const { receive, lastLine, executions } = await aServiceFor({
      ...rule,
      answer: { body: '{{ $number(body.token) }}' },
    });
    expect(await receive(aJson({ event: 'endpoint.validate', token: 'abc' }))).toEqual(
      aProblem(422, 'handshake-unanswered'),
    );
    expect(lastLine()).toMatchObject({ code: 'HANDSHAKE_UNANSWERED' });
    expect(executions.records()).toEqual([]);
  });

  test('finds no handshake when its expression fails or is not exactly true', async () => {
    for (const match of ['$number(body.a)', 'body.a', '"true"']) {
      const { receive, executions } = await aServiceFor({ ...rule, match });
      expect((await receive(aJson({ a: 'x' }))).statusCode).toBe(200);
      expect(executions.records()).toHaveLength(1);
    }
  });
});

const { logger } = aRecordingLogger();
const registry = loadRegistry(installedPlugins, { logger, clock: aManualClock() });

const problemsOf = async (handshake: JsonObject, others: JsonObject = {}) => {
  const nodes = [{ id: 'start', type: 'webhookTrigger', parameters: { handshake, ...others } }];
  const { findNodeType } = await registry;
  const { problems } = await validateWorkflow({ id: 'x', name: 'x', nodes, connections: [] }, findNodeType);
  return problems.map(
    ({ path, message }) => `${path.replace('/nodes/0/parameters/handshake', '')} ${message}`,
  );
};

describe('custom, of a sender that does not sign it', () => {
  const signature = { scheme: 'hmac', credentialId: 'sender', header: 'x-signature' };
  const secret = 'secret-of-a-shop';
  const sign = (body: string) => createHmac('sha256', secret).update(body).digest('hex');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const notion = { scheme: 'custom', unsigned: true, match: '$exists(body.verification_token)' };

  test.each<[string, JsonObject, { readonly body: string; readonly headers: Record<string, string> }]>([
    [
      'WooCommerce',
      { ...notion, match: '$keys(body) = "webhook_id"' },
      { body: 'webhook_id=1', headers: form },
    ],
    ['Notion', { ...notion, answer: { body: 'ok' } }, aJson({ verification_token: 'secret_tMrlL1qK5' })],
  ])('%s gets the fixed answer before the signature, and no run starts', async (_sender, handshake, ping) => {
    const { receive, executions } = await aServiceFor(handshake, [secret], { signature });
    const { body = '' } = (handshake.answer ?? {}) as JsonObject;
    expect(await receive(ping)).toMatchObject({ statusCode: 200, body });
    expect(executions.records()).toEqual([]);
    const unsigned = aJson({ id: 7 });
    expect(await receive(unsigned)).toEqual(aProblem(403, 'signature-invalid'));
    expect(
      (await receive({ ...unsigned, headers: { ...json, 'x-signature': sign(unsigned.body) } })).statusCode,
    ).toBe(200);
    expect(executions.records()).toHaveLength(1);
  });

  test.each([
    ['a body that is too large', aJson({ verification_token: 'x'.repeat(10_000) })],
    ['a body that is a list', aJson([{ verification_token: 'x' }])],
    ['no body', { body: null, headers: json }],
  ])('with %s is no handshake', async (_case, request) => {
    const { receive } = await aServiceFor(notion, [secret], { signature });
    expect(await receive(request)).toEqual(aProblem(403, 'signature-invalid'));
  });
});

const ofCustom = { scheme: 'custom', match: 'true' };
const asJson = 'application/json';

test.each<[JsonObject, string]>([
  [{ scheme: 'meta' }, ' the scheme "meta" needs credentialId'],
  [{ scheme: 'zoom' }, ' the scheme "zoom" needs credentialId'],
  [{ scheme: 'slack', credentialId: 'c' }, '/credentialId has no effect with the scheme "slack"'],
  [{ scheme: 'slack', match: 'true' }, '/match has no effect with the scheme "slack"'],
  [{ scheme: 'twitch', origins: ['a'] }, '/origins has no effect with the scheme "twitch"'],
  [{ scheme: 'discord' }, ' the scheme "discord" needs the signature of the same scheme'],
  [{ scheme: 'sns' }, ' the scheme "sns" needs the signature of the same scheme'],
  [{ scheme: 'custom' }, ' the scheme "custom" needs match'],
  [{ scheme: 'custom', match: '{{ true }}' }, '/match is already an expression: remove the braces'],
  [{ scheme: 'custom', match: 'a b' }, '/match '],
  [{ ...ofCustom, unsigned: true, answer: { body: '{{ body.a }}' } }, '/answer/body must be fixed'],
  [{ ...ofCustom, unsigned: true, answer: { body: { a: ['{{ body.a }}'] } } }, '/answer/body must be fixed'],
  [{ ...ofCustom, unsigned: true, method: 'GET' }, '/unsigned has no effect with a method'],
  [{ scheme: 'slack', unsigned: true }, '/unsigned has no effect'],
  [{ scheme: 'custom', match: '$hmac(body.a) = 1' }, '/match '],
  [{ ...ofCustom, answer: { body: '{{ a b }}' } }, '/answer/body '],
  [{ ...ofCustom, answer: { body: '{{ $hmac(body.challenge) }}' } }, '/answer/body '],
  [{ ...ofCustom, answer: { body: '{{ boddy.challenge }}' } }, '/answer/body '],
  [{ ...ofCustom, answer: { body: { a: ['{{ $nodes.next.a }}'] } } }, '/answer/body/a/0 '],
  [{ ...ofCustom, answer: { body: 'x'.repeat(10_001) } }, '/answer/body is longer than 10000 characters'],
  [{ ...ofCustom, answer: { contentType: asJson, body: '{{ body.a }}, ' } }, '/answer/body is not JSON'],
  [{ ...ofCustom, answer: { contentType: asJson, body: '{"a": "{{ body.a }}' } }, '/answer/body is not JSON'],
  [{ ...ofCustom, answer: { status: 500 } }, '/answer/status '],
])('%j is refused when the workflow is stored', async (handshake, problem) => {
  expect(await problemsOf(handshake)).toEqual([expect.stringContaining(problem)]);
});

test.each<[JsonObject, JsonObject]>([
  [{ scheme: 'discord' }, { signature: { scheme: 'discord', credentialId: 'c' } }],
  [{ scheme: 'cloudEvents', origins: ['eventgrid.example'] }, {}],
  [{ ...ofCustom, answer: { body: { challenge: '{{ body.challenge }}' } } }, {}],
  [{ ...ofCustom, answer: { contentType: asJson, body: '{"a": "x {{ body.a }}", "b": {{ body.b }}}' } }, {}],
])('%j is valid', async (handshake, others) => {
  expect(await problemsOf(handshake, others)).toEqual([]);
});

test.each<[JsonObject | null, string | null]>([
  [null, null],
  [{ scheme: 'slack' }, null],
  [{ scheme: 'meta' }, 'GET'],
  [{ scheme: 'x' }, 'GET'],
  [{ scheme: 'cloudEvents' }, 'OPTIONS'],
  [{ scheme: 'toString' }, null],
  [{ scheme: 'custom', method: 'PUT' }, 'PUT'],
])('%j opens the method %j', (handshake, handshakeMethod) => {
  const parameters = handshake === null ? {} : { handshake };
  expect(toPathConfigs({ nodes: [{ id: 'a', type: 'webhookTrigger', parameters }] })).toMatchObject([
    { handshakeMethod },
  ]);
});
