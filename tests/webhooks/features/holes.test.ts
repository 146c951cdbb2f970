import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { aProblem, bodyOf } from '../../support/a-problem.ts';
import { aJsonEvent } from '../../support/a-webhook-event.ts';
import { aWebhookService } from '../../support/a-webhook-service.ts';

// What an expression over the request does not give, where a text addresses something.

const aServiceWith = async (webhook: Readonly<Record<string, JsonValue>>, format: 1 | 2 = 2) => {
  const service = await aWebhookService();
  await service.put({ format, webhook });
  return service;
};

const runsOf = async (deduplication: string, bodies: readonly JsonObject[], format: 1 | 2 = 2) => {
  const service = await aServiceWith({ deduplication, onKeyReuse: 'duplicate' }, format);
  for (const body of bodies) expect((await service.call(aJsonEvent(body))).statusCode).toBe(200);
  return service.executions.records().length;
};

describe('a key of a delivery of which a part is not there', () => {
  const two = [{ n: 1 }, { n: 2 }];

  test.each([
    '"order/" & body.id',
    '"order/" & (body.id & "")',
    '$lowercase("order/" & body.id)',
    '$join(["order", body.id], "/")',
    '["order", body.id] ~> $join("/")',
  ])('%s is no key: no delivery is lost to another one', async (key) => {
    expect(await runsOf(key, two)).toBe(2);
    expect(
      await runsOf(
        key,
        two.map((body) => ({ ...body, id: null })),
      ),
    ).toBe(2);
    expect(await runsOf(key, [{ id: 'a' }, { id: 'a' }, { id: 'b' }])).toBe(2);
    expect(await runsOf(key, two, 1)).toBe(1);
  });

  test('may be left out where that is written', async () => {
    expect(await runsOf('body.id & (body.part ?? "")', [{ id: 'a' }, { id: 'a' }])).toBe(1);
    expect(await runsOf('body.id & (body.part ? "-" & body.part : "")', [{ id: 'a' }, { id: 'a' }])).toBe(1);
  });
});

describe('an answer', () => {
  const answering = (headers: JsonObject, format: 1 | 2 = 2) =>
    aServiceWith({ responseMode: 'onReceived', answer: { status: 303, headers } }, format);

  test('whose header lacks a value is the usual 202, and the log names the expression', async () => {
    const service = await answering({ location: 'https://shop.example/orders/{{ body.id }}' });
    const answer = await service.call(aJsonEvent({}));
    expect(answer).toMatchObject({ statusCode: 202 });
    expect(bodyOf(answer)).toMatchObject({ executionId: 'execution-1' });
    const [line = ''] = service.lines.filter((one) => one.includes('could not be computed'));
    expect(line).toContain('{{ body.id }} in the URL \\"headers.location\\" gives nothing');
    expect((await service.call(aJsonEvent({ id: 7 }))).headers).toMatchObject({
      location: 'https://shop.example/orders/7',
    });
  });

  test('whose other header lacks a value is not sent either', async () => {
    const service = await answering({ 'x-order': 'o-{{ body.id }}' });
    expect(await service.call(aJsonEvent({}))).toMatchObject({ statusCode: 202 });
    expect((await service.call(aJsonEvent({ id: 7 }))).headers).toMatchObject({ 'x-order': 'o-7' });
  });

  test('has no reason in the log that could hold data', async () => {
    const service = await answering({ 'x-id': '{{ $number(body.id) }}' });
    await service.call(aJsonEvent({ id: 'secret' }));
    expect(service.lines.join()).not.toContain('secret');
  });

  test('in format 1, has nothing in its place', async () => {
    const service = await answering({ location: 'https://shop.example/orders/{{ body.id }}' }, 1);
    expect((await service.call(aJsonEvent({}))).headers).toMatchObject({
      location: 'https://shop.example/orders/',
    });
  });

  test.each([1, 2] as const)('in format %i, does not lead to another host', async (format) => {
    const service = await answering({ Location: '/{{ body.next }}' }, format);
    for (const next of ['/evil.example', '\\evil.example', '%2F/evil.example']) {
      const { headers = {} } = await service.call(aJsonEvent({ next }));
      expect(new URL(String(headers.location), 'https://own.example').host).toBe('own.example');
    }
  });
});

describe('the answer to a handshake', () => {
  const shaking = (answer: JsonObject, format: 1 | 2 = 2) =>
    aServiceWith({ handshake: { scheme: 'custom', match: 'body.type = "verify"', answer } }, format);
  const json = 'application/json';

  test.each<JsonObject>([
    { body: '{{ body.challenge }}' },
    { body: 'a{{ body.challenge }}' },
    { contentType: json, body: '{"challenge":"{{ body.challenge }}"}' },
    { contentType: json, body: '{"challenge":{{ body.challenge }}}' },
    { body: { challenge: '{{ body.challenge }}' } },
    { body: { inner: [1, { challenge: '{{ body.challenge }}' }] } },
    { body: ['{{ body.challenge }}', 1] },
  ])('%j is refused without what it echoes', async (answer) => {
    for (const body of [{ type: 'verify' }, { type: 'verify', challenge: null }]) {
      const service = await shaking(answer);
      expect(await service.call(aJsonEvent(body))).toEqual(aProblem(422, 'handshake-unanswered'));
      expect(service.executions.records()).toEqual([]);
      const before = await shaking(answer, 1);
      expect((await before.call(aJsonEvent(body))).statusCode).toBe(200);
    }
    const service = await shaking(answer);
    const answered = await service.call(aJsonEvent({ type: 'verify', challenge: 'abc' }));
    expect(answered).toMatchObject({ statusCode: 200, body: expect.stringContaining('abc') });
  });

  test('names the expression in the log', async () => {
    const service = await shaking({ body: 'a{{ body.challenge }}' });
    await service.call(aJsonEvent({ type: 'verify' }));
    expect(service.lines.join()).toContain('{{ body.challenge }} in \\"answer\\" gives nothing');
  });

  test('may have null where that is written', async () => {
    const service = await shaking({ body: { ok: null, challenge: '{{ body.challenge }}' } });
    const answered = await service.call(aJsonEvent({ type: 'verify', challenge: 0 }));
    expect(bodyOf(answered)).toEqual({ ok: null, challenge: 0 });
  });
});
