import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import type { JsonObject } from '../../../../lib/contract/json.ts';
import type { WebhookEventChanges } from '../../../support/a-webhook-event.ts';

/** A request that a sender has signed. */
export interface SignedRequest {
  readonly name: string;
  /** The parameter, without its credential. */
  readonly rule: JsonObject;
  readonly secret: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly request: WebhookEventChanges & { readonly body: string; readonly headers: Record<string, string> };
  /** The header with the signature. */
  readonly signedIn: string;
  /** The header with the time, where there is one. */
  readonly timedIn?: string;
}

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

const ed25519 = generateKeyPairSync('ed25519');
const publicKey = Buffer.from(String(ed25519.publicKey.export({ format: 'jwk' }).x), 'base64url');
const signed = sign(null, Buffer.from('msg_1.1700000000.{"test": 1}'), ed25519.privateKey);

const twilioUrl = 'https://hooks.example.com/sms';
const twilioToken = 'token-of-twilio';
const hmac = (algorithm: string, key: string, text: string, encoding: 'hex' | 'base64') =>
  createHmac(algorithm, key).update(text).digest(encoding);

/** With the examples of the senders' documentation and of the tests of their packages, where there are any. */
export const signedRequests: readonly SignedRequest[] = [
  {
    name: 'github', // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
    rule: { scheme: 'github' },
    secret: "It's a Secret to Everybody",
    at: 1_700_000_000_000,
    request: {
      body: 'Hello, World!',
      headers: {
        'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      },
    },
    signedIn: 'x-hub-signature-256',
  },
  {
    name: 'slack', // https://docs.slack.dev/authentication/verifying-requests-from-slack
    rule: { scheme: 'slack' },
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    at: 1_531_420_618_000,
    request: {
      body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
      headers: {
        ...form,
        'x-slack-request-timestamp': '1531420618',
        'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
      },
    },
    signedIn: 'x-slack-signature',
    timedIn: 'x-slack-request-timestamp',
  },
  {
    name: 'standardWebhooks, shared secret', // the tests of https://github.com/standard-webhooks/standard-webhooks
    rule: { scheme: 'standardWebhooks' },
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    at: 1_614_265_330_000,
    request: {
      body: '{"test": 2432232314}',
      headers: {
        ...json,
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
    },
    signedIn: 'webhook-signature',
    timedIn: 'webhook-timestamp',
  },
  {
    name: 'standardWebhooks, public key',
    rule: { scheme: 'standardWebhooks' },
    secret: `whpk_${publicKey.toString('base64')}`,
    at: 1_700_000_000_000,
    request: {
      body: '{"test": 1}',
      headers: {
        ...json,
        'webhook-id': 'msg_1',
        'webhook-timestamp': '1700000000',
        'webhook-signature': `v1a,${signed.toString('base64')}`,
      },
    },
    signedIn: 'webhook-signature',
    timedIn: 'webhook-timestamp',
  },
  {
    name: 'stripe', // printf '1492774577.{"id": "evt_1"}' | openssl dgst -sha256 -hmac whsec_of_a_test
    rule: { scheme: 'stripe' },
    secret: 'whsec_of_a_test',
    at: 1_492_774_577_000,
    request: {
      body: '{"id": "evt_1"}',
      headers: {
        ...json,
        'stripe-signature':
          't=1492774577,v1=afba8bf66418156f31ac16a0f34498084c16a84c4067bb789a6db44171b4de23,v0=6ffb',
      },
    },
    signedIn: 'stripe-signature',
  },
  {
    name: 'shopify', // the tests of https://github.com/sqlpage/SQLPage
    rule: { scheme: 'shopify' },
    secret: 'test-webhook-secret',
    at: 1_700_000_000_000,
    request: {
      body: '{"id":1234567890,"email":"customer@example.com","total_price":"123.45"}',
      headers: { ...json, 'x-shopify-hmac-sha256': 'QNyObTlKbMx2qDlPF/ZOZcBqg5OgPg+2oky3zldc0Gw=' },
    },
    signedIn: 'x-shopify-hmac-sha256',
  },
  {
    name: 'twilio, a form',
    rule: { scheme: 'twilio', url: twilioUrl },
    secret: twilioToken,
    at: 1_700_000_000_000,
    request: {
      query: 'flow=1',
      body: 'To=%2B1800&Body=a+b&From=%2B1415',
      headers: {
        ...form,
        'x-twilio-signature': hmac(
          'sha1',
          twilioToken,
          `${twilioUrl}?flow=1Bodya bFrom+1415To+1800`,
          'base64',
        ),
      },
    },
    signedIn: 'x-twilio-signature',
  },
  {
    name: 'hmac, test case 1 of RFC 4231',
    rule: { scheme: 'hmac', header: 'X-Signature', algorithm: 'sha512', secretEncoding: 'hex' },
    secret: '0b'.repeat(20),
    at: 1_700_000_000_000,
    request: {
      body: 'Hi There',
      headers: {
        'x-signature':
          '87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854',
      },
    },
    signedIn: 'x-signature',
  },
  {
    name: 'hmac with a timestamp in milliseconds, a prefix and a template',
    rule: {
      scheme: 'hmac',
      header: 'x-signature',
      encoding: 'base64',
      prefix: 'v1:',
      timestampHeader: 'X-Timestamp',
      signed: '{method} {path}?{query}\n{headers.X-Id}.{timestamp}.{body}',
    },
    secret: 'secret-of-a-shop',
    at: 1_700_000_000_000,
    request: {
      query: 'a=1',
      body: '{"a":1}',
      headers: {
        ...json,
        'x-id': '7',
        'x-timestamp': '1700000000000',
        'x-signature': `v1:${hmac('sha256', 'secret-of-a-shop', 'POST /api/webhook/shop/orders?a=1\n7.1700000000000.{"a":1}', 'base64')}`,
      },
    },
    signedIn: 'x-signature',
    timedIn: 'x-timestamp',
  },
];
