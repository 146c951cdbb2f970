import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { createFolderBlobStore } from '../../lib/adapters/blobs/folder-blobs.ts';
import { createStateStore } from '../../lib/adapters/dynamodb/state-store.ts';
import { createValueChecks } from '../../lib/adapters/dynamodb/value-checks.ts';
import { randomIds } from '../../lib/adapters/runtime/system-clock.ts';
import { openSweep } from '../../lib/app/compose/background.ts';
import { readConfig } from '../../lib/app/config.ts';
import { createSweepFunction } from '../../lib/app/sweep-handler.ts';
import { createLargeValues } from '../../lib/state/large-values.ts';
import { editEntry } from '../../lib/state/write-entry.ts';
import { aRecordingLogger } from '../support/a-recording-logger.ts';
import { environmentOf } from '../support/function-environment.ts';
import { useTestDatabases } from '../support/test-database.ts';

const DAY = 86_400_000;

const openDatabase = useTestDatabases();
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const open = async () => {
  const { endpoint, client, tables } = await openDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-sweep-'));
  folders.push(folder);
  const { logger, entries } = aRecordingLogger();
  const config = readConfig(environmentOf('sweep', { DYNAMODB_ENDPOINT: endpoint, BLOB_FOLDER: folder }));
  const sweep = createSweepFunction({ ...openSweep(config), logger });
  const checks = createValueChecks(client, tables);
  const values = createLargeValues({ blobs: createFolderBlobStore(folder), checks, ids: randomIds });
  /** Puts an entry as if it were some days ago. */
  const put = (key: string, value: string, daysAgo: number) => {
    const clock = { now: () => Date.now() - daysAgo * DAY };
    const parts = { store: createStateStore(client, tables), values, clock };
    return editEntry(parts, 'store:shop', { operation: 'put', key, value }, null, () => {});
  };
  return { sweep, checks, put, entries, stored: () => readdirSync(join(folder, 'state')) };
};

const LARGE = 'x'.repeat(400_000);

test('the daily sweep removes large values that no entry has named for weeks, and keeps the others', async () => {
  const { sweep, checks, put, entries, stored } = await open();
  await put('kept', LARGE, 100);
  const [kept] = stored();
  await put('replaced', LARGE, 100);
  await put('replaced', 'small', 90);
  await sweep({ only: 'values' });
  expect(entries).toContainEqual(
    expect.objectContaining({
      message: 'Large values of state were checked.',
      fields: { checked: 2, removed: 0 },
    }),
  );
  // What an earlier sweep saw unused, 36 days before.
  for await (const check of checks.findDue(Date.now() + 7 * DAY)) {
    await checks.remove(check);
    const { unusedSince } = check;
    await checks.add({
      ...check,
      dueAt: Date.now() - 1,
      unusedSince: unusedSince === null ? null : unusedSince - 36 * DAY,
    });
  }
  await sweep({ only: 'values' });
  expect(stored()).toEqual([kept]);
  await sweep({ only: 'values' });
  expect(stored()).toEqual([kept]);
});

test('a value that could not be checked is logged, counted for the alarm, and checked again', async () => {
  const { checks, put, stored } = await open();
  await put('a', LARGE, 100);
  const { logger, entries } = aRecordingLogger();
  const { sweep } = await open();
  expect(await sweep({ only: 'values' })).toEqual({ batchItemFailures: [] });
  const failing = createSweepFunction({
    ...openSweep(readConfig(environmentOf('sweep', {}))),
    logger,
    checkValues: async ({ onFailure }) => {
      for await (const check of checks.findDue(Date.now())) onFailure(check, new Error('unavailable'));
      return { checked: 0, removed: 0 };
    },
  });
  await failing({ only: 'values' });
  expect(entries).toContainEqual(
    expect.objectContaining({
      message: 'Large values of state could not be checked.',
      fields: expect.objectContaining({ count: 1, blob: `state/${stored()[0]}` }),
    }),
  );
  expect(entries).toContainEqual(
    expect.objectContaining({ fields: expect.objectContaining({ SweepFailed: 1 }) }),
  );
});
