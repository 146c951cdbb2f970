import { describe, expect, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { createBulkRetries } from '../../lib/app/bulk-retries.ts';
import { openBulkRetries } from '../../lib/app/compose/admin.ts';
import { readConfig } from '../../lib/app/config.ts';
import { createRetryExecutions } from '../../lib/app/retry-executions.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { CALLER, T0, useRetryingServices } from '../support/a-retrying-service.ts';
import { anExecutionEnd } from '../support/a-start.ts';
import { anEvent } from '../support/an-api-event.ts';
import { environmentOf } from '../support/function-environment.ts';

const aService = useRetryingServices();

describe('the plan of a bulk retry', () => {
  test('says how many, by failure, what will happen again, and what cannot be retried', async () => {
    const { fail, post, dispatched, executions } = await aService();
    for (const id of ['e-1', 'e-2', 'e-3']) await fail(id);
    await fail('e-4', { name: 'Timeout' });
    await fail('e-5', { input: null });
    await fail('e-6');
    await executions.markRetried('e-6', 'e-1');
    const { status, body } = await post({ filter: { workflowId: 'greeting' }, dryRun: true });
    expect([status, body]).toEqual([
      200,
      {
        dryRun: true,
        count: 4,
        byFailure: [
          { nodeId: 'call', name: 'HttpStatusError', count: 3 },
          { nodeId: 'call', name: 'Timeout', count: 1 },
        ],
        effects: [
          { workflowId: 'greeting', nodeId: 'call', type: 'httpRequest', runsAgain: 4, mayRun: 0 },
          { workflowId: 'greeting', nodeId: 'mail', type: 'httpRequest', runsAgain: 0, mayRun: 4 },
        ],
        refused: [
          { reason: expect.stringContaining('its request was not kept'), count: 1, executionIds: ['e-5'] },
          { reason: 'another execution already retries it', count: 1, executionIds: ['e-6'] },
        ],
        checkedSince: null,
        checkedUntil: expect.any(String),
      },
    ]);
    expect(dispatched).toEqual([]);
  });

  test.each<[object, object, number]>([
    [{ failureName: 'Timeout' }, {}, 1],
    [{ failureNode: 'call' }, {}, 3],
    [{ failureNode: 'mail' }, {}, 0],
    [{ workflowVersion: 2 }, {}, 0],
    [{ workflowVersion: 1 }, {}, 3],
    [{ status: ['cancelled'] }, {}, 1],
    [{ status: ['cancelled', 'failed'] }, {}, 4],
    [{ from: new Date(T0 + 2).toISOString() }, {}, 2],
    [{ to: String(T0 + 2) }, {}, 2],
    [{ workflowId: 'other' }, {}, 0],
    [{ workflowId: null, all: true }, {}, 3],
    [{}, { version: 'current' }, 3],
    [{}, { from: 'mail' }, 0],
  ])('of %j with %j has as many', async (filter, options, count) => {
    const { fail, post } = await aService();
    await fail('e-1');
    await fail('e-2');
    await fail('e-3', { name: 'Timeout' });
    await fail('e-4', { status: 'cancelled' });
    const { body } = await post({ filter: { workflowId: 'greeting', ...filter }, ...options, dryRun: true });
    expect(body).toMatchObject({ count });
  });
});

describe('a bulk retry', () => {
  test('retries each execution once, and counts what became of it', async () => {
    const { failMany, start, run, show, dispatched, invoked, executions } = await aService((_id, count) =>
      count % 5 === 0 ? 'failed' : 'succeeded',
    );
    await failMany(50);
    const id = await start();
    expect(invoked).toEqual([id]);
    expect(await show(id)).toMatchObject({ state: 'running', counts: { total: 50, remaining: 50 } });
    await run(id);
    expect(await show(id)).toEqual({
      bulkRetryId: id,
      only: null,
      state: 'done',
      why: null,
      createdAt: expect.any(String),
      endedAt: expect.any(String),
      by: CALLER,
      filter: {
        workflowId: 'greeting',
        status: ['failed', 'timedOut'],
        from: null,
        to: expect.any(String),
        failureNode: null,
        failureName: null,
        workflowVersion: null,
      },
      from: null,
      version: 'recorded',
      rate: 100,
      stopAtFailedShare: 0.5,
      counts: { total: 50, remaining: 0, open: 0, succeeded: 40, failedAgain: 10, refused: 0 },
      refused: [],
      refusedOmitted: 0,
    });
    expect(new Set(dispatched).size).toBe(50);
    const [first = ''] = dispatched;
    expect(await executions.find(first)).toMatchObject({
      retryOf: { executionId: 'e-0', fromNodeId: null, bulkRetryId: id },
    });
    expect(await executions.find('e-0')).toMatchObject({ retriedBy: first });
    await run(id, 'request-2');
    await run();
    expect(dispatched).toHaveLength(50);
  });

  test('stops by itself when more than the share has failed again, and leaves the rest alone', async () => {
    const { failMany, start, run, show, dispatched } = await aService(() => 'failed');
    await failMany(60);
    const id = await start({ stopAtFailedShare: 0.2 });
    await run(id);
    const shown = await show(id);
    expect(shown).toMatchObject({
      state: 'stopped',
      why: expect.stringContaining('more than the share of 0.2'),
    });
    expect(shown.counts).toMatchObject({ succeeded: 0, open: 0, failedAgain: dispatched.length });
    expect(dispatched.length).toBeLessThanOrEqual(20); // until some have ended
  });

  test('continues when as many fail again as the share allows', async () => {
    const { failMany, start, run, show } = await aService((_id, count) =>
      count % 2 === 0 ? 'failed' : 'succeeded',
    );
    await failMany(24);
    const id = await start();
    await run(id);
    expect(await show(id)).toMatchObject({ state: 'done', counts: { succeeded: 12, failedAgain: 12 } });
  });

  test('can be cancelled once; what is open is still followed', async () => {
    const { failMany, start, run, show, call, executions, dispatched } = await aService(() => null);
    await failMany(30);
    const id = await start();
    await run(id); // until nothing happens any more
    expect(await show(id)).toMatchObject({ state: 'running', counts: { open: 20, remaining: 10 } });
    const cancel = (caller = CALLER) => call('POST', `/api/admin/bulk-retries/${id}/cancel`, { caller });
    expect(await cancel()).toMatchObject({
      status: 200,
      body: { state: 'cancelled', why: `cancelled by ${CALLER}` },
    });
    const again = await cancel('arn:other');
    expect(again).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('it is cancelled') },
    });
    for (const executionId of dispatched) await executions.finish(executionId, anExecutionEnd());
    await run(); // the schedule
    expect(await show(id)).toMatchObject({
      state: 'cancelled',
      counts: { succeeded: 20, remaining: 10, open: 0 },
    });
    expect((await call('POST', `/api/admin/bulk-retries/${id}/cancel`)).status).toBe(409);
  });

  test('of executions that another one retries by now refuses them, with the reason', async () => {
    const { failMany, start, run, show, call, dispatched } = await aService();
    await failMany(2);
    const ids = [await start(), await start()];
    await call('POST', '/api/admin/executions/e-1/retry');
    for (const id of ids) await run(id);
    expect(dispatched).toHaveLength(2);
    expect(await show(ids[0] ?? '')).toMatchObject({ state: 'done', counts: { succeeded: 1, refused: 1 } });
    expect(await show(ids[1] ?? '')).toMatchObject({
      counts: { refused: 2 },
      refused: [
        { executionId: 'e-0', reason: 'another execution already retries it' },
        { executionId: 'e-1', reason: 'another execution already retries it' },
      ],
      refusedOmitted: 0,
    });
  });

  // holds: bulk-retry-once
  test('survives a crash after any write, and retries each execution once', async () => {
    const { failMany, start, run, show, dispatched, openRunner, executions } = await aService();
    await failMany(6);
    const id = await start();
    const parts = openRunner();
    let left = 0;
    /** The process ends at its nth write. */
    const dying = <Store extends object>(store: Store): Store =>
      Object.fromEntries(
        Object.entries(store).map(([name, method]) => [
          name,
          async (...args: unknown[]) => {
            const isWrite = ['markRetried', 'start', 'save', 'acquireLease', 'dispatch'].includes(name);
            if (isWrite && left-- <= 0) throw new Error('killed');
            return (method as (...given: unknown[]) => unknown)(...args);
          },
        ]),
      ) as Store;
    const others = {
      executions: dying(parts.executions),
      bulkRetries: dying(parts.bulkRetries),
      dispatcher: dying(parts.dispatcher),
    };
    let crashes = 0;
    for (let writes = 0; (await show(id)).state === 'running'; writes++) {
      left = writes % 12;
      await run(id, 'request-1', others).catch(() => crashes++);
    }
    expect(crashes).toBeGreaterThan(5);
    expect(new Set(dispatched).size).toBe(6);
    expect(await show(id)).toMatchObject({ state: 'done', counts: { succeeded: 6 } });
    const { executions: all } = await executions.list({ workflowId: 'greeting', limit: 100 });
    expect(all).toHaveLength(12);
  });

  test('that cannot continue does not keep the others from it, and fails the invocation', async () => {
    const { failMany, start, run, show, openRunner } = await aService();
    await failMany(2);
    const ids = [
      await start({ filter: { workflowId: 'greeting', to: String(T0) } }),
      await start({ filter: { workflowId: 'greeting', from: String(T0 + 1) } }),
    ];
    const { bulkRetries } = openRunner();
    const broken = {
      ...bulkRetries,
      findExecutions: (id: string) =>
        id === ids[0] ? Promise.reject(new Error('broken')) : bulkRetries.findExecutions(id),
    };
    await expect(run(undefined, 'request-1', { bulkRetries: broken })).rejects.toThrow('broken');
    expect(await show(ids[0] ?? '')).toMatchObject({ state: 'running', counts: { remaining: 1 } });
    expect(await show(ids[1] ?? '')).toMatchObject({ state: 'done', counts: { succeeded: 1 } });
  });

  test('invokes itself when its time is almost over, and continues where it was', async () => {
    const { failMany, start, invoked, show, openRunner, run } = await aService();
    await failMany(30);
    const id = await start({ rate: 5 });
    let rounds = 0;
    const context = { awsRequestId: 'a', getRemainingTimeInMillis: () => (rounds++ < 2 ? 60_000 : 10_000) };
    await createRetryExecutions(openRunner())({ bulkRetryId: id }, context as never);
    expect(invoked).toEqual([id, id]);
    expect((await show(id)).counts.remaining).toBe(15);
    await run(id, 'b');
    expect(await show(id)).toMatchObject({ state: 'done', counts: { succeeded: 30 } });
  });
});

