import { createValues, type Outcome, required } from './interpreter-values.ts';
import { createMemoryImage, type MemoryImage } from './memory-image.ts';
import { type Places, type Tool, toRandomState } from './prepare-interpreter.ts';
import type { PreparedQuickJs } from './prepared-quickjs.ts';
import { LEAST_MEMORY_MB } from './quickjs-build.ts';
import { createInstance, type Pointer, type QuickJsInstance } from './quickjs-instance.ts';

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
export type Interpreter = ReturnType<typeof createInterpreter>;

/** Number of distinct times from which the random state is derived. */
const SEEDS = 2 ** 40;

const BYTES_PER_MB = 2 ** 20;

/**
 * Creates an interpreter from an instance.
 *
 * @param instance - one that equals the prepared instance
 * @param image - the memory of the prepared instance
 */
const createInterpreter = (instance: QuickJsInstance, places: Places, image: MemoryImage) => {
  const { functions, host, memory, memoryMb, stepsLeft } = instance;
  const { context, runtime } = places;
  const values = createValues(instance, context);
  return {
    memoryMb,
    /** Memory in use, in MB; it never shrinks. */
    usedMb: () => memory.buffer.byteLength / BYTES_PER_MB,
    /** Whether steps are left. If not, a call has ended with a WebAssembly.RuntimeError. */
    hasSteps: () => stepsLeft.value >= 0,
    begin: ({ maxSteps, now, seed, print }: RunOptions): void => {
      host.now = now;
      host.call = (line) => print(values.readText(line));
      const state = toRandomState(Math.floor(seed * SEEDS));
      new DataView(memory.buffer).setBigUint64(places.random, state, true);
      stepsLeft.value = maxSteps;
    },
    /** @throws OutOfMemoryError when too little memory is left for the outcome */
    call: (tool: Tool, ...given: readonly Pointer[]): Outcome =>
      values.call(places.tools[tool], places.undefined, given),
    /** Copies a text into the memory. @throws OutOfMemoryError */
    toText: values.toText,
    /** Reads a text from the memory. @throws OutOfMemoryError */
    readText: values.readText,
    /**
     * Runs pending promise jobs until none are left.
     *
     * @returns the outcome of the promise; null if it is still pending
     */
    settle: (promise: Pointer): Outcome | null => {
      while (functions.IsJobPending(runtime) !== 0)
        functions.ExecutePendingJob(runtime, -1, places.jobContext);
      const state = functions.PromiseState(context, promise);
      if (state === 0) return null;
      return { isThrown: state === 2, value: required(functions.PromiseResult(context, promise)) };
    },
    /** Restores the initial state. @returns false if that is impossible because the memory has grown */
    reset: (): boolean => {
      host.call = () => {};
      return image.restore(memory);
    },
  };
};

const LEAST_MEMORY_BYTES = LEAST_MEMORY_MB * 2 ** 20;

/**
 * Creates interpreters that all begin in the state of a prepared one. The state of an instance is its memory, which is
 * made equal to the image of the prepared one, and two globals: the steps left, which each run sets, and the stack
 * pointer, which is back at its start whenever no call is in progress.
 */
export const createInterpreters = ({ wasm, places, pieces }: PreparedQuickJs) => {
  const compiled = new WebAssembly.Module(wasm);
  const image = createMemoryImage(pieces, LEAST_MEMORY_BYTES);
  let idle: Interpreter | undefined;

  const create = (memoryMb: number): Interpreter => {
    const instance = createInstance(compiled, memoryMb);
    image.write(instance.memory);
    return createInterpreter(instance, places, image);
  };

  return {
    take: (memoryMb: number): Interpreter => {
      const found = idle;
      idle = undefined;
      return found?.memoryMb === memoryMb ? found : create(memoryMb);
    },
    /** Returns an interpreter for the next run, once its initial state is restored. */
    giveBack: (interpreter: Interpreter): void => {
      if (interpreter.reset()) idle = interpreter;
    },
  };
};
