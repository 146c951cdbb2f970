import { beforeAll, describe, expect, test } from '@jest/globals';
import { toRequestRecord } from '../../../lib/webhooks/requests/to-request-record.ts';
import { aJsonEvent, aWebhookEvent, type WebhookEventChanges } from '../../support/a-webhook-event.ts';
import { type AWorkflow, aWebhookService, type WebhookService } from '../../support/a-webhook-service.ts';
import { plantedSecrets } from '../../support/planted-secrets.ts';
import { findSecrets } from '../../support/secret-forms.ts';

const headerSafe = plantedSecrets
  .map((secret) => secret.replaceAll(/[^\x21-\x7e]/g, '-'))
  .filter((secret) => !/[ ,;=]/.test(secret));
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const json = (value: unknown) => JSON.stringify(value);

/** Where a sender's secret may be in a request. */
const places: Readonly<Record<string, (secret: string) => WebhookEventChanges>> = {
  'a header with a credential': (secret) => ({ headers: { 'x-api-key': secret } }),
  'a bearer token': (secret) => ({ headers: { authorization: `Bearer ${secret}` } }),
  'a basic login': (secret) => ({ headers: { authorization: `Basic ${btoa(`ann:${secret}`)}` } }),
  'a cookie': (secret) => ({ headers: { cookie: `a=1; session=${secret}` } }),
  'the header and the path': (secret) => ({ headers: { 'x-api-key': secret }, path: `hooks/${secret}` }),
  'the header and the query': (secret) => ({
    headers: { 'x-api-key': secret },
    query: `q=${encodeURIComponent(secret)}`,
  }),
  'the header and the body': (secret) => ({ headers: { 'x-api-key': secret }, body: json({ note: secret }) }),
  'the login and the body': (secret) => ({
    headers: { authorization: `Basic ${btoa(`ann:${secret}`)}` },
    body: json({ note: secret }),
  }),
  'another header': (secret) => ({ headers: { 'x-api-key': secret, 'x-debug': `key ${secret}` } }),
  'the query': (secret) => ({ query: `a=1&api_key=${encodeURIComponent(secret)}` }),
  'a verify token': (secret) => ({ query: `hub.verify_token=${encodeURIComponent(secret)}` }),
  'a field of the body': (secret) => ({ body: json({ user: { password: secret } }) }),
  'a map in the body': (secret) => ({ body: json({ credentials: { user: 'ann', key: [secret] } }) }),
  'a repeated field': (secret) => ({ body: `{"token":${json(secret)},"token":null}` }),
  'JSON in JSON': (secret) => ({ body: json({ payload: json({ client_secret: secret }) }) }),
  'a field of a form': (secret) => ({
    body: `a=1&client_secret=${encodeURIComponent(secret)}`,
    headers: form,
  }),
  'a part of a form': (secret) => ({
    body: `--x\r\ncontent-disposition: form-data; name="password"\r\n\r\n${secret}\r\n--x--`,
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  }),
  'a name of a header': (secret) => ({
    headers: Object.fromEntries(
      ['authentication', 'x-amzn-oidc-data', 'x-ms-client-principal', 'x-sentry-auth', 'x-client-cert'].map(
        (name) => [name, secret],
      ),
    ),
  }),
  'another name of a header': (secret) => ({
    headers: { 'x-figma-passcode': secret, 'x-trello-webhook': secret },
  }),
  'a short name in the query': (secret) => ({
    query: ['key', 'code', 'state', 'sig', 'auth', 'session']
      .map((name) => `${name}=${encodeURIComponent(secret)}`)
      .join('&'),
  }),
  'a short name in the body': (secret) => ({
    body: json(
      Object.fromEntries(
        ['auth', 'pin', 'otp', 'cvv', 'card_number', 'ssn', 'csrf', 'secrets'].map((name) => [name, secret]),
      ),
    ),
  }),
  'XML in the body': (secret) => ({
    body: `<order><Password>${secret.replaceAll(/[<>&]/g, '-')}</Password></order>`,
    headers: { 'content-type': 'application/xml' },
  }),
  'a private key in the body': (secret) => ({
    body: json({ note: `-----BEGIN EC PRIVATE KEY-----\n${secret}\n-----END EC PRIVATE KEY-----\n` }),
  }),
  'a token of GitHub with escapes in the body': (secret) => ({
    body: `{"note":"gh\\u0070${'_'}${Buffer.from(secret).toString('hex')}"}`,
  }),
  'the address of a webhook in the body': (secret) => ({
    body: json({ note: `https://hooks.slack.com/services/T0/B0/${encodeURIComponent(secret)}` }),
  }),
  'the end of what is kept of a long body': (secret) => ({
    body: json({ note: 'x'.repeat(1_950), client_secret: `${secret}${'y'.repeat(70_000)}` }),
  }),
  'the delivery key': (secret) => ({ headers: { 'x-api-key': secret, 'idempotency-key': secret } }),
};

