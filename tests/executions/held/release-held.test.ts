import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import {
  type ClosedQueues,
  releaseAllQueues,
  releaseQueue,
} from '../../../lib/executions/held/release-held.ts';
import { MAX_HELD_DAYS } from '../../../lib/executions/held-queues.ts';
import { openPaces } from '../../../lib/executions/paces.ts';
import type { ReleasePorts } from '../../../lib/executions/ports.ts';
import { DISPATCH_REFUSED, STORE_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { toPathConfigs } from '../../../lib/workflows/definition/to-path-configs.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';
import { anExecutionEnd, anExecutionStart } from '../../support/a-start.ts';
import { aTrigger, aWorkflow } from '../../support/a-workflow.ts';
import { inMemoryExecutionStore, inMemoryWorkflowStore } from '../../support/in-memory-stores.ts';
import { namePoints } from '../../support/named-points.ts';

const queue = { workflowId: 'greeting', triggerNodeId: 'request' };

const readAll = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
};

/** A workflow whose trigger has these parameters, and executions that its trigger holds. */
const aService = async (
  parameters: JsonObject,
  held: number,
  spoil: (parts: ReleasePorts) => Partial<ReleasePorts> = () => ({}),
) => {
  const clock = aManualClock();
  const { logger, entries } = aRecordingLogger();
  const executions = inMemoryExecutionStore();
  const workflows = inMemoryWorkflowStore(clock.now);
  const dispatched: string[] = [];
  const asked: object[] = [];
  const put = (own: JsonObject, others: readonly JsonObject[] = []) => {
    const triggers = others.map((other, at) => aTrigger(other, { id: `other-${at}` }));
    const { nodes: _, ...rest } = aWorkflow();
    const definition = { ...rest, nodes: [...triggers, aTrigger(own)], connections: [] };
    return workflows.put(definition, toPathConfigs(definition));
  };
  await put(parameters);
  const hold = (executionId: string, triggerNodeId = queue.triggerNodeId) =>
    executions.start(
      anExecutionStart({
        executionId,
        workflowId: queue.workflowId,
        trigger: { nodeId: triggerNodeId, type: 'webhookTrigger' },
        held: 'paused',
        startedAt: clock.now(),
      }),
    );
  for (let at = 1; at <= held; at++) await hold(`e-${at}`);
  const sound: ReleasePorts = {
    executions,
    queues: executions.queues,
    workflows,
    takeSlot: async (request) => {
      asked.push(request);
      return true;
    },
    dispatcher: { dispatch: async (id) => void dispatched.push(id) },
    events: { publish: async () => {} },
    usesOutbox: false,
    clock,
    logger,
  };
  const parts = { ...sound, ...spoil(sound) };
  const closed: ClosedQueues = new Map();
  return {
    clock,
    executions,
    dispatched,
    asked,
    put,
    hold,
    held: () => readAll(executions.queues.find(queue)),
    isInUse: async () => (await readAll(executions.queues.list())).length > 0,
    release: (ended?: string) => releaseQueue(queue, parts, () => true, ended),
    sweep: (hasTime = () => true) => releaseAllQueues(parts, closed, hasTime),
    /** `level: message`, with the other fields. */
    logged: () => entries.map(({ level, message, fields }) => [`${level}: ${message}`, fields]),
  };
};

describe('a held execution', () => {
  /** A queue with one, and points at its release. */
  const aRace = async () => {
    let hold: ReturnType<typeof namePoints>['hold'] | undefined;
    const service = await aService({}, 1, ({ queues }) => {
      const points = namePoints({ queues });
      hold = points.hold;
      return points.ports;
    });
    if (hold === undefined) throw new Error('there are no points');
    return { ...service, holdAt: hold };
  };

  test('that two processes release at once is dispatched by one of them', async () => {
    const { release, holdAt, dispatched } = await aRace();
    const points = [holdAt('queues.release:before'), holdAt('queues.release:before')];
    const releases = [release(), release()];
    await Promise.all(points.map(({ reached }) => reached));
    for (const point of points) point.release();
    await Promise.all(releases);
    expect(dispatched).toEqual(['e-1']);
  });

  test('that is cancelled while it is released is not dispatched', async () => {
    const { release, holdAt, dispatched, executions } = await aRace();
    const point = holdAt('queues.release:before');
    const releasing = release();
    await point.reached;
    await executions.finish('e-1', anExecutionEnd({ status: 'cancelled', leavesQueue: true }));
    point.release();
    await releasing;
    expect(dispatched).toEqual([]);
    expect(await executions.find('e-1')).toMatchObject({ status: 'cancelled' });
  });
});

