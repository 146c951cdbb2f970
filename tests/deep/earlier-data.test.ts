import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { SCHEMA_VERSION } from '../../lib/adapters/dynamodb/schema/schema.ts';
import { replyTo, WAITING } from '../fixtures/stored-data/shapes.ts';
import { type RunningService, startLocalService } from '../support/local-service.ts';
import { poll } from '../support/poll.ts';
import { projectRoot, runCli } from '../support/run-command.ts';

// Data folders that earlier versions have made: tests/fixtures/stored-data/README.md.

const folder = resolve(import.meta.dirname, '../fixtures/stored-data');
/** Before what is pending for a day has expired. */
const LATER_MS = 23 * 3_600_000;
/** Before anything that waits is due. */
const SOON_MS = 60_000;

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Run {
  readonly executionId: string;
  readonly workflowId: string;
  /** When the folder was made. */
  readonly status: string;
}

const unpack = (name: string) => {
  const target = mkdtempSync(join(tmpdir(), 'hookloom-stored-'));
  cleanups.push(() => rmSync(target, { recursive: true }));
  execFileSync('tar', ['-xzf', join(folder, `${name}.tgz`), '-C', target]);
  const made = JSON.parse(readFileSync(join(target, 'fixture.json'), 'utf8')) as {
    readonly madeAt: string;
    readonly callbacks: readonly string[];
    /** Addresses that start a run with an uploaded file; absent where a version has none. */
    readonly uploads?: readonly string[];
    readonly runs: readonly Run[];
  };
  return { ...made, data: join(target, 'data') };
};

/** The service on a data folder, almost a day after that was made, or as long as it says. */
const start = async (
  { madeAt, data }: ReturnType<typeof unpack>,
  afterMs = LATER_MS,
): Promise<RunningService> => {
  const service = await startLocalService({
    args: ['--data', data],
    env: {
      NODE_OPTIONS: `--import ${pathToFileURL(join(folder, 'clock.js'))}`,
      FIXTURE_NOW: String(Date.parse(madeAt) + afterMs),
      STAND_IN_PORT: '1', // so that no step can be made again
    },
  });
  cleanups.push(service.stop);
  return service;
};

interface Shown {
  readonly status: string;
  readonly held?: string | null;
  readonly failure: unknown;
  readonly nodes: readonly { readonly nodeId: string; readonly outputs?: { readonly main?: unknown } }[];
}

const ask = async <Answer>({ baseUrl }: RunningService, path: string, body?: object): Promise<Answer> => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(
    `${baseUrl}${path}`,
    body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) },
  );
  return (await response.json()) as Answer;
};

/** Whether an approval is taken: one on a busy machine may be asked for again. */
const answers = async ({ baseUrl }: RunningService, path: string): Promise<boolean> => {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ decision: 'approve' });
  const { status } = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body });
  if (status < 500) expect([200, 410]).toContain(status);
  return status < 500;
};

const show = (service: RunningService, { executionId }: Run) =>
  ask<Shown>(service, `/api/admin/executions/${executionId}`);

const isOpen = ({ status }: { readonly status: string }) =>
  ['accepted', 'running', 'waiting'].includes(status);

/** What each run ends with: the result of its last node, which takes what the steps before the upgrade were answered. */
const RESULTS: Readonly<Record<string, unknown>> = {
  wait: { reply: replyTo('wait'), what: 'of the past' },
  approval: { reply: replyTo('approval'), decision: 'approve' },
  retry: { reply: replyTo('retry') },
  each: { results: ['a', 'b', 'c'].map(() => ({ reply: replyTo('each') })) },
  parent: { reply: replyTo('parent'), inner: replyTo('child') },
  branches: { reply: replyTo('branches'), other: replyTo('branches') },
  loop: { reply: replyTo('loop'), count: 3 },
  large: { length: 300_000 },
  queued: { what: 'of the past' },
  upload: { rows: [{ id: 'A-1', total: '120' }], size: 17 },
} satisfies Record<keyof typeof WAITING, unknown> & Record<string, unknown>;

const resultOf = ({ nodes }: Shown) => nodes.findLast(({ nodeId }) => nodeId === 'result')?.outputs?.main;

/** What `hookloom migrate` says of each table of a service. */
const migrate = async ({ baseUrl }: RunningService, ...options: readonly string[]) => {
  const run = () =>
    runCli(['migrate', '--json', ...options], {
      cwd: projectRoot,
      env: { HOOKLOOM_PORT: new URL(baseUrl).port },
    });
  let { code, stdout, stderr } = await run();
  // As it says when a run that resumes has changed an item meanwhile.
  while (stderr.includes('Run the command again')) ({ code, stdout, stderr } = await run());
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { tables } = JSON.parse(stdout) as {
    readonly tables: readonly {
      readonly table: string;
      readonly found: Readonly<Record<string, number>>;
      readonly migrated: number;
    }[];
  };
  return tables.map(({ table, found, migrated }) => {
    const older = Object.entries(found).filter(([version]) => Number(version) < SCHEMA_VERSION);
    return { table, older: older.reduce((sum, [, count]) => sum + count, 0), migrated };
  });
};

/** Migrates a folder, beside a service with which all of its runs still wait. */
const migrateAll = async (fixture: ReturnType<typeof unpack>): Promise<void> => {
  const service = await start(fixture, SOON_MS);
  const olderIn = (tables: Awaited<ReturnType<typeof migrate>>) =>
    tables.filter(({ older }) => older > 0).map(({ table }) => table);
  const counted = await migrate(service, '--dry-run');
  expect(olderIn(counted).length).toBeGreaterThan(3);
  for (const { migrated } of counted) expect(migrated).toBe(0);
  // Runs that resume meanwhile write their items anew themselves.
  const done = await migrate(service);
  for (const { migrated, older } of done) expect(migrated).toBeLessThanOrEqual(older);
  expect(done.some(({ migrated }) => migrated > 0)).toBe(true);
  expect(olderIn(await migrate(service))).toEqual([]);
  await service.stop();
};

