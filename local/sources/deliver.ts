import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../lib/contract/json.ts';
import type { ProcessPool } from '../pool/process-pool.ts';

/** Invokes the function that takes events, again when it fails. Resolves when it has taken the event or was given up. */
export type Deliver = (event: JsonObject, label: string) => Promise<void>;

/** The function that takes events. */
export const DISPATCH = 'dispatch';

const ATTEMPTS = 3;
const FIRST_RETRY_MS = 1_000;

export const createDeliver =
  (pool: Pick<ProcessPool, 'invoke'>, log: (line: string) => void): Deliver =>
  async (event, label) => {
    for (let attempt = 1; ; attempt++) {
      try {
        await pool.invoke({ functionKey: DISPATCH, event, requestId: randomUUID() });
        return;
      } catch (error) {
        const { message } = error as Error;
        if (attempt === ATTEMPTS) return log(`${label}: given up after ${ATTEMPTS} attempts: ${message}`);
        await pause(FIRST_RETRY_MS * 2 ** (attempt - 1), undefined, { ref: false });
      }
    }
  };
