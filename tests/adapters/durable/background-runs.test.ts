import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createExpressFunction } from '../../../lib/app/express-handler.ts';
import { parseToken } from '../../../lib/approvals/callback-token.ts';
import type { StepResult, Steps } from '../../../lib/engine/steps.ts';
import type { BackgroundEngine } from '../../../lib/executions/lifecycle/background-engine.ts';
import { createBackgroundInvocation } from '../../../lib/executions/lifecycle/background-run.ts';
import { cancelExecution } from '../../../lib/executions/lifecycle/cancel-execution.ts';
import { retryExecution } from '../../../lib/executions/lifecycle/retry-execution.ts';
import { describeExecution } from '../../../lib/executions/record/describe-execution.ts';
import type { ExecutionStore } from '../../../lib/executions/record/execution-store.ts';
import { packRefusal } from '../../../lib/executions/record/pack-result.ts';
import { DATA_VERSION_UNSUPPORTED, STORE_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { resolveExecution } from '../../../lib/workflows/definition/resolve-execution.ts';
import {
  type AFlow,
  aBackgroundService,
  aFlow,
  type BackgroundService,
} from '../../support/a-background-service.ts';
import { aLease, anExecutionEnd, anExecutionStart } from '../../support/a-start.ts';

const NOW = 1_800_000_000_000;

const call = (id: string, parameters = {}) => ({ id, type: 'call', parameters: { of: id, ...parameters } });
const pause = { id: 'pause', type: 'wait', parameters: { seconds: 3_600 } };

const started = async (flow: AFlow, options: Parameters<typeof aBackgroundService>[0] = {}) => {
  const service = await aBackgroundService(options);
  await service.put(aFlow(flow));
  await service.accept();
  return service;
};

const nodesOf = async ({ executions }: BackgroundService, id = 'e-1') =>
  ((await executions.find(id))?.nodes ?? []).map(
    ({ within, nodeId, status }) => `${within === undefined ? '' : `${within}/`}${nodeId} ${status}`,
  );

describe('a durable run', () => {
  const flow: AFlow = {
    nodes: [call('first'), pause, call('second')],
    edges: ['start -> first', 'first -> pause', 'pause -> second'],
  };

  // holds: waits-cost-nothing
  test('runs its nodes, waits without a process, and leaves its record', async () => {
    const service = await started(flow);
    const { status, invocations, state, updates } = await service.run();
    expect([status, invocations]).toEqual(['succeeded', 2]);
    expect(service.called).toEqual(['first/0', 'second/0']);
    const WaitOptions = { WaitSeconds: 3_600 };
    expect(updates).toContainEqual(expect.objectContaining({ Type: 'WAIT', Action: 'START', WaitOptions }));
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'succeeded',
      mode: 'durable',
      invocations: 2,
      failure: null,
      leaseOwner: expect.stringContaining('arn:aws:lambda'),
    });
    expect(await nodesOf(service)).toEqual([
      'start succeeded',
      'first succeeded',
      'pause succeeded',
      'second succeeded',
    ]);
    expect(state.operations.size - 1).toBe(3); // two steps, one wait
  });

  test('records what it waits for', async () => {
    const service = await started(flow);
    const seen: unknown[] = [];
    await service.run('e-1', {
      between: async () => {
        seen.push([(await service.executions.find('e-1'))?.status, ...(await nodesOf(service))]);
      },
    });
    expect(seen).toEqual([['accepted'], ['waiting', 'start succeeded', 'first succeeded', 'pause waiting']]);
  });

  test('of pure nodes writes no checkpoint', async () => {
    const service = await started({
      nodes: [{ id: 'a', type: 'set', parameters: { values: { n: '{{ $random() }}', t: '{{ $now() }}' } } }],
      edges: ['start -> a'],
    });
    const { updates, invocations } = await service.run();
    expect([updates, invocations]).toEqual([[], 1]);
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'succeeded' });
  });

  test.each([
    [
      'changed',
      (service: BackgroundService) =>
        service.put(aFlow({ nodes: [call('other')], edges: ['start -> other'] })),
    ],
    ['removed', (service: BackgroundService) => service.workflows.remove('order')],
  ])('continues with its version when its workflow is %s while it waits', async (_what, change) => {
    const service = await started(flow);
    let invocations = 0;
    await service.run('e-1', {
      between: async () => {
        if (invocations++ === 1) await change(service);
      },
    });
    expect(service.called).toEqual(['first/0', 'second/0']);
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'succeeded', workflowVersion: 1 });
  });

  test('does not run again when it has finished or has another lease owner', async () => {
    const service = await started(flow);
    await service.run();
    expect((await service.run()).status).toBe('succeeded');
    expect(service.called).toHaveLength(2);
    await service.accept('e-2');
    await service.executions.acquireLease('e-2', aLease({ leaseOwner: 'another', leaseExpiresAt: 1 }));
    await service.run('e-2');
    expect(service.called).toHaveLength(2);
  });

  test('fails by name when a node returns what JSON cannot represent', async () => {
    const service = await started(
      { nodes: [call('first')], edges: ['start -> first'] },
      { call: () => ({ when: new Date() }) as never },
    );
    await service.run();
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'failed',
      failure: { nodeId: 'first', name: 'NotJsonError' },
    });
  });

  test('handles results of any size, and requests of any size that can be received', async () => {
    const random = () =>
      Array.from({ length: 400_000 }, () => Math.floor(Math.random() * 36).toString(36)).join('');
    const text = random();
    const service = await aBackgroundService({
      call: ({ parameters }, input) => ({ ...parameters, text, size: JSON.stringify(input).length }),
    });
    await service.put(aFlow(flow));
    await service.accept('e-1', { input: { body: 'x'.repeat(3_000_000) + text } });
    const { status, updates } = await service.run();
    expect(status).toBe('succeeded');
    for (const { Payload = '' } of updates) expect(Buffer.byteLength(Payload)).toBeLessThan(262_144);
    expect(service.blobs.keys().length).toBeGreaterThanOrEqual(3);
    const record = await service.executions.find('e-1');
    expect(JSON.stringify(record).length).toBeLessThan(40_000);
    expect(service.called).toEqual(['first/0', 'second/0']);
  });

  // holds: runs-keep-their-version
  test('ends on the version that it started with, although another was stored while it waited', async () => {
    const service = await started(flow);
    await service.run('e-1', {
      between: async () => {
        await service.put(aFlow({ nodes: [call('other')], edges: ['start -> other'] }));
      },
    });
    expect(service.called).toEqual(['first/0', 'second/0']);
    expect(await service.workflows.find('order')).toMatchObject({ version: 2 });
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'succeeded', workflowVersion: 1 });
  });

  // holds: B10
  test('keeps recorded times, whatever the clock of the next machine says', async () => {
    let offset = 0;
    const clock = { now: () => 1_700_000_000_000 + offset };
    const service = await started(flow, { clock });
    const offsets = [5_000, -60_000];
    await service.run('e-1', {
      between: async () => {
        offset = offsets.shift() ?? 0;
      },
    });
    const { nodes = [], startedAt = 0, endedAt = 0 } = (await service.executions.find('e-1')) ?? {};
    const times = nodes.map((node) => node.startedAt);
    expect(times).toEqual([...times].sort());
    expect(nodes.every(({ durationMs }) => durationMs >= 0)).toBe(true);
    expect(endedAt).toBeGreaterThanOrEqual(startedAt);
  });

  test('that is cancelled while it waits does nothing more', async () => {
    const service = await started(flow);
    let invocations = 0;
    const stopped: string[] = [];
    await service.run('e-1', {
      between: async () => {
        if (invocations++ !== 1) return;
        const durableService = { stop: async (arn: string) => void stopped.push(arn) };
        await cancelExecution('e-1', {
          ...service.parts,
          durableService,
          clock: service.parts.services.clock,
        });
      },
    });
    expect(service.called).toEqual(['first/0']);
    expect(stopped).toHaveLength(1);
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'cancelled',
      failure: { nodeId: 'pause', name: 'Cancelled' },
    });
  });

  test('that exceeds its own timeout ends as timed out', async () => {
    let now = 1_700_000_000_000;
    const service = await started(
      { ...flow, settings: { timeoutSeconds: 60 } },
      { clock: { now: () => now } },
    );
    await service.run('e-1', {
      between: async () => {
        now += 50_000;
      },
    });
    expect(service.called).toEqual(['first/0']);
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'timedOut' });
  });

  test('that the engine fails has the reason in its record', async () => {
    const service = await started(flow);
    let invocations = 0;
    const { status } = await service.run('e-1', {
      between: async () => {
        if (invocations++ !== 1) return;
        // As if the version that it runs had changed under its hands: then the steps are others.
        const other = aFlow({
          nodes: [call('another'), call('yet')],
          edges: ['start -> another', 'another -> yet'],
        });
        service.parts.workflows.findVersion = async () => ({ version: 1, updatedAt: '', definition: other });
      },
    });
    expect(status).toBe('failed');
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'failed',
      failure: { nodeId: 'start' },
    });
  });
});