describe('POST /api/admin/executions/retry', () => {
  const filter = { workflowId: 'greeting' };
  test.each<[unknown, string]>([
    [{}, '/filter is missing'],
    [{ filter: [] }, '/filter must have either workflowId'],
    [{ filter: {} }, '/filter must have either workflowId or "all": true'],
    [{ filter: { ...filter, all: true } }, '/filter must have either workflowId'],
    [{ filter: { workflowId: 'a b' } }, '/filter/workflowId must be a workflow id'],
    [{ filter: { ...filter, status: 'failed' } }, '/filter/status must be a list'],
    [
      { filter: { ...filter, status: ['running'] } },
      '/filter/status/0 must be one of succeeded, failed, cancelled, timedOut',
    ],
    [{ filter: { ...filter, status: [] } }, '/filter/status must be a list of succeeded,'],
    [{ filter: { ...filter, status: Array(5).fill('failed') } }, '/filter/status must be a list of'],
    [{ filter: { ...filter, from: 'yesterday' } }, '/filter/from must be a time'],
    [{ filter: { ...filter, from: '2026-11-25', to: '2026-11-24' } }, '/filter/from must not be later'],
    [{ filter: { ...filter, from: '9000-01-01' } }, '/filter/from must not be later'],
    [{ filter: { ...filter, node: 'x' } }, '/filter/node is not known'],
    [{ filter: { ...filter, workflowVersion: 0 } }, '/filter/workflowVersion must be an integer'],
    [{ filter, rate: 0 }, '/rate must be an integer from 1 to 100'],
    [{ filter, rate: 101 }, '/rate must be an integer from 1 to 100'],
    [{ filter, rate: 1.5 }, '/rate must be an integer from 1 to 100'],
    [{ filter, rate: '10' }, '/rate must be a number'],
    [{ filter, stopAtFailedShare: 2 }, '/stopAtFailedShare must be a number from 0 to 1'],
    [{ filter, dryRun: 'yes' }, '/dryRun must be true or false'],
    [{ filter, version: 3 }, '/version must be a string'],
    [{ filter, version: 'latest' }, '/version must be one of recorded, current'],
    [{ filter, input: {} }, '/input is not known'],
  ])('refuses %j', async (body, reason) => {
    const { post, invoked } = await aService();
    const answer = await post(body);
    expect([answer.status, answer.body.type]).toEqual([400, 'urn:hookloom:problem:body-invalid']);
    expect(answer.body.detail).toContain(reason);
    expect(invoked).toEqual([]);
  });

  test('refuses more than can be checked in time, and says where to start', async () => {
    const { values, failMany, invoked } = await aService();
    await failMany(3);
    const handler = createBulkRetries(
      openBulkRetries(installedPlugins, readConfig(environmentOf('adminBulkRetries', values))),
    );
    const event = anEvent({
      method: 'POST',
      path: '/api/admin/executions/retry',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ filter: { ...filter, to: '2026-11-20T12:00:00Z' } }),
    });
    const { requestContext } = event;
    const routeKey = 'POST /api/admin/executions/retry';
    const context = { getRemainingTimeInMillis: () => 4_999 } as Context;
    const answer = await handler(
      { ...event, routeKey, requestContext: { ...requestContext, routeKey } },
      context,
    );
    expect([answer.statusCode, answer.body]).toEqual([
      422,
      expect.stringContaining('Start with \\"filter\\": {\\"from\\": \\"2026-11-20T12:00:00.000Z\\"}'),
    ]);
    expect(invoked).toEqual([]);
  });

  test('refuses a body that is no object, and a filter that nothing matches', async () => {
    const { post, invoked } = await aService();
    expect(await post([])).toMatchObject({ status: 400 });
    expect(await post({ filter })).toMatchObject({
      status: 409,
      body: { type: 'urn:hookloom:problem:nothing-to-retry' },
    });
    expect(invoked).toEqual([]);
  });
});

