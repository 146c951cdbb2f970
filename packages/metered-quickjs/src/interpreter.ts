import { createValues, type Outcome, required } from './interpreter-values.ts';
import type { MemoryImage } from './memory-image.ts';
import { type Places, type Tool, toRandomState } from './prepare-interpreter.ts';
import type { Pointer, QuickJsInstance } from './quickjs-instance.ts';

/** What a run depends on beside its values. */
export interface RunOptions {
  readonly maxSteps: number;
  /** The time in the interpreter, which stands still: milliseconds since the epoch, UTC. */
  readonly now: number;
  /** What its `Math.random()` is determined by, from 0 to 1. */
  readonly seed: number;
  /** Gets each line that the code prints. */
  readonly print: (line: string) => void;
}

/** An interpreter with a memory of its own, in which the program of the sandbox has been run. */
export interface Interpreter {
  readonly memoryMb: number;
  /** Memory in use, in MB; it never shrinks. */
  usedMb(): number;
  /** Whether it has steps left: without, a call has ended with a WebAssembly.RuntimeError. */
  hasSteps(): boolean;
  begin(options: RunOptions): void;
  /** @throws OutOfMemoryError when no memory is left for the outcome */
  call(tool: Tool, ...values: readonly Pointer[]): Outcome;
  /** @throws OutOfMemoryError */
  toText(text: string): Pointer;
  /** @throws OutOfMemoryError */
  readText(text: Pointer): string;
  /**
   * Runs what waits for promises, until nothing is left.
   *
   * @returns the outcome of a promise; null when it is still pending
   */
  settle(promise: Pointer): Outcome | null;
  /**
   * Restores its whole initial state.
   *
   * @returns false when that is not possible: its memory has grown
   */
  reset(): boolean;
}

/** Times of which the state of the random numbers is made. */
const SEEDS = 2 ** 40;

const BYTES_PER_MB = 2 ** 20;

/**
 * Makes an interpreter of an instance.
 *
 * @param instance - equal to the prepared one
 * @param image - of the memory of the prepared one
 */
export const createInterpreter = (
  instance: QuickJsInstance,
  places: Places,
  image: MemoryImage,
): Interpreter => {
  const { functions, host, memory, memoryMb, stepsLeft } = instance;
  const { context, runtime } = places;
  const values = createValues(instance, context);
  return {
    memoryMb,
    usedMb: () => memory.buffer.byteLength / BYTES_PER_MB,
    hasSteps: () => stepsLeft.value >= 0,
    begin: ({ maxSteps, now, seed, print }) => {
      host.now = now;
      host.call = (line) => print(values.readText(line));
      const state = toRandomState(Math.floor(seed * SEEDS));
      new DataView(memory.buffer).setBigUint64(places.random, state, true);
      stepsLeft.value = maxSteps;
    },
    call: (tool, ...given) => values.call(places.tools[tool], places.undefined, given),
    toText: values.toText,
    readText: values.readText,
    settle: (promise) => {
      while (functions.IsJobPending(runtime) !== 0)
        functions.ExecutePendingJob(runtime, -1, places.jobContext);
      const state = functions.PromiseState(context, promise);
      if (state === 0) return null;
      return { isThrown: state === 2, value: required(functions.PromiseResult(context, promise)) };
    },
    reset: () => {
      host.call = () => {};
      return image.restore(memory);
    },
  };
};
