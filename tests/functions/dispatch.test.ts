import { type JsonObject, type RegisteredTrigger, toEnvelope } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createDispatchFunction } from '../../lib/app/triggers/dispatch-handler.ts';
import { toRegistration } from '../../lib/triggers/registrations/registration.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { aBatch, aMessage, anEventService } from '../support/a-queue-trigger.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { inMemoryRegistrations } from '../support/in-memory-registrations.ts';

const QUEUE = String(aMessage().eventSourceARN);
const trigger = { id: 'arrival', type: 'messageTrigger', parameters: {} };

const orders = (changes: Partial<WorkflowDefinition> = {}) =>
  aWorkflow({ id: 'orders', nodes: [trigger], connections: [], ...changes });

const nothing = async () => {};

/** The dispatch function, and a workflow whose trigger is registered. @param ofQueue - it is known by its queue */
const aDispatch = async ({ ofQueue = false, perBatch = false, workflow = orders() } = {}) => {
  const service = await anEventService({
    firedBy: {
      register: nothing,
      unregister: nothing,
      toInput: (event) => ({ event }),
      toKey: ({ id = '', messageId = '', Records = null }) =>
        `${String(id)}${String(messageId)}${JSON.stringify(Records)}`,
      ...(ofQueue ? { resourceOf: () => QUEUE, takesBatches: () => perBatch } : {}),
    },
  });
  const registrations = inMemoryRegistrations(service.clock);
  const registration = toRegistration('orders', trigger, service.findNodeType);
  if (registration === null) throw new Error('the trigger does not register');
  await service.stores.workflows.put(workflow, []);
  await registrations.claim(registration);
  const dispatch = createDispatchFunction({ ...service.parts, registrations });
  return {
    ...service,
    registration: registration as RegisteredTrigger,
    registrations,
    dispatch,
    records: async () =>
      (await service.stores.executions.list({ workflowId: 'orders', limit: 100 })).executions,
  };
};

describe('an event that carries its trigger', () => {
  // holds: events-stored-before-acknowledged
  test('starts it once per key, however often it arrives', async () => {
    const { dispatch, registration, records } = await aDispatch();
    const event = { ...toEnvelope(registration), id: 'one' };
    await Promise.all(Array.from({ length: 10 }, () => dispatch(event)));
    await dispatch({ ...event, id: 'two' });
    expect(await records()).toHaveLength(2);
  });

  test.each<[string, Partial<WorkflowDefinition>]>([
    ['the workflow is disabled', { enabled: false }],
    ['the trigger is disabled', { nodes: [{ ...trigger, disabled: true }] }],
    [
      'the trigger is registered with different parameters',
      { nodes: [{ ...trigger, parameters: { a: 1 } }] },
    ],
    [
      'the trigger is registered with different parameters',
      { nodes: [{ ...trigger, type: 'manualTrigger' }] },
    ],
    ['the workflow has no such trigger', { nodes: [{ ...trigger, id: 'other' }] }],
  ])('starts nothing: %s', async (reason, changes) => {
    const { dispatch, registration, records, logged } = await aDispatch({ workflow: orders(changes) });
    await dispatch({ ...toEnvelope(registration), id: 'one' });
    expect(await records()).toEqual([]);
    expect(logged()).toContainEqual(
      expect.objectContaining({ message: 'The event starts nothing.', reason }),
    );
  });

  test.each<[string, JsonObject]>([
    ['nothing', {}],
    ['a text', { hookloom: 'orders' }],
    ['another id', { hookloom: { workflowId: '../a', triggerNodeId: 'arrival', registration: 'a' } }],
    ['no registration', { hookloom: { workflowId: 'orders', triggerNodeId: 'arrival' } }],
  ])('starts nothing when it carries %s', async (_what, event) => {
    const { dispatch, records, logged } = await aDispatch();
    await dispatch(event);
    expect(await records()).toEqual([]);
    expect(logged()).toContainEqual(expect.objectContaining({ reason: 'it names no trigger' }));
  });
});

describe('a message of a queue', () => {
  test('starts the trigger that uses the queue', async () => {
    const { dispatch, records } = await aDispatch({ ofQueue: true });
    expect(await dispatch(aBatch(aMessage(), aMessage(), aMessage({ messageId: 'b' })))).toEqual({
      batchItemFailures: [],
    });
    expect(await records()).toHaveLength(2);
  });

  // holds: events-stored-before-acknowledged
  test('stays in its queue when it starts nothing', async () => {
    const { dispatch } = await aDispatch({ ofQueue: true, workflow: orders({ enabled: false }) });
    const messageId = 'kept';
    expect(await dispatch(aBatch(aMessage({ messageId })))).toEqual({
      batchItemFailures: [{ itemIdentifier: 'kept' }],
    });
    const eventSourceARN = 'arn:aws:sqs:us-east-2:1:other';
    await expect(dispatch(aBatch(aMessage({ eventSourceARN })))).rejects.toThrow('no trigger uses');
  });

  test('is part of one event for its batch, where the trigger accepts batches', async () => {
    const { dispatch, records } = await aDispatch({ ofQueue: true, perBatch: true });
    const batch = aBatch(aMessage(), aMessage({ messageId: 'b' }));
    await dispatch(batch);
    await dispatch(batch);
    expect(await records()).toHaveLength(1);
  });

  test('stays in its queue with its batch when that starts nothing', async () => {
    const workflow = orders({ enabled: false });
    const { dispatch } = await aDispatch({ ofQueue: true, perBatch: true, workflow });
    const { batchItemFailures } = await dispatch(aBatch(aMessage(), aMessage({ messageId: 'b' })));
    expect(batchItemFailures).toHaveLength(2);
  });

  test('of a group keeps its order: after one that fails, the following ones fail', async () => {
    const { dispatch, stores, records } = await aDispatch({ ofQueue: true });
    const of = (group: string, messageId: string) =>
      aMessage({ messageId, attributes: { MessageGroupId: group } });
    const { claim } = stores.deliveries;
    let claims = 0;
    stores.deliveries.claim = (delivery) =>
      ++claims === 1 ? Promise.reject(new Error('down')) : claim(delivery);
    expect(await dispatch(aBatch(of('a', '1'), of('b', '2'), of('a', '3'), of('b', '4')))).toEqual({
      batchItemFailures: [{ itemIdentifier: '1' }, { itemIdentifier: '3' }],
    });
    expect(await records()).toHaveLength(2);
  });
});