describe('approval', () => {
  const flow: AFlow = {
    nodes: [
      { id: 'ask', type: 'approval', parameters: { timeoutSeconds: 600 } },
      { ...call('tell'), parameters: { url: '{{ approval.url }}', until: '{{ approval.expiresAt }}' } },
      call('yes'),
      call('no'),
      call('late'),
    ],
    edges: [
      'start -> ask',
      'ask.requested -> tell',
      'ask.approved -> yes',
      'ask.rejected -> no',
      'ask.timedOut -> late',
    ],
  };

  test.each([
    ['approve', 'yes/0'],
    ['reject', 'no/0'],
  ])('passes its callback URL to the following nodes, and continues after %s', async (decision, next) => {
    const service = await started(flow);
    const { state } = await service.run('e-1', { answer: () => ({ decision, body: { by: 'Ada' } }) });
    expect(service.called).toEqual(['ask/0/1/tell/0', next]);
    const notified = [...state.operations.values()].find(({ Name }) => Name === 'ask/0/1/tell/0');
    expect(notified?.StepDetails?.Result).toContain(service.urls[0]);
    expect(await nodesOf(service)).toEqual(
      expect.arrayContaining(['ask succeeded', 'ask/0/1/tell succeeded', 'late skipped']),
    );
    expect(await service.executions.findCallback('e-1', 'ask/0/0')).toEqual({
      callbackId: 'callback-0',
      expiresAt: expect.any(Number),
      subject: {
        executionId: 'e-1',
        workflowId: 'order',
        name: 'ask/0/0',
        openedAt: expect.any(Number),
        publicUrl: 'https://example.com',
        question: {},
      },
    });
  });

  describe('that asks again', () => {
    const loop = (back: string): AFlow => ({
      ...flow,
      edges: [...flow.edges.filter((edge) => !edge.startsWith(back)), `${back} -> ask`],
    });
    const nameIn = (url = '') => parseToken(url.split('/').at(-1) ?? '')?.name;

    test('after its timeout keeps its name, so that earlier links lead to the current question', async () => {
      const service = await started(loop('ask.timedOut'));
      const waiting: unknown[] = [];
      await service.run('e-1', {
        saboteur: { isFatal: () => false },
        answer: (callbackId) => {
          waiting.push(callbackId);
          return waiting.length < 3 ? null : { decision: 'approve', body: {} };
        },
      });
      expect(service.called).toEqual([0, 1, 2].map((at) => `ask/${at}/1/tell/0`).concat('yes/0'));
      expect(service.urls.map(nameIn)).toEqual(['ask/0/0', 'ask/0/0', 'ask/0/0']);
      expect(await service.executions.findCallback('e-1', 'ask/0/0')).toMatchObject({
        callbackId: waiting[2],
        subject: { name: 'ask/0/0' },
      });
    });

    test('after an answer gets another name, so that the answered link answers nothing more', async () => {
      const service = await started(loop('ask.rejected'));
      const decisions = ['reject', 'approve'];
      await service.run('e-1', { answer: () => ({ decision: decisions.shift(), body: {} }) });
      expect(service.urls.map(nameIn)).toEqual(['ask/0/0', 'ask/1/0']);
    });
  });

  test('blocks no other branch', async () => {
    const service = await started({
      nodes: [
        { id: 'ask', type: 'approval', parameters: { timeoutSeconds: 600 } },
        call('yes'),
        { id: 'pause', type: 'wait', parameters: { seconds: 60 } },
        call('other'),
      ],
      edges: ['start -> ask', 'ask.approved -> yes', 'start -> pause', 'pause -> other'],
    });
    let asked = 0;
    // The first time something is due is the end of the pause.
    const answer = () => (asked++ === 0 ? null : { decision: 'approve', body: {} });
    await service.run('e-1', { answer });
    expect(service.called).toEqual(['other/0', 'yes/0']);
  });

  test('continues without an answer when the time is up', async () => {
    const service = await started(flow);
    await service.run('e-1', { answer: () => null });
    expect(service.called).toEqual(['ask/0/1/tell/0', 'late/0']);
  });

  test('fails instead of waiting when the request for a decision failed', async () => {
    const service = await started(flow, {
      call: () => {
        throw new Error('the chat is down');
      },
    });
    // The pending callback stays open: the engine resumes the run at once, and finds it finished.
    await service.run('e-1', { answer: () => null, saboteur: { isFatal: () => false } });
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'failed',
      nodes: expect.arrayContaining([expect.objectContaining({ nodeId: 'ask', callbacks: ['ask/0/0'] })]),
      failure: { nodeId: 'ask', message: expect.stringContaining('the chat is down') },
    });
  });

  test('is in the record with its pending callback until it is answered', async () => {
    const service = await started({
      nodes: [
        { id: 'each', type: 'forEach', parameters: { items: [1] } },
        { id: 'ask', type: 'approval', parameters: { timeoutSeconds: 600 } },
      ],
      edges: ['start -> each', 'each.each -> ask'],
    });
    const namesIn = () =>
      service.executions.records().map(({ nodes }) => nodes.flatMap(({ callbacks = [] }) => callbacks));
    const waiting: unknown[] = [];
    const answer = () => {
      waiting.push(...namesIn());
      return { decision: 'approve', body: {} };
    };
    await service.run('e-1', { answer, saboteur: { isFatal: () => false } });
    expect(waiting).toEqual([['each/0/0/ask/0/0']]);
    expect(namesIn()).toEqual([[]]);
  });

  // holds: callback-urls-stay-secret
  test('shows the callback URL in no record and no log line', async () => {
    const service = await started(flow);
    await service.run('e-1', { answer: () => ({ decision: 'approve', body: {} }) });
    const [token = ''] = (service.urls[0] ?? '').split('/').slice(-1);
    expect(token.length).toBeGreaterThan(60);
    const record = await service.executions.find('e-1');
    const shown = record === null ? {} : describeExecution(record);
    expect(JSON.stringify(shown)).toContain('/api/webhook-callback/[redacted]');
    expect(JSON.stringify([shown, service.entries])).not.toContain(token);
  });
});

