import type { Clock } from '@hookloom/plugin-kit';
import { withinDeadline } from '../plugins/within-deadline.ts';
import { createKeeper } from './keep-reports.ts';

interface FunctionCheck {
  readonly status: 'healthy' | 'unhealthy';
  readonly message?: string;
}

/** The checks by the function's key in serverless.yml. */
export type FunctionChecks = Readonly<Record<string, FunctionCheck>>;

export interface FunctionCheckParts {
  /** @returns why the function does not work; null if it responds */
  readonly ping: (functionKey: string, deadlineMs: number) => Promise<string | null>;
  readonly clock: Clock;
}

/** Functions that no request reaches: if one can't start, no caller gets an error. */
const BACKGROUND_FUNCTIONS = ['runDurable', 'runExpress', 'dispatch', 'sweep', 'sweepRegistrations'] as const;

/** Per function, including a cold start. */
const DEADLINE_MS = 5_000;

/** Longer than for other checks: a ping is an invocation. */
const KEPT_MS = 60_000;

/** Pings the background functions, all in parallel. Never throws. */
export const createFunctionChecks = ({ ping, clock }: FunctionCheckParts) => {
  const keep = createKeeper<FunctionChecks>({ clock, ttlMs: KEPT_MS });

  const check = async (functionKey: string, ms: number): Promise<FunctionCheck> => {
    const message = await withinDeadline(clock, ms, () => ping(functionKey, ms)).catch(
      (error: Error) => error.message,
    );
    return message === null ? { status: 'healthy' } : { status: 'unhealthy', message };
  };

  /** @param endsAt - when the report is due; milliseconds since the epoch */
  return async (endsAt: number): Promise<FunctionChecks> => {
    const ms = Math.max(0, Math.min(DEADLINE_MS, endsAt - clock.now()));
    const checkAll = async () =>
      Object.fromEntries(
        await Promise.all(BACKGROUND_FUNCTIONS.map(async (key) => [key, await check(key, ms)] as const)),
      );
    return (await keep('functions', checkAll)).value;
  };
};
