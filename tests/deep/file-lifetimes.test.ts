import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { FileValue, JsonObject, PluginHandle } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createExpressFunction } from '../../lib/app/express-handler.ts';
import { retryExecution } from '../../lib/executions/lifecycle/retry-execution.ts';
import { type LifeDays, unpackText } from '../../lib/executions/record/blob-store.ts';
import type { ExecutionRecord } from '../../lib/executions/record/execution-store.ts';
import type { BackgroundMode } from '../../lib/workflows/definition/definition.ts';
import { compilePlan } from '../../lib/workflows/plan/compile-plan.ts';
import { readParameters } from '../../resources/parameters.ts';
import { completeTemplate } from '../../resources/template.ts';
import { aBackgroundService, aFlow } from '../support/a-background-service.ts';
import { readStageTemplate } from '../support/a-stage-template.ts';

const DAY = 86_400_000;
const RETENTION_DAYS = 30;
const START = Date.UTC(2026, 0, 1);

interface Rule {
  readonly Prefix?: string;
  readonly TagFilters?: readonly { readonly Key: string; readonly Value: string }[];
  readonly ExpirationInDays: number;
}

/** The rules of the bucket as they are deployed. */
const readRules = (environment: Readonly<Record<string, string>> = {}): readonly Rule[] => {
  const template = readStageTemplate();
  for (const { Type, Properties } of Object.values(template.Resources))
    if (Type === 'AWS::Lambda::Function' && Properties !== undefined)
      Object.assign(Properties, { Environment: { Variables: environment } });
  const rates = {
    webhookRate: 1,
    webhookBurst: 1,
    callbackRate: 1,
    callbackBurst: 1,
    adminRate: 1,
    adminBurst: 1,
  };
  const deployment = readParameters(rates, { region: 'us-east-1', functions: [] });
  completeTemplate(template as Parameters<typeof completeTemplate>[0], deployment);
  const { LifecycleConfiguration } = template.Resources.BlobBucket?.Properties ?? {};
  return (LifecycleConfiguration as { readonly Rules: readonly Rule[] }).Rules;
};

const rules = readRules();

/** As S3 has it: of several rules that hold, the shortest. */
const expires = (key: string, life: LifeDays, ageMs: number): boolean =>
  rules.some(
    ({ Prefix = '', TagFilters = [], ExpirationInDays }) =>
      key.startsWith(Prefix) &&
      TagFilters.every(({ Key, Value }) => Key === 'life' && Value === String(life)) &&
      ageMs >= ExpirationInDays * DAY,
  );

const large = () => randomBytes(300_000).toString('base64');

const content = async function* () {
  yield Buffer.from('hello');
};

/** Saves a file and has large results, waits for days where it may, and opens the file; its end may be a failure. */
const aService = async (waitDays: number, fails: boolean) => {
  let now = START;
  let saved: FileValue | null = null;
  const call: NonNullable<PluginHandle['execute']> = async (node, _input, { services }) => {
    const { files } = services;
    if (files === undefined) throw new Error('no files');
    if (node.id === 'save') {
      saved = await files.save(content(), { name: 'a.txt', mediaType: 'text/plain' });
      return { file: { ...saved }, text: large() };
    }
    if (saved !== null) await buffer(await files.open(saved));
    if (fails) throw new Error('no');
    return { text: large() };
  };
  const service = await aBackgroundService({ call, expires, clock: { now: () => now } });
  const nodes = [
    { id: 'save', type: 'call' },
    ...(waitDays > 0 ? [{ id: 'pause', type: 'wait', parameters: { seconds: waitDays * 86_400 } }] : []),
    { id: 'open', type: 'call' },
  ];
  const edges = ['start', ...nodes.map(({ id }) => id)].map((id, at, all) => `${id} -> ${all[at + 1]}`);
  await service.put(aFlow({ nodes, edges: edges.slice(0, -1) }));
  const run = async (executionId: string, mode: BackgroundMode, waited = waitDays) => {
    if (mode === 'express')
      return createExpressFunction(service.parts)({ executionId }, { awsRequestId: 'request-1' });
    let invocations = 0;
    await service.run(executionId, {
      between: async () => {
        if (invocations++ === 1) now += waited * DAY;
      },
    });
  };
  const retry = async (executionId: string) => {
    const options = { from: 'pause', version: 'recorded' } as const;
    const started = await retryExecution(executionId, options, {
      ...service.parts,
      dispatcher: { dispatch: async () => {} },
      openPlan: async ({ definition }) => compilePlan(definition, service.findNodeType),
      modeOf: async () => 'durable',
      ids: service.parts.services.ids,
      clock: { now: () => now },
    });
    return started.executionId;
  };
  return {
    ...service,
    run,
    retry,
    file: () => saved,
    advance: (days: number) => {
      now += days * DAY;
    },
    moveTo: (time: number) => {
      now = time;
    },
  };
};