describe('for each', () => {
  const each = (parameters = {}): AFlow => ({
    nodes: [
      { id: 'each', type: 'forEach', parameters: { items: '{{ body }}', ...parameters } },
      { ...call('work'), parameters: { got: '{{ item }}', at: '{{ index }}' } },
      { id: 'mark', type: 'set', parameters: { values: { marked: '{{ got }}' } } },
      { id: 'end', type: 'set', parameters: { values: { all: '{{ results }}', failed: '{{ failures }}' } } },
    ],
    edges: ['start -> each', 'each.each -> work', 'work -> mark', 'each -> end'],
  });
  const output = async (service: BackgroundService) =>
    JSON.parse((await service.executions.find('e-1'))?.result?.slice(1) ?? '{}').output;

  test('runs its body for every item, each with its own checkpoint, and keeps the order', async () => {
    const service = await aBackgroundService();
    await service.put(aFlow(each({ maxConcurrency: 3 })));
    await service.accept('e-1', { input: { body: ['a', 'b', 'c', 'd'] } });
    const { state } = await service.run();
    expect(await output(service)).toEqual({
      all: ['a', 'b', 'c', 'd'].map((marked) => ({ marked })),
      failed: [],
    });
    expect([...service.called].sort()).toEqual([
      'each/0/0/work/0',
      'each/0/1/work/0',
      'each/0/2/work/0',
      'each/0/3/work/0',
    ]);
    expect(state.operations.size - 1).toBe(4);
    expect(await nodesOf(service)).toEqual([
      'start succeeded',
      'each succeeded',
      ...[0, 1, 2, 3].flatMap((at) => [`each/0/${at}/work succeeded`, `each/0/${at}/mark succeeded`]),
      'end succeeded',
    ]);
  });

  const failsFor = (bad: string) => ({
    call: ({ parameters }: { parameters: { got?: unknown } }) => {
      if (parameters.got === bad) throw new Error(`${bad} is bad`);
      return parameters as never;
    },
  });

  test('fails with the first failed item, once all have run', async () => {
    const service = await aBackgroundService(failsFor('b'));
    await service.put(aFlow(each()));
    await service.accept('e-1', { input: { body: ['a', 'b', 'c'] } });
    await service.run();
    expect(service.called).toHaveLength(3);
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'failed',
      failure: { nodeId: 'each', message: 'item 1 failed at the node "work": b is bad' },
    });
  });

  test('continues without the failed items if configured to', async () => {
    const service = await aBackgroundService(failsFor('b'));
    await service.put(aFlow(each({ onItemFailure: 'continue' })));
    await service.accept('e-1', { input: { body: ['a', 'b'] } });
    await service.run();
    expect(await output(service)).toEqual({
      all: [{ marked: 'a' }, null],
      failed: [{ index: 1, nodeId: 'work', name: 'Error', message: 'b is bad' }],
    });
  });

  test('counts the nodes of its bodies toward the node limit', async () => {
    const service = await started({
      nodes: [{ id: 'each', type: 'forEach', parameters: { items: Array(9).fill(0) } }, call('work')],
      edges: ['start -> each', 'each.each -> work'],
      settings: { maxNodeRuns: 10 },
    });
    await service.run();
    expect(service.called).toHaveLength(8);
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'failed',
      failure: {
        nodeId: 'each',
        message: expect.stringContaining('more than the 10 node runs that are allowed'),
      },
    });
  });

  test('of a single value runs its body once', async () => {
    const service = await aBackgroundService();
    await service.put(aFlow(each()));
    await service.accept('e-1', { input: { body: 'x' } });
    await service.run();
    expect(service.called).toHaveLength(1);
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'succeeded' });
  });
});

describe('subworkflow', () => {
  const outer = (parameters: object): AFlow => ({
    nodes: [
      { id: 'sub', type: 'subworkflow', parameters: { ...parameters } },
      { id: 'end', type: 'set', parameters: { values: { got: '{{ doubled }}' } } },
    ],
    edges: ['start -> sub', 'sub -> end'],
  });
  const inner = aFlow({
    id: 'double',
    trigger: 'manualTrigger',
    nodes: [pause, { ...call('work'), parameters: { doubled: '{{ n * 2 }}' } }],
    edges: ['start -> pause', 'pause -> work'],
  });

  test('runs another workflow as a part of this one, in the version that it began with', async () => {
    const service = await aBackgroundService();
    await service.put(inner);
    await service.put(aFlow(outer({ workflowId: 'double', input: { n: 21 } })));
    await service.accept();
    let invocations = 0;
    await service.run('e-1', {
      between: async () => {
        if (invocations++ === 1)
          await service.put({ ...inner, nodes: inner.nodes.slice(0, 1), connections: [] });
      },
    });
    expect(service.called).toEqual(['sub/0/0/work/0']);
    expect(JSON.parse((await service.executions.find('e-1'))?.result?.slice(1) ?? '').output).toEqual({
      got: 42,
    });
    expect(await nodesOf(service)).toEqual([
      'start succeeded',
      'sub succeeded',
      'sub/0/0/start succeeded',
      'sub/0/0/pause succeeded',
      'sub/0/0/work succeeded',
      'end succeeded',
    ]);
  });

  test.each([
    ['that does not exist', { workflowId: 'unknown' }, 'there is no enabled workflow "unknown"'],
    ['without an entry', { workflowId: 'order' }, 'needs exactly one manualTrigger, but "order" has 0'],
    ['that runs itself for ever', { workflowId: 'forever' }, 'runs are nested more than 10 levels deep'],
  ])('fails for a workflow %s', async (_case, parameters, message) => {
    const service = await started(outer(parameters));
    const forever = outer({ workflowId: 'forever' });
    await service.put(aFlow({ ...forever, id: 'forever', trigger: 'manualTrigger' }));
    await service.run();
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'failed',
      failure: { nodeId: 'sub', message: expect.stringContaining(message) },
    });
  });
});

