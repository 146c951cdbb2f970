import { availableParallelism } from 'node:os';
import type { SlotCounts } from './pool/slots.ts';

// Each process takes some 70 MB, and is there only as long as there is work for it.

const usual = Math.max(2, availableParallelism());

/** For requests. Others wait in line. */
export const REQUEST_PROCESSES: SlotCounts = { usual, most: Math.max(usual, 12), growAfterMs: 250 };

/** For background runs, in a pool of their own: a run that calls the service does not wait for itself. */
export const BACKGROUND_PROCESSES: SlotCounts = { usual, most: Math.max(usual, 8), growAfterMs: 250 };

/** For a single call. */
export const ONE_PROCESS: SlotCounts = { usual: 1, most: 1, growAfterMs: 250 };