describe('a queue without a limit', () => {
  test('is released whole, and the log says how many', async () => {
    const service = await aService({}, 3);
    expect(await service.release('e-0')).toBe(false);
    expect(service.dispatched).toEqual(['e-1', 'e-2', 'e-3']);
    expect(service.asked).toEqual([]);
    expect(service.logged()).toEqual([['info: Held executions were released.', { ...queue, count: 3 }]]);
  });

  test('is left to another process from the 25th execution on', async () => {
    const service = await aService({}, 30);
    const { queues } = service.executions;
    const now = service.clock.now();
    await queues.attend(queue, now, now + 60_000);
    await service.release();
    expect(await service.held()).toContain('e-25');
    expect(await queues.attend(queue, now, now + 1)).toBe(false);
    service.clock.advance(60_000);
    await service.release();
    expect(await service.held()).toEqual([]);
  });

  test('may be attended again once it is released, and while only a few are released', async () => {
    const service = await aService({}, 26);
    const { queues } = service.executions;
    const now = service.clock.now();
    await service.release();
    expect(await queues.attend(queue, now, now + 60_000)).toBe(true);
    await service.hold('e-27');
    await service.release();
    expect(service.dispatched).toHaveLength(27);
    expect(await queues.attend(queue, now, now + 60_000)).toBe(false);
  });
});

describe('a queue with a limit', () => {
  const limited = { concurrency: { max: 40, onLimit: 'queue' } };

  test('is released without being attended, since each execution needs a slot', async () => {
    const service = await aService(limited, 30);
    const { queues } = service.executions;
    await queues.attend(queue, service.clock.now(), service.clock.now() + 60_000);
    await service.release();
    expect(service.dispatched).toHaveLength(30);
    expect(service.asked).toHaveLength(30);
  });

  test('passes the slot of an ended execution on to one, whatever else is free', async () => {
    const service = await aService(limited, 3);
    await service.release('e-0');
    expect(service.dispatched).toEqual(['e-1']);
    expect(service.asked).toEqual([{ workflowId: 'greeting', executionId: 'e-1', max: 40, ended: 'e-0' }]);
  });

  test('asks for no second slot when none is free', async () => {
    let asked = 0;
    const service = await aService(limited, 3, () => ({
      takeSlot: async () => {
        asked++;
        return false;
      },
    }));
    expect(await service.release()).toBe(false);
    expect([asked, service.dispatched, service.logged()]).toEqual([1, [], []]);
  });

  test('takes no slot for executions that the index still shows, but have left or were never stored', async () => {
    const service = await aService(limited, 2, ({ queues }) => ({
      queues: {
        ...queues,
        find: async function* () {
          yield* ['e-unknown', 'e-1', 'e-2'];
        },
      },
    }));
    await service.executions.queues.release('e-1', {
      workflowVersion: 1,
      mode: 'durable',
      acceptedMode: 'durable',
      releasedAt: service.clock.now(),
    });
    await service.release();
    expect(service.dispatched).toEqual(['e-2']);
    expect(service.asked).toHaveLength(1);
  });
});

test(`an execution is released ${MAX_HELD_DAYS} days after it started, and given up a moment later`, async () => {
  const service = await aService({}, 1);
  service.clock.advance(MAX_HELD_DAYS * 86_400_000);
  await service.hold('e-2');
  await service.release();
  expect(service.dispatched).toEqual(['e-1', 'e-2']);
  service.clock.advance(1);
  await service.hold('e-3');
  service.clock.advance(MAX_HELD_DAYS * 86_400_000 + 1);
  await service.release();
  expect(service.dispatched).toEqual(['e-1', 'e-2']);
  expect(await service.executions.find('e-3')).toMatchObject({
    status: 'failed',
    failure: { name: 'HeldTooLong' },
  });
});

describe('which trigger decides', () => {
  test.each<[string, JsonObject, JsonObject[], string[]]>([
    ['another trigger that is paused holds nothing back', {}, [{ paused: 'store' }], ['e-1']],
    ['another trigger that is open releases nothing', { paused: 'store' }, [{}], []],
  ])('%s', async (_title, own, others, dispatched) => {
    const service = await aService({ paused: 'store' }, 1);
    await service.put(own, others);
    expect(await service.release()).toBe(dispatched.length === 0);
    expect(service.dispatched).toEqual(dispatched);
  });

  test('without its trigger, and without its workflow, a queue is closed and that is no error', async () => {
    const service = await aService({}, 1, () => ({
      workflows: { ...inMemoryWorkflowStore(), find: async () => null },
    }));
    expect(await service.release()).toBe(true);
    const other = await aService({}, 1);
    await other.put({}, []);
    await other.hold('e-2', 'removed');
    await other.sweep();
    expect([service.logged(), other.dispatched]).toEqual([[], ['e-1']]);
    expect(other.logged()).toHaveLength(1);
  });
});