type Service = Awaited<ReturnType<typeof aService>>;

/** The last moment at which a record is shown. */
const lastMomentOf = async (service: Service, executionId: string): Promise<number> => {
  const { endedAt } = (await service.executions.find(executionId)) ?? {};
  return (endedAt ?? 0) + RETENTION_DAYS * DAY - 1;
};

/** Reads all that the record refers to, as a retry would, which may begin a day later. */
const readAll = async (service: Service, executionId: string): Promise<readonly string[]> => {
  const record = await service.executions.find(executionId);
  const data = await service.executions.findData(executionId);
  const texts = { input: data?.input, checkpoints: data?.checkpoints, result: record?.result };
  const named = Object.entries(texts).filter(([, packed]) => typeof packed === 'string');
  for (const [, packed] of named) await unpackText(packed ?? '', service.stored);
  const file = service.file();
  if (file !== null) {
    const retryOf = { executionId, fromNodeId: 'open' };
    const { open } = service.parts.filesFor({ executionId: 'retry', retryOf })(
      'open/0',
      new AbortController().signal,
    );
    await buffer(await open(file));
  }
  return named.map(([name]) => name);
};

describe('nothing expires that a record or a waiting run refers to', () => {
  // holds: waits-cost-nothing, kept-as-long-as-needed
  test.each<[string, BackgroundMode, { held?: number; begins?: number; waits?: number }]>([
    ['an express run', 'express', {}],
    ['an express run that begins a day late', 'express', { begins: 1 }],
    ['an express run that was held for 32 days', 'express', { held: 32 }],
    ['a durable run without a wait', 'durable', {}],
    ['a durable run that waits for two days', 'durable', { waits: 2 }],
    ['a durable run that waits for four days', 'durable', { waits: 4 }],
    ['a durable run that waits for 34 days', 'durable', { waits: 34 }],
    ['a durable run that waits for 364 days', 'durable', { waits: 364 }],
    ['a durable run that was held for 30 days, and waits for 30', 'durable', { held: 30, waits: 30 }],
    ['a durable run that was held for 30 days, and waits for 330', 'durable', { held: 30, waits: 330 }],
  ])('%s', async (_name, mode, { held = 0, begins = 0, waits = 0 }) => {
    for (const fails of [true, false]) {
      const service = await aService(waits, fails);
      const reason: ExecutionRecord['held'] = held > 0 ? 'paused' : null;
      await service.accept('e-1', { input: { body: large() }, mode, held: reason });
      service.advance(held + begins);
      await service.run('e-1', mode);
      expect((await service.executions.find('e-1'))?.status).toBe(fails ? 'failed' : 'succeeded');
      service.moveTo((await lastMomentOf(service, 'e-1')) + DAY);
      expect(await readAll(service, 'e-1')).toEqual(
        expect.arrayContaining(fails ? ['input', 'checkpoints', 'result'] : ['input', 'result']),
      );
    }
  });

  test('a late retry that waits for 300 days opens files of its original', async () => {
    const service = await aService(2, true);
    await service.accept('e-1', { input: { body: large() }, mode: 'durable' });
    await service.run('e-1', 'durable');
    service.moveTo(await lastMomentOf(service, 'e-1'));
    const again = await service.retry('e-1');
    service.advance(1);
    await service.run(again, 'durable', 300);
    const record = await service.executions.find(again);
    expect(record?.failure).toMatchObject({ nodeId: 'open', message: 'no' });
    service.moveTo((await lastMomentOf(service, again)) + DAY);
    for (const name of ['input', 'checkpoints'] as const)
      await unpackText((await service.executions.findData(again))?.[name] ?? '', service.stored);
  });
});

