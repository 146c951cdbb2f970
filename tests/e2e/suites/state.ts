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

    test('of any size is shared by runs of each mode, and by the command line', async () => {
      const { cli, post, storeWorkflow } = project;
      const add = {
        type: 'state',
        parameters: {
          operation: 'append',
          key: 'names',
          store: 'large',
          value: '{{ $pad("", 450000, "é") }}',
        },
      };
      await storeWorkflow(workflow('large', add));
      for (const execution of ['express', 'durable']) {
        const background = workflow(`large-${execution}`, add, { responseMode: 'onReceived' });
        await storeWorkflow({ ...background, settings: { execution } } as typeof background);
      }
      const list = async () => {
        const { stdout } = await cli('state list --store large --json');
        return JSON.parse(stdout).entries as readonly {
          readonly value: unknown;
          readonly omittedBytes: number;
        }[];
      };
      for (const [count, name] of ['large', 'large-express', 'large-durable'].entries()) {
        await post(`/api/webhook/${name}/webhook`);
        const omittedBytes = 1 + (count + 1) * 900_003;
        await poll(async () => (await list())[0]?.omittedBytes === omittedBytes);
        expect(await list()).toMatchObject([{ value: null, omittedBytes }]);
      }
      const value = JSON.parse((await cli('state get names --store large')).stdout);
      expect(value).toEqual(Array(3).fill('é'.repeat(450_000)));

      const text = JSON.stringify([...value, '"'.repeat(500_000)]);
      const { code } = await cli('state put copy --file - --store large', { stdin: text });
      expect(code).toBe(0);
      const exported = (await cli('state export --store large')).stdout.trim().split('\n');
      expect(exported.map((line) => JSON.parse(line).value)).toEqual([JSON.parse(text), value]);
    });
  });
};
