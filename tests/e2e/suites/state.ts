import { describe, expect, test } from '@jest/globals';
import { workflow } from '../../support/a-project-file.ts';
import type { RunningProject } from '../../support/a-running-project.ts';
import { poll } from '../../support/poll.ts';

/** What workflows remember, and its repair by the command line. */
export const describeState = (project: RunningProject): void => {
  describe('state', () => {
    test('is shared by runs of each mode, seen, and repaired', async () => {
      const { cli, post, storeWorkflow } = project;
      const count = { type: 'state', parameters: { operation: 'increment', key: 'runs', store: 'counted' } };
      await storeWorkflow(workflow('counted', count));
      for (const execution of ['express', 'durable']) {
        const background = workflow(`counted-${execution}`, count, { responseMode: 'onReceived' });
        await storeWorkflow({ ...background, settings: { execution } } as typeof background);
      }
      const countOnce = async () => (await post('/api/webhook/counted/webhook')).body?.value;
      const stored = async () => (await cli('state get runs --store counted')).stdout.trim();

      expect(await countOnce()).toBe(1);
      await post('/api/webhook/counted-express/webhook');
      await poll(async () => (await stored()) === '2');
      await post('/api/webhook/counted-durable/webhook');
      await poll(async () => (await stored()) === '3');

      expect((await cli('state put runs 10 --store counted --if-version 3')).stdout.trim()).toBe(
        'runs: stored, version 4',
      );
      expect(await countOnce()).toBe(11);
      const { entries } = JSON.parse((await cli('state list --store counted --json')).stdout);
      expect(entries).toMatchObject([{ key: 'runs', value: 11, version: 5 }]);
      expect((await cli('state delete runs --store counted')).stdout.trim()).toBe('runs: deleted');
      expect(await countOnce()).toBe(1);
    });
  });
};
