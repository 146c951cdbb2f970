import type { JsonObject } from '@hookloom/plugin-kit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hashGenerated } from '../../lib/credentials/hash-secret.ts';
import { features } from '../../lib/webhooks/features/features.ts';
import { checkWebhookRules } from '../../packages/authoring/validation/check-webhooks.ts';
import { aCredential } from '../support/a-credential.ts';
import { bodyOf } from '../support/a-problem.ts';
import { aWebhookEvent, type WebhookEventChanges } from '../support/a-webhook-event.ts';
import { type AWorkflow, aWebhookService, type WebhookService } from '../support/a-webhook-service.ts';
import { anyWebhook, featureRules, senderSecrets } from '../support/any-webhook-features.ts';
import { anyBody, anyHeaders, anyHostileText } from '../support/any-webhook-request.ts';
import { cases } from '../support/deep.ts';
import { anOutboundService } from '../support/outbound-credentials.ts';
import { readPrototypes } from '../support/read-prototypes.ts';
import { findSecrets } from '../support/secret-forms.ts';
import { signRequest } from '../support/sign-request.ts';

type Result = Awaited<ReturnType<WebhookService['call']>>;

const apiKey = 'api-këy/of+a=partner';
const secrets = [...Object.values(senderSecrets), apiKey];
const nowSeconds = 1_700_000_000;

const often = <T>(usual: T, others: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, others);

/** Headers that features read, with values of their senders and others. */
const featureHeaders = fc.dictionary(
  fc.constantFrom(
    'a',
    'origin',
    'access-control-request-method',
    'access-control-request-headers',
    'x-github-event',
    'x-github-delivery',
    'x-hub-signature-256',
    'stripe-signature',
    'x-slack-signature',
    'x-slack-request-timestamp',
    'x-signature',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'x-twilio-signature',
    'x-shopify-hmac-sha256',
    'svix-signature',
    'x-hook-secret',
    'x-hook-signature',
    'x-gitlab-token',
    'paddle-signature',
    'x-pagerduty-signature',
    'paypal-transmission-sig',
    'paypal-transmission-time',
    'paypal-transmission-id',
    'paypal-cert-url',
    'x-amz-sns-message-type',
    'twitch-eventsub-message-type',
    'webhook-request-origin',
    'authorization',
    'idempotency-key',
    'prefer',
    'traceparent',
  ),
  fc.oneof(
    fc.constantFrom(
      'ping',
      'https://shop.example',
      'POST',
      String(nowSeconds),
      `t=${nowSeconds},v1=00`,
      't=1,'.repeat(2_000),
      'v1,'.repeat(2_000),
      `sha256=${'0'.repeat(64)}`,
      `ts=${nowSeconds};h1=00;h1=`,
      'https://api.paypal.com/cert',
      'SubscriptionConfirmation',
      'webhook_callback_verification',
      'Bearer a.b.c',
      'Bearer ,',
      '2023-11-14T22:13:20.123456789Z',
      'respond-async, wait=1',
      'wait=-1, wait=99999999999999999999',
      'x'.repeat(8_000),
    ),
    anyHostileText,
  ),
  { maxKeys: 4 },
);

const anyQuery = fc.oneof(
  anyHostileText,
  fc.constantFrom(
    'a=1&a=2',
    'hub.mode=subscribe&hub.verify_token=x&hub.challenge=1',
    'crc_token=x',
    'validationToken=%00%ff%f0',
    'validationToken=Validation: Testing',
    '__proto__=1&constructor=2&__proto__=3',
    'a=%'.repeat(1_000),
    'a&'.repeat(10_000),
  ),
);

const anyJson = fc.oneof(
  fc.constantFrom(
    '{}',
    '{"id":"a","type":"test","challenge":"x"}',
    '{"type":"url_verification","challenge":"x"}',
    '{"event":"endpoint.url_validation","payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"}}',
    '{"Type":"SubscriptionConfirmation","TopicArn":"arn:aws:sns:eu-west-1:123456789012:a","SubscribeURL":"http://[::1"}',
    `{"signature":{"token":"a","timestamp":${nowSeconds},"signature":"00"}}`,
    '{"id":"\\ud800","type":"a\\r\\nb: c","challenge":["\\u0000"]}',
    '{"id":{"toString":1},"\\ud800":1}',
    `[${'{},'.repeat(2_000)}1]`,
    `{"id":"${'a'.repeat(20_000)}"}`,
    `${'{"a":'.repeat(90)}1${'}'.repeat(90)}`,
  ),
  fc.json(),
);

