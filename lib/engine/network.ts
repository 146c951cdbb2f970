import type { HttpClient, Services } from '@hookloom/plugin-kit';
import type { CallTurn, LimitedHttp } from './call-turn.ts';
import { noAws, noTcp } from './pure-services.ts';
import type { SharedServices } from './session.ts';
import type { StepQueue } from './steps.ts';

/** The time of an attempt, which stands still while its calls wait for limits. */
export interface AttemptTime {
  /** Milliseconds since the epoch, plus the time that it stood still. */
  startedAt: number;
  /** How many of its calls wait. */
  waiting: number;
  /** When the first of them began to wait; null while none waits. */
  waitingSince: number | null;
}

class PostponedError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'CallLimit';
  }
}

interface AttemptCalls {
  readonly time: AttemptTime;
  readonly remainingMs: () => number;
  readonly controller: AbortController;
  readonly queue: StepQueue | undefined;
}

/**
 * Opens the services by which an attempt reaches the network. Its calls wait for limits, and it can be postponed until it
 * first uses one of them: a node has done nothing by then that it would repeat.
 */
export const openNetwork = (
  services: SharedServices,
  { time, remainingMs, controller, queue }: AttemptCalls,
): Omit<Services, 'files' | 'state'> => {
  let isFirst = true;
  const use = (): boolean => {
    const wasFirst = isFirst;
    isFirst = false;
    return wasFirst;
  };
  const watch = <Service extends object>(service: Service): Service =>
    queue === undefined
      ? service
      : new Proxy(service, {
          get: (target, name) => {
            use();
            return Reflect.get(target, name);
          },
        });
  const turn: CallTurn = {
    remainingMs,
    untimed: async (work) => {
      const { now } = services.clock;
      if (time.waiting++ === 0) time.waitingSince = now();
      try {
        return await work();
      } finally {
        if (--time.waiting === 0) {
          time.startedAt += now() - (time.waitingSince ?? 0);
          time.waitingSince = null;
        }
      }
    },
    begin: () => {
      const canPostpone = use() && queue !== undefined;
      return { canPostpone, slot: canPostpone ? queue.slot : null };
    },
    postpone: (postponed) => {
      queue?.postpone(postponed);
      const error = new PostponedError(postponed.reason);
      controller.abort(error);
      throw error;
    },
  };
  return {
    ...services,
    aws: watch(services.aws ?? noAws),
    tcp: watch(services.tcp ?? noTcp),
    http: endWithAttempt(services.http, turn, controller.signal),
  };
};

/**
 * Ends a request with its attempt. Its timeout is slightly longer than the attempt's, so that the node's message is the
 * one shown.
 */
const endWithAttempt = (http: LimitedHttp, turn: CallTurn, signal: AbortSignal): HttpClient => ({
  request: (request) =>
    http.request({ timeoutMs: turn.remainingMs() + TIMEOUT_MARGIN_MS, signal, ...request }, turn),
});

const TIMEOUT_MARGIN_MS = 1_000;
