import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { workflow } from '../support/a-project-file.ts';
import { json } from '../support/a-running-project.ts';
import { useRunningStage } from '../support/a-running-stage.ts';
import { cases } from '../support/deep.ts';
import { poll } from '../support/poll.ts';

/** More than Lambda's three attempts: after those, the schedule continues when the lease has expired. */
const KILLS = 5;
const COUNT = cases(24, 40);

let isBroken = true;
/** The keys of the requests that have arrived, by path: one for each execution. */
const arrived = new Map<string, Set<string>>();

const outside = createServer((request, response) => {
  if (isBroken) return void response.writeHead(503).end();
  const path = String(request.url);
  arrived.set(path, (arrived.get(path) ?? new Set()).add(String(request.headers['idempotency-key'])));
  response.writeHead(200, json).end('{}');
});

beforeAll(() => new Promise<void>((resolve) => void outside.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  outside.closeAllConnections();
  outside.close();
});

const stage = useRunningStage({ args: () => ['--no-samples'] });

interface Listed {
  readonly executions: readonly {
    readonly executionId: string;
    readonly status: string;
  }[];
}

const list = async (filter: string) =>
  (await stage.get<Listed>(`/api/admin/executions?workflowId=killed&limit=100${filter}`)).body.executions;

interface Shown {
  readonly state: string;
  readonly counts: Readonly<Record<string, number>>;
}

const show = async (id: string) => (await stage.get<Shown>(`/api/admin/bulk-retries/${id}`)).body;

beforeAll(async () => {
  const { port } = outside.address() as AddressInfo;
  const call = {
    type: 'httpRequest',
    parameters: { method: 'POST', url: `http://127.0.0.1:${port}/{{ body.n }}`, idempotencyKey: true },
  };
  const definition = workflow('killed', call, { responseMode: 'onReceived' });
  await stage.storeWorkflow({ ...definition, settings: { execution: 'express' } } as typeof definition);
  for (let n = 0; n < COUNT; n++)
    await stage.post('/api/webhook/killed/webhook', JSON.stringify({ n }), json);
  await poll(async () => (await list('&status=failed')).length === COUNT);
  isBroken = false;
});

// holds: bulk-retry-once
test(`a bulk retry whose process is killed ${KILLS} times loses nothing, and retries nothing twice`, async () => {
  const { body } = await stage.post(
    '/api/admin/executions/retry',
    JSON.stringify({ filter: { workflowId: 'killed' }, rate: 2 }),
    json,
  );
  const id = String(body.bulkRetryId);
  for (let kills = 0; kills < KILLS; ) {
    const runner = (await stage.processes()).find(({ functionKey }) => functionKey === 'retryExecutions');
    if (runner === undefined) {
      await pause(1_000);
      await stage.fire('RetryExecutionsEventsRuleSchedule1');
      continue;
    }
    await pause(Math.random() * 1_500); // in a round, or between two
    try {
      process.kill(runner.pid, 'SIGKILL');
      kills++;
    } catch {
      // It has ended meanwhile.
    }
  }
  expect((await show(id)).state).toBe('running');

  await poll(async () => {
    await stage.fire('RetryExecutionsEventsRuleSchedule1');
    await pause(1_000);
    return (await show(id)).state !== 'running';
  });
  expect(await show(id)).toMatchObject({
    state: 'done',
    counts: { total: COUNT, succeeded: COUNT, failedAgain: 0, refused: 0 },
  });
  expect([arrived.size, [...arrived.values()].filter(({ size }) => size !== 1)]).toEqual([COUNT, []]);
  const statuses = (await list('')).map(({ status }) => status);
  expect([statuses.length, statuses.filter((one) => one === 'succeeded').length]).toEqual([2 * COUNT, COUNT]);
});
