import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { set, workflow } from '../../support/a-project-file.ts';
import { json, type RunningProject } from '../../support/a-running-project.ts';
import { poll } from '../../support/poll.ts';
import { projectEnvironment } from '../../support/run-command.ts';

const SECRET = 'secret-of-an-operator';
const HOOK = '/api/webhook/on-record/hook';

/** Requests on record, by hand as an operator works: with the command line alone. */
export const describeRequests = (project: RunningProject): void => {
  const send = (secret: string, body: string, headers: Record<string, string> = {}) => {
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return project.post<{ executionId: string }>(HOOK, body, {
      ...json,
      'x-hub-signature-256': `sha256=${signature}`,
      ...headers,
    });
  };

  const list = async (
    options: string,
  ): Promise<readonly { readonly id: string; readonly verdict: string }[]> =>
    JSON.parse((await project.cli(`request list on-record --json ${options}`)).stdout).requests;

  const lines = async (args: string): Promise<string> => (await project.cli(args)).stdout;

  describe('requests on record', () => {
    test('a wrong signature is listed, explained, fixed and sent again by the command line', async () => {
      const { cli, storeWorkflow, folder } = project;
      const created = await cli('credential create on-record-secret --type signingSecret', { stdin: SECRET });
      expect(created).toMatchObject({ code: 0 });
      const trigger = {
        path: '/hook',
        deduplication: 'github',
        signature: { scheme: 'github', credentialId: 'on-record-secret' },
      };
      await storeWorkflow(workflow('on-record', set({ n: '{{ body.n }}' }), trigger));
      const listening = spawn('node', [...project.cliProgram, 'webhook', 'listen', 'on-record'], {
        cwd: folder,
        env: projectEnvironment(),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      const read = new EventEmitter();
      for (const stream of [listening.stdout, listening.stderr])
        stream.setEncoding('utf8').on('data', (chunk) => {
          output += chunk;
          read.emit('data');
        });
      const untilPrinted = async (text: string): Promise<void> => {
        while (!output.includes(text)) await once(read, 'data');
      };
      await untilPrinted('Listening');

      const headers = { 'x-github-delivery': 'delivery-1' };
      expect((await send('another-secret', '{"n":1}', headers)).status).toBe(403);
      await untilPrinted('signature: mismatch: wrong secret, or the request was modified');
      expect(await project.get(HOOK)).toMatchObject({ status: 405 });
      await untilPrinted('refused   GET /hook');
      const right = await send(SECRET, '{"n":2}', { 'x-github-delivery': 'delivery-2' });
      expect(right.status).toBe(202);
      await untilPrinted(`started   ${right.body.executionId}`);
      listening.kill('SIGINT');
      expect(await once(listening, 'exit')).toEqual([0, null]);
      expect(output).not.toContain('\u001b');

      const [refused] = await list('--key delivery-1 --sender 127.0.0.1 --from 2026-01-01');
      if (refused === undefined) throw new Error('the refused request is not found');
      expect(await lines(`request show ${refused.id}`)).toContain(
        'mismatch: wrong secret, or the request was modified',
      );
      const again = await project.cli(`request send-again ${refused.id}`);
      expect(again).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(': accepted, version 1 of on-record'),
      });
      // A plugin that is broken says so first.
      const [, executionId] = /^([\w-]+): accepted/m.exec(again.stdout) ?? [];
      await poll(async () => (await lines(`execution show ${executionId}`)).includes('succeeded'));
      expect(await lines('execution list --workflow on-record --key delivery-2')).toContain(
        right.body.executionId,
      );
      const { requestId } = JSON.parse(await lines(`request show ${refused.id} --json`));
      expect(await lines(`execution list --workflow on-record --request ${requestId}`)).toContain(
        executionId,
      );
      const started = JSON.parse(await lines(`execution show ${right.body.executionId} --json`));
      expect(await lines(`execution list --request ${started.requestId}`)).toContain(right.body.executionId);
    });

    test('all requests are recorded where the webhook asks for it, and the admin API lists the same', async () => {
      const { get, post, storeWorkflow } = project;
      await storeWorkflow(
        workflow('on-record', set({}), {
          path: '/hook',
          responseMode: 'lastNode',
          recordRequests: true,
          onlyIf: 'body.n > 1',
        }),
      );
      for (const n of [1, 2]) await post(HOOK, JSON.stringify({ n }), json);
      const listed = await get<{ requests: { verdict: string; executionId: string | null; id: string }[] }>(
        '/api/admin/requests?workflowId=on-record&verdict=started,skipped',
      );
      expect(listed.body.requests).toMatchObject([
        { verdict: 'started', executionId: expect.any(String) },
        { verdict: 'skipped', executionId: null },
      ]);
      const [started, skipped] = listed.body.requests;
      expect(await get(`/api/admin/requests/${started?.id}`)).toMatchObject({
        status: 200,
        body: { body: '{"n":2}' },
      });
      expect(
        await post(`/api/admin/requests/${skipped?.id}/send-again`, '{"version":1}', json),
      ).toMatchObject({
        status: 202,
        body: { workflowId: 'on-record', workflowVersion: 1 },
      });
      expect(await post(`/api/admin/requests/${skipped?.id}/send-again`)).toMatchObject({
        status: 200,
        body: { skipped: true },
      });
    });
  });
};
