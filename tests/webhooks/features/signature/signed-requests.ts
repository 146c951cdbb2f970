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
  /** The header with the time, where it has one of its own. */
  readonly timedIn?: string;
  /** Whether the time is signed: as it is with {@link timedIn}. */
  readonly isTimed?: boolean;
  /** 300 when absent. */
  readonly toleranceSeconds?: number;
  /** Another secret of the same kind; one of HMAC when absent. */
  readonly otherSecret?: string;
}

type Sign = (text: string, encoding?: 'hex' | 'base64') => string;

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

const ed25519 = generateKeyPairSync('ed25519');
const publicKey = Buffer.from(String(ed25519.publicKey.export({ format: 'jwk' }).x), 'base64url');
const otherPublicKey = Buffer.from(
  String(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x),
  'base64url',
);
const otherEcKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
  type: 'spki',
  format: 'der',
});
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const signed = sign(null, Buffer.from('msg_1.1700000000.{"test": 1}'), ed25519.privateKey);

const twilioUrl = 'https://hooks.example.com/sms';
const twilioToken = 'token-of-twilio';
const now = 1_700_000_000_000;
const seconds = String(now / 1_000);
const isoTime = '2023-11-14T22:13:20.000234626Z';
const event = '{"event":"paid","text":"ö"}';

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
    isTimed: true,
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
    name: 'standardWebhooks with the headers of Svix', // the same example: https://docs.svix.com/receiving/verifying-payloads/how-manual
    rule: { scheme: 'standardWebhooks' },
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    at: 1_614_265_330_000,
    request: {
      body: '{"test": 2432232314}',
      headers: {
        ...json,
        'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'svix-timestamp': '1614265330',
        'svix-signature': 'v1,abcdef v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
    },
    signedIn: 'svix-signature',
    timedIn: 'svix-timestamp',
  },
  {
    name: 'sendgrid', // the tests of https://github.com/sendgrid/sendgrid-nodejs
    rule: { scheme: 'sendgrid' },
    secret:
      'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==',
    at: 1_600_112_502_000,
    toleranceSeconds: 86_400,
    request: {
      body: `${JSON.stringify([
        {
          email: 'hello@world.com',
          event: 'dropped',
          reason: 'Bounced Address',
          sg_event_id: 'ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA',
          sg_message_id: 'LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0',
          'smtp-id': '<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>',
          timestamp: 1600112492,
        },
      ])}\r\n`,
      headers: {
        ...json,
        'x-twilio-email-event-webhook-timestamp': '1600112502',
        'x-twilio-email-event-webhook-signature':
          'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
      },
    },
    signedIn: 'x-twilio-email-event-webhook-signature',
    timedIn: 'x-twilio-email-event-webhook-timestamp',
    otherSecret: otherEcKey.toString('base64'),
  },
  {
    name: 'discord',
    rule: { scheme: 'discord' },
    secret: publicKey.toString('hex'),
    at: now,
    request: {
      body: event,
      headers: {
        ...json,
        'x-signature-timestamp': seconds,
        'x-signature-ed25519': sign(null, Buffer.from(`${seconds}${event}`), ed25519.privateKey).toString(
          'hex',
        ),
      },
    },
    signedIn: 'x-signature-ed25519',
    timedIn: 'x-signature-timestamp',
    otherSecret: otherPublicKey.toString('hex'),
  },
  {
    name: 'publicKey, RSA in PEM, over a timestamp in the same header',
    rule: {
      scheme: 'publicKey',
      algorithm: 'rsa-sha256',
      header: 'X-Signed',
      encoding: 'base64',
      prefix: 's=',
      timestampPrefix: 't=',
      signed: '{timestamp}.{body}',
    },
    secret: String(rsa.publicKey.export({ type: 'spki', format: 'pem' })),
    at: now,
    request: {
      body: event,
      headers: {
        ...json,
        'x-signed': `t=${seconds};s=${sign('sha256', Buffer.from(`${seconds}.${event}`), rsa.privateKey).toString('base64')}`,
      },
    },
    signedIn: 'x-signed',
    isTimed: true,
    otherSecret: String(otherRsa.publicKey.export({ type: 'spki', format: 'pem' })),
  },
  ...(
    [
      ['meta', 'x-hub-signature-256', {}, (sign) => `sha256=${sign(event)}`],
      ['x', 'x-twitter-webhooks-signature', {}, (sign) => `sha256=${sign(event, 'base64')}`],
      // https://github.com/PagerDuty/developer-docs/blob/main/docs/webhooks/04-Signatures.md
      ['pagerDuty', 'x-pagerduty-signature', {}, (sign) => `v1=${'0'.repeat(64)},v1=${sign(event)}`],
      ['asana', 'x-hook-signature', {}, (sign) => sign(event)],
      ['mux', 'mux-signature', {}, (sign) => `t=${seconds},v1=${sign(`${seconds}.${event}`)}`],
      [
        'calendly',
        'calendly-webhook-signature',
        {},
        (sign) => `t=${seconds},v1=${sign(`${seconds}.${event}`)}`,
      ],
      [
        'paddle',
        'paddle-signature',
        {},
        (sign) => `ts=${seconds};h1=${'0'.repeat(64)};h1=${sign(`${seconds}:${event}`)}`,
      ],
      [
        'zoom',
        'x-zm-signature',
        { 'x-zm-request-timestamp': seconds },
        (sign) => `v0=${sign(`v0:${seconds}:${event}`)}`,
      ],
      [
        'twitch',
        'twitch-eventsub-message-signature',
        {
          'twitch-eventsub-message-id': 'e76c6bd4-55c9-4987-8304-da1588d8988b',
          'twitch-eventsub-message-timestamp': isoTime,
        },
        (sign) => `sha256=${sign(`e76c6bd4-55c9-4987-8304-da1588d8988b${isoTime}${event}`)}`,
      ],
    ] satisfies [string, string, Record<string, string>, (sign: Sign) => string][]
  ).map(
    ([scheme, signedIn, others, toHeader]: [
      string,
      string,
      Record<string, string>,
      (sign: Sign) => string,
    ]) => {
      const secret = `secret-of-${scheme}`;
      const [timedIn] = Object.keys(others).filter((name) => name.endsWith('timestamp'));
      return {
        name: scheme,
        rule: { scheme },
        secret,
        at: now,
        request: {
          body: event,
          headers: {
            ...json,
            ...others,
            [signedIn]: toHeader((text, encoding = 'hex') => hmac('sha256', secret, text, encoding)),
          },
        },
        signedIn,
        ...(timedIn === undefined ? {} : { timedIn }),
        isTimed: ['mux', 'calendly', 'paddle', 'zoom', 'twitch'].includes(scheme),
        ...(scheme === 'twitch' ? { toleranceSeconds: 600 } : {}),
      };
    },
  ),
  {
    name: 'hmac by SHA-384, with a list of signatures, as during a rotation',
    rule: { scheme: 'hmac', header: 'x-signature', algorithm: 'sha384', prefix: 'sha384=' },
    secret: 'secret-of-a-list',
    at: now,
    request: {
      body: event,
      headers: {
        ...json,
        'x-signature': `sha384=${'0'.repeat(96)}, sha384=${hmac('sha384', 'secret-of-a-list', event, 'hex')}`,
      },
    },
    signedIn: 'x-signature',
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
