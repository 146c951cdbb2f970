import { findSnsAddresses } from '../sender/sns-addresses.ts';
import type { SignatureParameters } from './signature-rule.ts';

/** What a signature is made with. `equal` means that the request contains the secret itself. */
export type Algorithm =
  | 'sha1'
  | 'sha256'
  | 'sha384'
  | 'sha512'
  | 'ed25519'
  | 'ecdsa-sha256'
  | 'rsa-sha1'
  | 'rsa-sha256'
  | 'equal';

/**
 * Where in a request a value is: in the first of these headers that is present, or in the first of these body fields.
 */
export interface Place {
  /** Names of the headers, in lower case. */
  readonly headers?: readonly string[];
  /** Paths into a JSON or form body: `signature.token`. */
  readonly fields?: readonly string[];
  /**
   * What precedes each value. The field may be a list, separated by whichever of commas, semicolons and spaces the
   * prefix does not contain.
   */
  readonly prefix?: string;
}

/** A way of signing, with the format of its secret. */
export interface Way {
  readonly algorithm: Algorithm;
  readonly encoding: 'hex' | 'base64';
  /** The text before each signature in the header. */
  readonly prefix?: string;
  /** The prefix of the secret. Of several ways, the first one whose prefix the secret has is used, or else the last. */
  readonly secretPrefix?: string;
  /** How the secret is encoded; `text` by default. The format of public keys is detected. */
  readonly secretEncoding?: 'text' | 'hex' | 'base64';
}

/** Seconds since 1970 in 10 digits, milliseconds in 13, or an ISO 8601 time. */
export type TimestampFormat = NonNullable<SignatureParameters['timestampFormat']>;

/** How a sender signs, as data: how the scheme is verified, and which parameters it allows. */
export interface SchemeRow {
  /** Ways to sign a request; absent for schemes with their own code: `jwt`, and those signed with a certificate. */
  readonly ways?: readonly Way[];
  readonly signature?: Place;
  readonly timestamp?: Place;
  readonly id?: Place;
  /** The signed text as for `splitSigned`, plus `{id}` and `{crc32}`; the body by default. */
  readonly signed?: string;
  /** Where the certificate's URL is in the request, and which certificates are the sender's. */
  readonly certificate?: {
    readonly at: Place;
    readonly source: (rule: SignatureParameters) => {
      readonly hosts: readonly string[];
      /** The path of a certificate, which has no query. */
      readonly path: RegExp;
      /** To one of these names the certificate must be issued. */
      readonly names: readonly string[];
    };
  };
  /** How the timestamp is written; any form for a scheme that the rule itself describes. */
  readonly timestampFormat?: TimestampFormat;
  /**
   * How far the timestamp may differ from the current time: {@link DEFAULT_TOLERANCE_SECONDS} by default, longer for
   * senders whose retries keep the first timestamp.
   */
  readonly toleranceSeconds?: number;
  /** Whether the sender expects 401 for a wrong signature. */
  readonly wants401?: true;
  /** Required parameters; `credentialId` by default. */
  readonly needs?: readonly (keyof SignatureParameters)[];
  readonly takes?: readonly (keyof SignatureParameters)[];
}

export const DEFAULT_TOLERANCE_SECONDS = 300;

const [HOUR, DAY] = [3_600, 86_400];

const header = (...headers: string[]): Place => ({ headers });
const prefixed = (name: string, prefix: string): Place => ({ headers: [name], prefix });

const hex = (prefix = ''): readonly Way[] => [{ algorithm: 'sha256', encoding: 'hex', prefix }];
const base64 = (prefix = ''): readonly Way[] => [{ algorithm: 'sha256', encoding: 'base64', prefix }];
const token: readonly Way[] = [{ algorithm: 'equal', encoding: 'hex' }];

/** A scheme with headers like `t=1492774577,v1=5257a…,v1=…`: several signatures while the sender rotates its secret. */
const timed = (name: string, time: string, version: string, between: string): SchemeRow => ({
  ways: hex(`${version}=`),
  signature: header(name),
  timestamp: prefixed(name, `${time}=`),
  timestampFormat: 'seconds',
  signed: `{timestamp}${between}{body}`,
});

/** A scheme with headers like `v0=5257a…`, with the time in a separate header. */
const versioned = (name: string, timeName: string): SchemeRow => ({
  ways: hex('v0='),
  signature: header(name),
  timestamp: header(timeName),
  timestampFormat: 'seconds',
  signed: 'v0:{timestamp}:{body}',
});

