import { completeRequest, type HttpClient, type JsonObject } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { visibleOperations } from 'lambda-stage/engine';
import { createJournalReader } from '../../../lib/adapters/durable/journal-reader.ts';
import type { CallLimits } from '../../../lib/credentials/limits/call-limits.ts';
import type { HostLimits } from '../../../lib/credentials/outbound/host-limits.ts';
import { type AFlow, aBackgroundService, aFlow } from '../../support/a-background-service.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';
import { anOutboundService } from '../../support/outbound-credentials.ts';

/** Three nodes, one after the other, that call an API with a limited credential. */
const threeCalls: Pick<AFlow, 'nodes' | 'edges'> = {
  nodes: ['a', 'b', 'c'].map((id) => ({ id, type: 'call', credentialId: 'crm' })),
  edges: ['start -> a', 'a -> b', 'b -> c'],
};

/** A durable run whose clock advances while it waits, with or without a process. */
const aRun = async (
  limits: CallLimits,
  {
    flow = threeCalls,
    answer = () => 200,
    before = async () => {},
    hostLimits = [],
  }: {
    readonly flow?: Pick<AFlow, 'nodes' | 'edges'>;
    readonly answer?: (calls: number) => number;
    readonly hostLimits?: readonly HostLimits[];
    /** What a node does before its call. */
    readonly before?: (services: { http: HttpClient; aws: { send: unknown } }) => Promise<unknown>;
  } = {},
) => {
  const manual = aManualClock();
  const sleeps: number[] = [];
  const clock = {
    ...manual,
    sleep: async (ms: number) => {
      sleeps.push(ms);
      manual.advance(ms);
    },
  };
  const calls: { readonly at: number; readonly key: string }[] = [];
  const http: HttpClient = {
    request: async (options) => {
      const { url, headers } = completeRequest(options);
      calls.push({ at: manual.now(), key: headers.key ?? '' });
      return {
        status: answer(calls.length),
        headers: { 'retry-after': '60' },
        body: new Uint8Array(),
        stream: null,
        url,
      };
    },
  };
  const outbound = anOutboundService({ http, clock, hostLimits });
  await outbound.put('crm', 'httpBearer', { token: 'the-token' }, {}, null, limits);
  const service = await aBackgroundService({
    clock: { now: manual.now },
    outboundCredentials: outbound.credentials,
    call: async (_node, _input, { services, credential, idempotencyKey, attempt }): Promise<JsonObject> => {
      await before(services);
      const { status } = await services.http.request({
        url: 'https://api.example.com/',
        headers: { key: idempotencyKey },
        ...(credential === null ? {} : { credential }),
      });
      if (status !== 200) throw new Error(`it answered ${status}`);
      return { attempt };
    },
  });
  await service.put(aFlow({ ...flow, settings: { execution: 'durable' } }));
  let engineTime: number | null = null;
  const run = async (isFatal?: () => boolean) => {
    await service.accept();
    const { updates, state } = await service.run('e-1', {
      ...(isFatal === undefined ? {} : { saboteur: { isFatal } }),
      // The clock follows the engine's time.
      between: async (now) => {
        manual.advance(now - (engineTime ?? now));
        engineTime = now;
      },
    });
    const waits = updates.filter(({ Type, Action }) => Type === 'WAIT' && Action === 'START');
    return {
      state,
      record: await service.executions.find('e-1'),
      waits: waits.map(({ Name, WaitOptions }) => ({ Name, seconds: WaitOptions?.WaitSeconds })),
    };
  };
  return { run, calls, sleeps, manual };
};

const intervals = (calls: readonly { readonly at: number }[]): number[] =>
  calls.slice(1).map(({ at }, index) => at - (calls[index]?.at ?? 0));

test('a durable run waits for a later slot without a process', async () => {
  const { run, calls, sleeps } = await aRun({ perSecond: 0.1 });
  const { record, waits } = await run();
  expect(record?.status).toBe('succeeded');
  expect(calls.map(({ key }) => key)).toEqual(['e-1/a/0', 'e-1/b/0', 'e-1/c/0']);
  expect(intervals(calls)).toEqual([10_100, 10_100]);
  expect(waits).toEqual([
    { Name: 'b/0~later1/wait', seconds: 8 },
    { Name: 'c/0~later1/wait', seconds: 8 },
  ]);
  expect(sleeps).toEqual([2_100, 2_100]);
});

