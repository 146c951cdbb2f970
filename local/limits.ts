import { availableParallelism } from 'node:os';
import type { SlotCounts } from './pool/slots.ts';

// Each process takes about 70 MB, and ends when it is idle.

const usual = Math.max(2, availableParallelism());

/** For requests. */
export const REQUEST_PROCESSES: SlotCounts = { usual, most: Math.max(usual, 12), growAfterMs: 250 };

/** For background runs. They have a pool of their own, since a run may call the service. */
export const BACKGROUND_PROCESSES: SlotCounts = { usual, most: Math.max(usual, 8), growAfterMs: 250 };

/** For a single invocation. */
export const ONE_PROCESS: SlotCounts = { usual: 1, most: 1, growAfterMs: 250 };