describe('when Lambda refuses', () => {
  /** Refuses all dispatches, each with another cause. */
  const refusing = () => {
    let dispatches = 0;
    return async () => {
      throw new AppError(DISPATCH_REFUSED, {}, new Error(`refusal ${++dispatches}`));
    };
  };

  test('the others are tried, and the first refusal is logged', async () => {
    const service = await aService({}, 3, () => ({ dispatcher: { dispatch: refusing() } }));
    expect(await service.release()).toBe(false);
    expect(await service.held()).toEqual([]); // all are due for a sweep
    expect(service.logged()).toEqual([
      [
        'error: Held executions could not be released.',
        {
          ...queue,
          cause: expect.objectContaining({ cause: expect.objectContaining({ message: 'refusal 1' }) }),
        },
      ],
    ]);
  });

  test('any other error ends the release at once', async () => {
    let dispatches = 0;
    const dispatch = async () => {
      dispatches++;
      throw new AppError(STORE_UNAVAILABLE, {});
    };
    const limited = { concurrency: { max: 9, onLimit: 'queue' } };
    const service = await aService(limited, 3, () => ({ dispatcher: { dispatch } }));
    await service.release();
    expect(dispatches).toBe(1);
    expect(await service.held()).toEqual(['e-2', 'e-3']);
  });

  test('refusals slow the pace down until nothing more is let through, and then no slot is taken', async () => {
    const limited = { concurrency: { max: 40, onLimit: 'queue' } };
    const dispatch = refusing();
    const service = await aService(limited, 30, ({ clock }) => {
      const rates = { durable: 1_000_000, express: 1, again: 1, status: 1 };
      const timed = { now: clock.now, sleep: async () => {} };
      return {
        paces: openPaces(rates, timed),
        dispatcher: {
          dispatch: () => {
            service.clock.advance(1_000);
            return dispatch();
          },
        },
      };
    });
    await service.release();
    expect(service.asked).toHaveLength(10); // the pace closes after ten seconds of refusals
    expect(await service.held()).toHaveLength(20);
  });
});

describe('a sweep of all queues', () => {
  test('looks at a closed queue again after five minutes, and at others meanwhile', async () => {
    const service = await aService({ paused: 'store' }, 1);
    await service.put({ paused: 'store' }, [{}]);
    await service.sweep();
    await service.hold('e-other', 'other-0');
    await service.sweep();
    expect(service.dispatched).toEqual(['e-other']);
    await service.put({});
    service.clock.advance(299_999);
    await service.sweep();
    expect(await service.held()).toEqual(['e-1']);
    service.clock.advance(1);
    await service.sweep();
    expect(await service.held()).toEqual([]);
  });

  test('without time looks at no queue and closes none, and says so', async () => {
    const service = await aService({}, 1);
    service.clock.advance(3_600_000);
    await service.sweep(() => false);
    expect(await service.isInUse()).toBe(true);
    expect(service.logged()).toEqual([
      ['warn: The sweep ran out of time; the next one releases further executions.', {}],
    ]);
  });

  test('whose time ends within a queue does not close it', async () => {
    const service = await aService({}, 1);
    service.clock.advance(3_600_000);
    let looks = 0;
    await service.sweep(() => ++looks === 1);
    expect(await service.isInUse()).toBe(true);
    expect(await service.held()).toEqual(['e-1']);
  });

  test('closes a queue that it finds empty, not one that it has emptied', async () => {
    const service = await aService({}, 1);
    service.clock.advance(600_001);
    await service.sweep();
    expect([service.dispatched, await service.isInUse()]).toEqual([['e-1'], true]);
    await service.sweep();
    expect(await service.isInUse()).toBe(false);
    expect(service.logged()).toHaveLength(1); // nothing about an empty queue
  });

  test('logs that the queues could not be read', async () => {
    const cause = new AppError(STORE_UNAVAILABLE, {});
    const service = await aService({}, 1, ({ queues }) => ({
      queues: {
        ...queues,
        // biome-ignore lint/correctness/useYield: it fails before its first value
        list: async function* () {
          throw cause;
        },
      },
    }));
    await service.sweep();
    expect(service.logged()).toEqual([
      ['error: The queues of held executions could not be read.', { cause }],
    ]);
  });
});
