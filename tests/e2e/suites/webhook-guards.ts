import { describe, expect, test } from '@jest/globals';
import { set, workflow } from '../../support/a-project-file.ts';
import { json, type RunningProject } from '../../support/a-running-project.ts';
import { poll } from '../../support/poll.ts';

export const describeWebhookGuards = (project: RunningProject): void => {
  const { post, storeWorkflow } = project;

  describe('the guards of a webhook', () => {
    const send = (body: unknown) => post('/api/webhook/guarded/webhook', JSON.stringify(body), json);

    const sendNothing = () =>
      fetch(`${project.service.baseUrl}/api/webhook/guarded/webhook`, { method: 'POST' });

    test('size, schema, filter and rate', async () => {
      const trigger = {
        responseMode: 'lastNode',
        maxBodyBytes: 100,
        schema: { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } },
        onlyIf: "body.kind = 'order'",
        rateLimit: { requests: 4, seconds: 3600, per: 'path' },
      };
      await storeWorkflow(workflow('guarded', set({ kind: '{{ body.kind }}' }), trigger));
      expect(await send({ kind: 'x'.repeat(100) })).toMatchObject({ status: 413 });
      expect(await send({ kind: 7 })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '#/kind', detail: expect.any(String) }] },
      });
      expect(await send({ kind: 'note' })).toEqual({ status: 200, body: { skipped: true } });
      expect(await send({ kind: 'order' })).toEqual({ status: 200, body: { kind: 'order' } });
      const [last, refused] = [await sendNothing(), await sendNothing()];
      expect([last.status, last.headers.get('ratelimit')]).toEqual([
        400,
        expect.stringMatching(/^"path";r=0;t=3\d{3}$/),
      ]);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([
        429,
        expect.stringMatching(/^[89]\d\d$/),
      ]);
    });

    test('concurrency: runs that wait are refused more company, or cancelled', async () => {
      const wait = { type: 'wait', parameters: { seconds: 3600 } };
      const start = () => post<{ executionId: string }>('/api/webhook/waiting/webhook', '{}', json);
      const statusOf = async (executionId: string) =>
        JSON.parse((await project.cli(`execution show ${executionId} --json`)).stdout).status;
      await storeWorkflow(workflow('waiting', wait, { concurrency: { max: 1 } }));
      const first = await start();
      expect([first.status, (await start()).status]).toEqual([202, 429]);
      await storeWorkflow(workflow('waiting', wait, { concurrency: { max: 1, onLimit: 'cancelOldest' } }));
      let second = await start();
      await poll(async () => {
        if (second.status !== 202) second = await start();
        return second.status === 202;
      });
      expect(await statusOf(first.body.executionId)).toBe('cancelled');
      await project.cli(`execution cancel ${second.body.executionId}`);
    });
  });
};
