import { createRandom, isNodeError, type OutboundResponse } from '@hookloom/plugin-kit';
import type { AppliedLimits, CallLimitStore } from '../../../lib/credentials/limits/call-limits.ts';
import { createLimitCall } from '../../../lib/credentials/limits/limit-calls.ts';
import type { CallSlot, CallTurn, Postponed } from '../../../lib/engine/call-turn.ts';
import { STORE_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { aVirtualClock } from '../a-virtual-clock.ts';
import { inMemoryCallLimits } from '../outbound-credentials.ts';

/** What a partition of DynamoDB takes in a second, for one item as for many. */
const UNITS_PER_SECOND = { write: 1_000, read: 3_000 };
/** As often as the client of the functions tries a call that was throttled, with these longest delays. */
const CLIENT_DELAYS_MS = [200, 400];
/** From the end of a wait until a durable run's process calls. */
const RESUME_MS = 700;
/** As often as a step can be postponed. */
const MAX_POSTPONED = 50;
const BUCKET_MS = 10_000;

export interface FullLimit {
  readonly limits: Omit<AppliedLimits, 'key'>;
  /** Runs that begin to call at these times, in milliseconds. */
  readonly arrivals: readonly number[];
  readonly mode: 'durable' | 'express';
  /** How long the API takes for a call that begins at a time. */
  readonly takesMs: (at: number, random: () => number) => number;
  /** Time that a call has, in milliseconds; waiting is not counted for a durable run that can be postponed. */
  readonly timeoutMs?: number;
  readonly storeMs?: number;
  /** Write units of the store. */
  readonly writesPerSecond?: number;
  /** Whether a process ends during its call, and leaves nothing. */
  readonly crashes?: (run: number) => boolean;
}

export interface FullLimitResult {
  readonly succeeded: number;
  /** By the name of the failure. */
  readonly failed: Readonly<Record<string, number>>;
  /** Calls that the API answered in each ten seconds. */
  readonly answered: readonly number[];
  readonly mostOpen: number;
  /** Units of the busiest second. */
  readonly peak: { readonly write: number; readonly read: number };
  readonly throttled: number;
  /** Store operations for each run. */
  readonly operations: number;
  /** The most times that a run was postponed, and the mean. */
  readonly postponed: { readonly most: number; readonly mean: number };
  readonly endedAt: number;
}

/**
 * Many runs that call one API with a limited credential, each in a sandbox of its own: the code that limits calls is real,
 * on a clock that jumps; its store is in memory, takes time, and throttles as one partition of DynamoDB does.
 */
export const simulateFullLimit = async ({
  limits,
  arrivals,
  mode,
  takesMs,
  timeoutMs = 30_000,
  storeMs = 8,
  writesPerSecond = UNITS_PER_SECOND.write,
  crashes = () => false,
}: FullLimit): Promise<FullLimitResult> => {
  const { clock, run } = aVirtualClock(0);
  const random = createRandom('full limit');
  const memory = inMemoryCallLimits();
  const used = new Map<number, { write: number; read: number }>();
  const peak = { write: 0, read: 0 };
  let throttled = 0;
  let operations = 0;
  const charge = (kind: 'write' | 'read', units: number): boolean => {
    const second = Math.floor(clock.now() / 1_000);
    const taken = used.get(second) ?? { write: 0, read: 0 };
    used.set(second, taken);
    const most = kind === 'write' ? writesPerSecond : UNITS_PER_SECOND.read;
    if (taken[kind] + units > most) return false;
    taken[kind] += units;
    peak[kind] = Math.max(peak[kind], taken[kind]);
    return true;
  };
  /** Writes of an item with many places take two units. */
  const writeUnits = (limits.atOnce ?? 0) > 50 ? 2 : 1;
  const metered =
    <Given extends unknown[], Value>(kind: 'write' | 'read', call: (...given: Given) => Promise<Value>) =>
    async (...given: Given): Promise<Value> => {
      for (let tries = 0; ; tries++) {
        await clock.sleep(storeMs * (0.7 + 0.6 * random()));
        operations += 1;
        if (charge(kind, kind === 'write' ? writeUnits : 1)) break;
        throttled += 1;
        const delayMs = CLIENT_DELAYS_MS[tries];
        if (delayMs === undefined) throw new AppError(STORE_UNAVAILABLE, {});
        await clock.sleep(delayMs * random());
      }
      return call(...given);
    };
  const store = Object.fromEntries(
    Object.entries(memory).map(([name, call]) => [
      name,
      metered(name === 'find' ? 'read' : 'write', call as (...given: unknown[]) => Promise<unknown>),
    ]),
  ) as unknown as CallLimitStore;

  const answered: number[] = [];
  const failed: Record<string, number> = {};
  let succeeded = 0;
  let open = 0;
  let mostOpen = 0;
  const postponements: number[] = [];

  const call = async (isCrashing: boolean): Promise<OutboundResponse> => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    await clock.sleep(takesMs(clock.now(), random));
    open -= 1;
    if (isCrashing) return new Promise(() => {}); // its process is gone
    const bucket = Math.floor(clock.now() / BUCKET_MS);
    answered[bucket] = (answered[bucket] ?? 0) + 1;
    return { status: 200, headers: {}, body: new Uint8Array(), stream: null, url: '' };
  };

  const begin = async (at: number, index: number): Promise<void> => {
    await clock.sleep(at);
    const signal = new AbortController().signal;
    let slot: CallSlot | null = null;
    for (let times = 0; ; times++) {
      const limitCall = createLimitCall({ limits: store, clock, random: createRandom(`${index} ${times}`) });
      const given: { postponed: Postponed | null } = { postponed: null };
      const canPostpone = mode === 'durable' && times < MAX_POSTPONED;
      const turn: CallTurn = {
        remainingMs: () => timeoutMs,
        untimed: (work) => work(),
        begin: () => ({ canPostpone, slot: canPostpone ? slot : null }),
        postpone: (postponed) => {
          given.postponed = postponed;
          throw new Error('postponed');
        },
      };
      try {
        const isCrashing = crashes(index);
        const calling = limitCall({ ...limits, key: 'credential:crm' }, { timeoutMs, signal }, turn, () =>
          call(isCrashing),
        );
        if (isCrashing) {
          calling.catch(() => {});
          return;
        }
        await calling;
        succeeded += 1;
        postponements.push(times);
        return;
      } catch (error) {
        if (given.postponed === null) {
          const name = isNodeError(error)
            ? error.name
            : error instanceof AppError
              ? error.code
              : String(error);
          failed[name] = (failed[name] ?? 0) + 1;
          return;
        }
        slot = given.postponed.slot;
        await clock.sleep(Math.max(1, Math.floor(given.postponed.waitMs / 1_000)) * 1_000 + RESUME_MS);
      }
    }
  };
  await run(Promise.all(arrivals.map(begin)));
  return {
    succeeded,
    failed,
    answered: Array.from(answered, (count) => count ?? 0),
    mostOpen,
    peak,
    throttled,
    operations: operations / arrivals.length,
    postponed: {
      most: Math.max(0, ...postponements),
      mean: postponements.reduce((sum, count) => sum + count, 0) / Math.max(1, postponements.length),
    },
    endedAt: clock.now(),
  };
};
