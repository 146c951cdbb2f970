import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { aSignedService } from '../../../support/a-signed-service.ts';
import { signedRequests } from './signed-requests.ts';

interface Sent {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the sample in a sender's documentation decides, at the time of the request. */
type Sample = (sent: Sent, secret: string) => boolean;

interface Documented {
  readonly scheme: string;
  readonly sample: Sample;
  readonly secret: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly sent: Sent;
  readonly otherSecret: string;
  /** The request with one thing spoilt. */
  readonly spoilt: Readonly<Record<string, Sent>>;
}

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text);
const isSame = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Senders that publish the steps, but no request that is signed with a secret that they show. */
const samples: Readonly<Record<string, Sample>> = {
  // https://developers.facebook.com/docs/messenger-platform/webhooks#validate-payloads
  meta: ({ body, headers }, secret) => {
    const [, hash = ''] = (headers['x-hub-signature-256'] ?? '').split('=');
    return hash === hmac(secret, body).digest('hex');
  },
  // https://docs.x.com/x-api/webhooks/quickstart: the base64 of the hash, behind "sha256="
  x: ({ body, headers }, secret) =>
    isSame(headers['x-twitter-webhooks-signature'] ?? '', `sha256=${hmac(secret, body).digest('base64')}`),
  // https://github.com/Asana/devrel-examples/tree/master/javascript/webhooks-nodejs: of the body, parsed and written again
  asana: ({ body, headers }, secret) =>
    isSame(headers['x-hook-signature'] ?? '', hmac(secret, JSON.stringify(JSON.parse(body))).digest('hex')),
  // https://developer.calendly.com/api-docs/4c305798a61d3-webhook-signatures
  calendly: ({ body, headers }, secret) => {
    const pairs = (headers['calendly-webhook-signature'] ?? '').split(',').map((pair) => pair.split('='));
    const { t = '', v1 = '' } = Object.fromEntries(pairs) as Record<string, string>;
    return v1 === hmac(secret, `${t}.${body}`).digest('hex');
  },
};

const event = '{"event":"paid","text":"ö"}';
const json = { 'content-type': 'application/json' };

const ofTable = (scheme: string, sample: Sample): Documented => {
  const found = signedRequests.find(({ name }) => name === scheme);
  if (found === undefined) throw new Error(scheme);
  const { secret, at, request, signedIn } = found;
  const { body, headers } = request;
  const signature = headers[signedIn] ?? '';
  const cut = {
    ...headers,
    [signedIn]: `${signature.slice(0, -2)}${signature.endsWith('0=') ? '1=' : '00'}`,
  };
  return {
    scheme,
    sample,
    secret,
    at,
    sent: request,
    otherSecret: 'secret-of-another',
    spoilt: {
      'another body': { body: body.replace('paid', 'void'), headers },
      'another signature': { body, headers: cut },
    },
  };
};

/** https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks */
const mailgun = (): Documented => {
  const secret = 'signing-key-of-mailgun';
  const timestamp = '1700000000';
  const token = 'e0b5477167110d68991efc6b9f89f0a11066af27834600e123';
  const signature = hmac(secret, timestamp.concat(token)).digest('hex');
  const toSent = (changes: Readonly<Record<string, string>>): Sent => ({
    headers: json,
    body: JSON.stringify({ signature: { timestamp, token, signature, ...changes }, 'event-data': {} }),
  });
  return {
    scheme: 'mailgun',
    sample: ({ body }, key) => {
      const { signature: of } = JSON.parse(body);
      return hmac(key, of.timestamp.concat(of.token)).digest('hex') === of.signature;
    },
    secret,
    at: 1_700_000_000_000,
    sent: toSent({}),
    otherSecret: 'signing-key-of-another',
    spoilt: {
      'another token': toSent({ token: token.replace('e', 'f') }),
      'another time': toSent({ timestamp: '1700000001' }),
      'another signature': toSent({ signature: '0'.repeat(64) }),
    },
  };
};

