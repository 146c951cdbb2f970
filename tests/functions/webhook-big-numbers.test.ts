import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { queueTrigger } from '../../lib/triggers/types/queue-trigger.ts';
import { fromText } from '../../nodes/postgres/statements.ts';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { aWebhookEvent } from '../support/a-webhook-event.ts';
import { type AWorkflow, aWebhookService } from '../support/a-webhook-service.ts';

const [ID, NEXT] = ['8202522731445525542', '8202522731445525543'];

const sent = (body: string, type: string | null = 'application/json') =>
  aWebhookEvent({ body, ...(type === null ? {} : { headers: { 'content-type': type } }) });

const aWebhook = async (webhook: NonNullable<AWorkflow['webhook']>, values?: JsonValue) => {
  const service = await aWebhookService();
  await service.put({
    webhook,
    ...(values === undefined ? {} : { chain: [{ type: 'set', parameters: { values: { values } } }] }),
  });
  return service;
};

describe("an integer that a number can't hold", () => {
  test('arrives with all its digits, as a string', async () => {
    const service = await aWebhook({});
    const { body } = bodyOf(await service.call(sent(`{"id":${ID},"n":[-${ID},7]}`)));
    expect(body).toEqual({ id: ID, n: [`-${ID}`, 7] });
  });

  test.each(['application/x-ndjson', null])('whatever the type is: %s', async (type) => {
    const service = await aWebhook({ body: {} });
    const { body } = bodyOf(await service.call(sent(`[${ID}]`, type)));
    expect(body).toEqual(type === null ? [ID] : [[ID]]);
  });

  test('is compared exactly, and parsed from a text, too', async () => {
    const service = await aWebhook(
      {},
      {
        isIt: `{{ body.id = "${ID}" }}`,
        isNext: `{{ body.id = "${NEXT}" }}`,
        inner: '{{ $parse(body.text) }}',
      },
    );
    const answer = bodyOf(await service.call(sent(`{"id":${ID},"text":"{\\"a\\":${NEXT}}"}`)));
    expect(answer.values).toEqual({ isIt: true, isNext: false, inner: { a: NEXT } });
  });

  test.each([
    ['the key of a delivery', { deduplication: 'body.id' }],
    ['a part of such a key', { deduplication: '"order-" & body.id' }],
  ])('is another one if one digit differs, as %s', async (_case, webhook) => {
    const service = await aWebhook({ responseMode: 'onReceived', ...webhook });
    const [first, next, again] = [ID, NEXT, ID].map((id) => service.call(sent(`{"id":${id}}`)));
    expect(bodyOf(await (first as NonNullable<typeof first>))).not.toHaveProperty('duplicate');
    expect(bodyOf(await (next as NonNullable<typeof next>))).not.toHaveProperty('duplicate');
    expect(bodyOf(await (again as NonNullable<typeof again>))).toHaveProperty('duplicate', true);
    expect(service.executions.records()).toHaveLength(2);
  });

  test('passes a filter for it alone', async () => {
    const service = await aWebhook({ onlyIf: `body.id = "${ID}"` });
    for (const id of [ID, NEXT]) await service.call(sent(`{"id":${id}}`));
    expect(service.executions.records()).toHaveLength(1);
  });

  test('is an integer for a schema, within its limits', async () => {
    const id = { type: 'integer', minimum: 1 };
    const service = await aWebhook({ schema: { type: 'object', properties: { id, n: { maximum: 100 } } } });
    expect((await service.call(sent(`{"id":${ID}}`))).statusCode).toBe(200);
    expect(bodyOf(await service.call(sent(`{"id":-${ID},"n":${ID}}`)))).toMatchObject({
      errors: [
        { pointer: '#/id', detail: 'Number is less than 1.' },
        { pointer: '#/n', detail: 'Number is greater than 100.' },
      ],
    });
  });

  test.each([
    ['application/json', `{"order":{"id":${ID}}}`, '/order/id'],
    ['application/x-ndjson', `{"a":1}\n{"id":${ID}}`, 'in line 2, /id'],
    [null, `{"id":${ID}}`, '/id'],
  ])('is refused with its place where the webhook says so: %s', async (type, body, place) => {
    const service = await aWebhook({ bigNumbers: 'refuse', ...(type === null ? {} : { body: {} }) });
    const refused = await service.call(sent(body, type));
    expect(refused).toEqual(aProblem(400, 'body-invalid'));
    expect(bodyOf(refused).detail).toBe(
      `The body is invalid: ${place} is an integer beyond ±9007199254740991: send it as a string.`,
    );
    expect((await service.call(sent(body.replace(ID, `"${ID}"`), type))).statusCode).toBe(200);
  });

  test('may have a million digits', async () => {
    const service = await aWebhook({ responseMode: 'onReceived' });
    expect((await service.call(sent(`[${'9'.repeat(1_000_000)}]`))).statusCode).toBe(202);
  });
});

describe('so it does in', () => {
  test('a message of a queue', () => {
    const message = { messageId: '1', body: `{"id":${ID}}`, attributes: {} };
    expect(queueTrigger.firedBy).toHaveProperty('toInput');
    const { toInput } = queueTrigger.firedBy as { readonly toInput: (event: JsonObject) => JsonObject };
    expect(toInput(message)).toMatchObject({ message: { body: { id: ID } } });
  });

  test.each(['json', 'jsonb'])('a %s of a database', (type) => {
    expect(fromText(`[${ID}]`, type)).toEqual([ID]);
  });
});
