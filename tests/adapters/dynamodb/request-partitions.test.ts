import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from '@jest/globals';
import { createRequestStore } from '../../../lib/adapters/dynamodb/requests/request-store.ts';
import { passedPlace } from '../../../lib/webhooks/requests/request-record.ts';
import { aRequestRecord } from '../../support/a-request-record.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const openDatabase = useTestDatabases();

const NOW = 1_700_000_000_000;

test('requests of a workflow are spread over eight partitions and listed by time', async () => {
  const { client, tables, sdk } = await openDatabase();
  const store = createRequestStore(client, tables, { retentionDays: 30, clock: { now: () => NOW } });
  const workflowId = 'shop';
  const places: string[] = [];
  for (let at = 0; at < 120; at++) {
    const receivedAt = NOW - at * 1_000;
    const place = passedPlace(receivedAt, `request-${at}`);
    places.push(place);
    expect(await store.put(aRequestRecord({ workflowId, place, receivedAt }))).toBe(true);
  }
  await store.put(aRequestRecord({ workflowId: 'others', place: passedPlace(NOW, 'other') }));
  const { Items: items = [] } = await sdk.send(new ScanCommand({ TableName: tables.requests }));
  const used = new Set(items.map((item) => item.workflowId?.S).filter((key) => key?.startsWith(workflowId)));
  expect(used.size).toBe(8);
  // One that an earlier release has recorded.
  const [moved] = items.filter((item) => item.place?.S === places[60]);
  const earlier = passedPlace(NOW - 60_500, 'earlier');
  const Item = { ...moved, workflowId: { S: workflowId }, place: { S: earlier } };
  await sdk.send(new PutItemCommand({ TableName: tables.requests, Item }));
  const found: string[] = [];
  const query = { workflowId, kind: 'passed', from: NOW - 3_600_000, to: NOW } as const;
  for await (const record of store.scan(query)) {
    expect(record.workflowId).toBe(workflowId);
    found.push(record.place);
  }
  expect(found).toEqual([...places, earlier].sort().reverse());
  expect(await store.find(workflowId, earlier)).toMatchObject({ workflowId, place: earlier });
  expect(await store.find(workflowId, places[7] ?? '')).toMatchObject({ workflowId, place: places[7] });
});
