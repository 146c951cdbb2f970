import { expect, test } from '@jest/globals';
import { set, workflow } from '../../support/a-project-file.ts';
import type { RunningProject } from '../../support/a-running-project.ts';
import { cases } from '../../support/deep.ts';
import { poll } from '../../support/poll.ts';

const RUNS = cases(10, 100);

/** A slow machine with all requests at once would let some wait longer than API Gateway does. */
const SENDERS = 10;

export const describeBackgroundRuns = (project: RunningProject): void => {
  const { get, post, storeWorkflow } = project;

  test(`${RUNS} background runs at once all succeed`, async () => {
    await storeWorkflow(workflow('many', set({ a: 1 }), { responseMode: 'onReceived' }));
    const accepted: { status: number; body: { executionId: string } }[] = [];
    const sender = async () => {
      for (let sent = 0; sent < RUNS / SENDERS; sent++)
        accepted.push(await post('/api/webhook/many/webhook'));
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
    expect(accepted.filter(({ status }) => status !== 202)).toEqual([]);
    expect(accepted).toHaveLength(RUNS);
    for (const { body } of accepted) {
      let status: unknown = 'accepted';
      await poll(async () => {
        ({ status } = (await get(`/api/admin/executions/${body.executionId}`)).body);
        return status !== 'accepted' && status !== 'running';
      });
      expect(status).toBe('succeeded');
    }
    expect(project.service.output()).not.toContain('its process failed');
  });
};
