import { join } from 'node:path';
import type { JsonObject } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { aLocalServer, type LocalServer } from '../../support/a-local-server.ts';
import { plugin, workflow } from '../../support/a-project-file.ts';
import type { RunningProject } from '../../support/a-running-project.ts';
import { poll } from '../../support/poll.ts';
import { runCommand } from '../../support/run-command.ts';
import { findSecrets } from '../../support/secret-forms.ts';

const TOKEN = 'planted/token+in="e2e"';

/** It ends its process with the secret of its credential in memory. */
const aborts = plugin(
  'aborts',
  `(node, input, { credential }) => {
    globalThis.kept = credential.field('token');
    process.abort();
  }`,
).replace('pure: true', "credentialTypes: ['httpBearer']");

/** @param others - by id, the source of plugins to install by the same edit: each edit builds the functions again */
export const describePluginKit = (
  project: RunningProject,
  others: Readonly<Record<string, string>>,
): void => {
  /** What the command line has printed. */
  const printed: string[] = [];
  let receiver: LocalServer;
  beforeAll(async () => {
    receiver = await aLocalServer({ '/texts': (_request, response) => response.writeHead(202).end() });
  });
  afterAll(() => receiver.close());

  const cli = async (args: string, stdin = '') => {
    const result = await project.cli(args, { stdin });
    printed.push(result.stdout, result.stderr);
    return result;
  };

  /** Resolves when the service has loaded a node type. */
  const loaded = (nodeType: string) =>
    poll(async () => {
      const { body } = await project.get<{ readonly nodeTypes: readonly string[] }>('/api/admin/debug');
      return body.nodeTypes.includes(nodeType);
    });

  /** Every record with its details, and the workflows as they are stored. */
  const readStored = async (...workflowIds: string[]): Promise<string[]> => {
    const shown = await Promise.all(workflowIds.map((id) => cli(`workflow get ${id}`)));
    const { body } = await project.get<{ readonly executions: readonly { readonly executionId: string }[] }>(
      '/api/admin/executions',
    );
    const records = await Promise.all(
      body.executions.map(({ executionId }) => project.get(`/api/admin/executions/${executionId}`)),
    );
    return [...shown.map(({ stdout }) => stdout), ...records.map((record) => JSON.stringify(record))];
  };

  describe('a plugin of the kit', () => {
    test('is created, tested, checked, installed with one line, listed and healthy', async () => {
      const { addPlugin, get, installPlugin, storeWorkflow } = project;
      const created = await cli('plugin create acme-chat');
      expect(created).toMatchObject({ code: 0, stderr: '' });

      const tested = await runCommand('npm', ['test'], { cwd: join(project.folder, 'nodes/acme-chat') });
      expect(tested).toMatchObject({ code: 0, stdout: expect.stringContaining('fail 0') });
      expect(await cli('plugin check nodes/acme-chat')).toMatchObject({ code: 0, stderr: '' });

      const [line = ''] = /unified\('acme-chat'.*$/m.exec(created.stdout) ?? [];
      installPlugin(line);
      for (const [id, source] of Object.entries({ ...others, aborts })) addPlugin(id, source);
      await project.deploy();
      const parameters = { name: '{{ queryParams.name }}', greeting: 'Welcome' };
      await storeWorkflow(workflow('greeting', { type: 'acmeChatGreet', parameters })); // refused until the plugin is known
      await loaded('acmeChatGreet');
      const { body: list } = await get<{ readonly plugins: readonly JsonObject[] }>('/api/admin/plugins');
      expect(list.plugins.find(({ id }) => id === 'acme-chat')).toMatchObject({
        loaded: true,
        api: 'unified',
        version: '0.1.0',
        nodeTypes: ['acmeChatGreet', 'acmeChatSend'],
      });
      expect((await get('/api/admin/plugins/health')).body).toMatchObject({
        plugins: { 'acme-chat': { status: 'healthy' } },
      });
    });

    test('is used by a workflow', async () => {
      const { post } = project;
      const { body } = await post('/api/webhook/greeting/webhook?name=Ada');
      expect(body).toMatchObject({ text: 'Welcome, Ada' });

      // An expression without a result leaves the required parameter out: the kit refuses that at run time.
      expect((await post('/api/webhook/greeting/webhook')).status).toBe(500);
    });

    test('calls out with a credential, whose secret is found only at the receiver', async () => {
      const { post, service, storeWorkflow } = project;
      const { host } = new URL(receiver.origin);
      expect(
        await cli(`credential create chat --type httpBearer --host ${host}`, `${TOKEN}\n`),
      ).toMatchObject({ code: 0 });
      const node = {
        type: 'acmeChatSend',
        credentialId: 'chat',
        parameters: { url: `${receiver.origin}/texts`, text: '{{ body.text }}' },
      };
      const definition = { ...workflow('chat', node), settings: { recordData: 'always' } };
      await storeWorkflow(definition);

      const answer = await post('/api/webhook/chat/webhook', '{"text":"Hello"}', {
        'content-type': 'application/json',
      });
      expect(answer).toEqual({ status: 200, body: { status: 202 } });
      expect(receiver.received).toMatchObject([
        { headers: { authorization: `Bearer ${TOKEN}` }, body: '{"text":"Hello"}' },
      ]);

      await cli('credential list --json');
      const texts = [JSON.stringify(answer), ...(await readStored('chat')), ...printed, service.output()];
      expect(texts.join('\n')).toContain('acmeChatSend');
      expect(findSecrets(texts.join('\n'), [TOKEN])).toEqual([]);
    });

    test('shows no secret when the process ends with it in memory', async () => {
      const { post, service, storeWorkflow } = project;
      await storeWorkflow(workflow('aborts', { type: 'aborts', credentialId: 'chat' }));

      const { status, body } = await post('/api/webhook/aborts/webhook');
      expect(status).toBeGreaterThanOrEqual(500);
      const texts = [JSON.stringify(body), ...(await readStored('aborts')), service.output()].join('\n');
      expect(findSecrets(texts, [TOKEN])).toEqual([]);
    });
  });
};
