import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { type Answer, answerJson } from '../../../shared/answer.ts';
import { HANDSHAKE_REFUSED, HANDSHAKE_UNCONFIRMED } from '../../../shared/error-catalogue.ts';
import { AppError, Refusal } from '../../../shared/errors.ts';
import { parseUrlEncoded } from '../../parse-url-encoded.ts';
import type { Webhook, WebhookRequest } from '../../webhook.ts';
import type { FeaturePorts, Stages } from '../../webhook-feature.ts';
import { signToken } from '../sender/handshake-token.ts';
import { isEqual } from '../sender/is-equal.ts';
import { toOriginTest } from '../sender/match-origin.ts';
import { senderSecrets } from '../sender/sender-secrets.ts';
import { findSnsAddresses } from '../sender/sns-addresses.ts';
import { readFields } from '../signature/read-request.ts';
import type { HandshakeRule } from './handshake-rule.ts';

/** Maximum length of a challenge; real ones take a few hundred characters. */
const MAX_CHALLENGE_LENGTH = 4_096;

/** Echoes the text as plain text, so that no browser renders it as a page. */
export const answerText = (body: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body,
});

/** Checks that a challenge can be echoed. @throws AppError `HANDSHAKE_REFUSED` */
export const checkChallenge = (challenge: unknown): string => {
  if (typeof challenge !== 'string' || challenge === '') return refuseHandshake('it has no challenge');
  if (challenge.length > MAX_CHALLENGE_LENGTH) return refuseHandshake('its challenge is too long');
  return challenge;
};

/** Refuses a handshake. @param reason - for the log */
const refuseHandshake = (reason: string): never => {
  throw new AppError(HANDSHAKE_REFUSED, {}, new Refusal(`handshake: ${reason}`));
};

/**
 * How senders verify a URL, each at the safest possible stage: `admit` for requests without authentication and
 * signature, `verify` after both, `judge` with the parsed body.
 */
type Handshake = (rule: HandshakeRule, ports: FeaturePorts) => Stages;

const byQuery = (
  field: string,
  answer: (value: JsonValue, query: JsonObject) => Answer | Promise<Answer>,
): Stages => ({
  admit: ({ request }) => {
    if (request.method !== 'GET') return null;
    const query = parseUrlEncoded(request.rawQueryString);
    const value = query[field];
    return value === undefined ? null : answer(value, query);
  },
});

const byBody = (answer: (body: JsonObject, request: WebhookRequest) => Answer | null): Stages => ({
  judge: ({ input: { body = null }, request }) => (isPlainObject(body) ? answer(body, request) : null),
});

const signChallenge = async (
  token: unknown,
  encoding: 'hex' | 'base64',
  rule: HandshakeRule,
  ports: FeaturePorts,
) =>
  signToken(token, await senderSecrets(ports).current(rule.credentialId ?? ''), encoding) ??
  refuseHandshake('the value to sign is not a token');

/** Documented at https://docs.slack.dev/reference/events/url_verification */
const slack: Handshake = () =>
  byBody((body) => (body.type === 'url_verification' ? answerText(checkChallenge(body.challenge)) : null));

/** Documented at https://docs.github.com/webhooks/webhook-events-and-payloads#ping */
const github: Handshake = () => ({
  verify: ({ request }) => (request.headers['x-github-event'] === 'ping' ? answerText('pong') : null),
});

/** Documented at https://developers.facebook.com/docs/graph-api/webhooks/getting-started#verification-requests */
const meta: Handshake = ({ credentialId = '' }, ports) => ({
  admit: async ({ request }) => {
    if (request.method !== 'GET') return null;
    const query = parseUrlEncoded(request.rawQueryString);
    if (query['hub.mode'] !== 'subscribe') return null;
    const challenge = checkChallenge(query['hub.challenge']);
    const given = String(query['hub.verify_token'] ?? '');
    const isRight = await senderSecrets(ports).some(credentialId, (token) => isEqual(given, token));
    return isRight ? answerText(challenge) : refuseHandshake('the verify token is wrong');
  },
});

/**
 * Documented at https://learn.microsoft.com/graph/change-notifications-delivery-webhooks#notificationurl-validation;
 * SharePoint writes the name in lower case:
 * https://learn.microsoft.com/sharepoint/dev/apis/webhooks/overview-sharepoint-webhooks#create-a-new-webhook
 */
const microsoftGraph: Handshake = () => ({
  verify: ({ request }) => {
    const { validationToken, validationtoken = validationToken } = parseUrlEncoded(request.rawQueryString);
    return validationtoken === undefined ? null : answerText(checkChallenge(validationtoken));
  },
});

/** X's challenge-response check: https://docs.x.com/x-api/webhooks/quickstart */
const x: Handshake = (rule, ports) =>
  byQuery('crc_token', async (token) =>
    answerJson(200, { response_token: `sha256=${await signChallenge(token, 'base64', rule, ports)}` }),
  );

/** Documented at https://developers.zoom.us/docs/api/webhooks/#validate-your-webhook-endpoint */
const zoom: Handshake = (rule, ports) => ({
  judge: async ({ input: { body } }) => {
    if (!isPlainObject(body) || body.event !== 'endpoint.url_validation') return null;
    const { plainToken = null } = isPlainObject(body.payload) ? body.payload : {};
    return answerJson(200, {
      plainToken,
      encryptedToken: await signChallenge(plainToken, 'hex', rule, ports),
    });
  },
});

