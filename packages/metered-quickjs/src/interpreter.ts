import { createValues, type Outcome, required } from './interpreter-values.ts';
import type { MemoryImage } from './memory-image.ts';
import { type Places, type Tool, toRandomState } from './prepare-interpreter.ts';
import type { Pointer, QuickJsInstance } from './quickjs-instance.ts';

/** What a run depends on besides its values. */
export interface RunOptions {
  readonly maxSteps: number;
  /** The time in the interpreter, which does not advance: milliseconds since the epoch, UTC. */
  readonly now: number;
  /** The seed of `Math.random()`, from 0 to 1. */
  readonly seed: number;
  /** Receives each line that the code prints. */
  readonly print: (line: string) => void;
}

/** An interpreter with its own memory, in which the sandbox program has been run. */
export interface Interpreter {
  readonly memoryMb: number;
  /** Memory in use, in MB; it never shrinks. */
  usedMb(): number;
  /** Whether steps are left. If not, a call has ended with a WebAssembly.RuntimeError. */
  hasSteps(): boolean;
  begin(options: RunOptions): void;
  /** @throws OutOfMemoryError when too little memory is left for the outcome */
  call(tool: Tool, ...values: readonly Pointer[]): Outcome;
  /** Copies a text into the memory. @throws OutOfMemoryError */
  toText(text: string): Pointer;
  /** Reads a text from the memory. @throws OutOfMemoryError */
  readText(text: Pointer): string;
  /**
   * Runs pending promise jobs until none are left.
   *
   * @returns the outcome of the promise; null if it is still pending
   */
  settle(promise: Pointer): Outcome | null;
  /**
   * Restores the initial state.
   *
   * @returns false if that is impossible because the memory has grown
   */
  reset(): boolean;
}

/** Number of distinct times from which the random state is derived. */
const SEEDS = 2 ** 40;

const BYTES_PER_MB = 2 ** 20;

/**
 * Creates an interpreter from an instance.
 *
 * @param instance - one that equals the prepared instance
 * @param image - the memory of the prepared instance
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
