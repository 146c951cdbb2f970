import { afterEach, describe, expect, test } from '@jest/globals';
import { toDeliveryId } from '../../../lib/executions/deliveries/claim-delivery.ts';
import { executionIdOfRequest } from '../../../lib/executions/deliveries/to-execution-id.ts';
import {
  passedPlace,
  type RequestRecord,
  refusedPlace,
} from '../../../lib/webhooks/requests/request-record.ts';
import { toPathConfigs } from '../../../lib/workflows/definition/to-path-configs.ts';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aLocalServer, type LocalServer } from '../../../tests/support/a-local-server.ts';
import { aRequestRecord } from '../../../tests/support/a-request-record.ts';
import { anExecutionStart } from '../../../tests/support/a-start.ts';
import { aTrigger, aWorkflow } from '../../../tests/support/a-workflow.ts';

const openCommandLine = useCommandLine();
const servers: LocalServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const LAUNCH = '/2015-03-31/functions/hookloom-dev-runExpress/invocations';

/** As the command line's clock has it. */
const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const ID = 'orders.r20261120T1159-07';

const aRecord = (changes: Partial<RequestRecord> = {}): RequestRecord => {
  const receivedAt = NOW - 60_000;
  return aRequestRecord({ workflowId: 'orders', receivedAt, place: refusedPlace(receivedAt, 7), ...changes });
};

const definition = aWorkflow({
  id: 'orders',
  connections: [],
  nodes: [aTrigger({ path: '/orders', deduplication: 'body.id' })],
});

/** The command line, a store with the workflow `orders`, and an engine that takes every request. */
const aService = async (records: readonly RequestRecord[] = [aRecord()]) => {
  const engine = await aLocalServer({ [LAUNCH]: (_request, response) => response.writeHead(202).end('{}') });
  servers.push(engine);
  const { call, stores: target } = await openCommandLine({ engineEndpoint: engine.origin });
  await target.workflows.put(definition, toPathConfigs(definition));
  for (const record of records) await target.requests.put(record);
  return { call, target, engine };
};

describe('request list', () => {
  test('prints a table: the latest first, with reasons', async () => {
    const { call } = await aService([
      aRecord(),
      aRecord({
        place: passedPlace(NOW, 'x'),
        receivedAt: NOW,
        verdict: 'started',
        executionId: 'e-1',
        refusal: null,
        key: 'k-1',
      }),
    ]);
    const { code, out } = await call('request list orders');
    expect([code, out.split('\n')]).toEqual([
      0,
      [
        'RECEIVED                  ID                            VERDICT  REQUEST       SENDER     KEY  WHY',
        '2026-11-20T12:00:00.000Z  orders.p20261120T120000000-x  started  POST /orders  192.0.2.7  k-1  e-1',
        '2026-11-20T11:59:00.000Z  orders.r20261120T1159-07      refused  POST /orders  192.0.2.7  -    signature: the timestamp is 9 minutes old',
      ],
    ]);
  });

  test.each([
    ['--verdict refused', 1],
    ['--verdict started', 0],
    ['--sender 192.0.2.7 --from 2026-11-20 --to 2026-11-20T11:59:30Z', 1],
    ['--key k-1', 0],
    ['--request request-1', 1],
  ])('filters by %s', async (options, count) => {
    const { call } = await aService();
    const { out } = await call(`request list orders ${options} --json`);
    expect(JSON.parse(out).requests).toHaveLength(count);
  });

  test('says when there are none, and refuses an invalid filter', async () => {
    const { call } = await aService([]);
    expect(await call('request list orders')).toMatchObject({
      code: 0,
      out: '',
      err: 'No matching requests on record.',
    });
    expect(await call('request list orders --verdict accepted')).toMatchObject({ code: 2 });
    expect(await call('request list a/b')).toMatchObject({ code: 2 });
  });

  test('fails for a workflow that never existed, but not for a removed one', async () => {
    const { call, target } = await aService([]);
    const unknown = { code: 1, out: '', err: 'There is no workflow ordesr.' };
    for (const command of ['request list ordesr', 'request list ordesr --json']) {
      expect(await call(command)).toEqual(unknown);
    }
    expect(await call('execution list --workflow ordesr')).toEqual(unknown);
    expect(await call('approval list --workflow ordesr')).toEqual(unknown);
    await target.workflows.remove('orders');
    expect(await call('request list orders')).toMatchObject({ code: 0 });
  });

  test('continues where it ended', async () => {
    const { call } = await aService([aRecord(), aRecord({ place: refusedPlace(NOW - 60_000, 8) })]);
    const { err } = await call('request list orders --limit 1');
    expect(err).toContain('There are more: --cursor ');
    const rest = await call(`request list orders --limit 1 --cursor ${err.split(' ').at(-1)}`);
    expect([rest.out.split('\n').length, rest.err]).toEqual([2, '']);
  });
});

