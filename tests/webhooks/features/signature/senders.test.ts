import { createHash, createHmac, generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import eventWebhook from '@sendgrid/eventwebhook';
import { verifyKey } from 'discord-interactions';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
// @ts-expect-error it has no types
import MessageValidator from 'sns-validator';
import { aProblem, bodyOf } from '../../../support/a-problem.ts';
import { aSignedService } from '../../../support/a-signed-service.ts';
import { aTlsServer, trustTestAuthority } from '../../../support/a-tls-server.ts';
import { projectRoot } from '../../../support/run-command.ts';
import { signedRequests } from './signed-requests.ts';

/** Of sns-validator. */
interface Validator {
  validate(message: object, done: (error: Error | null) => void): void;
}

const NOW = 1_800_000_000_000; // while the certificate of the tests is valid
const nowSeconds = NOW / 1_000;
const json = { 'content-type': 'application/json' };
const read = (name: string) => readFileSync(join(projectRoot, 'tests/support/tls', name), 'utf8');
const certificate = read('signing.pem');
/** Of the same key, with the name that PayPal's certificates have. */
const ofPayPal = read('paypal.pem');
/** Of the same key, with the name that SNS's certificates have in most regions. */
const ofSns = read('sns.pem');
/** Of the same key, with the name `*.paypal.com`. */
const ofWildcard = read('paypal-wildcard.pem');
const privateKey = read('signing.key');
const body = '{"id":"evt_1","text":"ö"}';

const requestOf = (name: string) => {
  const found = signedRequests.find((signed) => signed.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

describe('the senders’ own packages agree', () => {
  test('@sendgrid/eventwebhook, with its own example', () => {
    const { secret, request } = requestOf('sendgrid');
    const { EventWebhook, EventWebhookHeader } = eventWebhook;
    const verifier = new EventWebhook();
    const key = verifier.convertPublicKeyToECDSA(secret);
    const of = (name: string) => request.headers[name.toLowerCase()] ?? '';
    const isSigned = (text: string) =>
      verifier.verifySignature(
        key,
        text,
        of(EventWebhookHeader.SIGNATURE()),
        of(EventWebhookHeader.TIMESTAMP()),
      );
    expect([isSigned(request.body), isSigned(`${request.body} `)]).toEqual([true, false]);
  });

  test('discord-interactions', async () => {
    const { secret, request } = requestOf('discord');
    const { 'x-signature-ed25519': signature = '', 'x-signature-timestamp': time = '' } = request.headers;
    expect(await verifyKey(request.body, signature, time, secret)).toBe(true);
    expect(await verifyKey(`${request.body} `, signature, time, secret)).toBe(false);
  });
});

describe.each([
  ['gitlab', 'x-gitlab-token', {}, ''],
  ['telegram', 'x-telegram-bot-api-secret-token', {}, ''],
  ['token', 'x-custom', { header: 'X-Custom', prefix: 'Token ' }, 'Token '],
])('the token of %s', (scheme, header, others, prefix) => {
  const signature = { scheme, credentialId: 'sender', ...others };
  const secret = 'a token, with; separators';
  const bearing = (token: string) => ({ body, headers: { ...json, [header]: token } });

  test('is accepted, and the workflow does not see it', async () => {
    const service = await aSignedService({ signature }, { secrets: [secret, 'the-one-before'] });
    const chain = [{ type: 'set', parameters: { values: { sent: `{{ headers.\`${header}\` }}` } } }];
    await service.put({ id: 'curious', webhook: { signature }, chain });
    const answer = await service.receive({ ...bearing(prefix + secret), workflowId: 'curious' });
    expect(bodyOf(answer)).toEqual({ sent: '[redacted]' });
    expect(await service.send(bearing(`${prefix}the-one-before`))).toBe(200);
  });

  test.each([['another'], [''], [`${secret}x`], [secret.slice(1)], [`${secret}, ${secret}`]])(
    '%j is refused',
    async (token) => {
      const { receive, executions } = await aSignedService({ signature }, { secrets: [secret] });
      expect(await receive(bearing(prefix + token))).toEqual(aProblem(403, 'signature-invalid'));
      expect(executions.records()).toEqual([]);
    },
  );
});

describe('the signature of Mailgun, in the body', () => {
  const secret = 'signing-key-of-mailgun';
  const token = 'e0b5477167110d68991efc6b9f89f0a11066af27834600e123';
  const signature = createHmac('sha256', secret).update(`${nowSeconds}${token}`).digest('hex');
  const signed = { timestamp: String(nowSeconds), token, signature };
  const aService = () =>
    aSignedService(
      { signature: { scheme: 'mailgun', credentialId: 'sender' } },
      { secrets: [secret], at: NOW },
    );
  const asJson = (value: JsonObject) => ({ headers: json, body: JSON.stringify(value) });
  const asForm = (fields: Record<string, string>) => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });

  test('is accepted for a JSON event, and for a form of a route', async () => {
    const { send } = await aService();
    expect(await send(asJson({ signature: signed, 'event-data': { event: 'opened' } }))).toBe(200);
    expect(await send(asForm({ ...signed, subject: 'Hello' }))).toBe(200);
  });

  test.each<[string, ReturnType<typeof asJson>, string]>([
    ['another token', asJson({ signature: { ...signed, token: `${token}0` } }), 'mismatch'],
    ['another time', asJson({ signature: { ...signed, timestamp: String(nowSeconds - 1) } }), 'mismatch'],
    ['an old time', asJson({ signature: { ...signed, timestamp: '1600000000' } }), 'minutes old'],
    ...[1, 2, 3].map((count): [string, ReturnType<typeof asJson>, string] => {
      const digits = '123'.slice(0, count);
      const moved = { timestamp: `${nowSeconds}${digits}`, token: `e${token}` };
      const content = `${nowSeconds}${digits}e${token}`;
      const own = createHmac('sha256', secret).update(content).digest('hex');
      const message = { signature: { ...moved, signature: own } };
      return [`${count} digits of the token in the time`, asJson(message), 'not a valid time'];
    }),
    [
      'no signature',
      asJson({ signature: { token, timestamp: signed.timestamp } }),
      'field signature.signature or signature is missing',
    ],
    ['no fields', asJson([] as never), 'the body has no fields'],
    ['no JSON', { headers: json, body: '{' }, 'the body has no fields'],
    [
      'a prototype',
      asJson({ ['__proto__' as string]: { signature: signed } }),
      'field signature.signature or signature is missing',
    ],
    ['too long a body', asJson({ signature: signed, a: 'x'.repeat(1_048_577) }), 'is larger than'],
  ])('with %s is refused', async (_case, request, reason) => {
    const { send, lastLine, executions } = await aService();
    expect(await send(request)).toBe(403);
    expect(lastLine()).toMatchObject({ reason: expect.stringContaining(reason) });
    expect(executions.records()).toEqual([]);
  });
});

describe('an hmac over a timestamp next to a value', () => {
  const secret = 'secret-of-a-shop';
  const rule = {
    scheme: 'hmac',
    credentialId: 'sender',
    header: 'x-signature',
    timestampHeader: 'x-time',
    signed: '{headers.x-id}{timestamp}{body}',
  };
  const statusOf = async (time: string, id: string, text: string, changes: JsonObject = {}) => {
    const signature = createHmac('sha256', secret).update(`${id}${time}${text}`).digest('hex');
    const { send } = await aSignedService(
      { signature: { ...rule, ...changes }, body: { type: 'text' } },
      { secrets: [secret], at: NOW },
    );
    const headers = { 'content-type': 'text/plain', 'x-signature': signature, 'x-time': time, 'x-id': id };
    return send({ body: text, headers });
  };
  const time = String(nowSeconds);
  const milliseconds = String(NOW);

  test('is accepted in every form while no digit is next to it', async () => {
    for (const each of [time, milliseconds, new Date(NOW).toISOString()])
      expect(await statusOf(each, 'id-', '{}')).toBe(200);
  });

  test.each([
    ['seconds before digits of the body, or milliseconds', time, 'id-', '000,5'],
    ['seconds before another digit', time, 'id-', '5'],
    ['an id that ends with a digit', milliseconds, 'id-1', '{}'],
    ['a time in ISO 8601 after a digit', new Date(NOW).toISOString(), '1', '{}'],
  ])('is refused where a digit could be of either: %s', async (_case, each, id, text) => {
    expect(await statusOf(each, id, text)).toBe(403);
  });

  test('is accepted next to digits in the one form that is asked for', async () => {
    expect(await statusOf(time, 'id-1', '000,5', { timestampFormat: 'seconds' })).toBe(200);
    expect(await statusOf(milliseconds, 'id-', ',5', { timestampFormat: 'seconds' })).toBe(403);
  });
});

describe('the token of Plaid', () => {
  let keys: Awaited<ReturnType<typeof generateKeyPair>>;
  let jwk: JsonObject;
  const aToken = (
    claims: JsonObject = {},
    alg = 'ES256',
    key: unknown = keys.privateKey,
    kid: unknown = 'key-1',
  ) =>
    new SignJWT({
      iat: nowSeconds,
      request_body_sha256: createHash('sha256').update(body).digest('hex'),
      ...claims,
    })
      .setProtectedHeader({ alg, kid: kid as string, typ: 'JWT' })
      .sign(key as typeof keys.privateKey);
  const aService = (secret: string) =>
    aSignedService(
      { signature: { scheme: 'plaid', credentialId: 'sender' } },
      { secrets: [secret], at: NOW },
    );
  const bearing = (token: string) => ({ body, headers: { ...json, 'plaid-verification': token } });

  beforeAll(async () => {
    keys = await generateKeyPair('ES256', { extractable: true });
    // As `/webhook_verification_key/get` answers
    jwk = {
      ...(await exportJWK(keys.publicKey)),
      alg: 'ES256',
      kid: 'key-1',
      use: 'sig',
      expired_at: null,
    } as JsonObject;
  });

  test('is accepted with a key in JSON or PEM, or a set of keys', async () => {
    const ownData = { ...jwk, own: { keys: 1 } };
    const pem = await exportSPKI(keys.publicKey);
    for (const secret of [
      JSON.stringify(jwk),
      ` ${JSON.stringify(ownData)}`,
      ` ${JSON.stringify({ keys: [jwk] }, null, 2)}`,
      pem,
    ]) {
      const { send, executions } = await aService(secret);
      expect(await send(bearing(await aToken()))).toBe(200);
      expect(executions.records()).toHaveLength(1);
    }
  });

  test('with another key, body, time or algorithm is refused', async () => {
    const { send, lastLine, executions } = await aService(JSON.stringify(jwk));
    const others = await generateKeyPair('ES256');
    const shared = new TextEncoder().encode(JSON.stringify(jwk));
    const wrong: [string, string][] = [
      [await aToken({}, 'ES256', others.privateKey), 'different key: "key-1"'],
      [await aToken({}, 'ES256', others.privateKey, 7), 'different key: "7"'],
      [await aToken({}, 'ES256', others.privateKey, null), 'different key: ""'],
      [await aToken({ request_body_sha256: 'a'.repeat(64) }), 'the body hash'],
      [await aToken({ request_body_sha256: undefined as never }), 'the body hash'],
      [await aToken({ iat: nowSeconds - 361 }), 'iat'],
      [await aToken({ iat: undefined as never }), 'iat'],
      [await aToken({}, 'HS256', shared), 'algorithm not allowed'],
      ['x.y.z', 'the token is malformed'],
    ];
    for (const [token, reason] of wrong) {
      expect(await send(bearing(token))).toBe(403);
      expect(lastLine()).toMatchObject({
        reason: expect.stringMatching(`^signature: .*(${reason}|expired)`),
      });
    }
    expect(await send({ body, headers: json })).toBe(403);
    expect(executions.records()).toEqual([]);
  });
});

describe('the signature of PayPal', () => {
  const certUrl = 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-1d93a270';
  const signature = { scheme: 'paypal', webhookId: '8PT597110X687430LKGECATA' };
  const time = new Date(NOW).toISOString().replace('.000', '');
  const id = '69cd13f0-d67a-11e5-baa3-778b53f4ae55';
  const toSigned = (text: string) => `${id}|${time}|8PT597110X687430LKGECATA|${crc32(text)}`;
  const headers = {
    ...json,
    'paypal-transmission-id': id,
    'paypal-transmission-time': time,
    'paypal-cert-url': certUrl,
    'paypal-auth-algo': 'SHA256withRSA',
    'paypal-transmission-sig': sign('sha256', Buffer.from(toSigned(body)), privateKey).toString('base64'),
  };
  const aService = (
    answer: { readonly text?: string; readonly status?: number } = { text: ofPayPal },
    at = NOW,
  ) => aSignedService({ signature }, { answer: () => answer, at });

  test('is accepted with the certificate, which is fetched once, without a redirect', async () => {
    const { send, outbound, executions } = await aService();
    for (let count = 0; count < 3; count++) expect(await send({ body, headers })).toBe(200);
    expect(executions.records()).toHaveLength(3);
    expect(outbound.server.requests).toMatchObject([{ method: 'GET', url: certUrl, maxRedirects: 0 }]);
  });

  test.each<[string, Record<string, string>, string]>([
    ['another id', { 'paypal-transmission-id': 'x' }, 'mismatch'],
    ['an old time', { 'paypal-transmission-time': '2026-01-01T00:00:00Z' }, 'minutes old'],
    ['no time', { 'paypal-transmission-time': '' }, 'header paypal-transmission-time is missing'],
    ['an altered signature', { 'paypal-transmission-sig': 'AAAA' }, 'mismatch'],
  ])('with %s is refused', async (_case, changes, reason) => {
    const { send, lastLine } = await aService();
    expect(await send({ body, headers: { ...headers, ...changes } })).toBe(403);
    expect(lastLine()).toMatchObject({ reason: expect.stringContaining(reason) });
    expect(await send({ body: `${body} `, headers })).toBe(403);
  });

  test.each([
    'http://api.paypal.com/cert',
    'https://api.paypal.com.example/cert',
    'https://api.paypal.com@example.com/cert',
    'https://api.paypal.com:8443/cert',
    'https://api.paypal.com/v1/notifications/certs/x/CERT-1',
    'https://api.paypal.com/v1/notifications/certs/CERT-1?x=1',
    'https://api.paypal.com/files/CERT-1',
    'https://evil.example/api.paypal.com',
    'https://user:pass@api.paypal.com/cert',
    'file:///etc/passwd',
    'api.paypal.com',
    '',
  ])('with a certificate at %s is refused, and nothing is fetched', async (url) => {
    const { receive, outbound } = await aService();
    const answer = await receive({ body, headers: { ...headers, 'paypal-cert-url': url } });
    expect(answer).toEqual(aProblem(403, 'signature-invalid'));
    expect(outbound.server.requests).toEqual([]);
  });

  test.each([[{ status: 500, text: '' }], [{ text: 'no certificate' }]])(
    'is answered 503 while the certificate URL answers %j',
    async (answer) => {
      const { receive } = await aService(answer);
      expect(await receive({ body, headers })).toEqual(aProblem(503, 'sender-keys-unavailable'));
    },
  );

  test('stays accepted while its certificate, which has verified a delivery, cannot be fetched again', async () => {
    let status = 200;
    const service = await aSignedService(
      { signature },
      { answer: () => ({ text: ofPayPal, status }), at: NOW },
    );
    expect(await service.send({ body, headers })).toBe(200);
    status = 500;
    service.clock.advance(3_600_000);
    expect(await service.send({ body, headers })).toBe(200);
    expect(await service.send({ body: `${body} `, headers })).toBe(403);
    expect(service.outbound.server.requests).toHaveLength(2);
  });

  test('made by its simulator in 2025 is accepted, with the certificate of that time', async () => {
    // A webhook of the simulator has the id WEBHOOK_ID. The delivery is from the tests of another receiver of webhooks.
    const own = { scheme: 'paypal', webhookId: 'WEBHOOK_ID' };
    const sent = {
      body: '{"id":"WH-58D329510W468432D-8HN650336L201105X","event_version":"1.0","create_time":"2019-02-14T21:50:07.940Z","resource_type":"capture","resource_version":"2.0","event_type":"PAYMENT.CAPTURE.COMPLETED","summary":"Payment completed for $ 30.0 USD","resource":{"id":"12A34567BC123456S","amount":{"currency_code":"USD","value":"30.00"},"final_capture":true,"seller_protection":{"status":"ELIGIBLE","dispute_categories":["ITEM_NOT_RECEIVED","UNAUTHORIZED_TRANSACTION"]},"disbursement_mode":"INSTANT","seller_receivable_breakdown":{"gross_amount":{"currency_code":"USD","value":"30.00"},"paypal_fee":{"currency_code":"USD","value":"1.54"},"platform_fees":[{"amount":{"currency_code":"USD","value":"2.00"},"payee":{"merchant_id":"ABCDEFGHIJKL1"}}],"net_amount":{"currency_code":"USD","value":"26.46"}},"invoice_id":"5840243-146","status":"COMPLETED","supplementary_data":{"related_ids":{"order_id":"1AB234567A1234567"}},"create_time":"2022-08-23T18:29:50Z","update_time":"2022-08-23T18:29:50Z","links":[{"href":"https://api.paypal.com/v2/payments/captures/12A34567BC123456S","rel":"self","method":"GET"},{"href":"https://api.paypal.com/v2/payments/captures/12A34567BC123456S/refund","rel":"refund","method":"POST"},{"href":"https://api.paypal.com/v2/checkout/orders/1AB234567A1234567","rel":"up","method":"GET"}]},"links":[{"href":"https://api.paypal.com/v1/notifications/webhooks-events/WH-58D329510W468432D-8HN650336L201105X","rel":"self","method":"GET"},{"href":"https://api.paypal.com/v1/notifications/webhooks-events/WH-58D329510W468432D-8HN650336L201105X/resend","rel":"resend","method":"POST"}]}',
      headers: {
        ...json,
        'paypal-transmission-id': '0f14627d-cc41-11f0-9ad0-21cf84660aee',
        'paypal-transmission-time': '2025-11-28T10:00:24Z',
        'paypal-cert-url': 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-b0d12406',
        'paypal-auth-algo': 'SHA256withRSA',
        'paypal-transmission-sig':
          'De1vvm+9LQDFQgKZ7leyYaVaAbkuXzYJOmH5FuHFxUFF+BP3DUiNwF7IF/tWhdC0SQ1EZgsRmGmlO9+5uk6UWP5i7O7jaiwNOdHbb878uOhTKL0KhWMillfQi096lrM7oZL6R/HmSZcKfBfnkH0TN2g0gHcw8NhM82tBdRsc9lbzhmIlWXoz5lZc5N9YVcaC62hQNLPCJFPYMTE4qE3qQB8jOFDW2/QGOnM4FvwwL+6rfIOdNPSqarsw3Wgh3ByIFrkBO5kbxo7uyd4Rvce4lyHmkqnschdRtFdScjxiQrmf7akmX1qWv2Y68ht69j/De7De/MOVZ/JA1t9RP+ysIA==',
      },
    };
    const options = { answer: () => ({ text: read('paypal-2025.pem') }), at: Date.UTC(2025, 10, 28, 10, 1) };

    const { send, executions } = await aSignedService({ signature: own }, options);
    expect(await send(sent)).toBe(200);
    expect(await send({ ...sent, body: sent.body.replace('30.00', '31.00') })).toBe(403);
    expect(await (await aSignedService({ signature }, options)).send(sent)).toBe(403); // of another webhook
    expect(executions.records()).toHaveLength(1);
  });

  test.each([
    ['another name', certificate],
    ['all names of its domain', ofWildcard],
  ])('with a certificate of %s is refused, even with the same key', async (_case, text) => {
    const { send, lastLine, executions } = await aService({ text });
    expect(await send({ body, headers })).toBe(403);
    expect(lastLine()).toMatchObject({
      reason: 'signature: the certificate was issued for a different name',
    });
    expect(executions.records()).toEqual([]);
  });

  const invalid = 'signature: the certificate is expired or not yet valid';
  const { validFrom, validTo } = new X509Certificate(ofPayPal);
  test.each([
    ['before its certificate is valid', Date.parse(validFrom) - 1, 403, invalid],
    ['when that becomes valid', Date.parse(validFrom), 200, undefined],
    ['until that expires', Date.parse(validTo), 200, undefined],
    ['after that has expired', Date.parse(validTo) + 1, 403, invalid],
  ])('%s is answered as it should', async (_when, at, status, reason) => {
    const service = await aService({ text: ofPayPal }, at);
    const then = new Date(at).toISOString();
    const text = `${id}|${then}|8PT597110X687430LKGECATA|${crc32(body)}`;
    const own = sign('sha256', Buffer.from(text), privateKey).toString('base64');
    const changes = { 'paypal-transmission-time': then, 'paypal-transmission-sig': own };
    expect(await service.send({ body, headers: { ...headers, ...changes } })).toBe(status);
    expect(service.lastLine().reason).toBe(reason);
  });

  test('fetches a limited number of certificate URLs in a flood', async () => {
    const { send, outbound } = await aService();
    const statuses = new Set<number | undefined>();
    for (let count = 0; count < 60; count++)
      statuses.add(await send({ body, headers: { ...headers, 'paypal-cert-url': `${certUrl}${count}` } }));
    expect(outbound.server.requests).toHaveLength(30);
    expect([...statuses].sort()).toEqual([200, 503]);
  });
});

describe('the signature of SNS', () => {
  const topicArn = 'arn:aws:sns:eu-west-1:123456789012:orders';
  const host = 'https://sns.eu-west-1.amazonaws.com';
  const signature = { scheme: 'sns', topicArn };
  // https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html
  const notification = {
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: topicArn,
    Subject: 'My First Message',
    Message: 'Hello world!\nö',
    Timestamp: new Date(NOW).toISOString(),
    SignatureVersion: '2',
    SigningCertURL: `${host}/SimpleNotificationService-c5a64ab5.pem`,
    UnsubscribeURL: `${host}/?Action=Unsubscribe`,
  };
  const confirmation = {
    Type: 'SubscriptionConfirmation',
    MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b',
    Token: '2336412f37f',
    TopicArn: topicArn,
    Message: 'You have chosen to subscribe.',
    SubscribeURL: `${host}/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=2336412f37f`,
    Timestamp: new Date(NOW).toISOString(),
    SignatureVersion: '1',
    SigningCertURL: `${host}/SimpleNotificationService-c5a64ab5.pem`,
  };
  const withSignature = (message: Readonly<Record<string, string>>) => {
    const names = [
      'Message',
      'MessageId',
      'Subject',
      'SubscribeURL',
      'Timestamp',
      'Token',
      'TopicArn',
      'Type',
    ];
    const content = names
      .flatMap((name) => (message[name] === undefined ? [] : [`${name}\n${message[name]}\n`]))
      .join('');
    const hash = message.SignatureVersion === '1' ? 'sha1' : 'sha256';
    return { ...message, Signature: sign(hash, Buffer.from(content), privateKey).toString('base64') };
  };
  const toRequest = (message: Readonly<Record<string, string>>) => ({
    headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': String(message.Type) },
    body: JSON.stringify(message),
  });
  const aService = (status = 200, pem = ofSns) =>
    aSignedService(
      { signature, handshake: { scheme: 'sns' }, body: { type: 'json' } },
      { answer: ({ url }) => (url.endsWith('.pem') ? { text: pem } : { status }), at: NOW },
    );

  test('is accepted by sns-validator, with a certificate that it fetches', async () => {
    const server = await aTlsServer({ '/a.pem': (_request, response) => response.end(certificate) });
    const distrust = trustTestAuthority();
    const validator: Validator = new MessageValidator(/^127\.0\.0\.1:\d+$/);
    const validate = (message: Readonly<Record<string, string>>) =>
      new Promise<boolean>((resolve) => {
        const own = { ...message, SigningCertURL: `${server.origin}/a.pem` };
        validator.validate(own, (error) => resolve(error === null));
      });
    for (const message of [notification, { ...notification, SignatureVersion: '1' }, confirmation]) {
      expect(await validate(withSignature(message))).toBe(true);
      expect(await validate({ ...withSignature(message), Message: 'Hello' })).toBe(false);
    }
    distrust();
    await server.close();
  });

  test.each(['1', '2'])('in version %s is accepted, with and without a subject', async (version) => {
    const { send, executions } = await aService();
    const { Subject: _, ...without } = notification;
    for (const message of [notification, without])
      expect(await send(toRequest(withSignature({ ...message, SignatureVersion: version })))).toBe(200);
    expect(executions.records()).toHaveLength(2);
  });

  test('without a subject is accepted with null for it, and with no other value', async () => {
    const { send } = await aService();
    const { Subject: _, ...without } = notification;
    const { body, headers } = toRequest(withSignature(without));
    const statusWith = (subject: JsonValue) =>
      send({ headers, body: JSON.stringify({ ...JSON.parse(body), Subject: subject }) });
    expect(await statusWith(null)).toBe(200);
    for (const subject of [7, '', false, {}, { toString: 1 }, ['x']])
      expect([subject, await statusWith(subject)]).toEqual([subject, 403]);
  });

  test.each<[string, Record<string, string>, string]>([
    ['an altered message', { Message: 'Hello' }, 'mismatch'],
    ['another type', { Type: 'UnsubscribeConfirmation' }, 'field SubscribeURL is missing'],
    ['an unknown version', { SignatureVersion: '3' }, 'version'],
    ['no signature', { Signature: '' }, 'field Signature is missing'],
  ])('with %s is refused', async (_case, changes, reason) => {
    const { send, lastLine, executions } = await aService();
    expect(await send(toRequest({ ...withSignature(notification), ...changes }))).toBe(403);
    expect(lastLine()).toMatchObject({ reason: expect.stringContaining(reason) });
    expect(executions.records()).toEqual([]);
  });

  test.each<[string, Record<string, string>, string]>([
    ['of another topic', { TopicArn: `${topicArn}-2` }, 'a different topic'],
    ['that is old', { Timestamp: '2026-01-01T00:00:00.000Z' }, 'minutes old'],
    [
      'with a certificate elsewhere',
      { SigningCertURL: 'https://sns.example.com/a.pem' },
      "one of the sender's hosts",
    ],
    [
      'with a certificate in a bucket',
      { SigningCertURL: 'https://sns.s3.eu-west-1.amazonaws.com/a.pem' },
      "one of the sender's hosts",
    ],
    ...[
      'https://sns.s3-us-west-2.amazonaws.com/SimpleNotificationService-1.pem', // a bucket of the name `sns`
      'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem',
      'https://sns.eu-west-1.amazonaws.com.cn/SimpleNotificationService-1.pem',
    ].map((SigningCertURL): [string, Record<string, string>, string] => [
      `with the certificate ${SigningCertURL}`,
      { SigningCertURL },
      "one of the sender's hosts",
    ]),
    ...[
      '/x.pem',
      '/x/SimpleNotificationService-1.pem',
      '/SimpleNotificationService-1.pem?x=1',
      '/SimpleNotificationService-1.pem#x',
      '/SimpleNotificationService-1.pem/x',
      '/SimpleNotificationService-%31.pem',
      '/SimpleNotificationService-1/../x.pem',
    ].map((path): [string, Record<string, string>, string] => [
      `with the certificate ${path}`,
      { SigningCertURL: host + path },
      'not of a certificate with which the sender signs',
    ]),
  ])('%s is refused although it is signed', async (_case, changes, reason) => {
    const { send, lastLine, outbound } = await aService();
    expect(await send(toRequest(withSignature({ ...notification, ...changes })))).toBe(403);
    expect(lastLine()).toMatchObject({ reason: expect.stringContaining(reason) });
    expect(outbound.server.requests).toEqual([]);
  });

  test('with a certificate that was issued to a different name is refused', async () => {
    for (const pem of [certificate, ofPayPal, ofWildcard]) {
      const { send, lastLine } = await aService(200, pem);
      expect(await send(toRequest(withSignature(notification)))).toBe(403);
      expect(lastLine()).toMatchObject({ reason: expect.stringContaining('a different name') });
    }
  });

  test('confirms its subscription at SNS, and starts no run', async () => {
    const { receive, outbound, executions } = await aService();
    expect(await receive(toRequest(withSignature(confirmation)))).toMatchObject({ statusCode: 200 });
    const [, confirmed] = outbound.server.requests;
    expect(confirmed).toMatchObject({ method: 'GET', url: confirmation.SubscribeURL, maxRedirects: 0 });
    expect(executions.records()).toEqual([]);
  });

  test('is answered 503 while SNS cannot be asked to confirm, so that it retries', async () => {
    const { receive } = await aService(500);
    expect(await receive(toRequest(withSignature(confirmation)))).toEqual(
      aProblem(503, 'handshake-unconfirmed'),
    );
  });

  test.each([
    'https://evil.example/?Action=ConfirmSubscription',
    'http://sns.eu-west-1.amazonaws.com/',
    'https://sns.eu-west-1.amazonaws.com.evil.example/',
    'https://sns.eu-west-1.amazonaws.com:444/',
    ...[
      'https://sns.s3-us-west-2.amazonaws.com/',
      'https://sns.us-east-1.amazonaws.com/',
      'https://sns.eu-west-1.amazonaws.com.cn/',
      'https://sns.eu-west-1.amazonaws.com/x',
      'https://x@sns.eu-west-1.amazonaws.com/',
    ].map((place) => `${place}?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=1`),
    `${host}/?Action=Publish&TopicArn=${topicArn}&Token=1`,
    `${host}/?Action=ConfirmSubscription&TopicArn=${topicArn}-2&Token=1`,
  ])('confirms nothing at %s', async (SubscribeURL) => {
    const { receive, outbound } = await aService();
    const answer = await receive(toRequest(withSignature({ ...confirmation, SubscribeURL })));
    expect(answer).toEqual(aProblem(403, 'handshake-refused'));
    expect(outbound.server.requests.map(({ url }) => url)).toEqual([confirmation.SigningCertURL]);
  });

  test('confirms nothing that is unsigned, whatever the header says', async () => {
    const { receive, outbound } = await aService();
    const forged = { ...withSignature(notification), SubscribeURL: `${host}/?evil` };
    const request = toRequest(forged);
    const headers = { ...request.headers, 'x-amz-sns-message-type': 'SubscriptionConfirmation' };
    expect(await receive({ ...request, headers })).toEqual(aProblem(403, 'handshake-refused'));
    expect(outbound.server.requests.map(({ url }) => url)).toEqual([notification.SigningCertURL]);
  });

  test('acknowledges the end of a subscription, and starts no run', async () => {
    const { send, executions } = await aService();
    expect(await send(toRequest(withSignature({ ...confirmation, Type: 'UnsubscribeConfirmation' })))).toBe(
      200,
    );
    expect(executions.records()).toEqual([]);
  });
});

describe('a public key', () => {
  const { publicKey, privateKey: own } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = String(publicKey.export({ type: 'spki', format: 'pem' }));
  const rule = { scheme: 'publicKey', credentialId: 'sender', header: 'x-signed', encoding: 'base64' };
  const signed = { 'x-signed': sign('sha256', Buffer.from(body), own).toString('base64') };

  test('of a kind that does not match the algorithm, or that is not a key, lets nothing through: 503', async () => {
    const wrong: [string, string][] = [
      ['ed25519', pem],
      ['rsa-sha256', pem],
      ['ecdsa-sha256', 'not-a-key'],
      ['ecdsa-sha256', '{"kty":"EC"}'],
    ];
    for (const [algorithm, secret] of wrong) {
      const service = await aSignedService({ signature: { ...rule, algorithm } }, { secrets: [secret] });
      expect(await service.receive({ body, headers: signed })).toEqual(
        aProblem(503, 'webhook-misconfigured'),
      );
    }
  });

  test('is never a shared secret', async () => {
    const forged = createHmac('sha256', pem).update(body).digest('hex');
    const { receive } = await aSignedService(
      { signature: { scheme: 'github', credentialId: 'sender' } },
      { secrets: [pem] },
    );
    const headers = { 'x-hub-signature-256': `sha256=${forged}` };
    expect(await receive({ body, headers })).toEqual(aProblem(503, 'webhook-misconfigured'));
  });
});
