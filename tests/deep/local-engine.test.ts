import {
  DurableExecutionApiClient,
  type DurableExecutionInvocationInput,
  withDurableExecution,
} from '@aws/durable-execution-sdk-js';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  GetDurableExecutionHistoryCommand,
  type GetDurableExecutionHistoryCommandInput,
  InvalidParameterValueException,
  LambdaClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  createAsyncInvocations,
  createDurableState,
  finish,
  type Invoke,
  LocalEngine,
  openStateStore,
  startEngineServer,
} from 'lambda-stage/engine';
import { type CallAws, createAwsCaller } from '../../lib/adapters/aws/aws-caller.ts';
import { createLambdaDurableService } from '../../lib/adapters/aws/lambda-durable-service.ts';
import { createLambdaDispatcher } from '../../lib/adapters/aws/lambda-events.ts';
import { createDurableSteps } from '../../lib/adapters/durable/durable-steps.ts';
import { createLambdaCheckpointClient } from '../../lib/adapters/durable/lambda-checkpoint-client.ts';
import type { Steps } from '../../lib/engine/steps.ts';
import { createGiveUp, labelOf } from '../../packages/local/engine/failed-runs.ts';
import { findLocalFunction, RUN_DURABLE } from '../../packages/local/engine/start-engine.ts';
import { type Fault, startFaultProxy } from '../support/a-fault-proxy.ts';
import { poll } from '../support/poll.ts';
import { useTestDatabases } from '../support/test-database.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
const openDatabase = useTestDatabases(); // after our own: what writes to a database ends before it

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const json = {
  serialize: async (value: unknown) => JSON.stringify(value),
  deserialize: async (text: string | undefined) => (text === undefined ? undefined : JSON.parse(text)),
};

type Run = (steps: Steps, payload: unknown) => Promise<unknown>;

/** The local engine behind its HTTP API, with what stands for the functions in this process. */
const anEngine = async (options: {
  readonly run?: Run;
  readonly invoke?: Invoke;
  /** Reads and writes checkpoints: AWS's client instead of ours. */
  readonly isThroughSdk?: boolean;
  readonly database?: Awaited<ReturnType<typeof openDatabase>>;
  /** What becomes of each call to the engine, by how many went before. */
  readonly decide?: (count: number) => Fault;
}) => {
  const database = options.database ?? (await openDatabase());
  const store = await openStateStore(database, 'test-local-durable');
  const ended = Promise.withResolvers<unknown>();
  let endpoint = '';
  const callEngine = () =>
    createAwsCaller({ service: 'lambda', region: 'us-east-1', endpoint, readCredentials: () => credentials });
  const runDurable = async (event: DurableExecutionInvocationInput) => {
    const client = options.isThroughSdk
      ? new DurableExecutionApiClient(new LambdaClient({ endpoint, region: 'us-east-1', credentials }))
      : createLambdaCheckpointClient(callEngine());
    const handler = withDurableExecution(
      async (payload: unknown, context) => options.run?.(createDurableSteps(context, json), payload),
      { durableExecutionClient: client },
    );
    const output = await handler(event, { awsRequestId: 'r', getRemainingTimeInMillis: () => 500 } as never);
    if (output.Status !== 'PENDING') ended.resolve(output);
    return output;
  };
  const invoke: Invoke =
    options.invoke ??
    (async (_name, given) => runDurable((given as { event: DurableExecutionInvocationInput }).event));
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const engine = new LocalEngine({ store, invoke, log, durable: [RUN_DURABLE] });
  const invocations = createAsyncInvocations(
    { store, invoke, log, giveUp: createGiveUp(invoke, log), labelOf },
    [0, 0],
  );
  const server = await startEngineServer({
    engine,
    invocations,
    findFunction: findLocalFunction,
    invoke: async () => null,
  });
  const proxy = await startFaultProxy(
    server.endpoint,
    (_target, _table, count) => options.decide?.(count) ?? 'pass',
  );
  cleanups.push(proxy.stop);
  endpoint = options.decide === undefined ? server.endpoint : proxy.endpoint;
  cleanups.push(async () => {
    invocations.close();
    await engine.close();
    await server.stop();
  });
  const call = callEngine();
  return {
    engine,
    endpoint,
    lines,
    database,
    ended: ended.promise,
    call,
    dispatcher: createLambdaDispatcher(call, { durable: 'x-runDurable:durable', express: 'x-runExpress' }),
    service: createLambdaDurableService(call),
  };
};

