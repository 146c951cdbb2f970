import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { workflow } from '../../support/a-project-file.ts';
import { json, type RunningProject } from '../../support/a-running-project.ts';
import { poll } from '../../support/poll.ts';

interface Listed {
  readonly executions: readonly { readonly executionId: string; readonly status: string }[];
}

interface Shown {
  readonly state: string;
  readonly endedAt: string | null;
  readonly counts: Readonly<Record<string, number>>;
}

/** Retries of executions that failed because of another system, by the command line and the API. */
export const describeBulkRetries = (project: RunningProject): void => {
  const { cli, get, post, storeWorkflow } = project;

  let isBroken = true;
  /** How often the other system has taken a request, by path. */
  const taken = new Map<string, number>();
  const otherSystem = createServer((request, response) => {
    const path = String(request.url);
    if (!isBroken) taken.set(path, (taken.get(path) ?? 0) + 1);
    response.writeHead(isBroken ? 503 : 200, json).end('{}');
  });
  beforeAll(() => new Promise<void>((resolve) => void otherSystem.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    otherSystem.closeAllConnections();
    otherSystem.close();
  });

  const idsOf = async (workflowId: string, status: string) =>
    (
      await get<Listed>(`/api/admin/executions?workflowId=${workflowId}&status=${status}&limit=100`)
    ).body.executions.map(({ executionId }) => executionId);

  /** Executions of a workflow that fail, as long as the other system is broken. */
  const fail = async (id: string, count: number, execution: 'express' | 'durable') => {
    isBroken = true;
    taken.clear();
    const { port } = otherSystem.address() as AddressInfo;
    const calls = {
      type: 'httpRequest',
      parameters: { method: 'POST', url: `http://127.0.0.1:${port}/{{ body.n }}`, idempotencyKey: true },
    };
    const definition = workflow(id, calls, { responseMode: 'onReceived' });
    await storeWorkflow({ ...definition, settings: { execution } } as typeof definition);
    for (let n = 0; n < count; n++)
      expect((await post(`/api/webhook/${id}/webhook`, JSON.stringify({ n }), json)).status).toBe(202);
    await poll(async () => (await idsOf(id, 'failed')).length === count);
  };

  const show = async (bulkRetryId: string) =>
    (await get<Shown>(`/api/admin/bulk-retries/${bulkRetryId}`)).body;

  describe('a retry of many executions', () => {
    const COUNT = 15;

    test('says what it would do, and retries each once after the cause is removed', async () => {
      await fail('bulk', COUNT, 'express');
      const failed = await idsOf('bulk', 'failed');
      const planned = await cli('execution retry --workflow bulk --dry-run');
      expect([planned.code, planned.stdout.trim().split('\n')]).toEqual([
        0,
        [
          `${COUNT} executions to retry`,
          `  ${COUNT} failed at out: HttpStatusError`,
          'Effects on the outside',
          `  bulk: out (httpRequest) runs again ${COUNT} times`,
        ],
      ]);
      expect(taken.size).toBe(0);

      isBroken = false;
      const { code, stdout } = await cli('execution retry --workflow bulk --rate 50');
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining(`${COUNT} of ${COUNT} succeeded, 0 failed`),
      ]);
      expect([taken.size, Math.max(...taken.values())]).toEqual([COUNT, 1]);
      const bulkRetryId = /\S+(?=: started)/.exec(stdout)?.[0];
      const retries = new Set<unknown>();
      for (const executionId of failed) {
        const { body: original } = await get(`/api/admin/executions/${executionId}`);
        retries.add(original.retriedBy);
        const { body } = await get(`/api/admin/executions/${original.retriedBy}`);
        expect(body).toMatchObject({ status: 'succeeded', retryOf: { executionId, bulkRetryId } });
      }
      expect(retries.size).toBe(COUNT);

      const again = await cli('execution retry --workflow bulk');
      expect([again.code, again.stdout]).toEqual([
        1,
        expect.stringContaining(`  ${COUNT}: another execution already retries it`),
      ]);
      expect((await cli('bulk-retry list')).stdout).toContain(`${bulkRetryId}  done`);
    });

    test('stops by itself while the cause remains', async () => {
      await fail('bulk-broken', COUNT, 'durable');
      const { code, stdout, stderr } = await cli(
        'execution retry --workflow bulk-broken --failure-node out --stop-at 0.2',
      );
      expect([code, stdout]).toEqual([1, expect.stringContaining(': stopped\n')]);
      expect(stderr).toContain('more than the share of 0.2');
      expect(taken.size).toBe(0);
    });

    test('is cancelled, and loses no count of what had started', async () => {
      await fail('bulk-cancelled', COUNT, 'express');
      isBroken = false;
      const filter = { workflowId: 'bulk-cancelled', failureName: 'HttpStatusError' };
      const started = await post(
        '/api/admin/executions/retry',
        JSON.stringify({ filter, rate: 1, version: 'current' }),
        json,
      );
      expect(started).toMatchObject({ status: 202, body: { count: COUNT, state: 'running' } });
      const bulkRetryId = String(started.body.bulkRetryId);
      await poll(async () => Number((await show(bulkRetryId)).counts.succeeded) > 0);
      expect((await cli(`bulk-retry cancel ${bulkRetryId}`)).stdout).toContain(`${bulkRetryId}: cancelled, `);
      const watched = await cli(`bulk-retry watch ${bulkRetryId}`);
      expect([watched.code, watched.stdout]).toEqual([0, expect.stringContaining(': cancelled\n')]);
      const { counts } = await show(bulkRetryId);
      expect(counts).toMatchObject({ total: COUNT, open: 0, failedAgain: 0, refused: 0 });
      expect(counts.remaining).toBeGreaterThan(0);
      expect(taken.size).toBe(counts.succeeded);
      expect(await idsOf('bulk-cancelled', 'succeeded')).toHaveLength(Number(counts.succeeded));
      expect((await cli(`bulk-retry cancel ${bulkRetryId}`)).code).toBe(1);
    });
  });
};
