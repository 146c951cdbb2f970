import { describe, expect, test } from '@jest/globals';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { aRecordingLogger } from '../support/a-recording-logger.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';
import { anAdminApi } from '../support/an-admin-api.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();

const WORKFLOWS = '/api/admin/workflows';
const GREETING = `${WORKFLOWS}/greeting`;
const ADA = 'arn:aws:sts::123456789012:assumed-role/authors/ada';

const valuesOf = (endpoint: string) => ({
  DYNAMODB_ENDPOINT: endpoint,
  SECRETS_FOLDER: '/nowhere',
  SOURCES_ENDPOINT: endpoint, // no trigger of these tests registers anything
});

const anApi = async () => anAdminApi(valuesOf((await openDatabase()).endpoint));

const many = (...definitions: readonly unknown[]) => ({
  body: { workflows: definitions.map((definition) => ({ definition })) },
});

const aCaller = (id: string, workflowId: string) =>
  aWorkflow({
    id,
    nodes: [aTrigger(), { id: 'call', type: 'subworkflow', parameters: { workflowId } }],
    connections: [{ sourceNodeId: 'request', targetNodeId: 'call' }],
  });

describe('PUT of a workflow', () => {
  test('creates it, then stores new versions with who and why, and leaves an unchanged one as it is', async () => {
    const ask = await anApi();
    const created = await ask('PUT', `${GREETING}?message=Begin`, { body: aWorkflow(), caller: ADA });
    expect(created).toMatchObject({ status: 201, headers: { etag: '"1"' } });
    expect(created.body).toEqual({
      id: 'greeting',
      version: 1,
      changed: true,
      triggers: [
        {
          nodeId: 'request',
          type: 'webhookTrigger',
          addresses: [{ method: 'POST', url: 'https://example.com/api/webhook/greeting/webhook' }],
        },
      ],
      warnings: [],
      times: [],
      releasing: [],
    });
    const same = await ask('PUT', GREETING, { body: aWorkflow(), headers: { 'if-match': '"1"' } });
    expect(same).toMatchObject({ status: 200, body: { version: 1, changed: false } });
    const renamed = await ask('PUT', GREETING, { body: aWorkflow({ name: 'New' }) });
    expect(renamed).toMatchObject({ status: 200, headers: { etag: '"2"' }, body: { changed: true } });
    expect((await ask('GET', `${GREETING}/versions`)).body.versions).toMatchObject([
      { version: 2, author: null, message: null },
      { version: 1, author: ADA, message: 'Begin' },
    ]);
  });

  test.each([
    ['If-Match with an earlier version', { 'if-match': '"1"' }],
    ['If-Match with a weak tag', { 'if-match': 'W/"2"' }],
    ['If-Match without quotes', { 'if-match': '2' }],
    ['If-None-Match for a workflow that exists', { 'if-none-match': '*' }],
  ])('%s is a 412 with the current version, and stores nothing', async (_, headers) => {
    const ask = await anApi();
    await ask('PUT', GREETING, { body: aWorkflow() });
    await ask('PUT', GREETING, { body: aWorkflow({ name: 'Second' }) });
    const refused = await ask('PUT', GREETING, { body: aWorkflow({ name: 'Third' }), headers });
    expect(refused).toMatchObject({ status: 412, body: { currentVersion: 2 } });
    expect((await ask('GET', GREETING)).body).toMatchObject({ version: 2, definition: { name: 'Second' } });
  });

  test.each([
    ['*', 200],
    ['"7", "1"', 200],
  ])('If-Match: %s matches version 1', async (match, status) => {
    const ask = await anApi();
    await ask('PUT', GREETING, { body: aWorkflow() });
    const body = aWorkflow({ name: 'Second' });
    expect(await ask('PUT', GREETING, { body, headers: { 'if-match': match } })).toMatchObject({ status });
  });

  test('a workflow that does not exist matches no If-Match, and If-None-Match: * alone', async () => {
    const ask = await anApi();
    const put = (headers: Readonly<Record<string, string>>) =>
      ask('PUT', GREETING, { body: aWorkflow(), headers });
    expect(await put({ 'if-match': '*' })).toMatchObject({ status: 412, body: { currentVersion: null } });
    expect((await put({ 'if-none-match': '"1"' })).status).toBe(400);
    expect((await put({ 'if-none-match': '*', 'if-match': '"1"' })).status).toBe(400);
    expect((await put({ 'if-none-match': '*' })).status).toBe(201);
  });

  // holds: no-edit-overwritten
  test('of two writers of the same version, one gets a 412', async () => {
    const ask = await anApi();
    await ask('PUT', GREETING, { body: aWorkflow() });
    const put = (name: string) =>
      ask('PUT', GREETING, { body: aWorkflow({ name }), headers: { 'if-match': '"1"' } });
    const statuses = (await Promise.all([put('A'), put('B')])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 412]);
    expect((await ask('GET', GREETING)).body.version).toBe(2);
  });

  test('lists every problem with its place in the body', async () => {
    const ask = await anApi();
    const nodes = [aTrigger({ path: '/a//b' }), { id: 'call', type: 'fly', parameters: {} }];
    const refused = await ask('PUT', GREETING, { body: aWorkflow({ nodes, connections: [] }) });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ workflowId: 'greeting', pointer: '#/nodes/0/parameters/path' }),
        expect.objectContaining({ workflowId: 'greeting', pointer: '#/nodes/1/type' }),
      ]),
    );
    expect((await ask('GET', GREETING)).status).toBe(404);
  });

  test('refuses the id of another workflow, and a credential that the stage lacks', async () => {
    const ask = await anApi();
    const other = await ask('PUT', GREETING, { body: aWorkflow({ id: 'other' }) });
    expect(other.body).toMatchObject({ status: 422, errors: [{ pointer: '#/id' }] });
    const call = {
      id: 'call',
      type: 'httpRequest',
      parameters: { url: 'https://a.test/' },
      credentialId: 'crm',
    };
    const body = aWorkflow({
      nodes: [aTrigger(), call],
      connections: [{ sourceNodeId: 'request', targetNodeId: 'call' }],
    });
    const refused = await ask('PUT', GREETING, { body });
    const detail = 'there is no credential "crm"';
    expect(refused.body).toMatchObject({ errors: [{ pointer: '#/nodes/1/credentialId', detail }] });
  });

  test.each([
    ['no body', undefined, '', 422],
    ['a body that is not JSON', '{', '', 400],
    ['an unknown query parameter', aWorkflow(), '?why=x', 400],
    ['a message that is too long', aWorkflow(), `?message=${'x'.repeat(501)}`, 400],
    ['a list', [], '', 422],
    ['a body that is too large', `"${'x'.repeat(4_000_001)}"`, '', 413],
    ['a definition that is too large', aWorkflow({ description: 'x'.repeat(400_000) }), '', 413],
  ])('%s is refused', async (_, body, query, status) => {
    const ask = await anApi();
    expect(await ask('PUT', `${GREETING}${query}`, { body })).toMatchObject({ status, body: { status } });
  });
});