describe('GET /api/admin/bulk-retries', () => {
  test('lists them, latest first, page by page; a cursor of another list is a 400', async () => {
    const { failMany, start, call } = await aService();
    await failMany(2);
    const ids = [await start(), await start()].sort().reverse();
    const { body } = await call('GET', '/api/admin/bulk-retries?limit=1');
    expect(body).toMatchObject({ count: 1, bulkRetries: [{ bulkRetryId: ids[0], counts: { total: 2 } }] });
    const next = await call('GET', `/api/admin/bulk-retries?limit=1&cursor=${body.nextCursor}`);
    expect(next.body).toMatchObject({ bulkRetries: [{ bulkRetryId: ids[1] }] });
    const other = Buffer.from('["a","b","hash","all"]').toString('base64url');
    expect(await call('GET', `/api/admin/bulk-retries?cursor=${other}`)).toMatchObject({ status: 400 });
    expect(await call('GET', '/api/admin/bulk-retries?state=running')).toMatchObject({ status: 400 });
  });

  test.each(['none', '20261125T043600123-a1b2c3d4', 'x'.repeat(500), 'all'])('/%s is a 404', async (id) => {
    const { call } = await aService();
    expect(await call('GET', `/api/admin/bulk-retries/${id}`)).toMatchObject({ status: 404 });
    expect(await call('POST', `/api/admin/bulk-retries/${id}/cancel`)).toMatchObject({ status: 404 });
  });
});