// holds: upgrades-read-old-data
describe.each([
  ['version-2-first', false],
  ['version-2-first', true],
  ['version-2-last', false],
  ['version-2-last', true],
  ['version-3', false],
  ['version-3', true],
])('the data folder %s, migrated: %s', (name, isMigrated) => {
  type Opened = { readonly fixture: ReturnType<typeof unpack>; readonly service: RunningService };

  const expectRunsToEnd = async ({ fixture, service }: Opened) => {
    for (const path of fixture.callbacks) await poll(() => answers(service, path));
    const waiting = fixture.runs.filter((run) => run.workflowId in RESULTS && isOpen(run));
    expect(waiting.length).toBeGreaterThanOrEqual(2 * Object.keys(WAITING).length);
    const ended: Record<string, unknown>[] = [];
    for (const run of waiting) {
      await poll(async () => !isOpen(await show(service, run)));
      const { status, failure, ...shown } = await show(service, run);
      ended.push({ ...run, status, failure, result: resultOf({ status, failure, ...shown }) });
    }
    expect(ended).toEqual(
      waiting.map((run) => ({ ...run, status: 'succeeded', failure: null, result: RESULTS[run.workflowId] })),
    );
  };

  const expectAllElse = async ({ fixture, service }: Opened) => {
    const others = fixture.runs.filter((run) => !isOpen(run) || run.workflowId === 'paused');
    for (const run of others) expect(await show(service, run)).toMatchObject({ status: run.status });
    const endedBadly = others.filter(({ status }) => status === 'failed' || status === 'cancelled');
    const list = '/api/admin/executions?status=failed,cancelled';
    const idsOf = ({ executions }: { readonly executions: readonly Run[] }) =>
      executions.map(({ executionId }) => executionId).sort();
    const expected = endedBadly.map(({ executionId }) => executionId).sort();
    const all = await ask<{ executions: Run[]; omitsEarlier?: true }>(service, list);
    expect(all.omitsEarlier).toBe(isMigrated ? undefined : true);
    expect(idsOf(all)).toEqual(isMigrated ? expected : []);
    const lists = [...new Set(endedBadly.map(({ workflowId }) => workflowId))].map((id) =>
      ask<{ executions: Run[] }>(service, `${list}&workflowId=${id}`),
    );
    expect((await Promise.all(lists)).flatMap(idsOf).sort()).toEqual(expected);
    const approvals = fixture.runs.filter((run) => run.workflowId === 'approval' && isOpen(run));
    const ofWorkflow = isMigrated ? '' : '?workflowId=approval';
    const waiting = await ask<{ approvals: Run[] }>(service, `/api/admin/approvals${ofWorkflow}`);
    // The first ones have no list.
    const listed = name === 'version-2-first' ? [] : approvals;
    expect(waiting.approvals.map(({ executionId }) => executionId)).toEqual(
      expect.arrayContaining(listed.map(({ executionId }) => executionId)),
    );
    const held = others.filter(({ workflowId }) => workflowId === 'paused');
    for (const run of held) expect(await show(service, run)).toMatchObject({ held: 'paused' });
    const [done] = others.filter(({ workflowId }) => workflowId === 'done');
    const again = await ask<{ executionId: string }>(
      service,
      `/api/admin/executions/${done?.executionId}/retry`,
      {
        from: 'result',
      },
    );
    await poll(async () => !isOpen(await show(service, { ...done, ...again } as Run)));
    expect(resultOf(await show(service, { ...done, ...again } as Run))).toEqual({ reply: replyTo('done') });
    if (name === 'version-2-first') return;
    const requests = await ask<{ requests: unknown[] }>(service, '/api/admin/requests?workflowId=recorded');
    expect(requests.requests).toHaveLength(1);
    expect(fixture.uploads).toHaveLength(1);
    for (const path of fixture.uploads ?? []) {
      const answer = await fetch(`${service.baseUrl}${path}`, { method: 'POST' });
      expect(answer.status).toBe(202);
      const run = (await answer.json()) as Run;
      await poll(async () => (await show(service, run)).status === 'waiting');
    }
    // Warnings and pings are left out: a slow machine causes them, too.
    const { plugins, checks } = await ask<{
      readonly plugins: Readonly<Record<string, { readonly status: string }>>;
      readonly checks: { readonly store: object };
    }>(service, '/api/admin/plugins/health');
    expect(checks.store).toEqual({ status: 'healthy' });
    expect(Object.entries(plugins).filter(([, { status }]) => status === 'unhealthy')).toEqual([]);
  };

  test('records, lists, held executions, requests, uploads and registrations are there, and runs resume from their journals and end as they would have', async () => {
    const fixture = unpack(name);
    if (isMigrated) await migrateAll(fixture);
    const service = await start(fixture);
    await expectAllElse({ fixture, service });
    await expectRunsToEnd({ fixture, service });
  });
});

test('data of an unreadable schema version is refused at the start, with what to do', async () => {
  const fixture = unpack('version-1');
  await expect(start(fixture)).rejects.toThrow(/lacks the indexes byFailure, bySweep/);
  await expect(start(fixture)).rejects.toThrow(/can't be used with this release[\s\S]*choose another folder/);
});