/** A request of which some parts are those of a sender. */
const anyRequest = fc.record({
  method: often<string>('POST', fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'PUT', 'TRACE', '')),
  path: often<string | null>(
    'orders',
    fc.oneof(fc.constantFrom(null, 'a/b', `${'a/'.repeat(4_000)}a`), anyHostileText),
  ),
  query: often('', anyQuery),
  headers: fc
    .tuple(fc.oneof(anyHeaders, fc.constant({ 'content-type': 'application/json' })), featureHeaders)
    .map(([some, others]) => ({ ...some, ...others })),
  body: fc.oneof({ weight: 3, arbitrary: anyJson }, anyBody),
  encoding: often<'text' | 'base64' | 'marked as base64'>(
    'text',
    fc.constantFrom('base64', 'marked as base64'),
  ),
  sourceIp: often<string>(
    '192.0.2.7',
    fc.constantFrom('', '::ffff:192.0.2.7', '2001:db8::1', '198.51.100.7.1', '__proto__'),
  ),
  isSigned: fc.boolean(),
  hasKey: fc.boolean(),
});

/** Whether an address is of a network that a rule names. */
const isNear = (address: string): boolean => /^(::ffff:)?192\.0\.2\.|^2001:db8::/.test(address);

type AnyRequest = typeof anyRequest extends fc.Arbitrary<infer Request> ? Request : never;

const toEvent = (
  { isSigned, hasKey, headers, encoding, body: sent, ...request }: AnyRequest,
  workflowId: string,
  signature: JsonObject | undefined,
) => {
  const body = encoding === 'base64' && sent !== null ? Buffer.from(sent).toString('base64') : sent;
  const isBase64Encoded = encoding !== 'text';
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  const signed =
    isSigned && signature !== undefined
      ? signRequest(signature, senderSecrets.secret, bytes, nowSeconds)
      : null;
  const changes: WebhookEventChanges = {
    ...request,
    body,
    isBase64Encoded,
    workflowId,
    headers: { ...headers, ...signed, ...(hasKey ? { 'x-api-key': apiKey } : {}) },
  };
  return { event: aWebhookEvent(changes), isSigned: signed !== null };
};

/** Answers with what it got, so that whatever gets through is seen. */
const chains: Readonly<Record<string, AWorkflow['chain']>> = {
  responseNode: [
    { type: 'respondToWebhook', parameters: { status: 201, body: { echo: '{{ $trigger }}' } } },
    { type: 'set', parameters: { values: { echo: '{{ $trigger }}' } } },
  ],
};

const expectProblem = ({ statusCode, body }: Result) => {
  expect(bodyOf({ body })).toMatchObject({
    type: expect.stringMatching(/^urn:hookloom:problem:[a-z-]+$/),
    title: expect.stringMatching(/./),
    status: statusCode,
    detail: expect.stringMatching(/./),
    instance: 'request-1',
  });
};

/** What every answer to whatever input is. */
const expectSound = (answer: Result, method: string, isPaused: boolean) => {
  const { statusCode = 0, headers = {}, body } = answer;
  expect(statusCode).toBeGreaterThanOrEqual(200);
  if (!isPaused || statusCode !== 503) expect(statusCode).toBeLessThan(500);
  expect(headers['x-content-type-options']).toBe('nosniff');
  for (const value of Object.values(headers)) expect(String(value)).toMatch(/^[\t\x20-\x7e]*$/);
  const isProblem = headers['content-type'] === 'application/problem+json';
  expect(isProblem).toBe(statusCode >= 400);
  if (isProblem && method !== 'HEAD') expectProblem(answer);
  if (headers['content-type'] === 'application/json' && body !== undefined) bodyOf({ body });
};