test('workflows that run each other endlessly fail with one message that shows their chain', async () => {
  const runs = (workflowId: string) => ({
    nodes: [{ id: 'sub', type: 'subworkflow', parameters: { workflowId } }],
    edges: ['start -> sub'],
  });
  const service = await started(runs('ping'));
  await service.put(aFlow({ ...runs('pong'), id: 'ping', trigger: 'manualTrigger' }));
  await service.put(aFlow({ ...runs('ping'), id: 'pong', trigger: 'manualTrigger' }));
  await service.run();
  expect(await service.executions.find('e-1')).toMatchObject({
    status: 'failed',
    failure: {
      nodeId: 'sub',
      name: 'NestingLimit',
      message: `runs are nested more than 10 levels deep: order${' → ping → pong'.repeat(5)}`,
    },
  });
});

describe('the end of a run', () => {
  const flow: AFlow = { nodes: [call('first')], edges: ['start -> first'] };

  // holds: events-at-least-once
  test('stays in the outbox until it is published: after a crash, the sweeper publishes it', async () => {
    const service = await aBackgroundService({ usesOutbox: true });
    const marks: unknown[] = [];
    const isMarked = async () => (await service.executions.find('e-1'))?.isInOutbox;
    service.parts.events.publish = async () => void marks.push(await isMarked());
    await service.put(aFlow(flow));
    await service.accept();
    await service.run();
    expect([...marks, await isMarked()]).toEqual([true, false]);
  });
});

describe('the record of a run', () => {
  const flow: AFlow = { nodes: [call('first'), pause], edges: ['start -> first', 'first -> pause'] };

  test.each([
    ['always', { waiting: true, succeeded: true, failed: true }],
    ['onFailure', { waiting: false, succeeded: false, failed: true }],
    ['never', { waiting: false, succeeded: false, failed: false }],
  ] as const)('has the data of its nodes, with recordData %s: %j', async (recordData, expected) => {
    const shown: Record<string, boolean> = {};
    for (const refused of ['none', 'last/0']) {
      const nodes = [...flow.nodes, call('last')];
      const edges = [...flow.edges, 'pause -> last'];
      const service = await started(
        { nodes, edges, settings: { recordData } },
        { call: () => ({ secret: 1 }) },
      );
      const look = async () => {
        const { status = '', nodes = [] } = (await service.executions.find('e-1')) ?? {};
        if (status in expected) shown[status] = JSON.stringify(nodes).includes('secret');
      };
      await service.run('e-1', { refuses: ({ Name }) => Name === refused, between: look });
      await look();
    }
    expect(shown).toEqual(expected);
  });

  test('has an early response as soon as it is there, with the lease of a running process', async () => {
    const leases: unknown[] = [];
    const service: BackgroundService = await aBackgroundService({
      clock: { now: () => NOW },
      spoilt: {
        saveProgress: (id, progress) => {
          if ('result' in progress) leases.push(progress.leaseExpiresAt - NOW);
          return service.executions.saveProgress(id, progress);
        },
      },
    });
    const definition = aFlow({
      nodes: [{ id: 'answer', type: 'respondToWebhook' }, call('after')],
      edges: ['start -> answer', 'answer -> after'],
    });
    const [start, ...others] = definition.nodes;
    const trigger = {
      id: 'start',
      type: 'webhookTrigger',
      ...start,
      parameters: { continueAfterResponse: true },
    };
    await service.put({ ...definition, nodes: [trigger, ...others] });
    await service.accept();
    await service.run();
    expect(leases).toEqual([1_200_000]);
  });

  test('is due again a day into a wait, or when the run times out', async () => {
    const dueIn = async (timeoutSeconds: number) => {
      const service = await started({ ...flow, settings: { timeoutSeconds } }, { clock: { now: () => NOW } });
      const leases: unknown[] = [];
      const between = async () => {
        const { status, leaseExpiresAt } = (await service.executions.find('e-1')) ?? {};
        if (status === 'waiting') leases.push((leaseExpiresAt ?? 0) - NOW);
      };
      await service.run('e-1', { between });
      return leases;
    };
    expect(await dueIn(7_200)).toEqual([7_200_000]);
    expect(await dueIn(864_000)).toEqual([86_400_000]);
  });
});

