import { describe, expect, test } from '@jest/globals';
import { set, workflow } from '../../support/a-project-file.ts';
import type { RunningProject } from '../../support/a-running-project.ts';
import { poll } from '../../support/poll.ts';

/** What an operator sets on a stage without deploying, by the command line, and what it does to workflows. */
export const describeSettings = (project: RunningProject): void => {
  describe('variables', () => {
    test('are read by workflows, in each mode, and removed only when none reads them', async () => {
      const { cli, post, storeWorkflow } = project;
      expect((await cli('variable set place here')).code).toBe(0);
      const reading = set({ said: '{{ $vars.place }}' });
      await storeWorkflow(workflow('placed', reading));
      const background = workflow('placed-express', reading, { responseMode: 'onReceived' });
      await storeWorkflow({
        ...background,
        settings: { execution: 'express', recordData: 'always' },
      } as typeof background);

      const says = async () => (await post('/api/webhook/placed/webhook')).body?.said;
      expect(await says()).toBe('here');
      const accepted = await post('/api/webhook/placed-express/webhook');
      const { executionId } = accepted.body as { readonly executionId: string };
      await poll(async () => {
        const { stdout } = await cli(`execution show ${executionId} --json`);
        const { status, nodes } = JSON.parse(stdout);
        if (status !== 'succeeded') return false;
        expect(JSON.stringify(nodes)).toContain('"said":"here"');
        return true;
      });

      expect((await cli('variable set place there')).code).toBe(0);
      await poll(async () => (await says()) === 'there'); // sandboxes cache the values
      const refused = await cli('variable remove place');
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('placed')]);
      expect((await cli('variable remove place --force')).code).toBe(0);
    });

    test('change registered triggers, or are refused', async () => {
      const { cli, storeWorkflow } = project;
      expect((await cli('variable set zone Europe/Berlin')).code).toBe(0);
      const parameters = { cron: '0 9 * * *', timeZone: '{{ $vars.zone }}' };
      const nodes = [{ id: 'in', type: 'scheduleTrigger', parameters }];
      const daily = { id: 'daily', name: 'Daily', enabled: true, nodes, connections: [] };
      await storeWorkflow(daily as { readonly id: string });
      const refused = await cli('variable set zone Europe/Nowhere');
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('daily')]);
      expect((await cli('variable get zone')).stdout.trim()).toBe('Europe/Berlin');
      expect((await cli('variable set zone UTC')).code).toBe(0);
    });
  });

  test('a plugin that is disabled is used by no workflow until it is enabled, and everything says so', async () => {
    const { cli, get, post, storeWorkflow } = project;
    const calling = workflow('calling', {
      type: 'httpRequest',
      parameters: { url: 'https://127.0.0.1:1/' },
    });
    await storeWorkflow(calling);
    const fails = async () => {
      const { body } = await post('/api/webhook/calling/webhook');
      const { stdout } = await cli(`execution show ${body.executionId} --json`);
      return JSON.parse(stdout).failure;
    };
    expect((await fails()).name).not.toBe('PluginDisabled');

    const disabled = await cli('plugin disable httpRequest --message maintenance');
    expect([disabled.code, disabled.stdout.trim()]).toEqual([0, 'httpRequest: disabled']);
    expect(disabled.stderr).toContain('calling: the node');
    await poll(async () => (await fails()).name === 'PluginDisabled'); // sandboxes cache the setting
    expect((await fails()).message).toMatch(
      /^the plugin "httpRequest" is disabled on this stage since \S+: maintenance$/,
    );
    const healthOf = async () => {
      const { body } = await get<{ plugins: Record<string, { status: string; message?: string }> }>(
        '/api/admin/plugins/health?plugin=httpRequest',
      );
      return body.plugins.httpRequest;
    };
    await poll(async () => (await healthOf())?.status === 'disabled'); // its sandbox caches the setting, too
    expect((await healthOf())?.message).toMatch(/: maintenance; it fails in ./);
    expect((await cli('plugin list')).stdout).toMatch(/httpRequest +unified +\S+ +disabled +since/);

    expect((await cli('plugin enable httpRequest')).stdout.trim()).toBe('httpRequest: enabled');
    await poll(async () => (await fails()).name !== 'PluginDisabled');
  });
};
