import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '../../../lib/contract/json.ts';
import { toPathConfigs } from '../../../lib/workflows/definition/to-path-configs.ts';
import { checkWebhookRules } from '../../../lib/workflows/validation/check-webhook-rules.ts';
import { aProblem, bodyOf } from '../../support/a-problem.ts';
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

  test('gets its challenge back, and no run starts; its events are runs', async () => {
    const { receive, executions } = await aServiceFor({ scheme: 'slack' });
    expect(await receive(challenge)).toEqual(text('3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P'));
    expect(executions.records()).toEqual([]);
    expect((await receive(aJson({ type: 'event_callback' }))).statusCode).toBe(200);
    expect(executions.records()).toHaveLength(1);
  });

  test('must have signed it where the webhook asks for a signature', async () => {
    const signature = { scheme: 'slack', credentialId: 'sender' };
    const { receive } = await aServiceFor({ scheme: 'slack' }, ['secret-of-slack'], { signature });
    expect(await receive(challenge)).toEqual(aProblem(401, 'signature-invalid'));
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

  test.each([[7], [''], ['x'.repeat(5_000)]])(
    'gets no answer to a challenge of another form',
    async (odd) => {
      const { receive, lastLine } = await aServiceFor({ scheme: 'slack' });
      expect(await receive(aJson({ type: 'url_verification', challenge: odd }))).toEqual(
        aProblem(403, 'handshake-refused'),
      );
      expect(lastLine()).toMatchObject({
        reason: expect.stringMatching(/^handshake: its? (has no )?challenge/),
      });
    },
  );
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

  test('with another token gets 403, and reads the credential a bounded number of times', async () => {
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
  ])('%s is 405 all the same', async (_case, request) => {
    const service = await aServiceFor({ scheme: 'meta', credentialId: 'sender' }, ['meatyhamhock']);
    const answer = await service.receive(request);
    expect(answer).toEqual(aProblem(405, 'method-not-allowed'));
    expect(answer.headers).toMatchObject({ allow: 'POST' });
    expect(service.executions.records()).toEqual([]);
  });

  test('needs no authentication, which Meta does not have; deliveries do', async () => {
    const service = await aServiceFor({ scheme: 'meta', credentialId: 'sender' }, ['meatyhamhock'], {
      authentication: 'apiKey',
      credentialId: 'gone',
    });
    expect((await service.receive(ask('meatyhamhock'))).statusCode).toBe(200);
    expect((await service.receive(aJson({}))).statusCode).toBe(503);
  });

  test('is answered by a webhook for GET, too', async () => {
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
    'gets nothing signed that is no token: %j',
    async (odd) => {
      const service = await aServiceFor({ scheme: 'x', credentialId: 'sender' }, [secret]);
      const query = `crc_token=${odd.includes('&') ? odd : encodeURIComponent(odd)}`;
      expect(await service.receive({ method: 'GET', query })).toEqual(aProblem(403, 'handshake-refused'));
    },
  );
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

  test('is told apart from content: a delivery that is no token is accepted', async () => {
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

  test('answers by its template what its expression finds, and nothing else', async () => {
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

  test('has a method of its own for the handshake alone', async () => {
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

  test('an expression that fails, or is not exactly true, finds no handshake', async () => {
    for (const match of ['$number(body.a)', 'body.a', '"true"']) {
      const { receive, executions } = await aServiceFor({ ...rule, match });
      expect((await receive(aJson({ a: 'x' }))).statusCode).toBe(200);
      expect(executions.records()).toHaveLength(1);
    }
  });
});

test.each<[JsonObject, string]>([
  [{ scheme: 'meta' }, ' the scheme "meta" needs credentialId'],
  [{ scheme: 'slack', credentialId: 'c' }, '/credentialId has no effect with the scheme "slack"'],
  [{ scheme: 'slack', match: 'true' }, '/match has no effect with the scheme "slack"'],
  [{ scheme: 'custom' }, ' the scheme "custom" needs match'],
  [{ scheme: 'custom', match: '{{ true }}' }, '/match is an expression as it stands: leave the braces out'],
  [{ scheme: 'custom', match: 'a b' }, '/match '],
  [{ scheme: 'custom', match: 'true', answer: { body: '{{ a b }}' } }, '/answer/body '],
  [{ scheme: 'custom', match: 'true', answer: { status: 500 } }, '/answer/status '],
])('%j is refused when the workflow is stored', async (handshake, problem) => {
  const nodes = [{ id: 'start', type: 'webhookTrigger', parameters: { handshake } }];
  const problems = await checkWebhookRules({ id: 'x', name: 'x', enabled: true, nodes, connections: [] });
  expect(problems.map(({ path, message }) => `${path} ${message}`)).toEqual([
    expect.stringContaining(`/nodes/0/parameters/handshake${problem}`),
  ]);
});

test.each<[JsonObject | null, string | null]>([
  [null, null],
  [{ scheme: 'slack' }, null],
  [{ scheme: 'meta' }, 'GET'],
  [{ scheme: 'x' }, 'GET'],
  [{ scheme: 'custom', method: 'PUT' }, 'PUT'],
])('%j opens the method %j', (handshake, handshakeMethod) => {
  const parameters = handshake === null ? {} : { handshake };
  expect(toPathConfigs({ nodes: [{ id: 'a', type: 'webhookTrigger', parameters }] })).toMatchObject([
    { handshakeMethod },
  ]);
});