const arnOf = (name: string) =>
  `arn:aws:lambda:local:000000000000:function:runDurable:1/durable-execution/${name}/${name}`;

const call = (steps: Steps, name: string, value: unknown = 1) =>
  steps.run({ name, retry: undefined, attempt: async () => ({ outputs: { main: { value } as never } }) });

describe('the local engine', () => {
  test.each([
    ['our client', false],
    ['AWS’s own', true],
  ])('runs what is dispatched through AWS’s API: by %s', async (_name, isThroughSdk) => {
    const seen: unknown[] = [];
    const { dispatcher, service, ended } = await anEngine({
      isThroughSdk,
      run: async (steps, payload) => {
        seen.push(payload);
        await call(steps, 'first/0');
        await steps.wait('pause/0/0', 1);
        return call(steps, 'second/0', 2);
      },
    });
    await dispatcher.dispatch('e-1', 'durable');
    expect(await ended).toMatchObject({ Status: 'SUCCEEDED' });
    expect(seen).toEqual([{ executionId: 'e-1' }, { executionId: 'e-1' }]);
    await dispatcher.dispatch('e-1', 'durable'); // it has run
    expect(seen).toHaveLength(2);
    expect(await service.findStatus(arnOf('e-1'))).toMatch(/running|succeeded/);
    expect(await service.findStatus(arnOf('unknown'))).toBe('gone');
  });

  test('accepts an answer once, and resumes with it', async () => {
    const opened = Promise.withResolvers<string>();
    const { dispatcher, service, ended } = await anEngine({
      run: async (steps) => {
        const callback = await steps.callback('ask/0/0', 600);
        opened.resolve(callback.id);
        return callback.answer();
      },
    });
    await dispatcher.dispatch('e-1', 'durable');
    const id = await opened.promise;
    expect(await service.answerCallback({ callbackId: 'unknown', durableArn: 'arn' }, 1)).toBe(false);
    expect(await service.answerCallback({ callbackId: id, durableArn: 'arn' }, { decision: 'approve' })).toBe(
      true,
    );
    expect(await service.answerCallback({ callbackId: id, durableArn: 'arn' }, { decision: 'reject' })).toBe(
      false,
    );
    expect(await ended).toMatchObject({ Status: 'SUCCEEDED', Result: '{"value":{"decision":"approve"}}' });
  });

  test('shows AWS’s own client in its history what a callback was answered with', async () => {
    const opened = Promise.withResolvers<string>();
    const { dispatcher, service, ended, endpoint } = await anEngine({
      run: async (steps) => {
        const callback = await steps.callback('ask/0/0', 600);
        opened.resolve(callback.id);
        return callback.answer();
      },
    });
    await dispatcher.dispatch('e-1', 'durable');
    const CallbackId = await opened.promise;
    await service.answerCallback({ callbackId: CallbackId, durableArn: 'arn' }, { decision: 'approve' });
    await ended;
    const client = new LambdaClient({ endpoint, region: 'us-east-1', credentials });
    const ask = async (input: Partial<GetDurableExecutionHistoryCommandInput>) =>
      client.send(new GetDurableExecutionHistoryCommand({ DurableExecutionArn: arnOf('e-1'), ...input }));
    const { Events = [] } = await ask({ IncludeExecutionData: true });
    expect(Events).toMatchObject([
      { EventType: 'CallbackStarted', EventId: 1, CallbackStartedDetails: { CallbackId, Timeout: 600 } },
      {
        EventType: 'CallbackSucceeded',
        Id: Events[0]?.Id,
        EventTimestamp: expect.any(Date),
        CallbackSucceededDetails: { Result: { Payload: '{"decision":"approve"}' } },
      },
    ]);
    const { Events: latest } = await ask({ IncludeExecutionData: false, ReverseOrder: true, MaxItems: 1 });
    expect(latest).toMatchObject([{ EventId: 2, CallbackSucceededDetails: { Result: {} } }]);
    await expect(ask({ DurableExecutionArn: arnOf('unknown') })).rejects.toThrow(ResourceNotFoundException);
    await expect(ask({ MaxItems: 1_001 })).rejects.toThrow(InvalidParameterValueException);
    client.destroy();
  });

  // holds: survives-a-kill
  test('resumes open executions after its own restart', async () => {
    const opened = Promise.withResolvers<string>();
    const run: Run = async (steps) => {
      await call(steps, 'first/0');
      const callback = await steps.callback('ask/0/0', 600);
      opened.resolve(callback.id);
      return callback.answer();
    };
    const first = await anEngine({ run });
    await first.dispatcher.dispatch('e-1', 'durable');
    const id = await opened.promise;
    await first.engine.close();
    const second = await anEngine({ run, database: first.database });
    (await second.engine.load())();
    expect(await second.service.answerCallback({ callbackId: id, durableArn: 'arn' }, 'yes')).toBe(true);
    expect(await second.ended).toMatchObject({ Status: 'SUCCEEDED' });
  });

  test.each([2, 3, 4, 5])(
    'hides from a run that the response of every call %d is lost: its process continues',
    async (every) => {
      const called: string[] = [];
      let invocations = 0;
      const { dispatcher, ended, lines, engine } = await anEngine({
        decide: (count) => (count % every === every - 1 ? 'lose the reply' : 'pass'),
        run: async (steps) => {
          invocations++;
          for (let at = 0; at < 12; at++)
            await steps.run({
              name: `n${at}/0`,
              retry: undefined,
              attempt: async () => {
                called.push(`n${at}`);
                return { outputs: { main: { at } } };
              },
            });
        },
      });
      await dispatcher.dispatch('e-1', 'durable');
      expect(await ended).toMatchObject({ Status: 'SUCCEEDED' });
      expect(lines).toEqual([]);
      expect(called).toEqual(Array.from({ length: 12 }, (_, at) => `n${at}`));
      expect(invocations).toBe(1);
      expect(engine.getDurableState(arnOf('e-1')).operations.size).toBe(13);
    },
  );

  describe('forgets ended executions, but for the last hundred', () => {
    const countItems = async ({ sdk }: Awaited<ReturnType<typeof openDatabase>>) =>
      (await sdk.send(new ScanCommand({ TableName: 'test-local-durable', Select: 'COUNT' }))).Count;

    test('as they end, while open ones stay', async () => {
      const { dispatcher, service, database } = await anEngine({
        invoke: async (_name, given) => {
          const { DurableExecutionArn } = (given as { event: DurableExecutionInvocationInput }).event;
          return { Status: DurableExecutionArn.endsWith('open') ? 'PENDING' : 'SUCCEEDED' };
        },
      });
      await dispatcher.dispatch('open', 'durable');
      for (let at = 0; at < 105; at++) {
        await dispatcher.dispatch(`e-${at}`, 'durable');
        await poll(async () => (await service.findStatus(arnOf(`e-${at}`))) === 'succeeded');
      }
      const statusOf = (name: string) => service.findStatus(arnOf(name));
      expect(await Promise.all(['open', 'e-0', 'e-3', 'e-104'].map(statusOf))).toEqual([
        'running',
        'gone',
        'gone',
        'succeeded',
      ]);
      await poll(async () => (await countItems(database)) === 2 * 101); // two of each
    });

    test('also those of an earlier engine, in the order of their starts', async () => {
      const database = await openDatabase();
      const store = await openStateStore(database, 'test-local-durable');
      for (let at = 0; at < 104; at++) {
        const state = finish(createDurableState('{}', Date.UTC(2026, 0, 1) + at), 'failed');
        await store.save({ arn: arnOf(`e-${at}`), input: '{}', state }, null);
      }
      const { engine, service } = await anEngine({ database });
      (await engine.load())();
      await poll(async () => (await countItems(database)) === 2 * 100);
      expect(await service.findStatus(arnOf('e-3'))).toBe('gone');
      expect(await service.findStatus(arnOf('e-4'))).toBe('failed');
    });
  });

  test('stops an execution: nothing more is checkpointed', async () => {
    const begun = Promise.withResolvers<void>();
    const { dispatcher, service, engine } = await anEngine({
      run: async (steps) => {
        begun.resolve();
        await steps.wait('pause/0/0', 600);
      },
    });
    await dispatcher.dispatch('e-1', 'durable');
    await begun.promise;
    await service.stop(arnOf('e-1'), 'cancelled');
    expect(await service.findStatus(arnOf('e-1'))).toBe('stopped');
    await expect(engine.checkpoint(arnOf('e-1'), '2', [])).rejects.toThrow(/checkpoint token/);
  });

  test('restarts a process that ended too early', async () => {
    let calls = 0;
    const done = Promise.withResolvers<void>();
    const { dispatcher, lines } = await anEngine({
      invoke: async () => {
        if (calls++ === 0) throw new Error('killed by SIGKILL');
        done.resolve();
        return { Status: 'SUCCEEDED' };
      },
    });
    await dispatcher.dispatch('e-1', 'durable');
    await done.promise;
    expect(lines).toEqual(['run e-1: its process failed (killed by SIGKILL); retrying in 1 s']);
  });

  test('tries an express run three times, then passes it to the sweeper like the dead-letter queue', async () => {
    const called: unknown[] = [];
    const requestIds = new Set<string>();
    const swept = Promise.withResolvers<unknown>();
    const { dispatcher } = await anEngine({
      invoke: async (name, given) => {
        called.push(name);
        const { event, requestId } = given as { readonly event: unknown; readonly requestId: string };
        if (name === 'sweep') return swept.resolve(event);
        requestIds.add(requestId);
        throw new Error(`no ${'x'.repeat(2_000)}`);
      },
    });
    await dispatcher.dispatch('e-1', 'express');
    const event = await swept.promise;
    expect(called).toEqual(['runExpress', 'runExpress', 'runExpress', 'sweep']);
    expect(requestIds.size).toBe(1); // every retry has the first one's, as in Lambda
    const [stringValue] = requestIds;
    expect(event).toMatchObject({
      Records: [
        {
          body: '{"executionId":"e-1"}',
          eventSource: 'aws:sqs',
          messageAttributes: {
            RequestID: { stringValue, dataType: 'String' },
            ErrorCode: { stringValue: '200', dataType: 'Number' },
            ErrorMessage: { stringValue: `no ${'x'.repeat(1_021)}`, dataType: 'String' },
          },
        },
      ],
    });
  });
});