describe('request show', () => {
  test('shows the reason, what to change, and the recorded data, without control characters', async () => {
    const { call } = await aService([
      aRecord({ key: 'k-1', body: 'a\u001b[31m\nb', bodyBytes: 9, missing: 'its body is gone' }),
    ]);
    const { out } = await call(`request show ${ID}`);
    expect(out.split('\n')).toEqual([
      `${ID}: refused`,
      '  why       signature: the timestamp is 9 minutes old (SIGNATURE_INVALID)',
      "  change    compare the sender's secret with the credential of `signature`, and its clock and scheme with the trigger's",
      '  received  2026-11-20T11:59:00.000Z, from 192.0.2.7',
      '  request   POST /orders?a=1',
      '  id        request-1, of the gateway',
      '  key       k-1',
      '  header    content-type: application/json',
      '  body      9 bytes: a [31m b',
      "  It can't be sent again: its body is gone.",
    ]);
  });

  test('prints JSON with --json, and says what was not recorded', async () => {
    const { call } = await aService();
    expect(JSON.parse((await call(`request show ${ID} --json`)).out)).toMatchObject({
      id: ID,
      body: '{"n":1}',
    });
    expect(await call('request show orders.r20261120T1159-08')).toMatchObject({
      code: 1,
      err: 'There is no recorded request orders.r20261120T1159-08, or its record has expired.',
    });
  });
});

describe('request send-again', () => {
  test('starts an execution that can be found by the request', async () => {
    const { call, engine, target } = await aService();
    const { code, out, err } = await call(`request send-again ${ID}`);
    const [executionId = ''] = out.split(':');
    expect([code, out, err]).toEqual([
      0,
      `${executionId}: accepted, version 1 of orders`,
      `Follow it with: execution watch ${executionId}`,
    ]);
    expect(engine.received).toHaveLength(1);
    expect(await target.executions.find(executionId)).toMatchObject({ status: 'accepted', mode: 'express' });
    const found = await call('execution list --workflow orders --request request-1 --json');
    expect(JSON.parse(found.out).executions).toMatchObject([{ executionId }]);
  });

  test('edited, from a file', async () => {
    const { call, target } = await aService();
    const edit = { body: { n: 2 }, headers: { 'content-type': 'application/json' } };
    const { code, out } = await call(`request send-again ${ID} --input -`, JSON.stringify(edit));
    expect(code).toBe(0);
    const [executionId = ''] = out.split(':');
    const data = await target.executions.findData(executionId);
    expect(JSON.parse(data?.input?.slice(1) ?? '')).toMatchObject({ body: { n: 2 } });
  });

  test('to a version without the trigger is refused, by name', async () => {
    const { call, engine, target } = await aService();
    const moved = { ...definition, nodes: [aTrigger({ path: '/elsewhere' })] };
    await target.workflows.put(moved, toPathConfigs(moved));
    expect(await call(`request send-again ${ID} --to-version 2`)).toEqual({
      code: 1,
      out: '',
      err: `Request ${ID} can't be sent again: version 2 of workflow orders has no enabled trigger for POST /orders.`,
    });
    expect(await call(`request send-again ${ID} --to-version 1`)).toMatchObject({ code: 0 });
    expect(await call(`request send-again ${ID} --to-version first`)).toMatchObject({ code: 2 });
    expect(engine.received).toHaveLength(1);
  });
});

