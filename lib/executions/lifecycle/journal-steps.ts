import { createHash } from 'node:crypto';
import { type CheckpointJournal, createJournalingSteps } from '../../engine/checkpoint-journal.ts';
import type { Steps } from '../../engine/steps.ts';

/** Records the checkpoints of a run in its journal: see {@link createJournalingSteps}. */
export const journalSteps = (steps: Steps, journal: CheckpointJournal): Steps =>
  createJournalingSteps(steps, journal, digest);

/** @returns a digest by which data is compared */
export const digest = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 22);
