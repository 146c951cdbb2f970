import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createDispatchFunction } from '../../lib/app/triggers/dispatch-handler.ts';
import { unpackText } from '../../lib/executions/record/blob-store.ts';
import { toRegistration } from '../../lib/triggers/registrations/registration.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { anEventService, inMemoryStores } from '../support/a-queue-trigger.ts';
import { anExecutionEnd, anExecutionStart } from '../support/a-start.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { inMemoryRegistrations } from '../support/in-memory-registrations.ts';
import { inMemoryExecutionStore } from '../support/in-memory-stores.ts';
import { namePoints } from '../support/named-points.ts';
import { aNotice } from '../support/notice-store-suite.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const aReceiver = (id: string, parameters: JsonObject = {}): WorkflowDefinition =>
  aWorkflow({
    id,
    nodes: [{ id: 'notice', type: 'noticeTrigger', parameters }],
    connections: [],
    settings: { execution: 'express', recordData: 'always' },
  });

/** The dispatch function with receivers of notices, and executions that fail and succeed. */
const aStage = async (...workflows: readonly WorkflowDefinition[]) => {
  const executions = inMemoryExecutionStore();
  const service = await anEventService({ stores: { ...inMemoryStores(), executions } });
  const { stores, clock, findNodeType, notices } = service;
  const registrations = inMemoryRegistrations(clock);
  for (const workflow of workflows) {
    await stores.workflows.put(workflow, []);
    for (const node of workflow.nodes) {
      const registration = toRegistration(workflow.id, node, findNodeType);
      if (registration !== null && node.type === 'noticeTrigger') await registrations.claim(registration);
    }
  }
  const points = namePoints({
    notices,
    executions,
    deliveries: stores.deliveries,
    dispatcher: service.parts.dispatcher,
  });
  const { openNotify: _open, ...parts } = { ...service.parts, ...points.ports };
  const { createNotify } = await import('../../lib/app/compose/open-notify.chunk.ts');
  const dispatch = createDispatchFunction({
    ...parts,
    registrations,
    openNotify: async (...given) =>
      createNotify({ ...parts, store: points.ports.notices, stage: 'test', terminal: null }, ...given),
  });
  let ids = 0;
  const end = async (
    status: 'failed' | 'succeeded',
    { workflowId = 'orders', nodeId = 'pay', message = 'the payment was refused' } = {},
  ) => {
    const executionId = `e-${++ids}`;
    const startedAt = clock.now();
    await executions.start(anExecutionStart({ executionId, workflowId, startedAt }));
    const failure = status === 'failed' ? { nodeId, name: 'NodeError', message } : null;
    await executions.finish(executionId, anExecutionEnd({ status, endedAt: startedAt, failure }));
    return executionId;
  };
  const report = (failed: string) => dispatch({ hookloom: { failed } });
  const sentTo = async (workflowId: string): Promise<readonly JsonObject[]> => {
    const records = executions.records().filter((record) => record.workflowId === workflowId);
    const started = records.sort((one, other) => one.startedAt - other.startedAt);
    return Promise.all(
      started.map(async ({ executionId }) => {
        const packed = (await executions.findData(executionId))?.input ?? '';
        return JSON.parse(await unpackText(packed, service.parts.blobs, 1_000_000)) as JsonObject;
      }),
    );
  };
  return {
    ...service,
    hold: points.hold,
    kill: points.kill,
    task: points.task,
    deny: points.fail,
    executions,
    end,
    report,
    fail: async (given: Parameters<typeof end>[1] = {}) => void (await report(await end('failed', given))),
    tick: () => dispatch({ hookloom: { notices: 'due' } }),
    /** What a receiver's workflow was started with, in order. */
    sentTo,
    subjectsOf: async (workflowId: string) => (await sentTo(workflowId)).map(({ subject }) => subject),
  };
};

const FAILS = 'orders fails at "pay": NodeError: the payment was refused';
const WORKS = 'orders works again; it failed at "pay": NodeError: the payment was refused';

