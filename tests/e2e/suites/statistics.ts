import { describe, expect, test } from '@jest/globals';
import type { readStatistics } from '../../../lib/executions/statistics/read-statistics.ts';
import { set, workflow } from '../../support/a-project-file.ts';
import type { RunningProject } from '../../support/a-running-project.ts';
import { poll } from '../../support/poll.ts';

type Page = Awaited<ReturnType<typeof readStatistics>>;

/** Statistics, by the command line: what really ran, counted by the function that reads the streams. */
export const describeStatistics = (project: RunningProject): void => {
  const read = async (workflowId: string): Promise<Page> =>
    JSON.parse((await project.cli(`statistics --workflow ${workflowId} --json`)).stdout);

  describe('statistics', () => {
    test('count each execution once: synchronous, in the background, failed; and refused requests', async () => {
      const { post, storeWorkflow } = project;
      const failing = { type: 'stopAndError', parameters: { message: 'no' } };
      await storeWorkflow(workflow('counted', set({ n: '{{ body.n }}' })));
      await storeWorkflow(workflow('counted-failing', failing));
      const express = workflow('counted-express', set({ n: 1 }), { responseMode: 'onReceived' });
      await storeWorkflow({ ...express, settings: { execution: 'express' } } as typeof express);
      const hook = (id: string) => `/api/webhook/${id}/webhook`;
      const send = (id: string) => post(hook(id), '{"n":1}', { 'content-type': 'application/json' });
      const sent = await Promise.all(
        ['counted', 'counted', 'counted', 'counted-failing', 'counted-express', 'counted-express'].map(send),
      );
      expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 500, 202, 202]);
      expect((await post('/api/webhook/counted/elsewhere', '{}')).status).toBe(404);
      const expected = {
        counted: { started: 3, succeeded: 3, failed: 0, refused: { NOT_FOUND: 1 } },
        'counted-failing': { started: 1, succeeded: 0, failed: 1, refused: {} },
        'counted-express': { started: 2, succeeded: 2, failed: 0, refused: {} },
      };
      for (const [workflowId, counts] of Object.entries(expected)) {
        let total = (await read(workflowId)).total;
        await poll(async () => {
          total = (await read(workflowId)).total;
          const { started, succeeded, failed, refused } = total;
          const ended = succeeded + failed;
          return (
            started === counts.started &&
            ended === started &&
            'NOT_FOUND' in refused === 'NOT_FOUND' in counts.refused
          );
        });
        expect(total).toMatchObject({ ...counts, timedOut: 0, cancelled: 0 });
        expect(total.nodes?.out).toMatchObject({ runs: counts.started, failed: counts.failed });
        expect(total.durationMs.p95).toBeGreaterThanOrEqual(total.durationMs.p50 ?? Number.NaN);
      }
      const { stdout } = await project.cli('statistics --workflow counted-failing');
      expect(stdout).toMatch(/^HOUR.*\n.*\ntotal +1 +0 +1 +0 +0 +0 /);
    });
  });
};
