import type { CallbackAnswer } from '../contract/node.ts';
import type { StepResult, Steps } from './steps.ts';

/** What is remembered of one thing that a run asked for. */
export type Checkpoint =
  | { readonly step: StepResult }
  | { readonly waited: true }
  | { readonly answer: CallbackAnswer };

/** By name. */
export type CheckpointJournal = Map<string, Checkpoint>;

/**
 * Steps that write into `memory` what they give, and give what is in it already instead of doing it: the way in which
 * a retry begins in the middle.
 */
export const createJournalingSteps = (steps: Steps, checkpoints: CheckpointJournal): Steps => ({
  run: async (step) => {
    const known = checkpoints.get(step.name);
    if (known !== undefined && 'step' in known) return known.step;
    const result = await steps.run(step);
    checkpoints.set(step.name, { step: result });
    return result;
  },
  within: (name, body) => steps.within(name, (inner) => body(createJournalingSteps(inner, checkpoints))),
  wait: async (name, seconds, signal) => {
    if (checkpoints.has(name)) return;
    await steps.wait(name, seconds, signal);
    checkpoints.set(name, { waited: true });
  },
  callback: async (name, timeoutSeconds) => {
    const known = checkpoints.get(name);
    if (known !== undefined && 'answer' in known) return { id: '', answer: async () => known.answer };
    const callback = await steps.callback(name, timeoutSeconds);
    return {
      id: callback.id,
      answer: async () => {
        const answer = await callback.answer();
        checkpoints.set(name, { answer });
        return answer;
      },
    };
  },
});

/** Written down as JSON text, and read again. */
export const serializeJournal = (checkpoints: CheckpointJournal): string =>
  JSON.stringify(Object.fromEntries(checkpoints));

/** @param forgotten nodes that are to run again: nothing of them, nor of what ran inside of them, is remembered */
export const parseJournal = (text: string, forgotten: ReadonlySet<string>): CheckpointJournal =>
  new Map(
    Object.entries(JSON.parse(text) as Record<string, Checkpoint>).filter(
      ([name]) => !forgotten.has(name.split('/')[0] ?? ''),
    ),
  );