describe('a failure', () => {
  test('starts the receivers that want it at once, with its cause and how to view it', async () => {
    const stage = await aStage(
      aReceiver('mail'),
      aReceiver('chat', { workflows: ['orders'], consoleUrl: 'https://ops.example.com/console' }),
      aReceiver('costs', { kinds: ['cost'] }),
      aReceiver('others', { workflows: ['shop'] }),
    );
    const at = new Date(stage.clock.now()).toISOString();
    await stage.fail();
    const notice = {
      kind: 'failure',
      subject: 'workflow:orders',
      workflowId: 'orders',
      nodeId: 'pay',
      cause: 'pay NodeError the payment was refused',
      message: 'NodeError: the payment was refused',
      count: 1,
      firstAt: at,
      lastAt: at,
      executionId: 'e-1',
      url: null,
      status: 'open',
    };
    const time = `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
    expect(await stage.sentTo('mail')).toEqual([
      {
        subject: FAILS,
        text: `${FAILS}\n1 time, at ${time}\nhookloom execution show e-1 --stage test`,
        notices: [notice],
        more: 0,
      },
    ]);
    const url = 'https://ops.example.com/console/executions/e-1';
    expect(await stage.sentTo('chat')).toMatchObject([
      { text: `${FAILS}\n1 time, at ${time}\n${url}`, notices: [{ ...notice, url }] },
    ]);
    expect([...(await stage.sentTo('costs')), ...(await stage.sentTo('others'))]).toEqual([]);
  });

  test('is sent once for 500, then in a digest, then when the workflow works again', async () => {
    const stage = await aStage(aReceiver('mail'));
    for (let i = 0; i < 500; i++) await stage.fail();
    stage.clock.advance(MINUTE);
    await stage.tick();
    expect(await stage.subjectsOf('mail')).toEqual([FAILS]);
    stage.clock.advance(14 * MINUTE);
    await stage.tick();
    expect((await stage.sentTo('mail')).at(-1)).toMatchObject({
      subject: FAILS,
      text: expect.stringContaining('499 more since the last message, 500 times in all, at '),
      notices: [{ count: 500, executionId: 'e-500', status: 'open' }],
    });
    await stage.end('succeeded');
    stage.clock.advance(MINUTE);
    await stage.tick(); // the success began at the time of the last failure's report, a quarter of an hour after it
    expect((await stage.sentTo('mail')).at(-1)).toMatchObject({
      subject: WORKS,
      notices: [{ count: 500, status: 'settled' }],
    });
    for (let minute = 0; minute < 30; minute++) {
      stage.clock.advance(MINUTE);
      await stage.tick();
    }
    expect(await stage.subjectsOf('mail')).toEqual([FAILS, FAILS, WORKS]);
    expect(await stage.notices.list()).toEqual([]);
  });

  test('has the same cause whatever varies in its message', async () => {
    const stage = await aStage(aReceiver('mail'));
    for (const message of ['order 17 of "Ann" is late', 'order 4711 of "Bob" is late'])
      await stage.fail({ message });
    expect(await stage.notices.list()).toMatchObject([
      { count: 2, cause: 'pay NodeError order … of … is late' },
    ]);
  });

  test('that a notice or another failure started is sent to no receiver, and neither is one of its own', async () => {
    const stage = await aStage(aReceiver('mail'));
    for (const type of ['noticeTrigger', 'errorTrigger']) {
      const start = anExecutionStart({ executionId: type, trigger: { nodeId: 'n', type }, startToken: type });
      await stage.executions.start(start);
      await stage.executions.finish(type, anExecutionEnd({ status: 'failed' }));
      await stage.report(type);
    }
    await stage.fail({ workflowId: 'mail' });
    expect(await stage.notices.list()).toEqual([]);
  });

  test('of a workflow with a tag is sent to those that ask for it', async () => {
    const stage = await aStage(
      aReceiver('mail', { tags: ['shop', 'money'] }),
      aReceiver('other', { tags: ['internal'] }),
      aWorkflow({ id: 'orders', tags: ['money'] }),
      aWorkflow({ id: 'plain' }),
    );
    await stage.fail();
    await stage.fail({ workflowId: 'plain' });
    stage.clock.advance(MINUTE);
    await stage.tick();
    expect([await stage.subjectsOf('mail'), await stage.subjectsOf('other')]).toEqual([[FAILS], []]);
    expect(await stage.notices.list()).toMatchObject([{ subject: 'workflow:orders' }]);
  });

  test('that recurs within the digest after it was over is not sent at once', async () => {
    const stage = await aStage(aReceiver('mail'));
    for (let minute = 0; minute < 60; minute++) {
      await stage.fail();
      stage.clock.advance(MINUTE / 2);
      await stage.end('succeeded');
      await stage.tick();
      stage.clock.advance(MINUTE / 2);
    }
    expect((await stage.subjectsOf('mail')).length).toBeLessThanOrEqual(8);
  });

  test('that nothing has ended is over after a day', async () => {
    const stage = await aStage(aReceiver('mail'));
    await stage.fail();
    stage.clock.advance(24 * HOUR - MINUTE);
    await stage.tick();
    stage.clock.advance(MINUTE);
    await stage.tick();
    expect(await stage.subjectsOf('mail')).toEqual([
      FAILS,
      'orders has not failed for a day; it failed at "pay": NodeError: the payment was refused',
    ]);
  });
});

describe('no cause is lost', () => {
  const causes = (count: number) =>
    Array.from(
      { length: count },
      (_, at) => `cause ${String.fromCharCode(97 + (at % 26))}${'x'.repeat(at / 26)}`,
    );

  // holds: N2
  test('of 10,000 failures in an hour with 100 causes, at one message a minute', async () => {
    const stage = await aStage(aReceiver('mail'));
    const all = causes(100);
    for (let at = 0; at < 10_000; at++) {
      await stage.fail({ message: all[at % all.length] as string });
      stage.clock.advance(HOUR / 10_000);
      if (at % 166 === 0) await stage.tick();
    }
    for (let minute = 0; minute < 20; minute++) {
      stage.clock.advance(MINUTE);
      await stage.tick();
    }
    const messages = await stage.sentTo('mail');
    expect(messages.length).toBeLessThanOrEqual(81);
    const sent = messages.flatMap(({ notices }) => notices as readonly JsonObject[]);
    expect(new Set(sent.map(({ cause }) => cause)).size).toBe(100);
    for (const { subject, notices } of messages) {
      expect((notices as readonly JsonObject[]).length).toBeLessThanOrEqual(20);
      expect(String(subject).length).toBeLessThanOrEqual(200);
    }
    expect((await stage.notices.list()).reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
  }, 60_000);

  test('a message has at most 20, and the next ones what is left', async () => {
    const stage = await aStage(aReceiver('mail'));
    for (const message of causes(45)) await stage.fail({ message });
    for (let minute = 0; minute < 4; minute++) {
      stage.clock.advance(MINUTE);
      await stage.tick();
    }
    const messages = await stage.sentTo('mail');
    expect(messages.map(({ notices, more }) => [(notices as readonly unknown[]).length, more])).toEqual([
      [1, 0],
      [20, 24],
      [20, 4],
      [4, 0],
    ]);
    expect(messages[1]?.subject).toMatch(/^44 notices: orders fails at "pay": NodeError: cause b; .*…$/);
    expect(messages[1]?.text).toMatch(/\n\nand 24 more, in the next message$/);
  });

  // holds: N1, N3
  test.each([
    'notices.raise:before',
    'notices.raise:after',
    'notices.findReceiver:after',
    'notices.list:after',
    'notices.putReceiver:before',
    'notices.putReceiver:after',
    'deliveries.claim:before',
    'deliveries.claim:after',
    'executions.start:before',
    'executions.start:after',
    'dispatcher.dispatch:before',
    'dispatcher.dispatch:after',
    'notices.markSent:before',
    'notices.markSent:after',
  ])('when its process dies at %s, and its report is repeated', async (point) => {
    const stage = await aStage(aReceiver('mail'));
    const failed = await stage.end('failed');
    const { reached } = stage.kill(point);
    void stage.task(() => stage.report(failed));
    await reached;
    await stage.report(failed);
    for (let minute = 0; minute < 3; minute++) {
      stage.clock.advance(MINUTE);
      await stage.tick();
    }
    expect(await stage.sentTo('mail')).toMatchObject([{ subject: FAILS, notices: [{ count: 1 }] }]);
  });

  // holds: N1, N3
  test.each([
    'notices.raise:after',
    'notices.list:after',
    'notices.putReceiver:before',
    'notices.putReceiver:after',
  ])('when two processes pass %s at once', async (point) => {
    const stage = await aStage(aReceiver('mail'));
    const [one, other] = [await stage.end('failed'), await stage.end('failed', { message: 'no stock' })];
    const held = stage.hold(point);
    const first = stage.report(one);
    await held.reached;
    await stage.report(other);
    held.release();
    await first;
    for (let minute = 0; minute < 3; minute++) {
      stage.clock.advance(MINUTE);
      await stage.tick();
    }
    const sent = (await stage.sentTo('mail')).flatMap(({ notices }) => notices as readonly JsonObject[]);
    expect(sent.map(({ cause, count }) => [cause, count]).sort()).toEqual([
      ['pay NodeError no stock', 1],
      ['pay NodeError the payment was refused', 1],
    ]);
  });

  // holds: N1, N2
  test('when another process has stored a message without it, which is not sent then', async () => {
    const stage = await aStage(aReceiver('mail'));
    const [one, other] = [await stage.end('failed'), await stage.end('failed', { message: 'no stock' })];
    const [first, second] = [
      stage.hold('notices.putReceiver:before'),
      stage.hold('notices.putReceiver:before'),
    ];
    const reports = [stage.report(one)];
    await first.reached;
    reports.push(stage.report(other));
    await second.reached;
    first.release();
    await reports[0];
    second.release();
    await reports[1];
    const causes = async () =>
      (await stage.sentTo('mail')).map(({ notices }) =>
        (notices as readonly JsonObject[]).map(({ cause }) => cause),
      );
    expect(await causes()).toEqual([['pay NodeError the payment was refused']]);
    stage.clock.advance(MINUTE);
    await stage.tick();
    expect((await causes())[1]).toEqual(['pay NodeError no stock']);
  });

  test('and a message on its way is left to the process that sends it', async () => {
    const stage = await aStage(aReceiver('mail'));
    const [one, other] = [await stage.end('failed'), await stage.end('failed')];
    const held = stage.hold('deliveries.claim:before');
    const report = stage.report(one);
    await held.reached;
    await stage.report(other);
    await stage.tick();
    expect(await stage.subjectsOf('mail')).toEqual([]);
    held.release();
    await report;
    expect(await stage.subjectsOf('mail')).toEqual([FAILS]);
  });

  test('when a receiver can not be started, which the report says', async () => {
    const stage = await aStage(aReceiver('mail'));
    const failed = await stage.end('failed');
    stage.deny('deliveries.claim:before', new Error('refused'));
    await expect(stage.report(failed)).rejects.toThrow('1 receivers were not sent notices');
    stage.clock.advance(MINUTE);
    await stage.tick();
    expect(await stage.subjectsOf('mail')).toEqual([FAILS]);
  });
});

describe('other notices', () => {
  test('go out with the next minute, once, and when they are over', async () => {
    const stage = await aStage(aReceiver('mail'));
    const { executionId: _id, nodeId: _node, ...rest } = aNotice();
    const notice = {
      ...rest,
      kind: 'expiry' as const,
      subject: 'credential:shop',
      cause: 'expires',
      message: 'The credential "shop" expires in 7 days',
      at: stage.clock.now(),
    };
    const { id } = await stage.notices.raise(notice);
    for (let hour = 0; hour < 30; hour++) {
      await stage.tick();
      await stage.notices.raise({ ...notice, at: stage.clock.now() });
      stage.clock.advance(HOUR);
    }
    await stage.notices.settle(id, stage.clock.now());
    await stage.tick();
    expect(await stage.sentTo('mail')).toMatchObject([
      { subject: notice.message, notices: [{ workflowId: null, executionId: null, status: 'open' }] },
      { subject: `Over: ${notice.message}`, notices: [{ status: 'settled' }] },
    ]);
  });

  test('that no receiver wants any more are removed', async () => {
    const stage = await aStage();
    await stage.notices.raise(aNotice());
    await stage.tick();
    expect(await stage.notices.list()).toEqual([]);
  });
});