describe('no secret is recorded', () => {
  const webhooks: readonly NonNullable<AWorkflow['webhook']>[] = [
    { paused: true, recordRequests: true },
    { path: '/*rest', recordRequests: true, deduplication: 'body.note' },
  ];
  let service: WebhookService;
  let count = 0;

  beforeAll(async () => {
    service = await aWebhookService();
    for (const [at, webhook] of webhooks.entries()) await service.put({ id: `shop-${at}`, webhook });
  });

  // holds: redacted-by-name-and-form
  test.each(Object.entries(places))('of a refused or accepted request: %s', async (_place, changesOf) => {
    const before = service.requests.all().length;
    for (const secret of headerSafe) {
      for (const [at] of webhooks.entries()) {
        const { headers = {}, ...changes } = changesOf(secret);
        const typed = { 'content-type': 'application/json', ...headers };
        count += 1;
        const about = { workflowId: `shop-${at}`, requestId: `request-${count}` };
        const event = aWebhookEvent({ ...changes, headers: typed, ...about });
        // Each in a minute of its own, so that all are recorded.
        const timeEpoch = event.requestContext.timeEpoch + count * 60_000;
        await service.call({ ...event, requestContext: { ...event.requestContext, timeEpoch } });
      }
    }
    const records = service.requests.all().slice(before);
    // An address that no workflow can have is not known to be one's.
    expect(records.length).toBeGreaterThan(headerSafe.length);
    for (const record of records) expect(findSecrets(json(record), headerSafe)).toEqual([]);
  });

  test('of a header that a feature checks', async () => {
    const secret = 'x-token-of-a-sender';
    const [request] = [aJsonEvent({ note: secret })].map(({ body }) => ({
      method: 'POST',
      workflowId: 'shop',
      path: '/',
      requestPath: '/',
      rawQueryString: '',
      requestId: 'r',
      headers: { 'x-custom': secret },
      remoteAddress: '',
      receivedAt: 0,
      rawBody: Buffer.from(body ?? ''),
    }));
    if (request === undefined) throw new Error('no request');
    const outcome = { request, hasWorkflow: true, webhook: null, secretHeaders: ['x-custom'], key: null };
    const became = { verdict: 'skipped', executionId: null, refusal: null } as const;
    const record = await toRequestRecord({ ...outcome, ...became }, 900);
    expect(findSecrets(json(record), [secret])).toEqual([]);
    expect(record.missing).toBe('a credential from its headers was also removed from its body');
  });

  test.each<[string, WebhookEventChanges, string]>([
    ['the body', { body: '{"password":"x"}' }, 'a secret was removed from its body'],
    ['the query', { query: 'token=abc' }, 'a secret was removed from its address, or it is too long'],
    [
      'the other parts',
      { headers: { 'x-api-key': 'abcdefgh' }, body: '"abcdefgh"' },
      'a credential from its headers was also removed from its body',
    ],
    [
      'another header',
      { headers: { referer: 'https://example.com/?token=abc' } },
      'a secret was removed from its headers, or they are too long',
    ],
    [
      'a body of bytes',
      { body: '/w==', isBase64Encoded: true },
      'its body is not stored: it is not text, or secrets in it could not be found by name',
    ],
  ])('and the record says what is missing: of %s', async (_part, changes, missing) => {
    const service = await aWebhookService();
    await service.put({ webhook: { paused: true } });
    await service.call(aWebhookEvent(changes));
    expect(service.requests.all()).toMatchObject([{ missing }]);
  });
});