test('a change leaves one line with the caller and the versions, and no content', async () => {
  const { endpoint } = await openDatabase();
  const { entries, logger } = aRecordingLogger();
  const ask = anAdminApi(valuesOf(endpoint), { logger });
  const description = 'the-secret-plan';
  const body = many(aWorkflow({ description }), aWorkflow({ id: 'second' }));
  await ask('PUT', WORKFLOWS, { ...body, caller: ADA });
  await ask('POST', `${GREETING}/disable`, { caller: ADA });
  await ask('DELETE', GREETING, { caller: ADA });
  expect(entries.map(({ fields }) => fields)).toMatchObject([
    { route: `PUT ${WORKFLOWS}`, caller: ADA, versions: 'greeting@1 second@1', changed: 2 },
    { route: `POST ${WORKFLOWS}/{workflowId}/disable`, caller: ADA, versions: 'greeting@2', changed: 1 },
    { route: `DELETE ${WORKFLOWS}/{workflowId}`, caller: ADA, versions: 'greeting@2' },
  ]);
  expect(JSON.stringify(entries)).not.toContain(description);
});

describe('PUT of several workflows', () => {
  test('stores all of them, and says what became of each', async () => {
    const ask = await anApi();
    await ask('PUT', GREETING, { body: aWorkflow() });
    const { status, body } = await ask(
      'PUT',
      `${WORKFLOWS}?message=Sync`,
      many(aWorkflow(), aWorkflow({ id: 'second' })),
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      count: 2,
      workflows: [
        { id: 'greeting', version: 1, changed: false },
        { id: 'second', version: 1, changed: true },
      ],
    });
  });

  test('stores none if one has a problem', async () => {
    const ask = await anApi();
    const refused = await ask('PUT', WORKFLOWS, many(aWorkflow(), aWorkflow({ id: 'b', nodes: [] }), 7));
    expect(refused.status).toBe(422);
    const pointers = refused.body.errors.map(({ pointer }: { readonly pointer: string }) => pointer);
    expect(pointers).toContain('#/workflows/2/definition');
    expect(pointers.some((pointer: string) => pointer.startsWith('#/workflows/1/definition/'))).toBe(true);
    expect((await ask('GET', WORKFLOWS)).body.count).toBe(0);
  });

  test('proposes corrections, with places in the body', async () => {
    const ask = await anApi();
    const { id, name, ...others } = aWorkflow();
    const call = { id: 'call', type: 'httpReqest', parameters: { url: 'https://a.test/' } };
    const wrong = aWorkflow({ nodes: [aTrigger(), call], connections: [] });
    const { body } = await ask('PUT', WORKFLOWS, many(wrong, { id, naem: name, ...others }));
    expect(body.errors).toMatchObject([
      {
        pointer: '#/workflows/0/definition/nodes/1/type',
        proposal: [{ op: 'replace', path: '#/workflows/0/definition/nodes/1/type', value: 'httpRequest' }],
      },
      {
        pointer: '#/workflows/1/definition',
        proposal: [
          {
            op: 'move',
            from: '#/workflows/1/definition/naem',
            path: '#/workflows/1/definition/name',
          },
        ],
      },
    ]);
  });

  test('proposes a correction for a warning', async () => {
    const ask = await anApi();
    const parameters = { url: 'https://a.test/', method: 'PSOT' };
    const nodes = [aTrigger(), { id: 'call', type: 'httpRequest', parameters }];
    const connections = [{ sourceNodeId: 'request', targetNodeId: 'call' }];
    const { body } = await ask('PUT', GREETING, { body: aWorkflow({ nodes, connections }) });
    const path = '#/nodes/1/parameters/method';
    expect(body.warnings).toContainEqual({
      pointer: path,
      detail: 'is not an HTTP method; did you mean "POST"?',
      proposal: [{ op: 'replace', path, value: 'POST' }],
    });
  });

  test('stores none if one was changed in the meantime, or has the id of another', async () => {
    const ask = await anApi();
    await ask('PUT', GREETING, { body: aWorkflow() });
    const stale = { definition: aWorkflow({ name: 'New' }), replaces: 7 };
    const fresh = { definition: aWorkflow({ id: 'fresh' }), replaces: null };
    expect(await ask('PUT', WORKFLOWS, { body: { workflows: [fresh, stale] } })).toMatchObject({
      status: 409,
    });
    const twice = many(aWorkflow({ id: 'a' }), aWorkflow({ id: 'a' }));
    expect((await ask('PUT', WORKFLOWS, twice)).body).toMatchObject({
      errors: [{ pointer: '#/workflows/1/definition/id' }],
    });
    expect((await ask('GET', WORKFLOWS)).body.workflows).toMatchObject([{ id: 'greeting', version: 1 }]);
  });

  test.each([
    ['no list', {}, '/workflows'],
    ['an unknown field', { workflows: [{ definition: 1, version: 2 }] }, '/workflows/0/version'],
    [
      'a version of the wrong type',
      { workflows: [{ definition: 1, replaces: '1' }] },
      '/workflows/0/replaces',
    ],
    ['an empty list', { workflows: [] }, '/workflows'],
    ['too many', { workflows: Array(101).fill({ definition: 1 }) }, '/workflows'],
  ])('%s is refused with its place', async (_, body, place) => {
    const ask = await anApi();
    const refused = await ask('PUT', WORKFLOWS, { body });
    expect(refused).toMatchObject({ status: 400, body: { detail: expect.stringContaining(`: ${place} `) } });
  });
});

