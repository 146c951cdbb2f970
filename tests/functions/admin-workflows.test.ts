import { readFileSync } from 'node:fs';
import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createReadWorkflows } from '../../lib/app/workflows.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { aRecordingLogger } from '../support/a-recording-logger.ts';
import { anExecutionStart } from '../support/a-start.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';
import { checked } from '../support/checked-answers.ts';
import { inMemoryStanding } from '../support/in-memory-standing.ts';
import { findLastIn, inMemoryExecutionStore, inMemoryWorkflowStore } from '../support/in-memory-stores.ts';

const sample = JSON.parse(readFileSync(new URL('../../events/adminWorkflows.json', import.meta.url), 'utf8'));

const LIST = '/api/admin/workflows';
const ONE = `${LIST}/{workflowId}`;

const { logger } = aRecordingLogger();
const clock = aManualClock();
const registry = await loadRegistry(installedPlugins, { logger, clock });

const schedule = { id: 'daily', type: 'scheduleTrigger', parameters: { cron: '0 9 * * *' } };
const workflows = [
  aWorkflow({ id: 'orders', name: 'New orders', tags: ['shop'], nodes: [aTrigger({ path: '/new' })] }),
  aWorkflow({ id: 'report', name: 'Report', tags: ['shop', 'daily'], nodes: [schedule], connections: [] }),
  aWorkflow({ id: 'archive', name: 'Archive', enabled: false, nodes: [schedule], connections: [] }),
];

/** The function with three workflows, one of which was started. */
const aService = async () => {
  const executions = inMemoryExecutionStore(clock.now);
  const store = inMemoryWorkflowStore(clock.now);
  for (const workflow of workflows)
    await store.put(workflow, toPathConfigs(workflow), {
      author: 'arn:aws:iam::1:user/ada',
      message: 'begin',
    });
  await executions.start(anExecutionStart({ executionId: 'e-1', workflowId: 'orders' }));
  const { standing } = inMemoryStanding();
  const handler = checked(
    createReadWorkflows({
      logger,
      clock,
      workflows: store,
      standing,
      findLastExecutions: findLastIn(executions),
      baseUrl: 'https://api.example.com',
      loadRegistry: async () => registry,
    }),
  );
  const call = (path: string, query = '', pathParameters: Readonly<Record<string, string>> = {}) =>
    handler(
      { ...sample, routeKey: `GET ${path}`, rawQueryString: query, pathParameters } as never,
      {} as never,
    );
  const list = async (query: string) => bodyOf(await call(LIST, query));
  const idsOf = async (query: string): Promise<string[]> =>
    (await list(query)).workflows.map(({ id }: { readonly id: string }) => id);
  return { store, standing, call, list, idsOf };
};

describe('GET /api/admin/workflows', () => {
  test('lists workflows by id, with what starts them and their last execution', async () => {
    const { list } = await aService();
    const { workflows: found, ...page } = await list('');
    expect(page).toEqual({ count: 3, nextCursor: null, timestamp: expect.any(String) });
    expect(found).toEqual([
      expect.objectContaining({ id: 'archive', enabled: false, tags: [], lastExecution: null }),
      {
        id: 'orders',
        name: 'New orders',
        tags: ['shop'],
        enabled: true,
        version: 1,
        updatedAt: expect.any(String),
        triggers: [
          {
            nodeId: 'request',
            type: 'webhookTrigger',
            addresses: [
              {
                method: 'POST',
                url: 'https://api.example.com/api/webhook/orders/new',
              },
            ],
          },
        ],
        lastExecution: { executionId: 'e-1', status: 'accepted', startedAt: expect.any(String) },
      },
      expect.objectContaining({ id: 'report', triggers: [{ nodeId: 'daily', type: 'scheduleTrigger' }] }),
    ]);
  });

  test.each([
    ['text=ORDER', ['orders']],
    ['text=arch', ['archive']],
    ['enabled=true', ['orders', 'report']],
    ['enabled=false', ['archive']],
    ['tag=shop', ['orders', 'report']],
    ['tag=daily', ['report']],
    ['trigger=scheduleTrigger', ['archive', 'report']],
    ['trigger=scheduleTrigger&enabled=true&tag=shop', ['report']],
    ['trigger=queueTrigger', []],
  ])('%s filters', async (query, ids) => {
    expect(await (await aService()).idsOf(query)).toEqual(ids);
  });

  test.each(['', '&tag=shop', '&trigger=scheduleTrigger'])(
    'with pages of one%s, lists each once',
    async (filter) => {
      const { list, idsOf } = await aService();
      const found: string[] = [];
      let cursor = '';
      do {
        const page = await list(`limit=1${filter}${cursor}`);
        expect(page.workflows.length).toBeLessThanOrEqual(1);
        found.push(...page.workflows.map(({ id }: { readonly id: string }) => id));
        cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
      } while (cursor !== '');
      expect(found).toEqual(await idsOf(filter.slice(1)));
    },
  );

  test('refuses unknown filters, and the cursor of another list', async () => {
    const { call, list } = await aService();
    const { nextCursor } = await list('limit=1');
    for (const query of [
      'colour=red',
      'enabled=maybe',
      'limit=0',
      'cursor=x',
      `tag=shop&cursor=${nextCursor}`,
    ])
      expect(await call(LIST, query)).toEqual(aProblem(400, 'query-invalid'));
  });
});