describe('infrastructure errors, in a subworkflow', () => {
  const flow: AFlow = {
    nodes: [
      {
        id: 'sub',
        type: 'subworkflow',
        parameters: { workflowId: 'inner' },
        settings: { onError: 'continue' },
      },
      call('after'),
    ],
    edges: ['start -> sub', 'sub -> after'],
  };
  const inner = aFlow({
    id: 'inner',
    trigger: 'manualTrigger',
    nodes: [call('charge'), pause],
    edges: ['start -> charge', 'charge -> pause'],
  });
  const unread = () =>
    new AppError(DATA_VERSION_UNSUPPORTED, { table: 'test-workflows', version: 4, oldest: 2, newest: 3 });
  /** Fails a number of loads of the other workflow's plan, starting with the given one. */
  const troubled = async (
    service: BackgroundService,
    from: number,
    fail = (): Error => new AppError(STORE_UNAVAILABLE, {}),
  ) => {
    let asked = 0;
    const { otherWorkflows } = service.parts;
    const { loadPlan } = otherWorkflows;
    otherWorkflows.loadPlan = async (...which) => {
      asked++;
      if (asked >= from && asked < from + 3) throw fail();
      return loadPlan(...which);
    };
    await service.put(inner);
    await service.put(aFlow(flow));
  };

  test.each([
    ['a store that does not answer', () => new AppError(STORE_UNAVAILABLE, {})],
    ['data that this release does not read', unread],
  ])('do not fail the node or take another route: %s', async (_what, fail) => {
    const service = await aBackgroundService();
    await troubled(service, 2, fail);
    await service.accept();
    const run = await service.run('e-1', { saboteur: { isFatal: () => false } });
    expect([run.status, run.invocations]).toEqual(['succeeded', 5]);
    expect(service.called).toEqual(['sub/0/0/charge/0', 'after/0']);
    expect(await nodesOf(service)).toEqual([
      'start succeeded',
      'sub succeeded',
      'sub/0/0/start succeeded',
      'sub/0/0/charge succeeded',
      'sub/0/0/pause succeeded',
      'after succeeded',
    ]);
  });

  test('leave an execution whose data this release cannot read unchanged', async () => {
    let isRead = false;
    const findData: ExecutionStore['findData'] = (id) =>
      isRead ? service.executions.findData(id) : Promise.reject(unread());
    const service = await aBackgroundService({ spoilt: { findData } });
    await service.put(aFlow({ nodes: [call('charge')], edges: ['start -> charge'] }));
    await service.accept();
    await expect(service.run()).rejects.toMatchObject({ code: 'DATA_VERSION_UNSUPPORTED' });
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'accepted', invocations: 0 });
    isRead = true;
    expect((await service.run()).status).toBe('succeeded');
  });

  test('are retried in the same process when the version of the subworkflow is read', async () => {
    const sleep = (ms: number, signal?: AbortSignal) =>
      ms <= 8_000
        ? Promise.resolve()
        : new Promise<void>((_resolve, reject) =>
            signal?.addEventListener('abort', () => reject(signal.reason)),
          );
    const service = await aBackgroundService();
    Object.assign(service.parts.services.clock, { sleep });
    await troubled(service, 99);
    let failures = 3;
    const { otherWorkflows } = service.parts;
    const { findVersion } = otherWorkflows;
    otherWorkflows.findVersion = async (id) => {
      if (failures-- > 0) throw new AppError(STORE_UNAVAILABLE, {});
      return findVersion(id);
    };
    await service.put({
      ...inner,
      nodes: inner.nodes.slice(0, 2),
      connections: inner.connections.slice(0, 1),
    });
    await service.accept('e-1', { mode: 'express' });
    await createExpressFunction(service.parts)({ executionId: 'e-1' }, { awsRequestId: 'r-1' });
    expect(await nodesOf(service)).toContain('sub succeeded');
    expect(service.called).toEqual(['sub/0/0/charge/0', 'after/0']);
  });

  test('fail the invocation of an express run, which is retried', async () => {
    const service = await aBackgroundService();
    await troubled(service, 1);
    await service.put({
      ...inner,
      nodes: inner.nodes.slice(0, 2),
      connections: inner.connections.slice(0, 1),
    });
    await service.accept('e-1', { mode: 'express' });
    const run = createExpressFunction(service.parts);
    const once = () => run({ executionId: 'e-1' }, { awsRequestId: 'r-1' });
    for (let tries = 1; tries <= 3; tries++) await expect(once()).rejects.toThrow('store');
    await once();
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'succeeded', invocations: 4 });
    expect(service.called).toEqual(['sub/0/0/charge/0', 'after/0']);
  });
});

describe('infrastructure errors', () => {
  const flow: AFlow = {
    nodes: [call('first'), pause, call('second')],
    edges: ['start -> first', 'first -> pause', 'pause -> second'],
  };

  // holds: outage-is-no-crash
  // holds: B8
  test.each(['acquireLease', 'finish'] as const)(
    'a store that is unavailable at %s fails the invocation, and the run resumes where it was',
    async (method) => {
      let failures = 2;
      const service: BackgroundService = await started(flow, {
        spoilt: {
          [method]: async (...args: unknown[]) => {
            if (failures-- > 0) throw new AppError(STORE_UNAVAILABLE, {});
            return (service.executions[method] as (...given: unknown[]) => unknown)(...args);
          },
        },
      });
      expect((await service.run('e-1', { saboteur: { isFatal: () => false } })).status).toBe('succeeded');
      expect(service.called).toEqual(['first/0', 'second/0']);
      expect(await service.executions.find('e-1')).toMatchObject({ status: 'succeeded' });
    },
  );

  // holds: outage-is-no-crash
  // holds: B8
  test('a large request that cannot be read yet fails the invocation, not the run', async () => {
    let failures = 2;
    const service = await aBackgroundService();
    await service.put(aFlow(flow));
    const text = Array.from({ length: 30_000 }, () => Math.random().toString(36)).join('');
    await service.accept('e-1', { input: { body: text } });
    // Accepted in another process: no blob is cached here.
    service.parts.blobs.get = async (key) => {
      if (failures-- > 0) throw new AppError(STORE_UNAVAILABLE, {});
      return service.stored.get(key);
    };
    expect((await service.run('e-1', { saboteur: { isFatal: () => false } })).status).toBe('succeeded');
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'succeeded', crashes: 0 });
  });

  test.each([
    ['of its own workflow', aFlow(flow)],
    [
      'of a subworkflow',
      aFlow({
        nodes: [{ id: 'sub', type: 'subworkflow', parameters: { workflowId: 'inner' } }],
        edges: ['start -> sub'],
      }),
    ],
  ])('a version %s that is not visible yet fails the invocation, not the run', async (_which, definition) => {
    const service = await aBackgroundService();
    await service.put(aFlow({ ...flow, id: 'inner', trigger: 'manualTrigger' }));
    await service.put(definition);
    await service.accept();
    let failures = 3;
    const { findVersion } = service.workflows;
    service.parts.workflows.findVersion = async (...which) => (failures-- > 0 ? null : findVersion(...which));
    await service.run('e-1', { saboteur: { isFatal: () => false } });
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'succeeded' });
    expect(service.called).toHaveLength(2);
  });

  // holds: outage-is-no-crash
  test('results that stay unreadable for long do not count as crashes', async () => {
    let failures = 50;
    const text = randomBytes(300_000).toString('base64');
    const service = await started(flow, { call: () => ({ text }) });
    service.parts.blobs.get = async (key) => {
      if (failures-- > 0) throw new AppError(STORE_UNAVAILABLE, {});
      return service.stored.get(key);
    };
    await service.run('e-1', { saboteur: { isFatal: () => false } });
    expect(failures).toBeLessThan(0);
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'succeeded' });
    expect(service.called).toEqual(['first/0', 'second/0']);
  });

  // holds: B8
  test('progress that cannot be recorded does not disturb the run', async () => {
    const service = await started(flow, {
      spoilt: { saveProgress: () => Promise.reject(new AppError(STORE_UNAVAILABLE, {})) },
    });
    expect((await service.run()).status).toBe('succeeded');
    expect(await nodesOf(service)).toHaveLength(4);
    expect(service.entries).toContainEqual(expect.objectContaining({ level: 'warn' }));
  });

  test.each([
    [
      'a trigger that is none',
      (service: BackgroundService) => {
        const { findVersion } = service.workflows;
        service.parts.workflows.findVersion = async (...which) => {
          const found = await findVersion(...which);
          if (found === null) return null;
          const nodes = found.definition.nodes.map((node) => ({ ...node, disabled: node.id === 'start' }));
          return { ...found, definition: { ...found.definition, nodes } };
        };
      },
    ],
    [
      'a request that no longer exists',
      (service: BackgroundService) => {
        service.parts.blobs.get = async () => null;
      },
    ],
  ])('%s ends the run, and the record has the reason', async (_case, spoil) => {
    const service = await aBackgroundService();
    await service.put(aFlow(flow));
    const text = Array.from({ length: 30_000 }, () => Math.random().toString(36)).join('');
    await service.accept('e-1', { input: { body: text } });
    spoil(service);
    await service.run();
    const record = await service.executions.find('e-1');
    expect(record).toMatchObject({ status: 'failed', failure: { nodeId: 'start' } });
    expect(record?.failure?.name).not.toBe('InternalError');
    expect(service.called).toEqual([]);
  });
});