describe('validation', () => {
  test('finds what a PUT would, and stores nothing', async () => {
    const ask = await anApi();
    const schedule = {
      id: 'daily',
      type: 'scheduleTrigger',
      parameters: { cron: '0 9 * * *', timeZone: 'UTC' },
    };
    const daily = aWorkflow({
      id: 'daily',
      nodes: [schedule],
      connections: [],
    });
    const { status, body } = await ask(
      'POST',
      `${WORKFLOWS}/validate`,
      many(aWorkflow(), { id: 'b' }, daily),
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      valid: false,
      workflows: [
        { id: 'greeting', valid: true, errors: [] },
        { id: 'b', valid: false },
        { id: 'daily', errors: [], times: [{ triggerNodeId: 'daily', times: expect.any(Array) }] },
      ],
    });
    expect((await ask('GET', WORKFLOWS)).body.count).toBe(0);
  });
});

describe('enabling and disabling', () => {
  test('makes a version that differs in nothing else, or none', async () => {
    const ask = await anApi();
    await ask('PUT', GREETING, { body: aWorkflow() });
    const disabled = await ask('POST', `${GREETING}/disable`, { caller: ADA });
    expect(disabled).toMatchObject({ status: 200, body: { version: 2, changed: true, enabled: false } });
    expect((await ask('POST', `${GREETING}/disable`)).body).toMatchObject({ version: 2, changed: false });
    const enabled = await ask('POST', `${GREETING}/enable`, { headers: { 'if-match': '"2"' } });
    expect(enabled).toMatchObject({ headers: { etag: '"3"' }, body: { version: 3, enabled: true } });
    const { definition } = (await ask('GET', GREETING)).body;
    expect(definition).toEqual(aWorkflow());
    expect((await ask('GET', `${GREETING}/versions`)).body.versions[1]).toMatchObject({
      author: ADA,
      message: 'Disabled',
    });
  });

  test('is refused over a version that somebody else stores meanwhile', async () => {
    const { client, tables, endpoint } = await openDatabase();
    const workflows = createWorkflowStore(client, tables, { now: Date.now });
    await workflows.put(aWorkflow(), []);
    const find: typeof workflows.find = async (id) => {
      const found = await workflows.find(id);
      await workflows.put(aWorkflow({ name: "Somebody else's" }), []);
      return found;
    };
    const ask = anAdminApi(valuesOf(endpoint), { workflows: { ...workflows, find } });
    expect(await ask('POST', `${GREETING}/disable`)).toMatchObject({ status: 409 });
    const { definition } = (await workflows.find('greeting')) ?? {};
    expect(definition).toMatchObject({ name: "Somebody else's", enabled: true });
  });

  test('is refused for another version, and for no workflow', async () => {
    const ask = await anApi();
    expect((await ask('POST', `${GREETING}/enable`)).status).toBe(404);
    await ask('PUT', GREETING, { body: aWorkflow() });
    const headers = { 'if-match': '"2"' };
    expect((await ask('POST', `${GREETING}/disable`, { headers })).status).toBe(412);
  });
});

