import { beforeAll, describe, expect, test } from '@jest/globals';
import { plugin, workflow } from '../../support/a-project-file.ts';
import type { RunningProject } from '../../support/a-running-project.ts';
import { cases } from '../../support/deep.ts';
import { installedNames } from '../../support/installed-names.ts';
import { poll } from '../../support/poll.ts';

const { plugins, triggers, actions, providers } = installedNames;

export const describeBrokenPlugin = ({ addPlugin, deploy, get }: RunningProject): void => {
  describe('a broken plugin', () => {
    beforeAll(async () => {
      addPlugin('broken', "throw new Error('the vendor library is missing');\n");
      await deploy();
      type Debug = { readonly loadErrors: readonly unknown[] };
      await poll(async () => (await get<Debug>('/api/admin/debug')).body.loadErrors.length === 1);
    });

    test('is listed with its reason, beside the legacy and unified ones that work', async () => {
      const { status, body } = await get<{ plugins: readonly { id: string }[] }>('/api/admin/plugins');
      expect(status).toBe(200);
      const plugins = Object.fromEntries(body.plugins.map((plugin) => [plugin.id, plugin]));
      expect(plugins.broken).toMatchObject({
        loaded: false,
        error: expect.stringContaining('the vendor library is missing'),
      });
      expect(plugins.eventTrigger).toMatchObject({ api: 'legacy', type: 'TRIGGER', loaded: true });
      expect(plugins.noOp).toMatchObject({ api: 'legacy', type: 'ACTION', loaded: true });
      expect(plugins.webhookTrigger).toMatchObject({ api: 'unified', type: 'PROVIDER', loaded: true });
      expect(plugins.flow).toMatchObject({ api: 'unified', type: 'PROVIDER', loaded: true });
    });

    test('is answered with its reason, and with unknown fields empty', async () => {
      expect(await get('/api/admin/plugins/broken')).toMatchObject({
        status: 200,
        body: { id: 'broken', status: 'failed', nodeTypes: [] },
      });
      expect(await get('/api/admin/plugins/br%6Fken')).toMatchObject({ body: { id: 'broken' } });
      expect(await get('/api/admin/plugins/broke')).toMatchObject({
        status: 404,
        body: { detail: 'No plugin with this id is installed, but "broken" is.' },
      });
    });

    test('leaves node types and credential types unchanged', async () => {
      const { status, body } = await get<{ readonly count: number }>('/api/admin/node-types');
      expect([status, body.count]).toEqual([200, triggers.length + actions.length]);
      expect(await get('/api/admin/node-types/s%65t')).toMatchObject({
        body: { plugin: 'flow', enabled: true },
      });
      expect(await get('/api/admin/credential-types?text=smtp')).toMatchObject({
        body: { credentialTypes: [{ id: 'smtp', enabled: true }] },
      });
      expect(await get('/api/admin/credential-types/smtp')).toMatchObject({ body: { nodeTypes: ['email'] } });
    });

    test('is one unhealthy row, and the service is degraded', async () => {
      const { status, body } = await get('/api/admin/plugins/health');
      expect(status).toBe(200);
      expect(body).toMatchObject({
        status: 'degraded',
        summary: { total: plugins.length + 1, healthy: plugins.length, unhealthy: 1 },
        plugins: { broken: { status: 'unhealthy' } },
      });
    });

    const lists: [path: string, ids: readonly string[]][] = [
      ['/api/admin/plugins/triggers', triggers],
      ['/api/admin/plugins/actions', actions],
      ['/api/admin/plugins/providers', providers],
    ];
    // Each is a function, which is built for its first request.
    test.each(cases(lists.slice(-1), lists))('leaves %s unchanged', async (path, ids) => {
      const { status, body } = await get<readonly { id: string; loaded: boolean }[]>(path);
      expect(status).toBe(200);
      const loaded = body.filter((plugin) => plugin.loaded);
      expect(loaded.map(({ id }) => id).sort()).toEqual([...ids].sort());
    });

    test.each(['/api/admin/plugins/debug', '/api/admin/debug'])('shows in %s', async (path) => {
      const { body } = await get(path);
      expect(body).toMatchObject({
        providerCount: providers.length,
        triggerCount: triggers.length,
        loadErrors: [{ id: 'broken' }],
      });
    });
  });
};

/** By id: the source of what goes wrong after the node has returned. */
const strays: readonly (readonly [id: string, execute: string])[] = [
  ['rejects', "() => { void Promise.reject(new Error('late')); return {}; }"],
  ['throws', "() => { setTimeout(() => { throw new Error('late'); }); return {}; }"],
  ['exits', '() => { setTimeout(() => process.exit(1)); return {}; }'],
];

export const strayPlugins: Readonly<Record<string, string>> = {
  steady: plugin('steady', "() => ({ state: 'works' })"),
  ...Object.fromEntries(strays.map(([id, execute]) => [id, plugin(id, execute)])),
};

/** In a project that has the {@link strayPlugins}. */
export const describeStrayPlugins = ({ storeWorkflow, post }: RunningProject): void => {
  describe('a plugin', () => {
    beforeAll(async () => {
      await Promise.all(Object.keys(strayPlugins).map((id) => storeWorkflow(workflow(id, { type: id }))));
    });

    test.each(strays.map(([id]) => id))(
      'that %s after it has returned fails no other request',
      async (id) => {
        for (let at = 0; at < cases(2, 5); at++) {
          await post(`/api/webhook/${id}/webhook`); // its own answer may be lost with its process
          expect(await post('/api/webhook/steady/webhook')).toEqual({
            status: 200,
            body: { state: 'works' },
          });
        }
      },
    );
  });
};