describe('webhook listen', () => {
  test('prints a line for each request, with a fix for refused ones', async () => {
    const { call, target } = await aService([]);
    await target.requests.put(aRecord({ receivedAt: NOW, place: refusedPlace(NOW, 1) }));
    await target.requests.put(
      aRecord({
        receivedAt: NOW + 1,
        place: passedPlace(NOW + 1, 'x'),
        verdict: 'started',
        executionId: 'e-1',
        refusal: null,
      }),
    );
    await target.requests.put(aRecord());
    for (const executionId of ['e-1', 'e-2'])
      await target.executions.start(
        anExecutionStart({ executionId, workflowId: 'orders', startedAt: NOW + 2 }),
      );
    const { code, out, err } = await call('webhook listen orders');
    expect([code, err, out.split('\n')]).toEqual([
      0,
      'Listening to requests to orders; press Ctrl+C to stop.',
      [
        "2026-11-20T12:00:00.000Z  refused   POST /orders from 192.0.2.7: signature: the timestamp is 9 minutes old (compare the sender's secret with the credential of `signature`, and its clock and scheme with the trigger's)",
        '2026-11-20T12:00:00.001Z  started   POST /orders from 192.0.2.7 e-1',
        '2026-11-20T12:00:00.002Z  started   e-2, accepted',
      ],
    ]);
  });

  test('needs a workflow', async () => {
    const { call } = await aService();
    expect(await call('webhook listen nobody')).toMatchObject({
      code: 1,
      err: 'There is no workflow nobody.',
    });
  });
});

describe('request listen', () => {
  test('prints the request that was caught, and stops listening', async () => {
    const request = aRecord({ place: passedPlace(NOW, 'x'), verdict: 'caught', refusal: null });
    let arrive = async () => {};
    const sleep = () => arrive();
    const { call, stores, asked } = await openCommandLine({ clock: { now: () => NOW, sleep } });
    await stores.workflows.put(definition, toPathConfigs(definition));
    const store = stores.listening;
    arrive = async () => {
      const { id = '' } = (await store.findLatest('orders')) ?? {};
      await store.end('orders', id, { request }, Date.now() + 1_000);
    };
    const { code, out, err } = await call('request listen orders --trigger request');
    expect([code, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({ verdict: 'caught', body: request.body }),
    ]);
    expect(err).toContain('POST https://example.com/api/webhook/orders/orders');
    expect(asked.map((one) => one.split(' ')[0])).toEqual(['POST', 'GET', 'DELETE']);
    expect(await store.findLatest('orders')).toBeNull();
  });

  test('stops listening at Ctrl+C', async () => {
    const { call } = await aService();
    const { code, out, err } = await call('request listen orders');
    expect([code, out, err.split('\n').at(-1)]).toEqual([0, '', 'No request was caught.']);
  });
});

describe('execution list --key', () => {
  test('finds the run of a delivery', async () => {
    const { call, target } = await aService();
    const until = NOW + 86_400_000;
    const claim = { executionId: 'e-1', bodyHash: 'h', claimedAt: NOW, until };
    await target.deliveries.claim({ deliveryId: toDeliveryId('orders', 'request', 'k-1'), ...claim });
    await target.executions.start(
      anExecutionStart({ executionId: 'e-1', workflowId: 'orders', startedAt: NOW }),
    );
    const list = async (options: string) =>
      JSON.parse((await call(`execution list ${options} --json`)).out).executions;
    expect(await list('--workflow orders --key k-1')).toMatchObject([{ executionId: 'e-1' }]);
    expect(await list('--workflow orders --key k-1 --status failed')).toEqual([]);
    expect(await list('--workflow orders --key k-2')).toEqual([]);
  });

  test('requires the workflow', async () => {
    const { call } = await aService();
    expect(await call('execution list --key x')).toMatchObject({
      code: 1,
      err: 'The query is invalid: key requires workflowId.',
    });
  });

  test('--request alone finds the execution it started, with one read', async () => {
    const { call, target } = await aService();
    const requestId = 'JKJaXmPLvHcESHA=';
    const executionId = executionIdOfRequest(requestId);
    await target.executions.start(anExecutionStart({ executionId, requestId, startedAt: NOW }));
    const list = async (options: string) =>
      JSON.parse((await call(`execution list ${options} --json`)).out).executions;
    expect(await list(`--request ${requestId}`)).toMatchObject([{ executionId }]);
    expect(await list(`--request ${requestId} --status failed`)).toEqual([]);
    expect(await list('--request another')).toEqual([]);
  });
});
