import type { CallbackAnswer } from '../contract/node.ts';
import type { StepResult, Steps } from './steps.ts';

/** What is remembered of one thing that a run asked for. */
export type MemoryEntry =
  | { readonly step: StepResult }
  | { readonly waited: true }
  | { readonly answer: CallbackAnswer };

/** By name. */
export type StepMemory = Map<string, MemoryEntry>;

/**
 * Steps that write into `memory` what they give, and give what is in it already instead of doing it: the way in which
 * a retry begins in the middle.
 */
export const createRememberingSteps = (steps: Steps, memory: StepMemory): Steps => ({
  run: async (step) => {
    const known = memory.get(step.name);
    if (known !== undefined && 'step' in known) return known.step;
    const result = await steps.run(step);
    memory.set(step.name, { step: result });
    return result;
  },
  within: (name, body) => steps.within(name, (inner) => body(createRememberingSteps(inner, memory))),
  wait: async (name, seconds, signal) => {
    if (memory.has(name)) return;
    await steps.wait(name, seconds, signal);
    memory.set(name, { waited: true });
  },
  callback: async (name, timeoutSeconds) => {
    const known = memory.get(name);
    if (known !== undefined && 'answer' in known) return { id: '', answer: async () => known.answer };
    const callback = await steps.callback(name, timeoutSeconds);
    return {
      id: callback.id,
      answer: async () => {
        const answer = await callback.answer();
        memory.set(name, { answer });
        return answer;
      },
    };
  },
});

/** Written down as JSON text, and read again. */
export const writeMemory = (memory: StepMemory): string => JSON.stringify(Object.fromEntries(memory));

/** @param forgotten nodes that are to run again: nothing of them, nor of what ran inside of them, is remembered */
export const readMemory = (text: string, forgotten: ReadonlySet<string>): StepMemory =>
  new Map(
    Object.entries(JSON.parse(text) as Record<string, MemoryEntry>).filter(
      ([name]) => !forgotten.has(name.split('/')[0] ?? ''),
    ),
  );
