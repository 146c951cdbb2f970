import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import type { JsonObject } from '@hookloom/plugin-kit';
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
    name: 'xero',
    rule: { scheme: 'xero' },
    secret: 'webhooks-key-of-xero',
    at: now,
    request: {
      body: '{"events":[],"firstEventSequence":0,"lastEventSequence":0,"entropy":"S0m3r4Nd0mt3xt"}',
      headers: {
        ...json,
        'x-xero-signature': hmac(
          'sha256',
          'webhooks-key-of-xero',
          '{"events":[],"firstEventSequence":0,"lastEventSequence":0,"entropy":"S0m3r4Nd0mt3xt"}',
          'base64',
        ),
      },
    },
    signedIn: 'x-xero-signature',
  },
  {
    name: 'hmac, of a sender that checks for 401',
    rule: { scheme: 'hmac', header: 'x-signature', wrongSignatureStatus: 401 },
    secret: 'secret-of-a-shop',
    at: now,
    request: {
      body: event,
      headers: { ...json, 'x-signature': hmac('sha256', 'secret-of-a-shop', event, 'hex') },
    },
    signedIn: 'x-signature',
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
  {
    name: 'mux', // the tests of https://github.com/muxinc/mux-node-sdk
    rule: { scheme: 'mux' },
    secret: 'SuperSecret123',
    at: 1_565_125_718_000,
    request: {
      body: '{"test":"body"}',
      headers: {
        ...json,
        'mux-signature': 't=1565125718,v1=854ece4c22acef7c66b57d4e504153bc512595e8e9c772ece2a68150548c19a7',
      },
    },
    signedIn: 'mux-signature',
    isTimed: true,
  },
  {
    name: 'paddle, during a rotation', // the tests of https://github.com/PaddleHQ/paddle-node-sdk, the first hash spoilt
    rule: { scheme: 'paddle' },
    secret: 'VALID_SECRET',
    at: 1_698_796_800_000,
    request: {
      body: '{"data": "value"}',
      headers: {
        ...json,
        'paddle-signature':
          'ts=1698796800;h1=00981e941fae76e53db32f3d2a83cb69db41476595e84e1970a1b5d98f62b261;h2=RANDOM_HASH;h1=28981e941fae76e53db32f3d2a83cb69db41476595e84e1970a1b5d98f62b261',
      },
    },
    signedIn: 'paddle-signature',
    isTimed: true,
  },
  {
    name: 'pagerDuty', // the tests of https://github.com/PagerDuty/go-pagerduty
    rule: { scheme: 'pagerDuty' },
    secret: 'lDQHScfUeXUKaQRNF+8XIiDKZ7XX3itBAYzwU0TARw8lJqRnkKl2iB1anSb0Z+IK',
    at: now,
    request: {
      body: '{"event":{"id":"01BWDWL3NYY7LUFPZCC28QUCMK","event_type":"incident.priority_updated","resource_type":"incident","occurred_at":"2021-04-26T17:36:27.458Z","agent":{"html_url":"https://acme.pagerduty.com/users/PLH1HKV","id":"PLH1HKV","self":"https://api.pagerduty.com/users/PLH1HKV","summary":"Tenex Engineer","type":"user_reference"},"client":null,"data":{"id":"PGR0VU2","type":"incident","self":"https://api.pagerduty.com/incidents/PGR0VU2","html_url":"https://acme.pagerduty.com/incidents/PGR0VU2","number":2,"status":"triggered","title":"A little bump in the road","service":{"html_url":"https://acme.pagerduty.com/services/PF9KMXH","id":"PF9KMXH","self":"https://api.pagerduty.com/services/PF9KMXH","summary":"API Service","type":"service_reference"},"assignees":[{"html_url":"https://acme.pagerduty.com/users/PTUXL6G","id":"PTUXL6G","self":"https://api.pagerduty.com/users/PTUXL6G","summary":"User 123","type":"user_reference"}],"escalation_policy":{"html_url":"https://acme.pagerduty.com/escalation_policies/PUS0KTE","id":"PUS0KTE","self":"https://api.pagerduty.com/escalation_policies/PUS0KTE","summary":"Default","type":"escalation_policy_reference"},"teams":[{"html_url":"https://acme.pagerduty.com/teams/PFCVPS0","id":"PFCVPS0","self":"https://api.pagerduty.com/teams/PFCVPS0","summary":"Engineering","type":"team_reference"}],"priority":{"html_url":"https://acme.pagerduty.com/account/incident_priorities","id":"PSO75BM","self":"https://api.pagerduty.com/priorities/PSO75BM","summary":"P1","type":"priority_reference"},"urgency":"high","conference_bridge":{"conference_number":1000,"conference_url":"https://example.com"},"resolve_reason":null}}}',
      headers: {
        ...json,
        'x-pagerduty-signature': 'v1=0c0b9495b893a39e70d1fea2fe11fbe0a825f88b9f67846f6cc07dd2bc5476cd',
      },
    },
    signedIn: 'x-pagerduty-signature',
  },
  {
    name: 'twitch', // the tests of https://github.com/twitch-rs/twitch_api
    rule: { scheme: 'twitch' },
    secret: 'secretabcd',
    at: 1_613_778_420_809,
    toleranceSeconds: 600,
    request: {
      body: '{"subscription":{"id":"ae2ff348-e102-16be-a3eb-6830c1bf38d2","status":"enabled","type":"channel.follow","version":"1","condition":{"broadcaster_user_id":"44429626"},"transport":{"method":"webhook","callback":"null"},"created_at":"2021-02-19T23:47:00.7621315Z"},"event":{"user_id":"28408015","user_login":"testFromUser","user_name":"testFromUser","broadcaster_user_id":"44429626","broadcaster_user_login":"44429626","broadcaster_user_name":"testBroadcaster"}}',
      headers: {
        ...json,
        'twitch-eventsub-message-id': 'ae2ff348-e102-16be-a3eb-6830c1bf38d2',
        'twitch-eventsub-message-timestamp': '2021-02-19T23:47:00.8091512Z',
        'twitch-eventsub-message-signature':
          'sha256=d10f5bd9474b7ac7bd7105eb79c2d52768b4d0cd2a135982c3bf5a1d59a78823',
      },
    },
    signedIn: 'twitch-eventsub-message-signature',
    timedIn: 'twitch-eventsub-message-timestamp',
  },
  {
    name: 'zoom', // accepted by @zoom/rivet 0.4.0, which is under terms of Zoom's own
    rule: { scheme: 'zoom' },
    secret: 'secret-of-zoom',
    at: now,
    request: {
      body: event,
      headers: {
        ...json,
        'x-zm-request-timestamp': seconds,
        'x-zm-signature': 'v0=11ac187e304c03aa5f923ae0af139d6626820b1f90718da12632aaf7d69506e9',
      },
    },
    signedIn: 'x-zm-signature',
    timedIn: 'x-zm-request-timestamp',
  },
  ...(
    [
      ['meta', 'x-hub-signature-256', (sign) => `sha256=${sign(event)}`],
      ['x', 'x-twitter-webhooks-signature', (sign) => `sha256=${sign(event, 'base64')}`],
      ['asana', 'x-hook-signature', (sign) => sign(event)],
      ['calendly', 'calendly-webhook-signature', (sign) => `t=${seconds},v1=${sign(`${seconds}.${event}`)}`],
    ] satisfies [string, string, (sign: Sign) => string][]
  ).map(([scheme, signedIn, toHeader]: [string, string, (sign: Sign) => string]) => {
    const secret = `secret-of-${scheme}`;
    const signature = toHeader((text, encoding = 'hex') => hmac('sha256', secret, text, encoding));
    return {
      name: scheme,
      rule: { scheme },
      secret,
      at: now,
      request: { body: event, headers: { ...json, [signedIn]: signature } },
      signedIn,
      isTimed: scheme === 'calendly',
    };
  }),
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
