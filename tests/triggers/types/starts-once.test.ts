import { type JsonObject, toEnvelope } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { aWorkflowOf } from '../../support/a-registrar.ts';
import { aQueue, aRule, aSchedule, useTriggerServices } from '../../support/a-trigger-service.ts';

const openService = useTriggerServices();

const keepingData = { settings: { recordData: 'always' } } as const;

/** A workflow whose one trigger is registered, and the events of EventBridge Scheduler for it. */
const aScheduled = async () => {
  const service = await openService();
  await service.put(aWorkflowOf([aSchedule('1 hour')], keepingData));
  const [registration] = await service.registrations.list();
  if (registration === undefined) throw new Error('nothing is registered');
  return {
    ...service,
    eventAt: (scheduledAt: string): JsonObject => ({ ...toEnvelope(registration), scheduledAt }),
  };
};

type Service = Awaited<ReturnType<typeof openService>>;

/** What the trigger of the only execution has given. */
const output = async ({ records, stores }: Pick<Service, 'records' | 'stores'>) => {
  const [summary] = await records();
  const record = await stores.executions.find(summary?.executionId ?? '');
  return (record?.nodes[0]?.outputs as JsonObject | undefined)?.main;
};

describe('the same event ten times at once starts one execution', () => {
  const repeat = (dispatch: (event: unknown) => Promise<unknown>, event: unknown) =>
    Promise.all(Array.from({ length: 10 }, () => dispatch(event)));

  test('from a schedule, with its due time', async () => {
    const service = await aScheduled();
    await repeat(service.dispatch, service.eventAt('2026-01-05T08:00:00Z'));
    expect(await service.records()).toHaveLength(1);
    expect(await output(service)).toEqual({
      triggeredAt: '2023-11-14T22:13:20.000Z',
      triggerType: 'schedule',
      scheduledAt: '2026-01-05T08:00:00.000Z',
    });
  });

  test('from a bus, with the whole event', async () => {
    const service = await openService();
    await service.put(aWorkflowOf([aRule('shop')], keepingData));
    const Time = 1_767_600_000;
    await service.putEvent('shop', { Id: 'event-1', Time, Detail: '{"a":"$& <aws.events.event.json>"}' });
    await service.putEvent('crm');
    await service.settled();
    expect(service.invoked).toHaveLength(1);
    await repeat(service.dispatch, service.invoked[0]);
    expect(await service.records()).toHaveLength(1);
    expect(await output(service)).toEqual({
      triggeredAt: '2023-11-14T22:13:20.000Z',
      triggerType: 'event',
      event: {
        version: '0',
        id: 'event-1',
        'detail-type': 'Happened',
        source: 'shop',
        account: '000000000000',
        time: '2026-01-05T08:00:00Z',
        region: 'us-east-1',
        resources: [],
        detail: { a: '$& <aws.events.event.json>' },
      },
    });
  });

  test('from a queue, with the message attributes', async () => {
    const service = await openService();
    await service.put(aWorkflowOf([aQueue('orders.fifo')], keepingData));
    await service.sendMessage('orders.fifo', {
      MessageBody: '{"total":7}',
      MessageGroupId: 'ada',
      MessageAttributes: { kind: { DataType: 'String', StringValue: 'order' } },
    });
    await service.settled();
    await repeat(service.dispatch, service.invoked[0]);
    expect(await service.records()).toHaveLength(1);
    expect(await output(service)).toEqual({
      triggeredAt: '2023-11-14T22:13:20.000Z',
      triggerType: 'queue',
      message: {
        id: expect.any(String),
        body: { total: 7 },
        sentAt: expect.stringMatching(/^\d{4}-.*Z$/),
        groupId: 'ada',
        attributes: { kind: 'order' },
      },
    });
  });
});

describe('the clocks of Scheduler and of the service may differ', () => {
  test('by minutes either way: each due time starts one execution, in any order of arrival', async () => {
    const { dispatch, eventAt, records, clock } = await aScheduled();
    const ahead = new Date(clock.now() + 300_000).toISOString();
    const behind = new Date(clock.now() - 300_000).toISOString();
    for (const scheduledAt of [ahead, behind, ahead]) await dispatch(eventAt(scheduledAt));
    expect(await records()).toHaveLength(2);
  });

  test('and an event that is repeated hours later starts nothing, however its time is written', async () => {
    const { dispatch, eventAt, records, clock } = await aScheduled();
    await dispatch(eventAt('2026-01-05T08:00:00Z'));
    clock.advance(6 * 3_600_000);
    await dispatch(eventAt('2026-01-05T08:00:00.000Z'));
    expect(await records()).toHaveLength(1);
  });
});

test('an event without a time fails, so that its source keeps it', async () => {
  const { dispatch, eventAt } = await aScheduled();
  await expect(dispatch(eventAt('soon'))).rejects.toThrow('the event has no "scheduledAt"');
});