describe('GET /api/admin/workflows/{workflowId}', () => {
  test('has the current definition, and its version as entity tag', async () => {
    const { call } = await aService();
    const result = await call(ONE, '', { workflowId: 'report' });
    expect(result.headers?.etag).toBe('"1"');
    expect(bodyOf(result)).toEqual({
      id: 'report',
      version: 1,
      updatedAt: expect.any(String),
      triggers: [{ nodeId: 'daily', type: 'scheduleTrigger' }],
      definition: workflows[1],
    });
  });

  test.each(['unknown', '../secret', ''])('is a 404 for %j', async (workflowId) => {
    const { call } = await aService();
    for (const path of [ONE, `${ONE}/versions`])
      expect(await call(path, '', { workflowId })).toEqual(aProblem(404, 'workflow-not-found'));
  });
});

describe('versions of a workflow', () => {
  const changed = async () => {
    const service = await aService();
    const [orders] = workflows;
    await service.store.put({ ...orders, name: 'Orders' } as never, [], { message: 'shorter' });
    return service;
  };

  test('are listed newest first, with author and message, page by page', async () => {
    const { call } = await changed();
    const first = bodyOf(await call(`${ONE}/versions`, 'limit=1', { workflowId: 'orders' }));
    expect(first).toMatchObject({ count: 1, versions: [{ version: 2, author: null, message: 'shorter' }] });
    const second = `limit=1&cursor=${first.nextCursor}`;
    const rest = bodyOf(await call(`${ONE}/versions`, second, { workflowId: 'orders' }));
    expect(rest).toMatchObject({
      versions: [{ version: 1, author: 'arn:aws:iam::1:user/ada', message: 'begin' }],
      nextCursor: null,
    });
    expect(await call(`${ONE}/versions`, second, { workflowId: 'report' })).toEqual(
      aProblem(400, 'query-invalid'),
    );
  });

  test('are shown one by one', async () => {
    const { call } = await changed();
    const result = await call(`${ONE}/versions/{version}`, '', { workflowId: 'orders', version: '1' });
    expect(bodyOf(result)).toMatchObject({ id: 'orders', version: 1, definition: { name: 'New orders' } });
    expect(await call(`${ONE}/versions/{version}`, '', { workflowId: 'orders', version: '3' })).toEqual(
      aProblem(404, 'version-not-found'),
    );
    expect(await call(`${ONE}/versions/{version}`, '', { workflowId: 'orders', version: '1.5' })).toEqual(
      aProblem(400, 'query-invalid'),
    );
  });

  test('are compared', async () => {
    const { call } = await changed();
    expect(bodyOf(await call(`${ONE}/diff`, 'from=1&to=2', { workflowId: 'orders' }))).toEqual({
      id: 'orders',
      from: 1,
      to: 2,
      nodes: { added: [], removed: [], changed: [] },
      connections: { added: [], removed: [] },
      workflow: [{ path: '/name', from: 'New orders', to: 'Orders' }],
    });
    expect(await call(`${ONE}/diff`, 'from=1', { workflowId: 'orders' })).toEqual(
      aProblem(400, 'query-invalid'),
    );
  });
});

test('a silent workflow says so in the list, and where it is shown', async () => {
  const { standing, list, call } = await aService();
  const message = 'Trigger "daily" of workflow "orders", since 2023-11-14T22:13Z: was due.';
  const silence = { workflowId: 'orders', triggerNodeId: 'daily', rule: 'late', message } as const;
  await standing.put({ silences: [{ ...silence, since: clock.now() }], expiries: [], historyReadAt: 0 });
  const silences = [{ triggerNodeId: 'daily', rule: 'late', since: '2023-11-14T22:13:20.000Z', message }];
  const { workflows: listed } = await list('');
  expect(listed.map(({ id, silences: own }: JsonObject) => [id, own])).toContainEqual(['orders', silences]);
  expect(listed.filter((one: JsonObject) => one.silences !== undefined)).toHaveLength(1);
  const shown = bodyOf(await call('/api/admin/workflows/{workflowId}', '', { workflowId: 'orders' }));
  expect(shown.silences).toEqual(silences);
});

test.each(['PUT /api/admin/workflows', 'GET /api/admin/plugins', '__proto__', undefined])(
  'an event of the route %j is a 405',
  async (routeKey) => {
    const parts = { logger, clock, loadRegistry: async () => registry };
    const stores = {
      workflows: inMemoryWorkflowStore(),
      standing: inMemoryStanding().standing,
      findLastExecutions: findLastIn(inMemoryExecutionStore()),
    };
    const result = await createReadWorkflows({ baseUrl: 'https://api.example.com', ...parts, ...stores })(
      { ...sample, routeKey } as never,
      {} as never,
    );
    expect(result).toEqual(aProblem(405, 'method-not-allowed'));
  },
);
