import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { JsonObject, WorkflowNode } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { startInternalServer } from 'lambda-stage/net';
import { aWorkflowOf } from '../../support/a-registrar.ts';
import { aQueue, aRule, aSchedule, useTriggerServices } from '../../support/a-trigger-service.ts';

const openService = useTriggerServices();
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

interface Refusal {
  /** `PutRule`, or the method and folder of a REST API: `POST schedules`. */
  readonly operation: string;
  readonly status: number;
  readonly name: string;
  readonly message: string;
}

/** The sources, of which one operation answers as AWS does when it refuses. */
const behind = (refusal: Refusal) => async (endpoint: string) => {
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request);
    const [, operation = null] = String(headers['x-amz-target'] ?? '').split('.');
    if (refusal.operation === (operation ?? `${method} ${url.split('/')[1]}`)) {
      const { status, name, message } = refusal;
      const answer = operation === null ? { Message: message } : { __type: name, message };
      const named = operation === null ? { 'x-amzn-errortype': name } : {};
      return response.writeHead(status, named).end(JSON.stringify(answer));
    }
    const sent = method === 'GET' || method === 'DELETE' ? {} : { body };
    const passed = await fetch(`${endpoint}${url}`, { method, headers: toHeaders(headers), ...sent });
    return response
      .writeHead(passed.status, { ...Object.fromEntries(passed.headers) })
      .end(await passed.text());
  });
  const started = await startInternalServer(server);
  cleanups.push(started.stop);
  return started.endpoint;
};

const toHeaders = (headers: object): Record<string, string> => {
  const { 'x-amz-target': target } = headers as JsonObject;
  return typeof target === 'string' ? { 'x-amz-target': target } : {};
};

/** The others are registered, or not yet, when one of them is refused. */
const beside = (node: WorkflowNode) =>
  aWorkflowOf([aSchedule('1 hour', 'before'), { ...node, id: 'wrong' }, aRule('shop', 'after')]);

describe('a workflow is not stored, nothing stays registered, and the reason names node and parameter', () => {
  const inThisProcess: readonly (readonly [string, WorkflowNode, string])[] = [
    [
      'a cron expression that never fires',
      { id: '', type: 'scheduleTrigger', parameters: { cron: '0 0 30 2 *' } },
      '/cron: never fires: no future day matches its year, month and day at a time that exists in the time zone',
    ],
    [
      'a time that has passed',
      {
        id: '',
        type: 'scheduleTrigger',
        parameters: { at: '2020-01-01T00:00:00', timeZone: 'Europe/Berlin' },
      },
      '/at: is in the past in the time zone Europe/Berlin, so it never fires',
    ],
    [
      'a time zone that does not exist',
      { id: '', type: 'scheduleTrigger', parameters: { rate: '1 hour', timeZone: 'Europe/Berln' } },
      '/timeZone: must be the name of a time zone in the IANA database',
    ],
    [
      'a pattern that EventBridge refuses',
      { id: '', type: 'eventTrigger', parameters: { pattern: { source: [{ suffix: 7 }] } } },
      '/pattern: Event pattern is not valid. Reason: /source/0',
    ],
    [
      'a queue of another account',
      aQueue('', { queue: 'arn:aws:sqs:us-east-1:123456789012:orders' }),
      '/queue: there is no queue arn:aws:sqs:us-east-1:123456789012:orders',
    ],
    [
      'a bus of another account',
      {
        id: '',
        type: 'eventTrigger',
        parameters: {
          pattern: { source: ['a'] },
          bus: 'arn:aws:events:us-east-1:123456789012:event-bus/shop',
        },
      },
      '/bus: there is no event bus "arn:aws:events:us-east-1:123456789012:event-bus/shop"',
    ],
  ];

  test.each(inThisProcess)('%s', async (_what, node, reason) => {
    const service = await openService();
    await expect(service.put(beside(node))).rejects.toThrow(
      `Trigger wrong of orders can't be registered: ${reason}`,
    );
    expect(service.outside()).toEqual([]);
    expect(await service.registrations.list()).toEqual([]);
    expect(await service.stores.workflows.find('orders')).toBeNull();
  });

  const byAws: readonly (readonly [string, WorkflowNode, Refusal, string])[] = [
    [
      'a group of schedules that is full',
      aSchedule('2 hours'),
      {
        operation: 'POST schedules',
        status: 402,
        name: 'ServiceQuotaExceededException',
        message: 'Quota of 1000000 reached',
      },
      "the group hookloom-test can't hold another schedule: Quota of 1000000 reached",
    ],
    [
      'a bus that does not exist',
      aRule('crm'),
      {
        operation: 'PutRule',
        status: 400,
        name: 'ResourceNotFoundException',
        message: 'Event bus default does not exist.',
      },
      '/bus: there is no event bus "default" in this account and region',
    ],
    [
      'a bus that is full',
      aRule('crm'),
      { operation: 'PutRule', status: 400, name: 'LimitExceededException', message: '300 rules' },
      '/bus: the bus "default" can\'t hold another rule: 300 rules',
    ],
    [
      'a queue that does not exist',
      aQueue('missing'),
      {
        operation: 'GetQueueUrl',
        status: 400,
        name: 'com.amazonaws.sqs#QueueDoesNotExist',
        message: 'The specified queue does not exist.',
      },
      '/queue: there is no queue arn:aws:sqs:us-east-1:000000000000:missing',
    ],
    [
      'a queue that the function may not read',
      aQueue('closed'),
      {
        operation: 'POST 2015-03-31',
        status: 400,
        name: 'InvalidParameterValueException',
        message: 'The function lacks sqs:ReceiveMessage',
      },
      '/queue: The function lacks sqs:ReceiveMessage',
    ],
  ];

  test.each(byAws)('%s', async (_what, node, refusal, reason) => {
    const service = await openService({ through: behind(refusal) });
    const { operation } = refusal;
    const alone = aWorkflowOf([
      { ...node, id: 'wrong' },
      ...(operation === 'PutRule' ? [] : [aRule('shop')]),
    ]);
    await expect(service.put(alone)).rejects.toThrow(
      `Trigger wrong of orders can't be registered: ${reason}`,
    );
    expect(service.outside()).toEqual([]);
    expect(await service.registrations.list()).toEqual([]);
  });
});
