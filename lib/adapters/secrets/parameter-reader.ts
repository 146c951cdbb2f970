import type { Clock } from '@hookloom/plugin-kit';
import { findOutage } from '../../credentials/outbound/secret-store.ts';
import type { CallAws } from '../aws/aws-caller.ts';
import { callJson } from './call-json.ts';

/**
 * Maximum number of names in one call:
 * https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameters.html
 */
const MAX_NAMES = 10;

/** The quota may be 40 calls a second for all functions and deployments of an account, so the pauses grow long. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 20_000;

const DEFAULT_WAIT_MS = 2_000;

export interface ReaderParts {
  readonly clock: Clock;
  /** A random number from 0 to 1. */
  readonly random: () => number;
}

interface Asked {
  readonly name: string;
  /** Time until which a read may wait, in milliseconds since the epoch. */
  readonly until: number;
  resolve(value: string | null): void;
  reject(error: unknown): void;
}

/**
 * Reads parameters from Systems Manager. Parameters requested at the same time are read in one call, and there is one
 * call at a time. While it is throttled, it pauses for random and growing times, as long as any of its callers may
 * wait.
 * @returns a function that resolves to null for a parameter that does not exist, and throws AppError
 * `SECRETS_UNAVAILABLE`
 */
export const createParameterReader = (call: CallAws, { clock, random }: ReaderParts) => {
  let queue: Asked[] = [];
  let isReading = false;
  let throttles = 0;
  let pausedUntil = 0;
  let refusal: unknown;

  const pauseMs = (): number => {
    const ms = pausedUntil - clock.now();
    return ms > 0 && ms <= MAX_PAUSE_MS ? ms : 0; // a clock can be set back
  };

  const pause = (error: unknown): void => {
    refusal = error;
    pausedUntil = clock.now() + random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** throttles++);
    const late = queue.filter(({ until }) => until < pausedUntil);
    queue = queue.filter(({ until }) => until >= pausedUntil);
    for (const { reject } of late) reject(error);
  };

  const readBatch = async (batch: readonly Asked[]): Promise<void> => {
    try {
      const values = await getParameters(call, [...new Set(batch.map(({ name }) => name))]);
      throttles = 0;
      for (const { name, resolve } of batch) resolve(values.get(name) ?? null);
    } catch (error) {
      const outage = findOutage(error);
      if (outage?.isThrottled === true) {
        queue.unshift(...batch);
        pause(error);
      } else if (outage === null && batch.length > 1) {
        // A single name that is invalid or may not be read fails the whole call.
        for (const asked of batch) await readBatch([asked]);
      } else for (const { reject } of batch) reject(error);
    }
  };

  const readAll = async (): Promise<void> => {
    while (queue.length > 0) {
      if (pauseMs() > 0) await clock.sleep(pauseMs());
      await readBatch(queue.splice(0, MAX_NAMES));
    }
    isReading = false;
  };

  return (name: string, maxWaitMs = DEFAULT_WAIT_MS): Promise<string | null> =>
    new Promise((resolve, reject) => {
      if (pauseMs() > maxWaitMs) return reject(refusal);
      queue.push({ name, until: clock.now() + maxWaitMs, resolve, reject });
      if (isReading) return;
      isReading = true;
      setImmediate(readAll); // so that everything requested at the same time is in the queue
    });
};

const getParameters = async (
  call: CallAws,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const input = { Names: names, WithDecryption: true };
  const options = { answersThrottling: true } as const;
  const answer = await callJson(call, 'AmazonSSM.GetParameters', input, null, options);
  const { Parameters = [] } = (answer ?? {}) as { readonly Parameters?: readonly Parameter[] };
  return new Map(Parameters.map(({ Name, Value }) => [Name, Value]));
};

interface Parameter {
  readonly Name: string;
  readonly Value: string;
}