describe('rolling back', () => {
  test('stores an earlier version as a new one, also of a removed workflow', async () => {
    const ask = await anApi();
    await ask('PUT', GREETING, { body: aWorkflow() });
    await ask('PUT', GREETING, { body: aWorkflow({ name: 'Second' }) });
    const back = await ask('POST', `${GREETING}/rollback?version=1`);
    expect(back).toMatchObject({ status: 200, body: { version: 3, changed: true } });
    await ask('DELETE', GREETING);
    const again = await ask('POST', `${GREETING}/rollback`, { body: { version: 2, message: 'Undelete' } });
    expect(again).toMatchObject({ status: 201, body: { version: 4 } });
    expect((await ask('GET', GREETING)).body.definition.name).toBe('Second');
    const messages = (await ask('GET', `${GREETING}/versions`)).body.versions.map(
      ({ message }: { readonly message: string }) => message,
    );
    expect(messages).toEqual(['Undelete', 'Rolls back to version 1', null, null]);
  });

  test.each([
    ['?version=9', 404],
    ['', 400],
    ['?version=0', 400],
    ['?version=x', 400],
    ['?version=1&to=2', 400],
  ])('to %s is %s', async (query, status) => {
    const ask = await anApi();
    await ask('PUT', GREETING, { body: aWorkflow() });
    expect((await ask('POST', `${GREETING}/rollback${query}`)).status).toBe(status);
  });
});

describe('DELETE of a workflow', () => {
  test('removes it; its versions stay readable', async () => {
    const ask = await anApi();
    await ask('PUT', GREETING, { body: aWorkflow() });
    expect((await ask('DELETE', GREETING, { headers: { 'if-match': '"2"' } })).status).toBe(412);
    const removed = await ask('DELETE', GREETING);
    expect(removed).toMatchObject({ status: 200, body: { id: 'greeting', removed: true, lastVersion: 1 } });
    expect((await ask('GET', GREETING)).status).toBe(404);
    expect((await ask('GET', `${GREETING}/versions/1`)).status).toBe(200);
    expect((await ask('DELETE', GREETING)).status).toBe(404);
  });

  test('of a workflow that others run is a 409 that names them, unless it is forced', async () => {
    const ask = await anApi();
    const entry = { id: 'start', type: 'manualTrigger', parameters: {} };
    const child = aWorkflow({ id: 'child', nodes: [entry], connections: [] });
    await ask('PUT', WORKFLOWS, many(child, aCaller('parent', 'child')));
    const refused = await ask('DELETE', `${WORKFLOWS}/child`);
    expect(refused).toMatchObject({ status: 409, body: { users: ['parent: the node "call"'] } });
    expect((await ask('DELETE', `${WORKFLOWS}/child?force=true`)).status).toBe(200);
  });
});

