import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aCredential } from '../support/a-credential.ts';
import { bodyOf } from '../support/a-problem.ts';
import { aWebhookEvent } from '../support/a-webhook-event.ts';
import { aWebhookService, type WebhookService } from '../support/a-webhook-service.ts';
import {
  anyHostileText as anyText,
  anyBody as body,
  anyHeaders as headers,
} from '../support/any-webhook-request.ts';
import { cases } from '../support/deep.ts';
import { readPrototypes as prototypes } from '../support/read-prototypes.ts';

type Result = Awaited<ReturnType<WebhookService['call']>>;

const anyRequest = fc.record({
  method: fc.oneof(
    { weight: 3, arbitrary: fc.constant('POST') },
    fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'post', 'TRACE'),
    anyText,
  ),
  workflowId: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('open', 'closed', 'early') },
    fc.constantFrom('off', 'gone'),
    anyText,
  ),
  path: fc.oneof(
    { weight: 3, arbitrary: fc.constant('orders') },
    fc.constantFrom(null, 'orders/', '/orders', 'ORDERS'),
    anyText,
  ),
  query: anyText,
  headers,
  body,
  isBase64Encoded: fc.boolean(),
});

/** An event as the gateway sends it, with some of its parts missing or replaced by anything. */
const junkEvent = fc
  .tuple(
    anyRequest,
    fc.dictionary(
      fc.constantFrom(...Object.keys(aWebhookEvent()), 'body', 'cookies', 'request', 'webhook'),
      fc.anything(),
      { maxKeys: 2 },
    ),
  )
  .map(([request, junk]) => ({ ...aWebhookEvent(request), ...junk }));

/** What every answer to whatever input is. */
const expectSound = ({ statusCode = 0, headers = {}, body }: Result) => {
  expect(statusCode).toBeGreaterThanOrEqual(200);
  expect(statusCode).toBeLessThan(500);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['content-type']).toBe(statusCode < 300 ? 'application/json' : 'application/problem+json');
  for (const value of Object.values(headers)) expect(String(value)).toMatch(/^[\t\x20-\x7e]*$/);
  if (body !== undefined) expect(typeof bodyOf({ body })).toBe('object');
  if (statusCode === 405) expect(headers.allow).toBe('POST');
  if (statusCode === 401)
    expect(headers['www-authenticate']).toMatch(/^Bearer realm="hookloom"(?:, error="invalid_token")?$/);
};

// Jest fails the running test on an unhandled rejection.
describe('any input', () => {
  let service: WebhookService;

  beforeEach(async () => {
    service = await aWebhookService({ settings: { maxBodyBytes: 2_000 } });
    await service.putCredential(aCredential());
    await service.put({ id: 'open' });
    await service.put({ id: 'early', webhook: { responseMode: 'onReceived' } });
    await service.put({ id: 'closed', webhook: { authentication: 'apiKey', credentialId: 'partner' } });
    await service.put({ id: 'off', enabled: false });
  });

  // holds: bad-input-is-no-5xx
  test('that is a request is answered in JSON, never with a 5xx, and runs exactly when it got a 2xx', async () => {
    const before = prototypes();
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        const ran = service.executions.records().length;
        const answer = await service.call(aWebhookEvent(request));
        expectSound(answer);
        const isSuccess = (answer.statusCode ?? 0) < 300;
        expect(service.executions.records().length - ran).toBe(isSuccess ? 1 : 0);
        if (isSuccess) {
          expect([request.method, request.path]).toEqual(['POST', 'orders']);
          expect(['open', 'closed', 'early']).toContain(request.workflowId);
        }
      }),
      { numRuns: cases(80, 1_000) },
    );
    expect(prototypes()).toEqual(before);
    expect(service.executions.records().every(({ status }) => status === 'succeeded')).toBe(true);
  });

  test('that is not an event is refused in JSON, never with a 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(junkEvent, junkEvent, fc.anything()), async (event) => {
        expectSound(await service.call(event));
      }),
      { numRuns: cases(80, 1_000) },
    );
  });

  test('without the key is refused', async () => {
    const closed = { method: 'POST', workflowId: 'closed', path: 'orders' };
    await fc.assert(
      fc.asyncProperty(headers, body, async (sent, content) => {
        const lowered = new Map(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]));
        const key =
          lowered.get('x-api-key') ?? /^Bearer +(\S+)$/i.exec(lowered.get('authorization') ?? '')?.[1];
        const { statusCode = 0 } = await service.call(
          aWebhookEvent({ ...closed, headers: sent, body: content }),
        );
        const isTooLarge = (content?.length ?? 0) > 2_000;
        if (isTooLarge) return;
        if (key === 'right') expect(statusCode).not.toBe(401);
        else expect([400, 401]).toContain(statusCode); // 400: a header that holds no token (RFC 6750)
      }),
      { numRuns: cases(50, 500) },
    );
  });

  test('in one request is not visible to concurrent ones', async () => {
    const requests = fc.array(anyRequest, { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(requests, async (batch) => {
        const answers = await Promise.all(
          batch.map((request, at) => {
            const marked = { ...request.headers, 'x-marker': `marker-${at}-` };
            return service.call(aWebhookEvent({ ...request, headers: marked, query: `marker-${at}-` }));
          }),
        );
        answers.forEach(({ body: answered = '' }, at) => {
          const markers = new Set(answered.match(/marker-\d+-/g) ?? []);
          expect([...markers].filter((marker) => marker !== `marker-${at}-`)).toEqual([]);
        });
      }),
      { numRuns: 100 },
    );
  });
});
