import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createFolderBlobStore } from '../../lib/adapters/blobs/folder-blobs.ts';
import { createStateStore } from '../../lib/adapters/dynamodb/state-store.ts';
import { createValueChecks } from '../../lib/adapters/dynamodb/value-checks.ts';
import { randomIds, systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { createStateFor } from '../../lib/state/execution-state.ts';
import { createLargeValues } from '../../lib/state/large-values.ts';
import { anAdminApi } from '../support/an-admin-api.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const ENTRY = '/api/admin/state/entry?workflowId=orders';

const open = async () => {
  const { endpoint, client, tables } = await openDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-state-'));
  folders.push(folder);
  const store = createStateStore(client, tables);
  const openState = createStateFor({
    store,
    values: createLargeValues({
      blobs: createFolderBlobStore(folder),
      ids: randomIds,
      checks: createValueChecks(client, tables),
    }),
    clock: systemClock,
  });
  const run = (executionId: string, workflowId = 'orders') =>
    openState({ executionId, workflowId, retryOf: null })('node/0', new AbortController().signal).run;
  return { ask: anAdminApi({ DYNAMODB_ENDPOINT: endpoint, BLOB_FOLDER: folder }), run, folder };
};

const at = (key: string) => `${ENTRY}&key=${encodeURIComponent(key)}`;

describe('the entries of a workflow', () => {
  test('are created, read, replaced by version and deleted', async () => {
    const { ask, run } = await open();
    const key = 'customer/ÄÖ #1';
    const created = await ask('PUT', at(key), {
      body: { value: { visits: 1 }, ttlSeconds: 86_400 },
      caller: 'arn:aws:iam::1:user/ann',
    });
    expect(created).toMatchObject({ status: 201, headers: { etag: '"1"' } });
    expect(created.body).toEqual({
      key,
      value: { visits: 1 },
      version: 1,
      writtenAt: expect.any(String),
      writtenBy: { executionId: null, caller: 'arn:aws:iam::1:user/ann' },
      expiresAt: expect.any(String),
      omittedBytes: null,
      claim: null,
    });
    expect(Date.parse(created.body.expiresAt) - Date.parse(created.body.writtenAt)).toBe(86_400_000);
    expect(await ask('GET', at(key))).toMatchObject({ headers: { etag: '"1"' }, body: created.body });
    expect(await run('e-1')({ operation: 'get', key })).toMatchObject({ value: { visits: 1 }, version: 1 });

    const stale = await ask('PUT', at(key), { body: { value: 2 }, headers: { 'if-match': '"7"' } });
    expect(stale).toMatchObject({ status: 412, body: { currentVersion: 1 } });
    const replaced = await ask('PUT', at(key), { body: { value: 2 }, headers: { 'if-match': '"1"' } });
    expect(replaced).toMatchObject({ status: 200, body: { value: 2, version: 2, expiresAt: null } });
    const taken = await ask('PUT', at(key), { body: { value: 3 }, headers: { 'if-none-match': '*' } });
    expect(taken.status).toBe(412);

    expect((await ask('DELETE', at(key))).body).toEqual({ key, deleted: true, lastVersion: 2 });
    for (const method of ['GET', 'DELETE'])
      expect(await ask(method, at(key))).toMatchObject({ status: 404, body: { title: 'Entry not found' } });
    const again = await ask('PUT', at(key), { body: { value: 4 }, headers: { 'if-none-match': '*' } });
    expect(again).toMatchObject({ status: 201, body: { value: 4 } });
  });

  test('that are large are shown whole one by one, and as their size in a list', async () => {
    const { ask, run } = await open();
    // In JSON within JSON, as Lambda sends text, each quotation mark takes two bytes: together, more than its 6 MB.
    const value = Array.from({ length: 999_999 }, (_, at) => (at % 9 === 0 ? 'é' : 'x')).slice(0, 900_000);
    const bytes = Buffer.byteLength(JSON.stringify(value));
    const created = await ask('PUT', at('a'), { body: { value, ttlSeconds: 86_400 } });
    expect(created).toMatchObject({ status: 201, body: { value: null, omittedBytes: bytes, version: 1 } });
    const shown = await ask('GET', at('a'));
    expect(shown).toMatchObject({ status: 200, headers: { etag: '"1"' } });
    expect(shown.body).toEqual({ ...created.body, value, omittedBytes: null });
    const listed = await ask('GET', '/api/admin/state?workflowId=orders');
    expect(listed.body.entries).toEqual([created.body]);
    expect((await run('e-1')({ operation: 'get', key: 'a' })).value).toEqual(value);
    await run('e-2')({ operation: 'put', key: 'a', value: ['y'.repeat(400_000)] });
    expect((await ask('GET', at('a'))).body).toMatchObject({ value: ['y'.repeat(400_000)], version: 2 });
    const replaced = await ask('PUT', at('a'), { body: { value: 1 }, headers: { 'if-match': '"2"' } });
    expect(replaced).toMatchObject({ status: 200, body: { value: 1, omittedBytes: null, version: 3 } });
  });

  test('whose value is missing are found, and can be put again or deleted', async () => {
    const { ask, folder } = await open();
    await ask('PUT', at('a'), { body: { value: 'x'.repeat(400_000) } });
    expect(readdirSync(join(folder, 'state'))).toHaveLength(1);
    rmSync(join(folder, 'state'), { recursive: true });
    expect(await ask('GET', at('a'))).toMatchObject({
      status: 404,
      body: { type: 'urn:hookloom:problem:state-value-missing' },
    });
    expect((await ask('DELETE', at('a'))).body).toMatchObject({ deleted: true, lastVersion: 1 });
  });

  test('are listed by key, a page at a time, without those of others', async () => {
    const { ask, run } = await open();
    for (const key of ['b/2', 'a', 'b/1', 'b/3']) await ask('PUT', at(key), { body: { value: key } });
    await run('e-1')({ operation: 'claim', keys: ['b/4'], confirmWithinSeconds: 60 });
    await run('e-1', 'other')({ operation: 'put', key: 'b/9', value: 1 });
    await ask('DELETE', at('b/3'));
    const list = '/api/admin/state?workflowId=orders&prefix=b%2F&limit=2';
    const first = await ask('GET', list);
    expect(first.body).toMatchObject({ count: 2, entries: [{ key: 'b/1', value: 'b/1' }, { key: 'b/2' }] });
    const second = await ask('GET', `${list}&cursor=${first.body.nextCursor}`);
    expect(second.body.entries).toEqual([
      {
        key: 'b/4',
        value: null,
        omittedBytes: null,
        version: 1,
        writtenAt: expect.any(String),
        writtenBy: { executionId: 'e-1', caller: null },
        expiresAt: null,
        claim: { executionId: 'e-1', confirmBy: expect.any(String) },
      },
    ]);
    const all = await ask('GET', '/api/admin/state?workflowId=orders');
    expect(all.body).toMatchObject({ count: 4, nextCursor: null });
    const foreign = await ask(
      'GET',
      `/api/admin/state?workflowId=orders&cursor=${first.body.nextCursor}&prefix=c`,
    );
    expect(foreign).toMatchObject({ status: 400 });
  });

  test('fit into an answer of Lambda, whatever their values', async () => {
    const { ask } = await open();
    const value = '"'.repeat(199_000); // in JSON, and in the string of the answer, each takes twice as much
    for (let index = 0; index < 9; index++) await ask('PUT', at(String(index)), { body: { value } });
    const keys: string[] = [];
    for (let cursor = ''; cursor !== 'null'; ) {
      const { body } = await ask('GET', `/api/admin/state?workflowId=orders&limit=100${cursor}`);
      expect(JSON.stringify(JSON.stringify(body)).length).toBeLessThan(6_000_000);
      keys.push(...body.entries.map(({ key }: { key: string }) => key));
      cursor = body.nextCursor === null ? 'null' : `&cursor=${body.nextCursor}`;
    }
    expect(keys).toEqual(Array.from({ length: 9 }, (_, index) => String(index)));
  });

  test('that a shared store has are apart', async () => {
    const { ask, run } = await open();
    const entry = '/api/admin/state/entry?store=customers&key=a';
    expect((await ask('PUT', entry, { body: { value: 1 } })).status).toBe(201);
    expect((await ask('GET', at('a'))).status).toBe(404);
    const found = await run('e-1')({ operation: 'get', key: 'a', store: 'customers' });
    expect(found).toMatchObject({ value: 1 });
    expect((await ask('GET', '/api/admin/state?store=customers')).body.count).toBe(1);
  });

  test('that are claimed are free again once they are deleted', async () => {
    const { ask, run } = await open();
    const claim = { operation: 'claim', keys: ['order/1'] } as const;
    expect(await run('e-1')(claim)).toEqual({ claimed: [true] });
    expect(await ask('PUT', at('order/1'), { body: { value: 1 } })).toMatchObject({
      status: 422,
      body: { title: 'Entry invalid', detail: expect.stringContaining('is claimed by once or newItems') },
    });
    expect(await run('e-2')(claim)).toEqual({ claimed: [false] });
    await ask('DELETE', at('order/1'));
    expect(await run('e-2')(claim)).toEqual({ claimed: [true] });
  });

  test('keep what node runs did: one that is repeated after a change gets the result of the first time', async () => {
    const { ask, run } = await open();
    const increment = { operation: 'increment', key: 'count', by: 1 } as const;
    expect(await run('e-1')(increment)).toMatchObject({ value: 1 });
    await ask('PUT', at('count'), { body: { value: 100 } });
    expect(await run('e-1')(increment)).toMatchObject({ value: 1 });
    expect((await ask('GET', at('count'))).body).toMatchObject({ value: 100, version: 2 });
    expect(await run('e-2')(increment)).toMatchObject({ value: 101 });
  });
});

describe('bad input is refused, with its place', () => {
  const long = 'k'.repeat(1_025);
  const cursorOf = (...place: string[]) => Buffer.from(JSON.stringify(place)).toString('base64url');

  test.each([
    ['GET', '/api/admin/state', 'workflowId or store must be given, not both'],
    ['GET', '/api/admin/state?workflowId=a&store=b', 'workflowId or store must be given, not both'],
    ['GET', '/api/admin/state?workflowId=../x', 'workflowId must be a workflow id'],
    ['GET', '/api/admin/state?store=-', 'store must be a letter or digit'],
    ['GET', '/api/admin/state?store=a&limit=101', 'limit must be an integer from 1 to 100'],
    ['GET', `/api/admin/state?store=a&prefix=${long}`, 'prefix has 1025 bytes'],
    ['GET', `/api/admin/state?store=a&cursor=${'A'.repeat(2_000)}`, 'cursor must be the nextCursor'],
    ['GET', `/api/admin/state?store=a&cursor=${cursorOf('store:a ', long)}`, 'cursor belongs to a list'],
    ['GET', `/api/admin/state?store=a&cursor=${cursorOf('store:b ', 'x')}`, 'cursor belongs to a list'],
    ['GET', '/api/admin/state/entry?store=a', 'key is missing'],
    ['GET', '/api/admin/state/entry?store=a&key=', 'key is missing'],
    ['DELETE', `/api/admin/state/entry?store=a&key=${long}`, 'key has 1025 bytes'],
  ])('%s %s', async (method, address, reason) => {
    const { ask } = await open();
    const answer = await ask(method, address);
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining(reason) } });
  });

  test.each([
    [{}, 400, 'value'],
    [{ value: 1, ttlSeconds: 0 }, 400, 'ttlSeconds'],
    [{ value: 1, ttlSeconds: 315_360_001 }, 400, 'ttlSeconds must be at most 315360000'],
    [{ value: 1, more: 1 }, 400, 'more'],
    [{ value: 'x'.repeat(4_000_000) }, 422, 'makes an entry of 4000002 bytes'],
    [{ value: 'x'.repeat(4_100_001) }, 413, '4100000'],
  ])('the body %.40j', async (body, status, reason) => {
    const { ask } = await open();
    const answer = await ask('PUT', at('a'), { body });
    expect(answer).toMatchObject({ status, body: { detail: expect.stringContaining(reason) } });
    expect((await ask('GET', at('a'))).status).toBe(404);
  });
});