describe('unreferenced objects', () => {
  test.each<BackgroundMode>(['express', 'durable'])(
    'of a run that is %s expire days after its record',
    async (mode) => {
      const service = await aService(0, true);
      await service.accept('e-1', { input: { body: large() }, mode });
      await service.run('e-1', mode);
      service.moveTo((await lastMomentOf(service, 'e-1')) + 4 * DAY);
      expect(service.stored.keys()).not.toEqual([]);
      service.advance(1);
      expect(service.stored.keys()).toEqual([]);
    },
  );

  test('of a durable run, such as step results, expire after its end', async () => {
    const service = await aService(2, false);
    await service.accept('e-1', { input: { body: large() }, mode: 'durable' });
    await service.run('e-1', 'durable');
    const left = service.stored.keys().filter((key) => !key.startsWith('executions/brief/'));
    expect(left).toEqual(['executions/e-1/files/save/0.1', 'executions/e-1/checkpoints']);
    expect(left.map(service.stored.lifeOf)).toEqual([4, 4]);
  });
});

describe('a run that leaves one kind of object releases it', () => {
  const text = (length: number) => Array.from({ length }, () => Math.random().toString(36)[2]).join('');
  const call = (id: string) => ({ id, type: 'call' });
  const pause = { id: 'pause', type: 'wait', parameters: { seconds: 60 } };
  const run = async (
    nodes: readonly { readonly id: string; readonly type: string }[],
    {
      input = {},
      execute = () => ({}),
      fails = false,
    }: {
      readonly input?: JsonObject;
      readonly execute?: NonNullable<PluginHandle['execute']>;
      readonly fails?: boolean;
    },
  ) => {
    const service = await aBackgroundService({
      call: (node, given, context) => {
        if (fails && node.id === 'last') throw new Error('no');
        return execute(node, given, context);
      },
    });
    const ids = ['start', ...nodes.map(({ id }) => id)];
    await service.put(aFlow({ nodes, edges: ids.slice(1).map((id, at) => `${ids[at]} -> ${id}`) }));
    await service.accept('e-1', { input });
    await service.run();
    const { keys, lifeOf } = service.stored;
    return keys()
      .filter((key) => !key.startsWith('executions/brief/'))
      .map((key) => [key, lifeOf(key)]);
  };
  const save: NonNullable<PluginHandle['execute']> = async (node, _input, { services }) => {
    if (node.id !== 'save') return {};
    return { file: { ...(await services.files?.save(content(), { name: 'a', mediaType: 'text/plain' })) } };
  };

  test('its input', async () => {
    expect(await run([call('first')], { input: { body: text(20_000) } })).toEqual([]);
  });

  test('the result of a step', async () => {
    expect(await run([call('first')], { execute: () => ({ text: text(400_000) }) })).toEqual([]);
  });

  test('a file', async () => {
    expect(await run([call('save')], { execute: save })).toEqual([['executions/e-1/files/save/0.1', 4]]);
  });

  test('a file of its request', async () => {
    const service = await aBackgroundService();
    await service.put(aFlow({ nodes: [call('first')], edges: ['start -> first'] }));
    const retryOf = null;
    const { save: store } = service.parts.filesFor({ executionId: 'e-1', retryOf })(
      'upload/0',
      new AbortController().signal,
    );
    const file = await store(content(), { name: 'a', mediaType: 'text/plain' });
    await service.accept('e-1', { input: { file: { ...file } } });
    await service.run();
    const { keys, lifeOf } = service.stored;
    expect(keys().map(lifeOf)).toEqual([4]);
  });

  test('the checkpoints of a wait, when it fails; otherwise they expire with its record', async () => {
    const nodes = [call('first'), pause, call('last')];
    const execute = () => ({ text: text(20_000) });
    expect(await run(nodes, { execute, fails: true })).toEqual([]);
    expect(await run(nodes, { execute })).toEqual([['executions/e-1/checkpoints', 4]]);
  });
});

test('objects live longer by as much as RETENTION_DAYS says', () => {
  const daysOf = (environment: Readonly<Record<string, string>>) =>
    readRules(environment).map(({ ExpirationInDays }) => ExpirationInDays);
  expect(daysOf({})).toEqual([430, 34, 34, 64, 154, 2]);
  expect(daysOf({ RETENTION_DAYS: '7' })).toEqual([407, 11, 11, 41, 131, 2]);
});

test('objects of earlier versions have keys that no shorter rule matches', () => {
  expect(expires('executions/0f8c/input', null, 429 * DAY)).toBe(false);
  expect(expires('executions/0f8c/files/download/0.1', null, 430 * DAY)).toBe(true);
});