test('the checkpoints of a postponed step are those of its last part, for a retry of the execution', async () => {
  const { run } = await aRun({ perSecond: 0.1 });
  const { state } = await run();
  const journal = await createJournalReader(
    {
      DurableExecutionArn: 'arn:aws:lambda:local:0:function:run:1/durable-execution/e/1',
      CheckpointToken: '1',
      InitialExecutionState: { Operations: visibleOperations(state) },
    },
    {
      checkpoint: () => Promise.reject(new Error('unused')),
      getExecutionState: async () => ({ Operations: [] }),
    },
    inMemoryBlobs(),
  ).read();
  const steps = [...journal].filter(([, checkpoint]) => 'step' in checkpoint);
  const outputs = { main: { attempt: 1 } };
  expect(steps).toEqual(['a/0', 'b/0', 'c/0'].map((name) => [name, { step: { outputs, attempts: 1 } }]));
});

test('wherever its process ends, no call comes too early, and all nodes succeed', async () => {
  for (let fatal = 0; ; fatal++) {
    const { run, calls } = await aRun({ perSecond: 0.1 });
    let point = 0;
    let isEnded = false;
    const { record } = await run(() => {
      isEnded ||= point === fatal;
      return point++ === fatal;
    });
    expect({ fatal, status: record?.status }).toEqual({ fatal, status: 'succeeded' });
    expect(new Set(calls.map(({ key }) => key))).toEqual(new Set(['e-1/a/0', 'e-1/b/0', 'e-1/c/0']));
    expect(calls.length).toBeLessThanOrEqual(4);
    expect(Math.min(...intervals(calls))).toBeGreaterThanOrEqual(10_000);
    if (!isEnded) break;
    expect(fatal).toBeLessThan(100);
  }
});

test('a retry waits for the pause that a server asked for, without counting waits as attempts', async () => {
  const flow = {
    ...threeCalls,
    nodes: threeCalls.nodes.map((node) => ({ ...node, settings: { retry: { maxAttempts: 2 } } })),
  };
  const answer = (calls: number) => (calls === 1 ? 429 : 200);
  const { run, calls } = await aRun({ perSecond: 0.1 }, { flow, answer });
  const { record } = await run();
  expect(record?.status).toBe('succeeded');
  expect(intervals(calls)).toEqual([60_000, 10_100, 10_100]);
  expect(record?.nodes.map(({ nodeId, attempts }) => [nodeId, attempts])).toEqual([
    ['start', 1],
    ['a', 2],
    ['b', 1],
    ['c', 1],
  ]);
});

test('waiting does not use up the time of the node, whose calls may take longer than it in all', async () => {
  const nodes = [{ id: 'a', type: 'call', credentialId: 'crm', settings: { timeoutSeconds: 12 } }];
  const again = async ({ http }: { http: HttpClient }) => {
    for (let page = 0; page < 5; page++) await http.request({ url: 'https://api.example.com/pages' });
  };
  const { run, calls } = await aRun(
    { perSecond: 0.1 },
    { flow: { nodes, edges: ['start -> a'] }, before: again, hostLimits: [{ host: '*', perSecond: 0.1 }] },
  );
  const { record } = await run();
  expect(record?.status).toBe('succeeded');
  expect(intervals(calls).slice(0, 4)).toEqual(Array(4).fill(10_100));
});

test('an attempt that has used the network is not repeated: it waits in its process, within its time', async () => {
  const before = async ({ aws }: { aws: { send: unknown } }) => aws.send;
  const { run, calls, sleeps } = await aRun({ perSecond: 0.1 }, { before });
  const { record, waits } = await run();
  expect(record?.status).toBe('succeeded');
  expect(waits).toEqual([]);
  expect(intervals(calls)).toEqual([10_100, 10_100]);
  expect(sleeps).toEqual([10_100, 10_100]);
});

test('an express or inline run waits within the time of its node, or says why there is no time', async () => {
  const { run } = await aRun({ perSecond: 0.02 }, { before: async ({ aws }) => aws.send });
  const { record } = await run();
  expect(record).toMatchObject({
    status: 'failed',
    failure: {
      nodeId: 'b',
      name: 'CallLimitReached',
      message:
        'the limit of credential "crm" is 1 call in 50 s: the next call is possible in 51 s, but this one must end in 30 s',
    },
  });
});
