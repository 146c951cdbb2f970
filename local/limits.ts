import { availableParallelism } from 'node:os';
import type { SlotCounts } from './pool/slots.ts';

// Each process uses about 70 MB and ends when idle.

const usual = Math.max(2, availableParallelism());

/** Limits of the pool for requests. */
export const REQUEST_PROCESSES: SlotCounts = { usual, most: Math.max(usual, 12), growAfterMs: 250 };

/** Limits of the pool for background runs, which is separate, since a run may call the service. */
export const BACKGROUND_PROCESSES: SlotCounts = { usual, most: Math.max(usual, 8), growAfterMs: 250 };

/** Limit for a single invocation. */
export const ONE_PROCESS: SlotCounts = { usual: 1, most: 1, growAfterMs: 250 };