describe('probes of the doctor', () => {
  const PROBE = 'hookloom-doctor-1';

  test('are stored under ids of their own, and deleted with their versions', async () => {
    const ask = await anApi();
    expect((await ask('PUT', '/api/admin/probes', many(aWorkflow({ id: PROBE })))).status).toBe(200);
    expect((await ask('DELETE', `${WORKFLOWS}/${PROBE}`)).status).toBe(200);
    const purged = await ask('DELETE', `/api/admin/probes/${PROBE}`);
    expect(purged).toMatchObject({ status: 200, body: { id: PROBE, purged: true, executions: 0 } });
    expect((await ask('GET', `${WORKFLOWS}/${PROBE}/versions/1`)).status).toBe(404);
  });

  test('are no way to store or delete any other workflow', async () => {
    const ask = await anApi();
    const refused = await ask('PUT', '/api/admin/probes', many(aWorkflow()));
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '#/workflows/0/definition/id' }] },
    });
    await ask('PUT', GREETING, { body: aWorkflow() });
    expect((await ask('DELETE', '/api/admin/probes/greeting')).status).toBe(404);
    expect((await ask('GET', GREETING)).status).toBe(200);
  });
});

describe('what only the service knows of data', () => {
  const nodes = [
    aTrigger(),
    {
      id: 'sums',
      type: 'summarize',
      parameters: { items: '{{ [body] }}', values: { n: { operation: 'count' } } },
    },
    { id: 'half-done', type: 'summarize', parameters: { values: null } },
    { id: 'run', type: 'subworkflow', parameters: { workflowId: 'shipping' } },
    { id: 'none', type: 'subworkflow', parameters: { workflowId: 'nowhere' } },
  ];
  const orderSchema = { type: 'object', required: ['order'] };
  const shipping = aWorkflow({
    id: 'shipping',
    nodes: [
      { id: 'start', type: 'manualTrigger', parameters: { schema: orderSchema } },
      { id: 'label', type: 'set', parameters: { values: { label: 'A-1' } } },
    ],
    connections: [{ sourceNodeId: 'start', targetNodeId: 'label' }],
  });

  test('is described when it is asked for, also of what is not valid', async () => {
    const ask = await anApi();
    await ask('PUT', `${WORKFLOWS}/shipping`, { body: shipping });
    const definition = aWorkflow({ nodes, connections: [] } as never);
    const plain = await ask('POST', `${WORKFLOWS}/validate`, many(definition));
    expect(plain.body.workflows).toEqual([expect.not.objectContaining({ described: expect.anything() })]);
    const { body } = await ask('POST', `${WORKFLOWS}/validate`, {
      body: { workflows: [{ definition }], describe: true },
    });
    expect(body).toMatchObject({ valid: false });
    const [{ described }] = body.workflows as [{ described: { outputs: object; workflows: object } }];
    expect(Object.keys(described.outputs)).toEqual(['sums']);
    expect(described.outputs).toMatchObject({
      sums: { main: { properties: { items: { items: { properties: { n: { type: 'integer' } } } } } } },
    });
    expect(described.workflows).toMatchObject({
      shipping: { output: { type: 'object', properties: { label: { type: 'string' } } }, input: orderSchema },
      nowhere: { output: {} },
    });
  });

  test('is used when a workflow is stored, also of those stored with it', async () => {
    const ask = await anApi();
    const caller = aWorkflow({
      nodes: [
        ...nodes.slice(0, 1),
        ...nodes.slice(3, 4),
        { id: 'show', type: 'set', parameters: { values: { shown: '{{ lable }}' } } },
      ],
      connections: [
        { sourceNodeId: 'request', targetNodeId: 'run' },
        { sourceNodeId: 'run', targetNodeId: 'show' },
      ],
    } as never);
    const { status, body } = await ask('PUT', WORKFLOWS, many(caller, shipping));
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain('the input has no \\"lable\\"');
    expect(JSON.stringify(body)).toContain('it lacks the key \\"order\\"');
  });
});