describe('one process of a run', () => {
  const one: AFlow = { nodes: [call('first')], edges: ['start -> first'] };
  /** The engine that a process runs on, with steps that are done when the test says so. */
  const anEngine = () => {
    const done = Promise.withResolvers<StepResult>();
    const asked = Promise.withResolvers<void>();
    const aborted: unknown[] = [];
    const steps: Steps = {
      run: ({ signal }) => {
        asked.resolve();
        signal?.addEventListener('abort', () => {
          aborted.push(signal.reason);
          done.resolve({ failure: { name: 'Aborted', message: 'aborted' }, attempts: 1 });
        });
        return done.promise;
      },
      within: (_name, body) => body(steps),
      wait: async () => {},
      callback: () => Promise.reject(new Error('no callbacks here')),
    };
    const engine: BackgroundEngine = {
      mode: 'durable',
      leaseOwner: 'arn-1',
      steps,
      journal: null,
      openCallbackUrls: null,
      track: (work) => work,
    };
    return { engine, done, aborted, asked: asked.promise };
  };

  test('holds the lease for twenty minutes; its infrastructure error is no crash', async () => {
    let now = NOW;
    const service = await started(one, { clock: { now: () => now } });
    await service.executions.acquireLease('e-1', aLease({ leaseOwner: 'arn-1', leaseExpiresAt: NOW }));
    const { engine, done, asked } = anEngine();
    const invocation = createBackgroundInvocation(service.parts);
    const running = invocation.run('e-1', engine);
    await asked;
    const leaseExpiresAt = NOW + 20 * 60_000;
    expect(await service.executions.find('e-1')).toMatchObject({ crashes: 1, leaseExpiresAt });
    now += 1_000;
    await invocation.uncountCrash();
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'running',
      crashes: 0,
      leaseExpiresAt: leaseExpiresAt + 1_000,
    });
    done.resolve({ outputs: { main: {} }, attempts: 1 });
    await running;
    await invocation.close();
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'succeeded' });
    expect(service.entries).toEqual([]);
  });

  test('that has not begun to run has nothing to record', async () => {
    const service = await started(one);
    const before = await service.executions.find('e-1');
    const invocation = createBackgroundInvocation(service.parts);
    await invocation.uncountCrash();
    await invocation.suspend();
    await invocation.fail({ name: 'Failed', message: 'by the engine' });
    await invocation.close();
    expect(await service.executions.find('e-1')).toEqual(before);
  });

  test('whose crash cannot be uncounted says so, and continues', async () => {
    const saveProgress = () => Promise.reject(new AppError(STORE_UNAVAILABLE, {}));
    const service = await started(one, { spoilt: { saveProgress } });
    const { engine, done, asked } = anEngine();
    const invocation = createBackgroundInvocation(service.parts);
    const running = invocation.run('e-1', engine);
    await asked;
    await invocation.uncountCrash();
    expect(service.entries).toMatchObject([{ level: 'warn', fields: { executionId: 'e-1' } }]);
    done.resolve({ outputs: { main: {} }, attempts: 1 });
    await running;
    await invocation.close();
  });

  // holds: B6
  test('aborts its nodes when the execution is ended from outside, and keeps that end', async () => {
    const tick = Promise.withResolvers<void>();
    const service = await started(one, {
      clock: { sleep: (ms, signal) => (ms <= 1_000 ? tick.promise : untilAborted(signal)) },
    });
    const { engine, asked, aborted } = anEngine();
    const invocation = createBackgroundInvocation(service.parts);
    const running = invocation.run('e-1', engine);
    await asked;
    await service.executions.finish('e-1', anExecutionEnd({ status: 'cancelled' }));
    tick.resolve();
    await running;
    await invocation.close();
    expect(aborted).toEqual([new Error('the execution was ended from outside')]);
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'cancelled' });
    expect(service.entries).toMatchObject([{ level: 'warn', fields: { executionId: 'e-1' } }]);
  });

  test('that another process has ended runs nothing, and says so', async () => {
    const service = await started(one);
    await service.executions.finish('e-1', anExecutionEnd({ status: 'cancelled' }));
    await createBackgroundInvocation(service.parts).run('e-1', anEngine().engine);
    expect(service.called).toEqual([]);
    expect(service.entries).toMatchObject([{ level: 'warn', fields: { executionId: 'e-1' } }]);
  });

  test('that is unknown runs nothing, and says so', async () => {
    const service = await started(one);
    await createBackgroundInvocation(service.parts).run('unknown', anEngine().engine);
    expect(service.called).toEqual([]);
    expect(service.entries).toMatchObject([{ level: 'warn', fields: { executionId: 'unknown' } }]);
  });

  test('whose request is no longer stored fails with that reason', async () => {
    const service = await started(one, { spoilt: { findData: async () => null } });
    await createBackgroundInvocation(service.parts).run('e-1', anEngine().engine);
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'failed',
      failure: { nodeId: 'start', message: 'its request is no longer stored' },
    });
  });

  test('whose record disappears fails with what it knows', async () => {
    let isGone = false;
    const service: BackgroundService = await started(one, {
      spoilt: { find: async (id) => (isGone ? null : service.executions.find(id)) },
    });
    const { engine, done, asked } = anEngine();
    const invocation = createBackgroundInvocation(service.parts);
    const running = invocation.run('e-1', engine);
    await asked;
    invocation.halt();
    isGone = true;
    await invocation.fail({ name: 'Failed', message: 'by the engine' });
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'failed',
      failure: { nodeId: 'start', name: 'Failed' },
      nodes: [
        { nodeId: 'start', status: 'succeeded' },
        { nodeId: 'first', status: 'failed' },
      ],
    });
    done.resolve({ outputs: { main: {} }, attempts: 1 });
    await running;
    await invocation.close();
  });

  test('of an input that was refused fails its trigger with the reason', async () => {
    const service = await started(one);
    const input = packRefusal('it is nested too deeply');
    const trigger = { nodeId: 'start', type: 'webhookTrigger' };
    const start = { executionId: 'e-2', workflowId: 'order', workflowVersion: 1, trigger, input };
    await service.executions.start(anExecutionStart(start));
    await createBackgroundInvocation(service.parts).run('e-2', anEngine().engine);
    expect(await service.executions.find('e-2')).toMatchObject({
      status: 'failed',
      failure: { nodeId: 'start', name: 'InvalidInput', message: 'it is nested too deeply' },
    });
    expect((await service.executions.findData('e-2'))?.checkpoints ?? null).toBeNull();
    expect(service.entries).toMatchObject([{ level: 'error', fields: { executionId: 'e-2' } }]);
  });

  // holds: B7
  test('records no end after it was suspended', async () => {
    const service = await started(one);
    const { engine, done, asked } = anEngine();
    const invocation = createBackgroundInvocation(service.parts);
    const running = invocation.run('e-1', engine);
    await asked;
    invocation.halt();
    done.resolve({ outputs: { main: {} }, attempts: 1 });
    await running;
    await invocation.close();
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'running', endedAt: null });
  });

  test('records its end after the progress being written', async () => {
    const writes: string[] = [];
    const written = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const service: BackgroundService = await started(one, {
      clock: { sleep: (ms, signal) => (ms <= 1_000 ? Promise.resolve() : untilAborted(signal)) },
      spoilt: {
        saveProgress: async (...args) => {
          begun.resolve();
          await written.promise;
          writes.push('progress');
          return service.executions.saveProgress(...args);
        },
        finish: (...args) => {
          writes.push('end');
          return service.executions.finish(...args);
        },
      },
    });
    const { engine, done } = anEngine();
    const invocation = createBackgroundInvocation(service.parts);
    const running = invocation.run('e-1', engine);
    await begun.promise;
    done.resolve({ outputs: { main: {} }, attempts: 1 });
    // The run is over by now, but for what is being written.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    written.resolve();
    await running;
    await invocation.close();
    expect(writes.indexOf('end')).toBe(writes.length - 1);
    expect(writes[0]).toBe('progress');
  });
});

