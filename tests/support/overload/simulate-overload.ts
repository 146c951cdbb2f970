import type { Logger } from '@hookloom/plugin-kit';
import { createSweepFunction } from '../../../lib/app/sweep-handler.ts';
import { acceptExecution } from '../../../lib/executions/lifecycle/accept-execution.ts';
import { finishExecution } from '../../../lib/executions/lifecycle/finish-execution.ts';
import { RATES } from '../../../lib/executions/paces.ts';
import type { ExecutionRecord } from '../../../lib/executions/record/execution-store.ts';
import { STORE_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError, isAppError } from '../../../lib/shared/errors.ts';
import type { BackgroundMode, WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { toPathConfigs } from '../../../lib/workflows/definition/to-path-configs.ts';
import { aVirtualClock } from '../a-virtual-clock.ts';
import { inMemoryBlobs } from '../in-memory-blobs.ts';
import { inMemoryExecutionStore, inMemoryWorkflowStore } from '../in-memory-stores.ts';
import { aModelledLambda, type LambdaQuotas, type Started } from './modelled-lambda.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** So many requests a second, until then. */
interface Load {
  readonly untilMs: number;
  readonly perSecond: number;
}

type Period = readonly [fromMs: number, toMs: number];

export interface Scenario {
  readonly mode: BackgroundMode;
  readonly load: readonly Load[];
  readonly quotas?: Partial<LambdaQuotas>;
  /** Of a run. */
  readonly durationMs?: number;
  /** Whether requests have a key of their delivery: then the execution stays where its dispatch was refused. */
  readonly isKeyed?: boolean;
  /** The webhook is paused, and stores. */
  readonly paused?: Period;
  readonly lambdaDown?: Period;
  readonly storeDown?: Period;
  /** Whether the sweeper runs. */
  readonly sweeps?: boolean;
  /** When the simulation ends, whatever is left. */
  readonly endMs?: number;
  /** From when on it has drained as soon as what has not begun is that of some seconds; by default when the load has ended. */
  readonly drainsFromMs?: number;
  /** Rates are divided by it, latencies multiplied: what a sweep does in its time, and the quotas, keep their relation. */
  readonly scale: number;
}

export interface Overload {
  /** After `drainsFromMs`, in hours; null for never. */
  readonly drainedAfterHours: number | null;
  readonly accepted: number;
  /** Requests that got a 503. */
  readonly refused: number;
  /** Executions that ended as they should. */
  readonly succeeded: number;
  readonly failed: Readonly<Record<string, number>>;
  /** Accepted, and neither begun nor ended at the end of the simulation. */
  readonly notBegun: number;
  /** Starts of Lambda that ran nothing. */
  readonly uselessStarts: number;
  /** Events that Lambda gave up. */
  readonly deadLetters: number;
  readonly longestWaitHours: number;
  /** Of those that began, the part that was overtaken in line: by one that was accepted a minute later and had waited for a minute. */
  readonly overtaken: number;
  /** What had not begun at each full hour, and how long the oldest of it had waited. */
  readonly hours: readonly { readonly notBegun: number; readonly oldestHours: number }[];
}

interface DeadLetter {
  readonly executionId: string;
  readonly requestId: string;
}

/** Latencies of DynamoDB and Lambda, in milliseconds: what a sweep waits for. */
const LATENCIES = { read: 5, write: 6, invoke: 15 };
const AWS: Omit<LambdaQuotas, 'maxEventAgeMs'> = {
  overQuota: 'backoff',
  startsPerSecond: 300,
  concurrency: 1_000,
};
/** As in serverless.yml. */
const MAX_EVENT_AGE = { durable: 10 * MINUTE, express: HOUR };
/** As in serverless.yml. */
const SWEEP_TIMEOUT = 270_000;
const SWEEP_EVERY = { all: 5 * MINUTE, held: MINUTE };
/** Of the dead-letter queue. */
const VISIBILITY_TIMEOUT = 1_620_000;
/** Of the dead-letter queue, as in serverless.yml. */
const BATCH_SIZE = 10;
const BATCHES_AT_ONCE = 2;
/** Of times that are as good as the same. */
const ORDER_MS = MINUTE;
/** What begins so much later has waited for nothing. */
const DRAINED_SECONDS = 15;

/**
 * Hours of overload in seconds: the code that accepts, dispatches, sweeps, releases and finishes, on stores in memory, a clock
 * that jumps, and a model of Lambda.
 */
export const simulateOverload = async (scenario: Scenario): Promise<Overload> => {
  const { mode, load, scale, durationMs = 1_000, isKeyed = false, sweeps = true } = scenario;
  const { clock, run } = aVirtualClock(0);
  const loadEnd = load.at(-1)?.untilMs ?? 0;
  const { endMs = loadEnd + 24 * HOUR, drainsFromMs = loadEnd } = scenario;
  const isIn = (period: Period | undefined): boolean =>
    period !== undefined && clock.now() >= period[0] && clock.now() < period[1];

  /** What has not begun, in the order of acceptance. */
  const waiting = new Map<string, number>();
  const memory = inMemoryExecutionStore(clock.now);
  const stores = failWhile(() => isIn(scenario.storeDown), memory);
  const executions = {
    ...stores,
    finish: async (...given: Parameters<typeof memory.finish>) => {
      const isFinished = await stores.finish(...given);
      if (isFinished) waiting.delete(given[0]); // where it ends without having begun
      return isFinished;
    },
    queues: failWhile(() => isIn(scenario.storeDown), memory.queues),
  };
  const workflows = inMemoryWorkflowStore();
  const published = async (isPaused: boolean) => {
    const definition = aWorkflow(mode, isPaused);
    await workflows.put(definition, toPathConfigs(definition));
  };
  await published(false);

  const counts = { accepted: 0, refused: 0, begun: 0, overtaken: 0 };
  const ends = new Map<number, ExecutionRecord[]>();
  let longestWait = 0;
  let latestInLine = 0;

  const start = async (executionId: string, requestId: string): Promise<Started> => {
    try {
      const leased = await executions.acquireLease(executionId, {
        leaseOwner: `request:${requestId}`,
        leaseExpiresAt: clock.now() + 20 * MINUTE,
        journalSize: 0,
        crashes: 0,
        invocations: 1,
      });
      if (leased === null) return 'useless';
      const acceptedAt = waiting.get(executionId);
      if (acceptedAt !== undefined) {
        waiting.delete(executionId);
        counts.begun++;
        const waited = clock.now() - acceptedAt;
        longestWait = Math.max(longestWait, waited);
        if (acceptedAt < latestInLine - ORDER_MS) counts.overtaken++;
        if (waited > ORDER_MS) latestInLine = Math.max(latestInLine, acceptedAt);
      }
      const second = Math.ceil((clock.now() + durationMs) / 1_000);
      ends.set(second, [...(ends.get(second) ?? []), leased]);
      return 'begun';
    } catch (error) {
      expectOutage(error);
      return 'failed';
    }
  };

  const finishing = { executions, events: { publish: async () => {} }, usesOutbox: false, logger };
  /** A run whose end can't be stored fails, and is repeated by Lambda: here, tried again after a minute. */
  const endRuns = async (): Promise<void> => {
    const second = Math.floor(clock.now() / 1_000);
    const seconds = [...ends.keys()].filter((at) => at <= second);
    const ending = seconds.flatMap((at) => ends.get(at) ?? []);
    for (const at of seconds) ends.delete(at);
    for (const record of ending) {
      const end = { status: 'succeeded', endedAt: clock.now(), nodes: [], failure: null } as const;
      try {
        await finishExecution(record, end, finishing);
      } catch (error) {
        expectOutage(error);
        ends.set(second + 60, [...(ends.get(second + 60) ?? []), record]);
      }
    }
  };

  const deadLetters: DeadLetter[] = [];
  /** Those whose sweep has failed, by the second in which they are seen again. */
  const invisible = new Map<number, DeadLetter[]>();
  const { overQuota, startsPerSecond, concurrency, maxEventAgeMs } = {
    ...AWS,
    maxEventAgeMs: MAX_EVENT_AGE[mode],
    ...scenario.quotas,
  };
  const lambda = aModelledLambda({
    clock,
    quotas: {
      overQuota,
      startsPerSecond: startsPerSecond / scale,
      concurrency: concurrency / scale,
      maxEventAgeMs,
    },
    durationMs,
    isDown: () => isIn(scenario.lambdaDown),
    start,
    bury: (executionId, requestId) => void deadLetters.push({ executionId, requestId }),
  });

  const slow = async <Value>(kind: keyof typeof LATENCIES, call: () => Promise<Value>): Promise<Value> => {
    await clock.sleep(LATENCIES[kind] * scale);
    return call();
  };
  const sweepFunction = createSweepFunction({
    executions: {
      ...executions,
      find: (id) => slow('read', () => executions.find(id)),
      redispatch: (id, dispatch) => slow('write', () => executions.redispatch(id, dispatch)),
      extendLease: (record, until) => slow('write', () => executions.extendLease(record, until)),
    },
    queues: {
      ...executions.queues,
      release: (...given) => slow('write', () => executions.queues.release(...given)),
    },
    workflows,
    events: finishing.events,
    usesOutbox: false,
    dispatcher: { dispatch: (...given) => slow('invoke', () => lambda.dispatcher.dispatch(...given)) },
    durableService: {
      findStatus: async () => 'running',
      stop: async () => {},
      answerCallback: async () => true,
    },
    takeSlot: async () => true,
    noteVersions: async () => null,
    checkValues: async () => ({ checked: 0, removed: 0 }),
    rates: {
      durable: RATES.durable / scale,
      express: RATES.express / scale,
      again: RATES.again / scale,
      status: RATES.status / scale,
    },
    clock,
    logger,
  });
  const sweep = (event: object) => {
    const until = clock.now() + SWEEP_TIMEOUT;
    return sweepFunction(event, { getRemainingTimeInMillis: () => until - clock.now() });
  };
  let batches = 0;
  const sweepDeadLetters = async (): Promise<void> => {
    const batch = deadLetters.splice(0, BATCH_SIZE);
    batches++;
    const Records = batch.map(({ executionId, requestId }, at) => ({
      messageId: String(at),
      body: JSON.stringify({ executionId }),
      messageAttributes: { RequestID: { stringValue: requestId } },
    }));
    const { batchItemFailures } = await sweepFunction({ Records });
    batches--;
    for (const { itemIdentifier } of batchItemFailures) {
      const letter = batch[Number(itemIdentifier)];
      if (letter === undefined) continue;
      const second = Math.ceil((clock.now() + VISIBILITY_TIMEOUT) / 1_000);
      invisible.set(second, [...(invisible.get(second) ?? []), letter]);
    }
  };

  let ids = 0;
  const parts = { executions, dispatcher: lambda.dispatcher, blobs: inMemoryBlobs(), clock, logger };
  const accept = async (isPaused: boolean): Promise<void> => {
    const workflow = await workflows.find('order');
    if (workflow === null) throw new Error('the workflow is gone');
    const executionId = `e-${ids++}`;
    waiting.set(executionId, clock.now());
    const execution = {
      executionId,
      workflow,
      traceparent: null,
      input: {},
      keepsResult: false,
      trigger: { nodeId: 'start', type: 'webhookTrigger' },
    };
    const held = isPaused ? ({ reason: 'paused' } as const) : null;
    try {
      await acceptExecution(
        execution,
        { mode, startedAt: clock.now(), isRepeatable: isKeyed, held },
        { ...parts, ids: { next: () => executionId } },
      );
      counts.accepted++;
    } catch (error) {
      if (!isAppError(error, 'DISPATCH_REFUSED')) expectOutage(error);
      counts.refused++;
      if ((await memory.find(executionId)) === null) waiting.delete(executionId);
    }
  };

  const hours: { notBegun: number; oldestHours: number }[] = [];
  const lastLoad = load.at(-1)?.perSecond ?? 0;
  let owed = 0;
  let drainedAt: number | null = null;
  let wasPaused = false;
  const running = new Set<Promise<unknown>>();
  /** A sweep that fails is over: the next one does the same. */
  const track = (sweeping: Promise<unknown>): void => {
    const ended = sweeping.catch(expectOutage).finally(() => running.delete(ended));
    running.add(ended);
  };

  const main = async (): Promise<void> => {
    for (; clock.now() <= endMs; await clock.sleep(1_000)) {
      const now = clock.now();
      const isPaused = isIn(scenario.paused);
      if (isPaused !== wasPaused) await published(isPaused);
      wasPaused = isPaused;
      const perSecond = load.find(({ untilMs }) => now < untilMs)?.perSecond ?? 0;
      owed += perSecond / scale;
      for (; owed >= 1; owed--) await accept(isPaused);
      await endRuns();
      await lambda.tick();
      if (sweeps && now > 0 && now % SWEEP_EVERY.all === 0) track(sweep({}));
      if (sweeps && now > 0 && now % SWEEP_EVERY.held === 0) track(sweep({ only: 'held' }));
      deadLetters.push(...(invisible.get(now / 1_000) ?? []));
      while (sweeps && deadLetters.length > 0 && batches < BATCHES_AT_ONCE) track(sweepDeadLetters());
      if (now > 0 && now % HOUR === 0) {
        const [oldest = now] = waiting.values();
        hours.push({ notBegun: waiting.size * scale, oldestHours: (now - oldest) / HOUR });
      }
      const usual = now < loadEnd ? (lastLoad / scale) * DRAINED_SECONDS : 0;
      if (now >= drainsFromMs && waiting.size <= usual) {
        drainedAt = now;
        break;
      }
    }
  };
  await run(main());
  await run(Promise.all(running));
  while (ends.size > 0) await run(clock.sleep(1_000).then(endRuns));
  return summarise();

  function summarise(): Overload {
    const failed: Record<string, number> = {};
    let succeeded = 0;
    for (const { status, failure } of memory.records()) {
      if (status === 'succeeded') succeeded += scale;
      else if (failure !== null) failed[failure.name] = (failed[failure.name] ?? 0) + scale;
    }
    return {
      drainedAfterHours: drainedAt === null ? null : (drainedAt - drainsFromMs) / HOUR,
      accepted: counts.accepted * scale,
      refused: counts.refused * scale,
      succeeded,
      failed,
      notBegun: waiting.size * scale,
      uselessStarts: lambda.counts.useless * scale,
      deadLetters: lambda.counts.buried * scale,
      longestWaitHours: longestWait / HOUR,
      overtaken: counts.begun === 0 ? 0 : counts.overtaken / counts.begun,
      hours,
    };
  }
};

const expectOutage = (error: unknown): void => {
  if (!isAppError(error, 'STORE_UNAVAILABLE')) throw error;
};

const logger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const aWorkflow = (mode: BackgroundMode, isPaused: boolean): WorkflowDefinition => ({
  id: 'order',
  name: 'order',
  enabled: true,
  nodes: [{ id: 'start', type: 'webhookTrigger', parameters: isPaused ? { paused: 'store' } : {} }],
  connections: [],
  settings: { execution: mode },
});

/** A store that can't be reached at times. */
const failWhile = <Store extends object>(isDown: () => boolean, store: Store): Store => {
  const check = (): void => {
    if (isDown()) throw new AppError(STORE_UNAVAILABLE, {});
  };
  const wrap = (method: (...given: unknown[]) => unknown) =>
    method.constructor.name === 'AsyncGeneratorFunction'
      ? async function* (...given: unknown[]) {
          check();
          yield* method(...given) as AsyncIterable<unknown>;
        }
      : async (...given: unknown[]) => {
          check();
          return method(...given);
        };
  const entries = Object.entries(store).map(([name, value]) => [
    name,
    typeof value === 'function' ? wrap(value as (...given: unknown[]) => unknown) : value,
  ]);
  return Object.fromEntries(entries) as Store;
};