test('every feature has rules', () => {
  expect(Object.keys(featureRules).sort()).toEqual(features.map(({ name }) => name).sort());
});

test('the rules are valid', async () => {
  await fc.assert(
    fc.asyncProperty(anyWebhook, async ({ features: { form: _form, ...features }, trigger }) => {
      // A form is refused beside some of the others.
      const nodes = [{ id: 'start', type: 'webhookTrigger', parameters: { ...trigger, ...features } }];
      expect(await checkWebhookRules({ id: 'x', name: 'x', enabled: true, nodes, connections: [] })).toEqual(
        [],
      );
    }),
    { numRuns: cases(30, 300) },
  );
});

// Jest fails the running test on an unhandled rejection.
describe('any request with any features', () => {
  let service: WebhookService;
  let workflows = 0;

  beforeAll(async () => {
    const outbound = anOutboundService();
    await outbound.put('sender', 'signingSecret', senderSecrets);
    service = await aWebhookService({ outboundCredentials: outbound.credentials });
    await service.putCredential(
      aCredential({
        secrets: [{ id: 's1', createdAt: '2026-01-01T00:00:00.000Z', hash: hashGenerated(apiKey) }],
      }),
    );
  });

  const put = async (
    {
      authentication,
      ...trigger
    }: typeof anyWebhook extends fc.Arbitrary<{ trigger: infer Trigger }> ? Trigger : never,
    features: JsonObject,
  ): Promise<string> => {
    const id = `workflow-${++workflows}`;
    const credentialId = authentication === 'none' ? null : 'partner';
    const webhook = { ...trigger, authentication, credentialId, ...features } as NonNullable<
      AWorkflow['webhook']
    >;
    await service.put({ id, webhook, chain: chains[trigger.responseMode] ?? [] });
    return id;
  };

  // holds: bad-input-is-no-5xx
  test('is answered, never with a 5xx or a secret, and starts nothing that a feature excludes', async () => {
    const before = readPrototypes();
    const requests = fc.array(anyRequest, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(anyWebhook, requests, async ({ trigger, features }, batch) => {
        const workflowId = await put(trigger, features as JsonObject);
        for (const request of batch) {
          const { event, isSigned } = toEvent(
            request,
            workflowId,
            features.signature as JsonObject | undefined,
          );
          const [ran, logged] = [service.executions.records().length, service.lines.length];
          const answer = await service.call(event);
          expectSound(answer, request.method, features.paused === true);
          const shown = [answer, service.lines.slice(logged), service.executions.records().slice(ran)];
          expect(shown.flatMap((part) => findSecrets(JSON.stringify(part), secrets))).toEqual([]);
          const isKeptOut =
            features.paused === true ||
            (features.signature !== undefined && !isSigned) ||
            (trigger.authentication === 'apiKey' && !request.hasKey) ||
            (features.allowFrom !== undefined && !isNear(request.sourceIp));
          if (isKeptOut) expect(service.executions.records()).toHaveLength(ran);
        }
      }),
      { numRuns: cases(50, 2_000) },
    );
    expect(readPrototypes()).toEqual(before);
  });

  test('from a legitimate sender is accepted', async () => {
    const signature = { scheme: 'stripe', credentialId: 'sender' };
    const workflowId = await put(
      {
        path: '/:a',
        methods: ['POST'],
        responseMode: 'lastNode',
        deduplication: null,
        authentication: 'apiKey',
      },
      { signature, allowFrom: ['192.0.2.0/24'], schema: { type: 'object' }, onlyIf: 'body.id = "a"' },
    );
    const request: AnyRequest = {
      method: 'POST',
      path: 'orders',
      query: '',
      headers: { 'content-type': 'application/json' },
      body: '{"id":"a"}',
      encoding: 'base64',
      sourceIp: '192.0.2.7',
      isSigned: true,
      hasKey: true,
    };
    const { event } = toEvent(request, workflowId, signature);
    expect(await service.call(event)).toMatchObject({ statusCode: 200 });
  });
});
