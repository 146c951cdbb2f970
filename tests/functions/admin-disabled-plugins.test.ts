import { describe, expect, test } from '@jest/globals';
import { aWorkflow } from '../support/a-workflow.ts';
import { anAdminApi } from '../support/an-admin-api.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();

const PLUGINS = '/api/admin/plugins';
const ADA = 'arn:aws:sts::123456789012:assumed-role/operators/ada';

const anApi = async (env: Record<string, string> = {}) => {
  const { endpoint } = await openDatabase();
  return anAdminApi({ DYNAMODB_ENDPOINT: endpoint, SECRETS_FOLDER: '/nowhere', ...env });
};

const calling = aWorkflow({
  id: 'calling',
  nodes: [
    { id: 'in', type: 'webhookTrigger', parameters: { path: '/in' } },
    { id: 'call', type: 'httpRequest', parameters: { url: 'https://example.org/' } },
    { id: 'off', type: 'httpRequest', disabled: true, parameters: { url: 'https://example.org/' } },
  ],
  connections: [
    { sourceNodeId: 'in', targetNodeId: 'call' },
    { sourceNodeId: 'in', targetNodeId: 'off' },
  ],
});

describe('plugins that are disabled on a stage', () => {
  test('are listed with who disabled them and why, until they are enabled', async () => {
    const ask = await anApi();
    await ask('PUT', '/api/admin/workflows/calling', { body: calling });
    const disabled = await ask('POST', `${PLUGINS}/httpRequest/disable?message=leaks`, { caller: ADA });
    expect(disabled).toMatchObject({
      status: 200,
      body: {
        id: 'httpRequest',
        disabled: true,
        changed: true,
        users: ['calling: the node "call"', 'calling: the node "off"'],
      },
    });
    expect((await ask('POST', `${PLUGINS}/httpRequest/disable?message=leaks`)).body.changed).toBe(false);
    await ask('POST', `${PLUGINS}/slack/disable`);
    const { body } = await ask('GET', `${PLUGINS}/disabled`);
    expect(body).toMatchObject({
      count: 2,
      plugins: [
        { id: 'httpRequest', disabledBy: ADA, message: 'leaks' },
        { id: 'slack', disabledBy: null, message: null },
      ],
    });
    expect((await ask('POST', `${PLUGINS}/slack/disable?message=why`)).body.changed).toBe(true);

    expect((await ask('POST', `${PLUGINS}/httpRequest/enable`)).body).toEqual({
      id: 'httpRequest',
      disabled: false,
      changed: true,
    });
    expect((await ask('POST', `${PLUGINS}/httpRequest/enable`)).body.changed).toBe(false);
    expect((await ask('GET', `${PLUGINS}/disabled`)).body.plugins).toMatchObject([{ message: 'why' }]);
  });

  test('changes at once are all made', async () => {
    const ask = await anApi();
    const ids = ['httpRequest', 'slack', 'github', 'email'];
    await Promise.all(ids.map((id) => ask('POST', `${PLUGINS}/${id}/disable`)));
    const { plugins } = (await ask('GET', `${PLUGINS}/disabled`)).body as { plugins: { id: string }[] };
    expect(plugins.map(({ id }) => id).sort()).toEqual(ids.toSorted());
  });

  test('their nodes are warned of when a workflow is stored or validated', async () => {
    const ask = await anApi();
    await ask('POST', `${PLUGINS}/httpRequest/disable?message=leaks`);
    const warning = {
      pointer: '#/nodes/1/type',
      detail: expect.stringMatching(
        /^fails, since the plugin "httpRequest" is disabled on this stage since 20\S+Z: leaks$/,
      ),
    };
    const stored = await ask('PUT', '/api/admin/workflows/calling', { body: calling });
    expect(stored).toMatchObject({ status: 201, body: { warnings: [warning] } });
    const validated = await ask('POST', '/api/admin/workflows/validate', {
      body: { workflows: [{ definition: calling }] },
    });
    expect(validated.body).toMatchObject({ valid: true });
    expect(JSON.stringify(validated.body)).toContain('fails, since the plugin');
  });

  test.each([
    ['httpRequests', 404, 'PLUGIN_NOT_FOUND', 'httpRequest'],
    ['flow', 409, 'PLUGIN_NOT_SWITCHED', 'direct their flow'],
    ['webhookTrigger', 409, 'PLUGIN_NOT_SWITCHED', 'start workflows'],
    ['rss', 409, 'PLUGIN_NOT_SWITCHED', 'it is disabled'],
  ])('%s is refused with %i', async (id, status, code, said) => {
    const ask = await anApi({ DISABLED_PLUGINS: 'rss' });
    const answer = await ask('POST', `${PLUGINS}/${id}/disable`);
    expect(answer).toMatchObject({ status, body: { detail: expect.stringContaining(said) } });
    expect(JSON.stringify(answer.body)).toContain(code.toLowerCase().replaceAll('_', '-'));
    expect((await ask('GET', `${PLUGINS}/disabled`)).body.count).toBe(0);
  });

  test('an unknown one is not enabled, and a message has a limit', async () => {
    const ask = await anApi();
    expect((await ask('POST', `${PLUGINS}/nothing/enable`)).status).toBe(404);
    expect((await ask('POST', `${PLUGINS}/slack/disable?message=${'x'.repeat(501)}`)).status).toBe(400);
  });
});
