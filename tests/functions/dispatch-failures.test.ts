import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createDispatchFunction } from '../../lib/app/triggers/dispatch-handler.ts';
import { toRegistration } from '../../lib/registrations/registration.ts';
import { STORE_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
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
  const fail = async (executionId = 'e-1', changes: Parameters<typeof anExecutionStart>[0] = {}) => {
    const startedAt = clock.now();
    await stores.executions.start(anExecutionStart({ executionId, startedAt, ...changes }));
    const end = { status: 'failed', endedAt: startedAt + 2_000, failure } as const;
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
    dispatchWith: (changes: Partial<typeof parts>) =>
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
    });
    expect(outputOf(record?.nodes ?? [], 'keep')).toMatchObject({ said: failure.message, id: 'e-1' });
  });

  test('is one execution, however often it is reported', async () => {
    const { report, fail, started } = await aDispatch(onError('any'));
    await Promise.all(Array.from({ length: 50 }, () => report()));
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
