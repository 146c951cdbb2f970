import type { Clock } from '@hookloom/plugin-kit';
import { toDurableName } from '../../../lib/adapters/aws/lambda-events.ts';
import type { Dispatcher } from '../../../lib/executions/ports.ts';
import { DISPATCH_REFUSED } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';

/**
 * What Lambda does with asynchronous invocations beyond its quotas. `refuse`: it answers 429. For what it queues, AWS documents
 * retries after 1 s up to 5 min, doubled each time (`backoff`), here with jitter; `fifo` is the best that it could do. Whether a durable start
 * over its quota is queued or refused is not documented.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export type OverQuota = 'refuse' | 'backoff' | 'fifo';

export interface LambdaQuotas {
  readonly overQuota: OverQuota;
  /** Of durable executions. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
  readonly startsPerSecond: number;
  readonly concurrency: number;
  /** Of an event in the queue, in milliseconds: six hours unless `MaximumEventAgeInSeconds` says otherwise. */
  readonly maxEventAgeMs: number;
}

interface QueuedEvent {
  readonly executionId: string;
  readonly requestId: string;
  readonly acceptedAt: number;
  /** Throttled so many times. */
  throttles: number;
  /** Failed so many times. */
  failures: number;
}

/** What becomes of a start. */
export type Started = 'begun' | 'useless' | 'failed';

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 300_000;
/** After the first and the second failure of a function. */
const RETRIES_MS = [60_000, 120_000];

/**
 * Lambda's asynchronous invocations in steps of a second. A run takes as long as a place of the concurrency: by Little's law so
 * many begin in a second.
 */
export const aModelledLambda = ({
  clock,
  quotas,
  durationMs,
  isDown,
  start,
  bury,
}: {
  readonly clock: Pick<Clock, 'now'>;
  readonly quotas: LambdaQuotas;
  readonly durationMs: number;
  readonly isDown: () => boolean;
  /** Begins the run of an execution. */
  readonly start: (executionId: string, requestId: string) => Promise<Started>;
  /** Takes an event that was given up. */
  readonly bury: (executionId: string, requestId: string) => void;
}) => {
  /** By the second in which they are due. */
  const due = new Map<number, QueuedEvent[]>();
  const ready: QueuedEvent[] = [];
  const names = new Set<string>();
  const counts = { starts: 0, useless: 0, refused: 0, buried: 0 };
  let thisSecond = 0;
  /** Whole starts of this second; a scaled quota may be a part of one. */
  let places = 0;
  let requests = 0;
  let seed = 1;
  const perSecondOf = (mode: 'durable' | 'express'): number =>
    Math.min(
      mode === 'durable' ? quotas.startsPerSecond : Number.POSITIVE_INFINITY,
      (quotas.concurrency * 1_000) / durationMs,
    );
  let perSecond = perSecondOf('express');

  /** From a half to one, the same at each run: without it, what was throttled together would come back together. */
  const jitter = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return 0.5 + seed / 2 ** 32;
  };

  const enqueue = (event: QueuedEvent, delayMs: number): void => {
    const second = Math.ceil((clock.now() + delayMs) / 1_000);
    const events = due.get(second) ?? [];
    if (events.length === 0) due.set(second, events);
    events.push(event);
  };

  const dispatcher: Dispatcher = {
    dispatch: async (executionId, mode, redispatches = 0) => {
      perSecond = perSecondOf(mode);
      const refuse = () => {
        counts.refused++;
        throw new AppError(DISPATCH_REFUSED, {});
      };
      if (isDown()) refuse();
      const name = toDurableName(executionId, redispatches);
      if (mode === 'durable' && names.has(name)) return; // idempotent by its name
      if (quotas.overQuota === 'refuse' && mode === 'durable' && thisSecond >= perSecond) refuse();
      if (mode === 'durable') names.add(name);
      thisSecond++;
      const event = { executionId, requestId: String(requests++), acceptedAt: clock.now() };
      enqueue({ ...event, throttles: 0, failures: 0 }, 0);
    },
  };

  const giveUp = ({ executionId, requestId }: QueuedEvent): void => {
    counts.buried++;
    bury(executionId, requestId);
  };

  /** To be called each second. */
  const tick = async (): Promise<void> => {
    const now = clock.now();
    thisSecond = 0;
    for (const second of [...due.keys()].filter((at) => at * 1_000 <= now).sort((a, b) => a - b)) {
      ready.push(...(due.get(second) ?? []));
      due.delete(second);
    }
    if (isDown()) return;
    places = Math.min(places, 1) + perSecond;
    while (places >= 1) {
      const event = ready.shift();
      if (event === undefined) break;
      if (now - event.acceptedAt > quotas.maxEventAgeMs) {
        giveUp(event);
        continue;
      }
      places--;
      counts.starts++;
      const started = await start(event.executionId, event.requestId);
      if (started === 'useless') counts.useless++;
      if (started !== 'failed') continue;
      const delayMs = RETRIES_MS[event.failures++];
      if (delayMs === undefined) giveUp(event);
      else enqueue(event, delayMs);
    }
    if (quotas.overQuota === 'fifo') return;
    for (const event of ready.splice(0)) {
      if (now - event.acceptedAt > quotas.maxEventAgeMs) giveUp(event);
      else enqueue(event, Math.min(FIRST_BACKOFF_MS * 2 ** event.throttles++, MAX_BACKOFF_MS) * jitter());
    }
  };

  return {
    dispatcher,
    tick,
    counts,
    /** The second in which the next event is tried again; null for none. */
    nextDue: (): number | null => (due.size === 0 ? null : Math.min(...due.keys())),
  };
};
