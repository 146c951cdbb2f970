import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { JsonObject } from '../../../lib/contract/json.ts';
import { workflow } from '../../support/a-project-file.ts';
import type { RunningProject } from '../../support/a-running-project.ts';
import { poll } from '../../support/poll.ts';
import { runCommand } from '../../support/run-command.ts';

export const describePluginKit = (project: RunningProject): void => {
  test('a plugin is created, tested, checked, installed by one line, listed, healthy, and used by a workflow', async () => {
    const { cli, get, installPlugin, post, writeWorkflow } = project;
    const created = await cli('plugin create acme-chat');
    expect(created).toMatchObject({ code: 0, stderr: '' });

    const tested = await runCommand('npm', ['test'], { cwd: join(project.folder, 'plugins/acme-chat') });
    expect(tested).toMatchObject({ code: 0, stdout: expect.stringContaining('fail 0') });
    expect(await cli('plugin check plugins/acme-chat')).toMatchObject({ code: 0, stderr: '' });

    const [line = ''] = /unified\('acme-chat'.*$/m.exec(created.stdout) ?? [];
    installPlugin(line);
    type Debug = { readonly nodeTypes: readonly string[] };
    await poll(async () => (await get<Debug>('/api/admin/debug')).body.nodeTypes.includes('acmeChatGreet'));
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

    writeWorkflow(
      workflow('greeting', {
        type: 'acmeChatGreet',
        parameters: { name: '{{ queryParams.name }}', greeting: 'Welcome' },
      }),
    );
    await poll(async () => (await post('/api/webhook/greeting/webhook?name=Ada')).status === 200);
    const { body } = await post('/api/webhook/greeting/webhook?name=Ada');
    expect(body).toMatchObject({ text: 'Welcome, Ada' });

    // An expression without a result leaves the required parameter out: the kit refuses that at run time.
    expect((await post('/api/webhook/greeting/webhook')).status).toBe(500);
  });
};