const HOOK_SECRET = /^[A-Za-z0-9_-]{16,200}$/;

/**
 * Echoes the secret without storing it: the credential holds it.
 * https://developers.asana.com/docs/webhooks-guide#the-webhook-handshake
 */
const asana: Handshake = () => ({
  admit: ({ request: { headers, method } }) => {
    const secret = headers['x-hook-secret'];
    if (method !== 'POST' || secret === undefined) return null;
    if (!HOOK_SECRET.test(secret))
      return refuseHandshake('its X-Hook-Secret does not have the format of Asana');
    return { ...answerText(''), headers: { 'x-hook-secret': secret, 'cache-control': 'no-store' } };
  },
});

/**
 * Answers Discord's PING: the PING of interactions has type 1; the PING of webhook events has type 0, where 1 is an
 * event. https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint-acknowledging-ping-requests,
 * https://docs.discord.com/developers/events/webhook-events#preparing-for-events
 */
const discord: Handshake = () =>
  byBody(({ type, version, event }) => {
    if (type === 1 && version === undefined && event === undefined) return answerJson(200, { type: 1 });
    return type === 0 && version !== undefined ? { status: 204, headers: {}, body: null } : null;
  });

/** Documented at https://dev.twitch.tv/docs/eventsub/handling-webhook-events/#responding-to-a-challenge-request */
const twitch: Handshake = () =>
  byBody(({ challenge = null }, { headers }) =>
    headers['twitch-eventsub-message-type'] === 'webhook_callback_verification'
      ? answerText(checkChallenge(challenge))
      : null,
  );

const CONFIRMATION_TIMEOUT_MS = 5_000;

/**
 * Confirms a subscription at the URL in the signed message, only at SNS in the region of the topic; unsubscribe messages
 * are acknowledged.
 * https://docs.aws.amazon.com/sns/latest/dg/SendMessageToHttp.prepare.html
 */
const sns: Handshake = (_rule, { http }) => ({
  verify: async ({ request, webhook }) => {
    const type = request.headers['x-amz-sns-message-type'];
    if (type !== 'SubscriptionConfirmation' && type !== 'UnsubscribeConfirmation') return null;
    // The header is not signed; and without `signature`, nothing is.
    const { signature = null } = webhook.config.features ?? {};
    const message = readFields(request);
    if (!isPlainObject(signature) || signature.scheme !== 'sns' || message.Type !== type)
      return refuseHandshake('its message is not a signed subscription message');
    if (type === 'UnsubscribeConfirmation') return answerText('');
    await confirmSubscription(String(message.SubscribeURL), String(signature.topicArn), http);
    return answerText('confirmed');
  },
});

/** @throws AppError `HANDSHAKE_REFUSED` | `HANDSHAKE_UNCONFIRMED` */
const confirmSubscription = async (
  text: string,
  topicArn: string,
  http: FeaturePorts['http'],
): Promise<void> => {
  const url = URL.parse(text);
  const isOfSns = url?.protocol === 'https:' && url.host === findSnsAddresses(topicArn).host;
  if (!isOfSns || url.username + url.password !== '' || url.pathname !== '/')
    return refuseHandshake("its SubscribeURL is not on the SNS host of the topic's region");
  const { searchParams } = url;
  if (searchParams.get('Action') !== 'ConfirmSubscription' || searchParams.get('TopicArn') !== topicArn)
    return refuseHandshake('its SubscribeURL does not confirm a subscription to the topic');
  try {
    const { status } = await http.request({
      method: 'GET',
      url: url.href,
      headers: {},
      body: null,
      timeoutMs: CONFIRMATION_TIMEOUT_MS,
      maxRedirects: 0,
      maxResponseBytes: 65_536,
      signal: new AbortController().signal,
    });
    if (status !== 200) throw new Error(`SNS returned ${status}`);
  } catch (error) {
    throw new AppError(HANDSHAKE_UNCONFIRMED, {}, error);
  }
};

const ORIGIN = /^[\x21-\x7e]{1,300}$/;

/** Documented at https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md#4-abuse-protection */
const cloudEvents: Handshake = ({ origins }) => {
  const isAllowed = origins === undefined ? () => true : toOriginTest(origins);
  return {
    admit: ({ request: { method, headers }, webhook }) => {
      const origin = headers['webhook-request-origin'];
      if (method !== 'OPTIONS' || origin === undefined) return null;
      if (!ORIGIN.test(origin) || !isAllowed(origin))
        return refuseHandshake('its WebHook-Request-Origin is not allowed');
      return {
        status: 200,
        headers: {
          'webhook-allowed-origin': origin,
          'webhook-allowed-rate': rateOf(webhook),
          allow: webhook.config.method,
        },
        body: null,
      };
    },
  };
};

/** Requests per minute, from the webhook's `rateLimit`. */
const rateOf = ({ config: { features } }: Webhook): string => {
  const { requests, seconds } = (features?.rateLimit ?? {}) as { requests?: number; seconds?: number };
  return requests === undefined || seconds === undefined
    ? '*'
    : String(Math.max(1, Math.floor((requests * 60) / seconds)));
};

/** All except `custom`, which loads the expression engine. */
export const handshakes: Readonly<Record<Exclude<HandshakeRule['scheme'], 'custom'>, Handshake>> = {
  slack,
  github,
  meta,
  microsoftGraph,
  x,
  zoom,
  asana,
  discord,
  twitch,
  sns,
  cloudEvents,
};
