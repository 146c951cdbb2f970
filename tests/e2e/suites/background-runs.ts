import { expect, test } from '@jest/globals';
import { set, workflow } from '../../support/a-project-file.ts';
import type { RunningProject } from '../../support/a-running-project.ts';
import { cases } from '../../support/deep.ts';
import { poll } from '../../support/poll.ts';

const RUNS = cases(10, 100);

export const describeBackgroundRuns = (project: RunningProject): void => {
  const { get, post, storeWorkflow } = project;

  test(`${RUNS} background runs at once all succeed`, async () => {
    await storeWorkflow(workflow('many', set({ a: 1 }), { responseMode: 'onReceived' }));
    const accepted = await Promise.all(Array.from({ length: RUNS }, () => post('/api/webhook/many/webhook')));
    expect(new Set(accepted.map(({ status }) => status))).toEqual(new Set([202]));
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