describe('it is as strict as AWS', () => {
  const invoking = (body: string, name = 'e-1') => ({
    method: 'POST' as const,
    path: '/2015-03-31/functions/x-runDurable%3Adurable/invocations',
    headers: { 'x-amz-invocation-type': 'Event', 'x-amz-durable-execution-name': name },
    body,
  });
  const invokingExpress = (body: string) => ({
    method: 'POST' as const,
    path: '/2015-03-31/functions/x-runExpress/invocations',
    headers: { 'x-amz-invocation-type': 'Event' },
    body,
  });
  const errorOf = async (answer: ReturnType<CallAws>) => {
    const { status, headers } = await answer;
    return [status, headers['x-amzn-errortype']];
  };

  /** An execution whose function is at work: sends checkpoints, all with its first token. */
  const aRunningExecution = async () => {
    const begun = Promise.withResolvers<DurableExecutionInvocationInput>();
    const { call: callAws, dispatcher } = await anEngine({
      invoke: async (_name, given) => {
        begun.resolve((given as { event: DurableExecutionInvocationInput }).event);
        return new Promise(() => {});
      },
    });
    await dispatcher.dispatch('e-1', 'durable');
    const { CheckpointToken } = await begun.promise;
    return (Updates: readonly object[], ClientToken?: string) =>
      callAws({
        method: 'POST',
        path: `/2025-12-01/durable-executions/${encodeURIComponent(arnOf('e-1'))}/checkpoint`,
        body: JSON.stringify({ CheckpointToken, ClientToken, Updates }),
      });
  };

  test('about a reused name with another payload, and a payload of more than 1 MB', async () => {
    const { call: callAws } = await anEngine({ invoke: () => new Promise(() => {}) });
    expect((await callAws(invoking('{"a":1}'))).status).toBe(202);
    expect((await callAws(invoking('{"a":1}'))).status).toBe(202);
    expect(await errorOf(callAws(invoking('{"a":2}')))).toEqual([
      409,
      'DurableExecutionAlreadyStartedException',
    ]);
    const large = `"${'x'.repeat(1_048_576)}"`;
    for (const request of [invoking(large, 'e-2'), invokingExpress(large)]) {
      expect(await errorOf(callAws(request))).toEqual([413, 'RequestTooLargeException']);
    }
  });

  test('about events that are not JSON', async () => {
    const { call: callAws } = await anEngine({ invoke: () => new Promise(() => {}) });
    for (const request of [invoking('{'), invokingExpress('{')]) {
      expect(await errorOf(callAws(request))).toEqual([400, 'InvalidRequestContentException']);
    }
  });

  test('about checkpoints with the token of an earlier one', async () => {
    const checkpoint = await aRunningExecution();
    expect((await checkpoint([])).status).toBe(200);
    const stale = await checkpoint([]);
    expect([stale.status, stale.headers['x-amzn-errortype']]).toEqual([
      400,
      'InvalidParameterValueException',
    ]);
    // In these letters: the SDK looks for others, which is the bug that the service works around.
    expect(JSON.parse(Buffer.from(stale.body).toString()).message).toBe('Invalid checkpoint token');
  });

  test('about a checkpoint that is sent again: it is applied once, and answered as before', async () => {
    const checkpoint = await aRunningExecution();
    const update = [{ Id: 'n', Type: 'STEP', Action: 'START' }];
    const [first, again] = await Promise.all([checkpoint(update, 'one'), checkpoint(update, 'one')]);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body.toString()).toBe(first.body.toString());
    expect((await checkpoint(update, 'one')).body.toString()).toBe(first.body.toString());
    expect((await checkpoint(update, 'two')).status).toBe(400);
  });

  test('about answers of more than 262,144 bytes: the callback stays open', async () => {
    const opened = Promise.withResolvers<string>();
    const { dispatcher, service } = await anEngine({
      run: async (steps) => {
        const callback = await steps.callback('ask/0/0', 600);
        opened.resolve(callback.id);
        return callback.answer();
      },
    });
    await dispatcher.dispatch('e-1', 'durable');
    const id = await opened.promise;
    expect(await service.answerCallback({ callbackId: id, durableArn: 'arn' }, 'x'.repeat(262_143))).toBe(
      false,
    );
    expect(await service.answerCallback({ callbackId: id, durableArn: 'arn' }, 'x'.repeat(262_142))).toBe(
      true,
    );
  });

  test('about functions and paths that do not exist', async () => {
    const { call: callAws } = await anEngine({ invoke: () => new Promise(() => {}) });
    const other = { ...invoking('{}'), path: '/2015-03-31/functions/other/invocations' };
    expect(await errorOf(callAws(other))).toEqual([404, 'ResourceNotFoundException']);
    expect(await errorOf(callAws({ method: 'GET', path: '/else' }))).toEqual([
      404,
      'UnknownOperationException',
    ]);
  });

  test('about results of more than 262,144 bytes: the execution fails', async () => {
    const { dispatcher, ended } = await anEngine({
      run: (steps) => call(steps, 'large/0', 'x'.repeat(262_144)),
    });
    await dispatcher.dispatch('e-1', 'durable');
    expect(await ended).toMatchObject({
      Status: 'FAILED',
      Error: { ErrorMessage: expect.stringContaining('262144') },
    });
  });

  test('about operations beyond 3,000: none of the checkpoint counts', async () => {
    const checkpoint = await aRunningExecution();
    const steps = Array.from({ length: 3_001 }, (_, at) => ({ Id: `n${at}`, Type: 'STEP', Action: 'START' }));
    expect(await errorOf(checkpoint(steps))).toEqual([400, 'InvalidParameterValueException']);
    expect((await checkpoint(steps.slice(0, 10))).status).toBe(200);
  });
});