/** https://support.plaid.com/hc/en-us/articles/360041410794-Webhook-verification-example, by the key at hand */
const verifyAsPlaid =
  (at: number): Sample =>
  ({ body, headers }, secret) => {
    const [header = '', claims = '', signature = ''] = (headers['plaid-verification'] ?? '').split('.');
    const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    const key = JSON.parse(secret);
    if (parse(header).alg !== 'ES256' || parse(header).kid !== key.kid || key.expired_at !== null)
      return false;
    const publicKey = { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
    const bytes = Buffer.from(signature, 'base64url');
    if (!verify('sha256', Buffer.from(`${header}.${claims}`), publicKey, bytes)) return false;
    const { iat, request_body_sha256: hash } = parse(claims);
    return iat >= at / 1_000 - 300 && isSame(createHash('sha256').update(body).digest('hex'), hash);
  };

const plaid = async (): Promise<Documented> => {
  const at = 1_700_000_000_000;
  const [own, other] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')];
  const toSecret = async ({ publicKey }: typeof own, expiredAt: number | null = null) =>
    JSON.stringify({
      ...(await exportJWK(publicKey)),
      alg: 'ES256',
      kid: 'key-1',
      use: 'sig',
      expired_at: expiredAt,
    });
  const toSent = async (iat: number, body = event): Promise<Sent> => {
    const claims = { iat, request_body_sha256: createHash('sha256').update(event).digest('hex') };
    const header = { alg: 'ES256', kid: 'key-1', typ: 'JWT' };
    const token = await new SignJWT(claims).setProtectedHeader(header).sign(own.privateKey);
    return { body, headers: { ...json, 'plaid-verification': token } };
  };
  return {
    scheme: 'plaid',
    sample: verifyAsPlaid(at),
    secret: await toSecret(own),
    at,
    sent: await toSent(at / 1_000),
    otherSecret: await toSecret(other),
    spoilt: {
      'another body': await toSent(at / 1_000, event.replace('paid', 'void')),
      'an old time': await toSent(at / 1_000 - 400),
    },
  };
};

const documented: [string, () => Documented | Promise<Documented>][] = [
  ...Object.entries(samples).map(([scheme, sample]): [string, () => Documented] => [
    scheme,
    () => ofTable(scheme, sample),
  ]),
  ['mailgun', mailgun],
  ['plaid', plaid],
];

describe.each(documented)('agrees with the sample in the documentation of %s', (_name, make) => {
  test('on a request, and on one with one thing altered', async () => {
    const { scheme, sample, secret, at, sent, otherSecret, spoilt } = await make();
    const signature = { scheme, credentialId: 'sender' };
    const service = await aSignedService({ signature }, { secrets: [secret], at });
    const others = await aSignedService({ signature }, { secrets: [otherSecret], at });
    expect([sample(sent, secret), await service.send(sent)]).toEqual([true, 200]);
    expect([sample(sent, otherSecret), await others.send(sent)]).toEqual([false, 403]);
    for (const [name, request] of Object.entries(spoilt))
      expect([name, sample(request, secret), await service.send(request)]).toEqual([name, false, 403]);
    expect(service.executions.records()).toHaveLength(1);
  });
});

test('an expired Plaid key verifies nothing, alone or in a set', async () => {
  const { secret, at, sent, sample, otherSecret } = await plaid();
  const expired = { ...JSON.parse(secret), expired_at: 1_690_000_000 };
  expect(sample(sent, JSON.stringify(expired))).toBe(false);
  const statusOf = async (stored: unknown, before = '') => {
    const signature = { scheme: 'plaid', credentialId: 'sender' };
    const secrets = [`${before}${JSON.stringify(stored)}`];
    return (await aSignedService({ signature }, { secrets, at })).send(sent);
  };
  expect(await statusOf(expired)).toBe(403);
  expect(await statusOf(expired, '\n ')).toBe(403);
  expect(await statusOf({ keys: [expired] })).toBe(403);
  expect(await statusOf({ keys: [{ ...JSON.parse(otherSecret), kid: 'key-2' }, JSON.parse(secret)] })).toBe(
    200,
  );
});
