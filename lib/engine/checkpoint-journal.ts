// Invariants of the journal; tests cite them.
// S11: A step, wait or answer that the journal holds is not repeated.

import type { CallbackAnswer } from '@hookloom/plugin-kit';
import type { Given, StepResult, Steps } from './steps.ts';

/** What is known of a node run besides its result. */
export interface CheckpointNote {
  /** Digest of what the node was given, if that depends on items that have failed: see {@link Given}. */
  readonly given?: string;
  /** The execution from whose id its idempotency key was derived; absent for the session's. */
  readonly keyId?: string;
}

/** The result of one operation of a run; a note alone if the operation has not ended, or is a control node's. */
export type Checkpoint = (
  | { readonly step: StepResult }
  | { readonly step?: never; readonly waited: true }
  | { readonly step?: never; readonly answer: CallbackAnswer }
  | { readonly step?: never }
) &
  CheckpointNote;

/** The checkpoints of an execution, by the names of their operations. */
export type CheckpointJournal = Map<string, Checkpoint>;

/** @returns the note for a node run that a retry may give something else; an empty one for any other */
export const noteOf = (given: Given | undefined, digest: Digest): CheckpointNote =>
  given?.isPartial === true ? { given: digest(given.toText()) } : {};

/** Computes the digest of a text. */
export type Digest = (text: string) => string;

/**
 * Records checkpoints in a journal, and answers from it the operations it already holds: a retry starts with the
 * checkpoints of the original run.
 */
export const createJournalingSteps = (steps: Steps, journal: CheckpointJournal, digest: Digest): Steps => ({
  run: async (step) => {
    const known = journal.get(step.name);
    if (known?.step !== undefined) return known.step;
    const note = noteOf(step.given, digest);
    if (note.given !== undefined) journal.set(step.name, note);
    const result = await steps.run(step);
    journal.set(step.name, { step: result, ...note });
    return result;
  },
  within: (name, body, given) => {
    const note = noteOf(given, digest);
    if (note.given !== undefined) journal.set(name, note);
    return steps.within(name, (inner) => body(createJournalingSteps(inner, journal, digest)));
  },
  wait: async (name, seconds, signal) => {
    if (journal.has(name)) return;
    await steps.wait(name, seconds, signal);
    journal.set(name, { waited: true });
  },
  callback: async (name, timeoutSeconds) => {
    const known = journal.get(name);
    if (known !== undefined && 'answer' in known) return { id: '', answer: async () => known.answer };
    const callback = await steps.callback(name, timeoutSeconds);
    return {
      id: callback.id,
      answer: async () => {
        const answer = await callback.answer();
        journal.set(name, { answer });
        return answer;
      },
    };
  },
  checkBodies: async (bodies, known) => steps.checkBodies?.(bodies, known + countKnown(journal, bodies.key)),
});

const countKnown = (journal: CheckpointJournal, key: string): number =>
  [...journal.keys()].filter((name) => name.startsWith(`${key}/`)).length;

export const serializeJournal = (journal: CheckpointJournal): string =>
  JSON.stringify(Object.fromEntries(journal));

/** @param discarded - nodes that run again: the checkpoints of these nodes and of their inner runs are left out */
export const parseJournal = (text: string, discarded: ReadonlySet<string>): CheckpointJournal =>
  new Map(
    Object.entries(JSON.parse(text) as Record<string, Checkpoint>).filter(
      ([name]) => !discarded.has(name.split('/')[0] ?? ''),
    ),
  );
