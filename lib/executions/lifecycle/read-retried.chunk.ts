import {
  type Checkpoint,
  type CheckpointJournal,
  noteOf,
  parseJournal,
} from '../../engine/checkpoint-journal.ts';
import type { Given, Steps } from '../../engine/steps.ts';
import { findBehind } from '../../workflows/plan/compile-plan.ts';
import type { Plan } from '../../workflows/plan/plan.ts';
import { type BlobStore, unpackText } from '../record/blob-store.ts';
import type { ExecutionStart } from '../record/execution-store.ts';
import { digest, journalSteps } from './journal-steps.ts';

/**
 * The checkpoints that an execution takes over from the one that it retries: those of the nodes before the one that
 * runs again, or all if only failed items do.
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const readRetried = async (
  { retriedCheckpoints, retryOf }: Pick<ExecutionStart, 'retriedCheckpoints' | 'retryOf'>,
  plan: Plan,
  blobs: Pick<BlobStore, 'get'>,
): Promise<CheckpointJournal> =>
  retriedCheckpoints === null
    ? new Map()
    : parseJournal(await unpackText(retriedCheckpoints, blobs), findBehind(plan, retryOf?.fromNodeId ?? ''));

/**
 * Opens the journal of a retry in the background, and its steps.
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const openRetried = async (
  retry: Pick<ExecutionStart, 'executionId' | 'retriedCheckpoints' | 'retryOf'>,
  plan: Plan,
  blobs: Pick<BlobStore, 'get'>,
) => {
  const { executionId, retryOf } = retry;
  const journal = await readRetried(retry, plan, blobs);
  return {
    journal,
    journalSteps: (steps: Steps): Steps =>
      retryOf?.only === 'failedItems'
        ? createResumingSteps(steps, { journal, executionId })
        : journalSteps(steps, journal),
  };
};

interface Resumption {
  /** Starts with all checkpoints of the execution that is retried. */
  readonly journal: CheckpointJournal;
  /** The id of the retry. */
  readonly executionId: string;
}

/**
 * The steps of a retry of failed items. What succeeded is answered from the journal. What failed, and ended its run, is
 * done again under its idempotency key. What is now given something else, since items that had failed have succeeded, is
 * done again under a new one. Decided by the retried checkpoints and the data alone, so that replays agree.
 */
const createResumingSteps = (
  steps: Steps,
  resumption: Resumption,
  /** Whether the control node whose operations these are is given something else. */
  isChanged = false,
): Steps => {
  const { journal, executionId } = resumption;
  const journaling = journalSteps(steps, journal);
  const isGivenOther = (known: Checkpoint | undefined, given: Given | undefined): boolean =>
    known?.given !== undefined && given !== undefined && known.given !== digest(given.toText());
  return {
    run: async (step) => {
      const known = journal.get(step.name);
      const isOther = isChanged || isGivenOther(known, step.given);
      const result = isOther ? undefined : known?.step;
      const keyId = isOther ? executionId : known?.keyId;
      const note = { ...noteOf(step.given, digest), ...(keyId === undefined ? {} : { keyId }) };
      if (result !== undefined && (!('failure' in result) || step.isFailureHandled === true)) {
        journal.set(step.name, { step: result, ...note });
        return result;
      }
      journal.set(step.name, note);
      const again = await steps.run({
        ...step,
        attempt: (number, queue) => step.attempt(number, queue, keyId),
      });
      journal.set(step.name, { step: again, ...note });
      return again;
    },
    within: (name, body, given) => {
      const isOther = isGivenOther(journal.get(name), given);
      if (given !== undefined) journal.set(name, noteOf(given, digest));
      return steps.within(name, (inner) => body(createResumingSteps(inner, resumption, isOther)));
    },
    wait: (name, seconds, signal) => {
      if (isChanged) journal.delete(name);
      return journaling.wait(name, seconds, signal);
    },
    callback: (name, timeoutSeconds) => {
      if (isChanged) journal.delete(name);
      return journaling.callback(name, timeoutSeconds);
    },
    checkBodies: async (bodies, known) => journaling.checkBodies?.(bodies, known),
  };
};

// For the runs that keep theirs.
export { journalSteps } from './journal-steps.ts';