const untilAborted = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });

describe('a run whose process ends too early', () => {
  const chain = (length: number): AFlow => {
    const ids = Array.from({ length }, (_, at) => `n-${at}`);
    return {
      nodes: ids.map((id) => call(id)),
      edges: ids.map((id, at) => `${at === 0 ? 'start' : ids[at - 1]} -> ${id}`),
    };
  };
  const retryFrom = (service: BackgroundService, from: string) =>
    retryExecution(
      'e-1',
      { from, version: 'recorded' },
      {
        ...service.parts,
        ids: service.parts.services.ids,
        clock: service.parts.services.clock,
        dispatcher: { dispatch: async () => {} },
        modeOf: async ({ definition }) => resolveExecution(definition, service.findNodeType),
      },
    );

  // holds: B9
  test('a hundred times, each after another step, continues to its end', async () => {
    const service = await started(chain(60));
    let points = 0;
    const { invocations } = await service.run('e-1', {
      // Each process lives for two checkpoints.
      saboteur: { isFatal: () => ++points % 4 === 0 },
    });
    expect(invocations).toBeGreaterThan(25);
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'succeeded' });
    expect(new Set(service.called).size).toBe(60);
  });

  const crashing = async () => {
    let isArmed = false;
    const broken = { isBroken: true };
    const service = await started(chain(4), {
      call: ({ id, parameters }) => {
        isArmed = broken.isBroken && id === 'n-2';
        return parameters;
      },
    });
    let invocations = 0;
    await service.run('e-1', {
      saboteur: { isFatal: () => isArmed },
      between: async () => {
        isArmed = false;
        invocations++;
      },
    });
    return { service, broken, invocations };
  };

  // holds: B9
  test('twenty times at the same node is given up by name, and its effects stay', async () => {
    const { service, invocations } = await crashing();
    expect(invocations).toBe(21);
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'failed',
      failure: { name: 'CrashLoop', message: expect.stringContaining('20 times in a row') },
    });
  });

  test('and is given up can be retried from the node where it crashed', async () => {
    const { service, broken } = await crashing();
    broken.isBroken = false;
    service.called.splice(0);
    const { executionId } = await retryFrom(service, 'n-2');
    await service.run(executionId);
    expect(service.called).toEqual(['n-2/0', 'n-3/0']);
    expect(await service.executions.find(executionId)).toMatchObject({ status: 'succeeded' });
  });

  test('by a decision of the engine keeps its node records and its checkpoints', async () => {
    const service = await started(chain(3));
    const { status } = await service.run('e-1', { refuses: ({ Name }) => Name === 'n-2/0' });
    expect(status).toBe('failed');
    const record = await service.executions.find('e-1');
    expect(record).toMatchObject({ status: 'failed', nodesOmitted: 0 });
    expect(record?.nodes.map(({ nodeId, status }) => `${nodeId} ${status}`)).toEqual([
      'start succeeded',
      'n-0 succeeded',
      'n-1 succeeded',
      'n-2 failed',
    ]);
    service.called.splice(0);
    const { executionId } = await retryFrom(service, 'n-2');
    await service.run(executionId);
    expect(service.called).toEqual(['n-2/0']);
  });
});

describe('an express run', () => {
  // holds: B5
  test('runs again for the invocation that began it, and for no other', async () => {
    let failures = 1;
    const service: BackgroundService = await aBackgroundService({
      spoilt: {
        finish: (...args) =>
          failures-- > 0
            ? Promise.reject(new AppError(STORE_UNAVAILABLE, {}))
            : service.executions.finish(...args),
      },
    });
    await service.put(aFlow({ nodes: [call('first')], edges: ['start -> first'] }));
    await service.accept('e-1', { mode: 'express' });
    const run = createExpressFunction(service.parts);
    await expect(run({ executionId: 'e-1' }, { awsRequestId: 'r-1' })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    await run({ executionId: 'e-1' }, { awsRequestId: 'r-2' });
    expect(service.called).toHaveLength(1);
    await run({ executionId: 'e-1' }, { awsRequestId: 'r-1' });
    expect(service.called).toEqual(['first/0', 'first/0']);
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'succeeded', invocations: 2 });
    expect((await service.executions.findData('e-1'))?.checkpoints ?? null).toBeNull();
  });

  test('cannot wait for an answer, and fails by name', async () => {
    const service = await aBackgroundService();
    await service.put(aFlow({ nodes: [{ id: 'ask', type: 'approval' }], edges: ['start -> ask'] }));
    await service.accept('e-1', { mode: 'express' });
    await createExpressFunction(service.parts)({ executionId: 'e-1' }, { awsRequestId: 'r-1' });
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'failed',
      failure: { nodeId: 'ask', message: expect.stringContaining('because it is not durable') },
    });
  });

  test('that waited in a queue has its full time from its start', async () => {
    const time = { ms: Date.now() };
    const service = await aBackgroundService({ clock: { now: () => time.ms } });
    await service.put(aFlow({ nodes: [call('first')], edges: ['start -> first'] }));
    await service.accept('e-1', { mode: 'express' });
    time.ms += 3 * 3_600_000;
    await createExpressFunction(service.parts)({ executionId: 'e-1' }, { awsRequestId: 'r-1' });
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'succeeded' });
    expect(service.called).toEqual(['first/0']);
  });

  test('without an execution is refused', async () => {
    const service = await aBackgroundService();
    const run = createExpressFunction(service.parts);
    await expect(run({}, { awsRequestId: 'r-1' })).rejects.toThrow('no valid executionId');
  });
});

