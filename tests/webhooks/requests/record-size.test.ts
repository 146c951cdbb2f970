import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { DynamoDbClient } from '../../../lib/adapters/dynamodb/client.ts';
import { createRequestStore } from '../../../lib/adapters/dynamodb/requests/request-store.ts';
import { tableNames } from '../../../lib/adapters/dynamodb/table-names.ts';
import { fitRequest } from '../../../lib/webhooks/requests/fit-request.ts';
import { refusedPlace } from '../../../lib/webhooks/requests/request-record.ts';
import { aRequestRecord } from '../../support/a-request-record.ts';
import { aJsonEvent } from '../../support/a-webhook-event.ts';
import { aWebhookService } from '../../support/a-webhook-service.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { cases } from '../../support/deep.ts';
import { computeWriteUnits, type Item } from '../../support/dynamodb-units.ts';

/** Write units of what is put, by a client that keeps it. */
const unitsOf = async (
  record: Parameters<ReturnType<typeof createRequestStore>['put']>[0],
): Promise<number> => {
  let units = 0;
  const client = {
    putItem: async ({ Item: item }: { readonly Item: Item }) => {
      units += computeWriteUnits(null, JSON.parse(JSON.stringify(item)), {
        TableName: 'requests',
        KeySchema: [],
      });
    },
  };
  const options = { retentionDays: 7, clock: { now: () => 0 } };
  await createRequestStore(client as unknown as DynamoDbClient, tableNames('test'), options).put(record);
  return units;
};

const anyText = fc.oneof(
  fc.string({ maxLength: 3_000, unit: anyCharacter }),
  fc.integer({ min: 0, max: 3_000 }).map((length) => randomBytes(length).toString('base64')),
);
const anyContent = fc.record({
  body: anyText,
  path: anyText,
  query: anyText,
  key: fc.option(anyText),
  requestId: anyText,
  headers: fc.dictionary(anyText, anyText, { maxKeys: 60 }),
  refusal: fc.record({ code: fc.constant('SIGNATURE_INVALID'), detail: anyText, reason: fc.option(anyText) }),
});

describe('a record', () => {
  test('of any refused request costs one write unit', async () => {
    await fc.assert(
      fc.asyncProperty(anyContent, async (content) => {
        const { place: _, ...record } = aRequestRecord({ workflowId: 'w'.repeat(64), ...content });
        const fitted = fitRequest(record, 850);
        expect(await unitsOf({ ...fitted, place: refusedPlace(record.receivedAt, 59) })).toBe(1);
      }),
      { numRuns: cases(20, 500) },
    );
  });

  test('that fits is unchanged; in a larger one the body is cut first', () => {
    const { place: _, ...record } = aRequestRecord();
    expect(fitRequest(record, 850)).toEqual(record);
    const body = randomBytes(3_000).toString('base64');
    const cut = fitRequest({ ...record, body }, 850);
    expect(cut).toEqual({ ...record, body: cut.body, missing: 'its body is too long to be stored in full' });
    expect(body.startsWith(cut.body)).toBe(true);
    expect(cut.body.length).toBeGreaterThan(300);
  });

  test('of a typical GitHub delivery costs one write unit, with a good part of its body', async () => {
    const service = await aWebhookService();
    await service.put({ webhook: { paused: true } });
    const headers = {
      accept: '*/*',
      'user-agent': 'GitHub-Hookshot/1234567',
      'x-github-delivery': '0b9e1c52-7d1f-4f6a-9c58-2f1f5a3f7f10',
      'x-github-event': 'push',
      'x-github-hook-id': '1234567890',
      'x-github-hook-installation-target-type': 'repository',
      'x-hub-signature-256': `sha256=${'0123456789abcdef'.repeat(4)}`,
      'x-amzn-trace-id': 'Root=1-691f6d20-0a1b2c3d4e5f60718293a4b5',
    };
    const commits = Array.from({ length: 20 }, (_, at) => ({
      id: `${at}`.repeat(20),
      message: `Commit ${at}`,
    }));
    await service.call(aJsonEvent({ ref: 'refs/heads/main', commits }, { headers }));
    const [record] = service.requests.all();
    if (record === undefined) throw new Error('nothing is recorded');
    expect(await unitsOf(record)).toBe(1);
    expect(Object.keys(record.headers)).toHaveLength(11);
    expect(record.body.length).toBeGreaterThan(300);
  });
});