const ofHmac = [
  'header',
  'encoding',
  'prefix',
  'signed',
  'timestampHeader',
  'timestampPrefix',
  'timestampFormat',
  'wrongSignatureStatus',
] as const;

const rows = {
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md, https://docs.svix.com/receiving/verifying-payloads/how-manual
  standardWebhooks: {
    ways: [
      { algorithm: 'ed25519', encoding: 'base64', prefix: 'v1a,', secretPrefix: 'whpk_' },
      {
        algorithm: 'sha256',
        encoding: 'base64',
        prefix: 'v1,',
        secretPrefix: 'whsec_',
        secretEncoding: 'base64',
      },
    ],
    signature: header('webhook-signature', 'svix-signature'),
    timestamp: header('webhook-timestamp', 'svix-timestamp'),
    timestampFormat: 'seconds',
    id: header('webhook-id', 'svix-id'),
    signed: '{id}.{timestamp}.{body}',
  },
  // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  github: { ways: hex('sha256='), signature: header('x-hub-signature-256') },
  // https://developers.facebook.com/docs/graph-api/webhooks/getting-started#validate-payloads
  meta: { ways: hex('sha256='), signature: header('x-hub-signature-256') },
  // https://docs.x.com/x-api/webhooks/quickstart
  x: { ways: base64('sha256='), signature: header('x-twitter-webhooks-signature') },
  // https://docs.stripe.com/webhooks#verify-manually; `v0` is for test events alone and proves nothing
  stripe: timed('stripe-signature', 't', 'v1', '.'),
  // https://www.mux.com/docs/core/verify-webhook-signatures
  mux: timed('mux-signature', 't', 'v1', '.'),
  // https://developer.calendly.com/api-docs/webhook-signatures
  calendly: timed('calendly-webhook-signature', 't', 'v1', '.'),
  // https://developer.paddle.com/webhooks/about/signature-verification
  paddle: timed('paddle-signature', 'ts', 'h1', ':'),
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: versioned('x-slack-signature', 'x-slack-request-timestamp'),
  // https://developers.zoom.us/docs/api/webhooks/#verify-webhook-events
  zoom: versioned('x-zm-signature', 'x-zm-request-timestamp'),
  // https://shopify.dev/docs/apps/build/webhooks/subscribe/https; the first is of the newer kind of subscription
  shopify: {
    ways: base64(),
    signature: header('shopify-hmac-sha256', 'x-shopify-hmac-sha256'),
    wants401: true,
  },
  // https://developer.xero.com/documentation/guides/webhooks/configuring-your-server/
  xero: { ways: base64(), signature: header('x-xero-signature'), wants401: true },
  // https://developer.pagerduty.com/docs/webhooks-signatures
  pagerDuty: { ways: hex('v1='), signature: header('x-pagerduty-signature') },
  // https://developers.asana.com/docs/webhooks-guide#security
  asana: { ways: hex(), signature: header('x-hook-signature') },
  // https://dev.twitch.tv/docs/eventsub/handling-webhook-events/#verifying-the-event-message
  twitch: {
    ways: hex('sha256='),
    signature: header('twitch-eventsub-message-signature'),
    timestamp: header('twitch-eventsub-message-timestamp'),
    timestampFormat: 'iso8601',
    id: header('twitch-eventsub-message-id'),
    signed: '{id}{timestamp}{body}',
    toleranceSeconds: 600,
  },
  // https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks; retried for eight hours
  mailgun: {
    ways: hex(),
    signature: { fields: ['signature.signature', 'signature'] },
    timestamp: { fields: ['signature.timestamp', 'timestamp'] },
    timestampFormat: 'seconds',
    id: { fields: ['signature.token', 'token'] },
    signed: '{timestamp}{id}',
    toleranceSeconds: DAY,
  },
  // https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint-validating-security-request-headers
  discord: {
    ways: [{ algorithm: 'ed25519', encoding: 'hex' }],
    signature: header('x-signature-ed25519'),
    timestamp: header('x-signature-timestamp'),
    timestampFormat: 'seconds',
    signed: '{timestamp}{body}',
    wants401: true,
  },
  // https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features; retried for a day
  sendgrid: {
    ways: [{ algorithm: 'ecdsa-sha256', encoding: 'base64' }],
    signature: header('x-twilio-email-event-webhook-signature'),
    timestamp: header('x-twilio-email-event-webhook-timestamp'),
    timestampFormat: 'seconds',
    signed: '{timestamp}{body}',
    toleranceSeconds: DAY,
  },
  // https://docs.gitlab.com/user/project/integrations/webhooks/#validate-payloads-by-using-a-secret-token
  gitlab: { ways: token, signature: header('x-gitlab-token') },
  // https://core.telegram.org/bots/api#setwebhook
  telegram: { ways: token, signature: header('x-telegram-bot-api-secret-token') },
  // https://developer.paypal.com/api/rest/webhooks/rest/#link-selfverificationmethod; retried for three days
  paypal: {
    ways: [{ algorithm: 'rsa-sha256', encoding: 'base64' }],
    signature: header('paypal-transmission-sig'),
    timestamp: header('paypal-transmission-time'),
    timestampFormat: 'iso8601',
    id: header('paypal-transmission-id'),
    signed: '{id}|{timestamp}|{webhookId}|{crc32}',
    certificate: {
      at: header('paypal-cert-url'),
      source: () => ({
        hosts: ['api', 'api-m', 'api.sandbox', 'api-m.sandbox'].map((name) => `${name}.paypal.com`),
        path: /^\/v1\/notifications\/certs\/CERT-[A-Za-z0-9-]{1,100}$/,
        names: ['', 'sandbox.'].map((part) => `messageverificationcerts.${part}paypal.com`),
      }),
    },
    toleranceSeconds: 3 * DAY,
    needs: ['webhookId'],
  },
  // https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html; retried for an hour
  sns: {
    timestamp: { fields: ['Timestamp'] },
    timestampFormat: 'iso8601',
    certificate: {
      at: { fields: ['SigningCertURL'] },
      source: ({ topicArn = '' }) => {
        const { host, names } = findSnsAddresses(topicArn);
        return { hosts: [host], path: /^\/SimpleNotificationService-[A-Za-z0-9]{1,100}\.pem$/, names };
      },
    },
    toleranceSeconds: HOUR + DEFAULT_TOLERANCE_SECONDS,
    needs: ['topicArn'],
  },
  // https://plaid.com/docs/api/webhooks/webhook-verification/
  plaid: { takes: ['toleranceSeconds'] },
  // https://www.twilio.com/docs/usage/webhooks/webhooks-security#validating-signatures-from-twilio
  twilio: {
    ways: [{ algorithm: 'sha1', encoding: 'base64' }],
    signature: header('x-twilio-signature'),
    takes: ['url'],
  },
  jwt: {
    needs: ['algorithms'],
    takes: ['credentialId', 'jwksUrl', 'issuer', 'audience', 'secretEncoding', 'toleranceSeconds'],
  },
  token: { needs: ['credentialId', 'header'], takes: ['prefix', 'wrongSignatureStatus'] },
  hmac: {
    needs: ['credentialId', 'header'],
    takes: [...ofHmac, 'algorithm', 'toleranceSeconds', 'url', 'secretEncoding'],
  },
  publicKey: {
    needs: ['credentialId', 'header', 'algorithm'],
    takes: [...ofHmac, 'toleranceSeconds', 'url'],
  },
} satisfies Record<string, SchemeRow>;

