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

    interface Shown {
      readonly status: string;
      readonly endedAt: string;
      readonly nodes: readonly { readonly startedAt: string }[];
    }

    const show = async (executionId: string) =>
      (await project.get<Shown>(`/api/admin/executions/${executionId}`)).body;

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

    test('concurrency: requests beyond the limit are refused, or cancel a run', async () => {
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

    test('paused: stored requests run once, when the webhook is unpaused', async () => {
      const put = (trigger: Record<string, unknown>) =>
        project.cli('workflow put -', {
          stdin: JSON.stringify(workflow('stored', set({ order: '{{ body.order }}' }), trigger)),
        });
      await put({ paused: 'store' });
      const answers = [];
      for (const order of [1, 2])
        answers.push(
          await post<{ executionId: string }>('/api/webhook/stored/webhook', `{"order":${order}}`, json),
        );
      expect(answers.map(({ status }) => status)).toEqual([202, 202]);
      const ids = answers.map(({ body }) => body.executionId);
      expect((await project.cli('execution list --workflow stored')).stdout).toMatch(/accepted \(paused\)/);
      expect(await show(ids[0] ?? '')).toMatchObject({ status: 'accepted', held: 'paused', invocations: 0 });
      expect((await put({})).stdout).toMatch(/requests stored by the trigger \S+ now start to run/);
      for (const id of ids) {
        await poll(async () => (await show(id)).status === 'succeeded');
        expect(await show(id)).toMatchObject({ workflowVersion: 2, crashes: 0 });
      }
    });

    test('concurrency: waiting executions begin one by one, in order', async () => {
      const wait = { type: 'wait', parameters: { seconds: 0.3 } };
      await storeWorkflow(workflow('queued', wait, { concurrency: { max: 1, onLimit: 'queue' } }));
      const ids: string[] = [];
      for (let order = 0; order < 5; order++) {
        const { status, body } = await post<{ executionId: string }>(
          '/api/webhook/queued/webhook',
          '{}',
          json,
        );
        expect(status).toBe(202);
        ids.push(body.executionId);
      }
      const runs: Shown[] = [];
      for (const id of ids) {
        await poll(async () => (await show(id)).status === 'succeeded');
        runs.push(await show(id));
      }
      for (const [at, { nodes }] of runs.slice(1).entries())
        expect(Date.parse(nodes[0]?.startedAt ?? '')).toBeGreaterThanOrEqual(
          Date.parse(runs[at]?.endedAt ?? ''),
        );
    });
  });
};