describe('a retry', () => {
  const flow: AFlow = {
    nodes: [call('first'), pause, call('second'), call('third')],
    edges: ['start -> first', 'first -> pause', 'pause -> second', 'second -> third'],
  };
  const broken = { isBroken: true };
  const failing = () =>
    started(flow, {
      call: ({ id, parameters }) => {
        if (id === 'second' && broken.isBroken) throw new Error('the shop is closed');
        return parameters;
      },
    });
  const retry = (service: BackgroundService, options: Partial<Parameters<typeof retryExecution>[1]> = {}) =>
    retryExecution(
      'e-1',
      { from: null, version: 'recorded', ...options },
      {
        ...service.parts,
        ids: service.parts.services.ids,
        clock: service.parts.services.clock,
        dispatcher: { dispatch: async () => {} },
        modeOf: async ({ definition }) => resolveExecution(definition, service.findNodeType),
      },
    );

  test('from a node begins there, with the outputs of the steps before it', async () => {
    broken.isBroken = true;
    const service = await failing();
    await service.run();
    expect(await service.executions.find('e-1')).toMatchObject({
      status: 'failed',
      failure: { nodeId: 'second' },
    });
    broken.isBroken = false;
    const { executionId } = await retry(service, { from: 'second' });
    const { invocations } = await service.run(executionId);
    expect(invocations).toBe(1); // it does not wait again either
    expect(service.called).toEqual(['first/0', 'second/0', 'second/0', 'third/0']);
    expect(await service.executions.find(executionId)).toMatchObject({
      status: 'succeeded',
      retryOf: { executionId: 'e-1', fromNodeId: 'second' },
    });
  });

  test('of a successful run can begin in the middle if its checkpoints are small', async () => {
    broken.isBroken = false;
    const service = await failing();
    await service.run();
    const { executionId } = await retry(service, { from: 'third' });
    await service.run(executionId);
    expect(service.called).toEqual(['first/0', 'second/0', 'third/0', 'third/0']);

    const large = await started(flow, { call: () => ({ text: 'x'.repeat(20_000) }) });
    await large.run();
    await expect(retry(large, { from: 'third' })).rejects.toMatchObject({ code: 'NOT_RETRYABLE' });
  });

  test('of a failed run can begin in the middle, however large its checkpoints', async () => {
    broken.isBroken = true;
    const straight = { nodes: [call('first'), call('second'), call('third')] };
    const edges = ['start -> first', 'first -> second', 'second -> third'];
    const service = await started(
      { ...straight, edges },
      {
        call: ({ id }) => {
          if (id === 'second' && broken.isBroken) throw new Error('the shop is closed');
          return { text: Array.from({ length: 40_000 }, () => Math.random().toString(36)[2]).join('') };
        },
      },
    );
    await service.run();
    broken.isBroken = false;
    const { executionId } = await retry(service, { from: 'second' });
    await service.run(executionId);
    expect(service.called).toEqual(['first/0', 'second/0', 'second/0', 'third/0']);
  });

  test('of a successful run can begin in the middle with larger checkpoints if the workflow records all data', async () => {
    const canRetry = async (recordData: 'always' | 'onFailure', length: number) => {
      const text = Array.from({ length }, () => Math.random().toString(36)[2]).join('');
      const service = await started({ ...flow, settings: { recordData } }, { call: () => ({ text }) });
      await service.run();
      return retry(service, { from: 'third' }).then(
        () => true,
        ({ code }) => code,
      );
    };
    expect(await canRetry('always', 1_000)).toBe(true);
    expect(await canRetry('always', 12_000)).toBe('NOT_RETRYABLE');
    expect(await canRetry('onFailure', 1_000)).toBe('NOT_RETRYABLE');
  });

  test('whose lease another process has changes none of its data', async () => {
    const service = await aBackgroundService({ clock: { now: () => NOW } });
    const leases: unknown[] = [];
    const { saveProgress } = service.parts.executions;
    service.parts.executions.saveProgress = (id, progress) => {
      leases.push(progress.leaseExpiresAt - NOW);
      return saveProgress(id, progress);
    };
    const nodes = [{ id: 'keep', type: 'set', parameters: { values: { a: 1 } } }];
    await service.put(aFlow({ nodes, edges: ['start -> keep'] }));
    const text = Array.from({ length: 30_000 }, () => Math.random().toString(36)).join('');
    await service.accept('e-1', { mode: 'express', input: { body: text } });
    const run = createExpressFunction(service.parts);
    await run({ executionId: 'e-1' }, { awsRequestId: 'r-1' });
    const again = async () => {
      const started = await retry(service);
      await service.executions.withdraw(started.executionId, started.startToken);
      await service.executions.start({ ...started, mode: 'express' });
      return started.executionId;
    };
    const dataOf = async (id: string) => (await service.executions.findData(id))?.input;
    const own = await again();
    await run({ executionId: own }, { awsRequestId: 'r-2' });
    expect(await dataOf(own)).not.toBe(await dataOf('e-1'));
    expect(leases).toEqual([3_600_000]);
    const others = await again();
    await service.executions.acquireLease(others, aLease({ leaseOwner: 'request:r-3' }));
    await run({ executionId: others }, { awsRequestId: 'r-4' });
    expect(await dataOf(others)).toBe(await dataOf('e-1'));
  });

  test('from the start repeats everything', async () => {
    broken.isBroken = true;
    const service = await failing();
    await service.run();
    broken.isBroken = false;
    const { executionId } = await retry(service);
    await service.run(executionId);
    expect(service.called).toEqual(['first/0', 'second/0', 'first/0', 'second/0', 'third/0']);
  });
});