/** How senders sign, by the name of the scheme. */
export const schemes: Readonly<Record<keyof typeof rows, SchemeRow>> = rows;

export type SignatureRule = SignatureParameters & { readonly scheme: keyof typeof rows };

const ofAny = (rule: SignatureRule): SchemeRow => {
  const { header: name = '', prefix = '', encoding = 'hex', secretEncoding = 'text', signed } = rule;
  const { timestampHeader, timestampPrefix, wrongSignatureStatus } = rule;
  const algorithm = rule.scheme === 'token' ? 'equal' : (rule.algorithm ?? 'sha256');
  const timeIn = timestampHeader ?? (timestampPrefix === undefined ? undefined : name);
  return {
    ways: [{ algorithm, encoding, prefix, secretEncoding }],
    signature: header(name.toLowerCase()),
    ...(timeIn === undefined ? {} : { timestamp: prefixed(timeIn.toLowerCase(), timestampPrefix ?? '') }),
    ...(signed === undefined ? {} : { signed }),
    ...(wrongSignatureStatus === 401 ? { wants401: true } : {}),
  };
};

/** How the requests for a rule are signed: as the row of its scheme says, or as the rule itself describes. */
export const toSchemeRow = (rule: SignatureRule): SchemeRow => {
  const row = schemes[rule.scheme];
  return rule.header === undefined ? row : ofAny(rule);
};
