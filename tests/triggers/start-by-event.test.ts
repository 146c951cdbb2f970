import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventSource } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { openEventFunction } from '../../lib/app/compose/triggers.ts';
import { readConfig } from '../../lib/app/config.ts';
import { createEventFunction } from '../../lib/app/triggers/event-handler.ts';
import { DISPATCH_REFUSED, STORE_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { validateWorkflow } from '../../packages/authoring/validation/validate.ts';
import { aBatch, aMessage, anEventService, inMemoryStores } from '../support/a-queue-trigger.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { environmentOf } from '../support/function-environment.ts';
import { useTestDatabases } from '../support/test-database.ts';

const trigger = { id: 'arrival', type: 'messageTrigger', parameters: {} };

/** A workflow that is fired by messages alone. */
const orders = (changes: Partial<WorkflowDefinition> = {}) =>
  aWorkflow({
    id: 'orders',
    nodes: [
      trigger,
      { id: 'double', type: 'set', parameters: { values: { total: '{{ message.total * 2 }}' } } },
    ],
    connections: [{ sourceNodeId: 'arrival', targetNodeId: 'double' }],
    ...changes,
  });

const aService = async ({
  workflow = orders(),
  stores = inMemoryStores(),
  ...options
}: Parameters<typeof anEventService>[0] & {
  readonly workflow?: WorkflowDefinition;
  readonly stores?: ReturnType<typeof inMemoryStores>;
} = {}) => {
  const service = await anEventService({ stores, ...options });
  await service.stores.workflows.put(workflow, []);
  return { ...service, records: () => stores.executions.records() };
};

const allDone = { batchItemFailures: [] };
const failed = (...ids: readonly string[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});
const { messageId } = aMessage();

describe.each(['unified', 'legacy'] as const)('an event of a trigger by the %s API', (api) => {
  test('starts its workflow in the background', async () => {
    const service = await aService({ api });
    expect(await service.call(aBatch(aMessage()))).toEqual(allDone);
    expect(service.dispatched).toEqual(['express']);
    expect(service.records()).toEqual([
      expect.objectContaining({
        status: 'succeeded',
        mode: 'express',
        workflowId: 'orders',
        trigger: { nodeId: 'arrival', type: 'messageTrigger' },
      }),
    ]);
  });

  test('is the trigger’s input', async () => {
    const settings = { recordData: 'always' } as const;
    const service = await aService({ api, workflow: orders({ settings }) });
    await service.call(aBatch(aMessage()));
    const [arrival, double] = service.records()[0]?.nodes ?? [];
    expect(arrival?.outputs).toEqual({ main: { message: { total: 7 }, triggerType: 'queue' } });
    expect(double?.outputs).toEqual({ main: expect.objectContaining({ total: 14 }) });
  });
});

describe('a workflow that only events fire', () => {
  test('is valid, even when it waits for a callback', async () => {
    const { findNodeType } = await anEventService();
    const approval = { id: 'ask', type: 'approval', parameters: { timeoutSeconds: 60 } };
    const workflow = orders({
      nodes: [trigger, approval],
      connections: [{ sourceNodeId: 'arrival', targetNodeId: 'ask' }],
    });
    expect((await validateWorkflow(workflow, findNodeType)).problems).toEqual([]);
    const service = await aService({ workflow });
    await service.call(aBatch(aMessage()));
    expect(service.dispatched).toEqual(['durable']);
  });

  test('answers no caller', async () => {
    const { findNodeType } = await anEventService();
    const workflow = orders({ nodes: [trigger, { id: 'double', type: 'respondToWebhook', parameters: {} }] });
    expect((await validateWorkflow(workflow, findNodeType)).problems).toEqual([
      expect.objectContaining({ path: '/nodes/1/type' }),
    ]);
  });
});

describe('an event that arrives again', () => {
  const again = aMessage({ attributes: { ApproximateReceiveCount: '2' }, receiptHandle: 'another' });

  test('starts no second execution, in sequence or concurrently', async () => {
    const service = await aService();
    expect(await service.call(aBatch(aMessage(), again))).toEqual(allDone);
    expect(await service.call(aBatch(again))).toEqual(allDone);
    await Promise.all(Array.from({ length: 10 }, () => service.call(aBatch(aMessage()))));
    expect(service.records()).toHaveLength(1);
    expect(service.dispatched).toEqual(['express']);
    expect(service.logged()).toContainEqual(
      expect.objectContaining({ message: 'The event was accepted.', isDuplicate: true }),
    );
  });

  test('is a different one for another trigger or under another key', async () => {
    const other = { ...trigger, id: 'other' };
    const service = await aService({ workflow: orders({ nodes: [trigger, other], connections: [] }) });
    const toOther = { workflowId: { stringValue: 'orders' }, triggerNodeId: { stringValue: 'other' } };
    await service.call(
      aBatch(aMessage(), aMessage({ messageAttributes: toOther }), aMessage({ messageId: 'second' })),
    );
    expect(service.records()).toHaveLength(3);
  });
});

describe('an event that starts nothing says why', () => {
  test.each<[string, Partial<WorkflowDefinition>]>([
    ['there is no such workflow', { id: 'other' }],
    ['the workflow is disabled', { enabled: false }],
    ['the trigger is disabled', { nodes: [{ ...trigger, disabled: true }] }],
    ['the workflow has no such trigger', { nodes: [{ ...trigger, id: 'other' }] }],
    ['the workflow has no such trigger', { nodes: [{ ...trigger, type: 'manualTrigger' }] }],
  ])('%s: %j', async (reason, changes) => {
    const service = await aService({ workflow: orders(changes) });
    expect(await service.call(aBatch(aMessage()))).toEqual(allDone);
    expect(service.records()).toEqual([]);
    expect(service.logged()).toEqual([
      expect.objectContaining({ level: 'warn', message: 'The event starts nothing.', reason }),
    ]);
  });
});

describe('an event fails, so that its source repeats it,', () => {
  type Part = 'workflows' | 'deliveries' | 'executions' | 'dispatcher';

  test.each<[Part, string]>([
    ['workflows', 'find'],
    ['deliveries', 'claim'],
    ['executions', 'find'],
    ['executions', 'start'],
    ['dispatcher', 'dispatch'],
  ])('while %s.%s fails; then it starts once', async (part, method) => {
    const error = new AppError(part === 'dispatcher' ? DISPATCH_REFUSED : STORE_UNAVAILABLE, {});
    const service = await aService();
    const { parts } = service;
    const broken = {
      ...parts,
      [part]: { ...parts[part], [method]: () => Promise.reject(error) },
    };
    const handler = createEventFunction('messageTrigger', broken);
    expect(await handler(aBatch(aMessage()))).toEqual(failed(String(messageId)));
    await expect(handler(aMessage())).rejects.toBe(error);
    expect(service.records().map(({ status }) => status)).toEqual(part === 'dispatcher' ? ['accepted'] : []);

    await service.call(aBatch(aMessage()));
    await service.call(aBatch(aMessage()));
    expect(service.records().map(({ status }) => status)).toEqual(['succeeded']);
  });

  test('when it is not an event of its type; the others of its batch start', async () => {
    const service = await aService();
    const batch = aBatch(
      aMessage({ messageId: 'poison', body: '{' }),
      aMessage({ messageId: 'foreign', messageAttributes: null }),
      aMessage(),
    );
    expect(await service.call(batch)).toEqual(failed('poison', 'foreign'));
    expect(service.records()).toHaveLength(1);
    await expect(service.call('no object')).rejects.toThrow('The event must be a JSON object.');
  });

  test.each<[keyof EventSource, unknown, string]>([
    ['toAddress', undefined, 'toAddress of messageTrigger returned no address'],
    [
      'toAddress',
      { workflowId: '../a', triggerNodeId: 'a' },
      'toAddress of messageTrigger returned no address',
    ],
    ['toAddress', { workflowId: 'orders' }, 'toAddress of messageTrigger returned no address'],
    ['toKey', undefined, 'toKey of messageTrigger did not return a key'],
    ['toKey', '', 'toKey of messageTrigger did not return a key'],
    ['toInput', null, 'toInput of messageTrigger did not return an object'],
    ['toInput', [], 'toInput of messageTrigger did not return an object'],
  ])('when %s of its trigger type gives %j', async (name, value, message) => {
    const service = await aService({ firedBy: { [name]: () => value } });
    await expect(service.call(aMessage())).rejects.toThrow(message);
    expect(service.records()).toEqual([]);
  });

  test.each(['gone', 'webhookTrigger', 'manualTrigger', 'set'])(
    'when its type is not fired by events: %s',
    async (nodeType) => {
      const service = await aService();
      await expect(service.call(aBatch(aMessage()), nodeType)).rejects.toThrow(
        `No installed trigger of the type ${nodeType} is fired by events.`,
      );
    },
  );
});

test('records of sources other than SQS are one event', async () => {
  const toAddress = () => ({ workflowId: 'orders', triggerNodeId: 'arrival' });
  const toInput = ({ Records = null }) => ({ message: Records });
  const toKey = ({ Records = null }) => JSON.stringify(Records);
  const workflow = orders({ settings: { recordData: 'always' } });
  const service = await aService({ workflow, firedBy: { toAddress, toInput, toKey } });
  const event = { Records: [{ eventSource: 'aws:s3' }, { eventSource: 'aws:s3' }] };
  expect(await service.call(event)).toEqual(allDone);
  expect(service.records().map(({ nodes }) => nodes[0]?.outputs)).toEqual([
    { main: { message: event.Records, triggerType: 'queue' } },
  ]);
});

describe('on DynamoDB', () => {
  const openDatabase = useTestDatabases();

  test('an event that arrives ten times at once is one execution', async () => {
    const { client, tables, endpoint } = await openDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'hookloom-blobs-'));
    const opened = openEventFunction(
      installedPlugins,
      readConfig(environmentOf('dispatch', { DYNAMODB_ENDPOINT: endpoint, BLOB_FOLDER: folder })),
    );
    await createWorkflowStore(client, tables, systemClock).put(orders(), []);
    const { findNodeType } = await anEventService();
    const dispatched = new Set<string>();
    const handler = createEventFunction('messageTrigger', {
      ...opened,
      loadNodeTypes: async () => findNodeType,
      dispatcher: { dispatch: async (executionId) => void dispatched.add(executionId) },
    });
    const answers = await Promise.all(Array.from({ length: 10 }, () => handler(aBatch(aMessage()))));
    expect(answers).toEqual(answers.map(() => allDone));
    expect(dispatched.size).toBe(1);
    const { executions } = await opened.executions.list({ workflowId: 'orders', limit: 10 });
    expect(executions.map(({ executionId, status }) => [executionId, status])).toEqual([
      [[...dispatched][0], 'accepted'],
    ]);
    rmSync(folder, { recursive: true });
  });
});
