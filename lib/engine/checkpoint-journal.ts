// Invariants of the journal; tests cite them.
// S11: A step, wait or answer that the journal holds is not repeated.

import type { CallbackAnswer } from '@hookloom/plugin-kit';
import type { StepResult, Steps } from './steps.ts';

/** The result of one operation of a run. */
export type Checkpoint =
  | { readonly step: StepResult }
  | { readonly waited: true }
  | { readonly answer: CallbackAnswer };

/** The checkpoints of an execution, by the names of their operations. */
export type CheckpointJournal = Map<string, Checkpoint>;

/**
 * Records checkpoints in a journal, and answers from it the operations it already holds: a retry starts with the
 * checkpoints of the original run.
 */
export const createJournalingSteps = (steps: Steps, journal: CheckpointJournal): Steps => ({
  run: async (step) => {
    const known = journal.get(step.name);
    if (known !== undefined && 'step' in known) return known.step;
    const result = await steps.run(step);
    journal.set(step.name, { step: result });
    return result;
  },
  within: (name, body) => steps.within(name, (inner) => body(createJournalingSteps(inner, journal))),
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
