import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createDispatchFunction } from '../../lib/app/triggers/dispatch-handler.ts';
import type { NodeRecord } from '../../lib/engine/result.ts';
import { unpackText } from '../../lib/executions/record/blob-store.ts';
import { packInput } from '../../lib/executions/record/pack-result.ts';
import { executionSpanId, toTraceAfter, traceOf } from '../../lib/executions/traces/trace-context.ts';
import { STORE_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import { toRegistration } from '../../lib/triggers/registrations/registration.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { anEventService, inMemoryStores } from '../support/a-queue-trigger.ts';
import { anExecutionEnd, anExecutionStart } from '../support/a-start.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { inMemoryRegistrations } from '../support/in-memory-registrations.ts';
import { inMemoryExecutionStore } from '../support/in-memory-stores.ts';

const failure = { nodeId: 'pay', name: 'NodeError', message: 'the payment was refused' };

/** A workflow that an error trigger starts. @param workflows - whose failures it asks for; absent: all */
const onError = (id: string, workflows?: readonly string[], changes: Partial<WorkflowDefinition> = {}) =>
  aWorkflow({
    id,
    nodes: [
      {
        id: 'broken',
        type: 'errorTrigger',
        parameters: workflows === undefined ? {} : { workflows: [...workflows] },
      },
      {
        id: 'keep',
        type: 'set',
        parameters: { values: { said: '{{ failure.message }}', id: '{{ executionId }}' } },
      },
    ],
    connections: [{ sourceNodeId: 'broken', targetNodeId: 'keep' }],
    settings: { execution: 'express', recordData: 'always' },
    ...changes,
  });

/** The dispatch function, workflows with error triggers, and a failed execution `e-1` of `orders`. */
const aDispatch = async (...workflows: readonly WorkflowDefinition[]) => {
  const executions = inMemoryExecutionStore();
  const service = await anEventService({ stores: { ...inMemoryStores(), executions } });
  const { stores, parts, clock, findNodeType } = service;
  const registrations = inMemoryRegistrations(clock);
  for (const workflow of workflows) {
    await stores.workflows.put(workflow, []);
    for (const node of workflow.nodes) {
      const registration = toRegistration(workflow.id, node, findNodeType);
      if (registration !== null) await registrations.claim(registration);
    }
  }
  const fail = async (
    executionId = 'e-1',
    changes: Parameters<typeof anExecutionStart>[0] = {},
    nodes: readonly NodeRecord[] = [],
  ) => {
    const startedAt = clock.now();
    await stores.executions.start(anExecutionStart({ executionId, startedAt, ...changes }));
    const end = { status: 'failed', endedAt: startedAt + 2_000, failure, nodes } as const;
    await stores.executions.finish(executionId, anExecutionEnd(end));
  };
  await fail();
  const dispatch = createDispatchFunction({ ...parts, registrations });
  const recordsOf = (workflowId: string) =>
    executions.records().filter((record) => record.workflowId === workflowId);
  return {
    ...service,
    fail,
    registrations,
    report: (executionId = 'e-1') => dispatch({ hookloom: { failed: executionId } }),
    recordsOf,
    started: () =>
      executions
        .records()
        .filter(({ trigger }) => trigger.type === 'errorTrigger')
        .map(({ workflowId }) => workflowId)
        .sort(),
    dispatchWith: (changes: Partial<Parameters<typeof createDispatchFunction>[0]>) =>
      createDispatchFunction({ ...parts, registrations, ...changes }),
  };
};

const outputOf = (nodes: readonly { readonly nodeId: string; readonly outputs?: unknown }[], id: string) =>
  (nodes.find(({ nodeId }) => nodeId === id)?.outputs as { readonly main?: JsonObject } | undefined)?.main;

test('a failing probe of the doctor starts no error trigger', async () => {
  const { fail, report, started } = await aDispatch(onError('all'));
  await fail('e-2', { workflowId: 'hookloom-doctor-1-express' });
  await report('e-2');
  expect(started()).toEqual([]);
  await report('e-1');
  expect(started()).toEqual(['all']);
});

describe('a failure', () => {
  test('starts the triggers that name its workflow, and those that name none', async () => {
    const { report, started } = await aDispatch(
      onError('named', ['mail', 'orders']),
      onError('any'),
      onError('other', ['mail']),
    );
    await report();
    expect(started()).toEqual(['any', 'named']);
  });

  test('starts them in its trace, below its own span, with tracing', async () => {
    const { dispatchWith, recordsOf } = await aDispatch(onError('any'));
    const traceAfter = async (failed: Parameters<typeof toTraceAfter>[0]) => toTraceAfter(failed, 1);
    await dispatchWith({ traceAfter })({ hookloom: { failed: 'e-1' } });
    const failed = { executionId: 'e-1', traceparent: null };
    expect(recordsOf('any').map(({ traceparent }) => traceparent)).toEqual([
      `00-${traceOf(failed, 1).traceId}-${executionSpanId('e-1')}-01`,
    ]);
  });

  test('starts them without a trace context otherwise', async () => {
    const { report, recordsOf } = await aDispatch(onError('any'));
    await report();
    expect(recordsOf('any').map(({ traceparent }) => traceparent)).toEqual([null]);
  });

  test('says what failed, where, with which input, and how to view it', async () => {
    const { report, recordsOf } = await aDispatch(onError('any'));
    await report();
    const [record] = recordsOf('any');
    expect(record?.status).toBe('succeeded');
    expect(outputOf(record?.nodes ?? [], 'broken')).toEqual({
      triggeredAt: expect.any(String),
      triggerType: 'error',
      executionId: 'e-1',
      workflowId: 'orders',
      workflowVersion: 3,
      mode: 'durable',
      status: 'failed',
      trigger: { nodeId: 'start', type: 'webhookTrigger' },
      startedAt: expect.any(String),
      endedAt: expect.any(String),
      durationMs: 2_000,
      retryOf: null,
      failure,
      show: {
        command: 'npm run -s cli -- execution show e-1',
        path: '/api/admin/executions/e-1',
      },
      data: null, // its workflow is not stored
    });
    expect(outputOf(record?.nodes ?? [], 'keep')).toMatchObject({ said: failure.message, id: 'e-1' });
  });

  test('is one execution, however often it is reported', async () => {
    const { report, fail, started } = await aDispatch(onError('any'));
    await Promise.all(Array.from({ length: 10 }, () => report()));
    await fail('e-2');
    await report('e-2');
    expect(started()).toEqual(['any', 'any']);
  });

  test('starts no trigger of its own workflow', async () => {
    const { report, started } = await aDispatch(onError('orders'), onError('orders-2', ['orders']));
    await report();
    expect(started()).toEqual(['orders-2']);
  });

  test('of a run that a failure started starts nothing, so that two workflows form no cycle', async () => {
    const { report, fail, started } = await aDispatch(onError('ping'), onError('pong'));
    await fail('e-2', { workflowId: 'ping', trigger: { nodeId: 'broken', type: 'errorTrigger' } });
    await report('e-2');
    expect(started()).toEqual(['ping']); // the failed run itself
  });

  test.each<[string, Partial<WorkflowDefinition>]>([
    ['is disabled', { enabled: false }],
    [
      'has another trigger by now',
      { nodes: [{ id: 'broken', type: 'manualTrigger', parameters: {} }], connections: [] },
    ],
  ])('starts nothing in a workflow that %s', async (_what, changes) => {
    const { report, stores, started } = await aDispatch(onError('any'));
    await stores.workflows.put(onError('any', undefined, changes), []);
    await report();
    expect(started()).toEqual([]);
  });

  test.each([
    ['is not known', 'e-9', {}],
    ['has not ended', 'e-3', {}],
  ])('that %s starts nothing', async (_what, executionId) => {
    const { report, stores, started } = await aDispatch(onError('any'));
    await stores.executions.start(anExecutionStart({ executionId: 'e-3' }));
    await report(executionId);
    expect(started()).toEqual([]);
  });

  test('that cannot start one trigger starts the others, and is repeated for that one', async () => {
    const { report, started, dispatchWith, parts } = await aDispatch(onError('first'), onError('second'));
    const find: typeof parts.workflows.find = async (workflowId) => {
      if (workflowId === 'first') throw new AppError(STORE_UNAVAILABLE, {});
      return parts.workflows.find(workflowId);
    };
    const broken = dispatchWith({ workflows: { ...parts.workflows, find } });
    await expect(broken({ hookloom: { failed: 'e-1' } })).rejects.toThrow('1 error triggers did not start');
    expect(started()).toEqual(['second']);
    await report();
    expect(started()).toEqual(['first', 'second']);
  });
});

describe('the data of a failure', () => {
  /** A run of a node, as its record has it. */
  const ran = (nodeId: string, changes: Partial<NodeRecord> = {}): NodeRecord => ({
    nodeId,
    type: 'set',
    status: 'succeeded',
    iteration: 0,
    attempts: 1,
    startedAt: 1,
    durationMs: 1,
    ...changes,
  });
  const failed = (input: JsonValue) => ran('pay', { status: 'failed', failure, input });

  /** What the error triggers receive for a failure of `orders`, a stored workflow, with an input of its trigger. */
  const dataOf = async (
    input: JsonObject | null,
    nodes: readonly NodeRecord[],
    {
      settings = {},
      triggers = [onError('any')],
    }: {
      readonly settings?: NonNullable<WorkflowDefinition['settings']>;
      readonly triggers?: readonly WorkflowDefinition[];
    } = {},
  ) => {
    const { fail, report, stores, parts, recordsOf } = await aDispatch(...triggers);
    const { version } = await stores.workflows.put(aWorkflow({ id: 'orders', settings }), []);
    const packed = input === null ? null : await packInput('e-2', input, parts.blobs, true);
    await fail('e-2', { workflowVersion: version, input: packed }, nodes);
    await report('e-2');
    await report('e-2');
    const received = async (workflowId: string): Promise<JsonValue | undefined> => {
      const [record, ...others] = recordsOf(workflowId);
      expect(others).toEqual([]);
      const stored = await stores.executions.findData(record?.executionId ?? '');
      return JSON.parse(await unpackText(stored?.input ?? '', parts.blobs)).data;
    };
    return { received, data: (await received(triggers[0]?.id ?? '')) as JsonObject };
  };

  test('is what its trigger received, the input of the failed node and the last outputs', async () => {
    const { data } = await dataOf({ body: { order: 'A-17' } }, [
      ran('start', { outputs: { main: { body: { order: 'A-17' } } } }),
      ran('price', { outputs: { main: { total: 1 } } }),
      ran('item', { within: 'each/0/0', outputs: { main: { n: 1 } } }),
      ran('price', { iteration: 1, outputs: { main: { total: 120 } } }),
      failed({ total: 120 }),
    ]);
    expect(data).toEqual({
      trigger: { body: { order: 'A-17' } },
      input: { total: 120 },
      outputs: { price: { main: { total: 120 } } },
    });
  });

  test('shows no secret of the request', async () => {
    const headers = { authorization: 'Bearer abcdefghijkl', 'x-shop': 'north' };
    const { data } = await dataOf({ headers, body: { password: 'open sesame', cardNumber: '4111' } }, []);
    expect(data).toEqual({
      trigger: {
        headers: { authorization: '[redacted]', 'x-shop': 'north' },
        body: { password: '[redacted]', cardNumber: '[redacted]' },
      },
      input: null,
      outputs: {},
    });
  });

  test('keeps a request of 50 kB, and only the start of a larger one', async () => {
    const { data: whole } = await dataOf({ body: 'x'.repeat(50_000) }, []);
    expect(whole.trigger).toEqual({ body: 'x'.repeat(50_000) });
    const { data: cut } = await dataOf({ body: 'x'.repeat(70_000) }, []);
    expect(cut.trigger).toEqual({ $bytes: 70_012, $start: expect.stringMatching(/^\{"body":"x{491}$/) });
  });

  test('is at most 100 kB, whatever the run knew', async () => {
    const views = Array.from({ length: 100 }, (_, at) =>
      ran(`n${at}`, { outputs: { main: 'ü'.repeat(900) } }),
    );
    const { data } = await dataOf({ body: '\u0001'.repeat(59_000) }, [...views, failed('ü'.repeat(900))]);
    expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(100_000);
    expect(data.trigger).toEqual({ $bytes: 354_011, $start: expect.any(String) });
    const kept = Object.keys(data.outputs as JsonObject);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, at) => `n${99 - at}`));
    expect(data.outputsOmitted).toBe(100 - kept.length);
  });

  test('that is too deep to be an input is shown as text', async () => {
    let deep: JsonValue = 1;
    for (let level = 0; level < 101; level++) deep = [deep];
    const { data } = await dataOf({ body: deep }, [failed({ order: deep })]);
    expect(data).toMatchObject({
      trigger: { $start: expect.stringContaining('{"body":[[') },
      input: { $start: expect.stringContaining('{"order":[[') },
    });
  });

  test.each([
    ['was not kept', null],
    ['has expired', 'bexecutions/brief/e-2/input'],
    ['could not be run', 'xit is nested too deeply'],
  ])('lacks a request that %s', async (_what, packed) => {
    const { fail, report, stores, recordsOf } = await aDispatch(onError('any'));
    const { version } = await stores.workflows.put(aWorkflow({ id: 'orders' }), []);
    await fail('e-2', { workflowVersion: version, input: packed }, [failed({ total: 1 })]);
    await report('e-2');
    const { outputs } = recordsOf('any')[0]?.nodes[0] ?? {};
    expect(outputs).toMatchObject({ main: { data: { trigger: null, input: { total: 1 } } } });
  });

  test('stays where its workflow records none, or its trigger wants none', async () => {
    const { data } = await dataOf({ body: 1 }, [failed(1)], { settings: { recordData: 'never' } });
    expect(data).toBeNull();
    const base = onError('quiet');
    const [trigger, ...nodes] = base.nodes;
    const quiet = {
      ...base,
      nodes: [{ ...trigger, parameters: { withData: false } } as (typeof nodes)[number], ...nodes],
    };
    const { received } = await dataOf({ body: 1 }, [], { triggers: [quiet, onError('any')] });
    expect(await received('quiet')).toBeNull();
    expect(await received('any')).toMatchObject({ trigger: { body: 1 } });
  });
});
