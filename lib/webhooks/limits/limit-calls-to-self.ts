import type { Clock } from '@hookloom/plugin-kit';
import { readCall } from '../../executions/record/call-depth.ts';
import { LOOP_DETECTED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { TakeToken } from './token-bucket.ts';

/** The maximum length of a chain of executions that call the service. */
const MAX_DEPTH = 10;

/** How many executions the calls of one execution may start in a day, beyond those that it calls itself. */
const MAX_CALLS = 1_000;
const US_PER_DAY = 86_400_000_000;
const US_PER_MS = 1_000;

/**
 * Breaks loops of workflows that call each other's webhooks, and limits what they start if each makes several calls.
 *
 * @returns what is called before an execution starts
 * @throws AppError `LOOP_DETECTED`, both at once and later
 */
export type LimitCallsToSelf = (headers: Readonly<Record<string, string>>) => () => Promise<void>;

export const createLimitCallsToSelf =
  (takeToken: TakeToken, clock: Pick<Clock, 'now'>): LimitCallsToSelf =>
  (headers) => {
    const { depth, root } = readCall(headers);
    if (depth >= MAX_DEPTH)
      throw new AppError(LOOP_DETECTED, {
        reason: `${MAX_DEPTH} executions in a row have each started the next one`,
      });
    return async () => {
      if (depth < 2 || root === null) return;
      const bucket = { key: `calls:${root}`, burst: MAX_CALLS, intervalUs: US_PER_DAY / MAX_CALLS };
      const { isTaken } = await takeToken(bucket, clock.now() * US_PER_MS, null);
      if (!isTaken)
        throw new AppError(LOOP_DETECTED, {
          reason: `the calls of execution ${root} have led to ${MAX_CALLS} others in a day`,
        });
    };
  };
