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
const createInterpreter = (instance: QuickJsInstance, places: Places, image: MemoryImage): Interpreter => {
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

/** The interpreters of a process, which all begin in the same state. */
interface Interpreters {
  take(memoryMb: number): Interpreter;
  /** Returns an interpreter for the next run, once its initial state is restored. */
  giveBack(interpreter: Interpreter): void;
}

const LEAST_MEMORY_BYTES = LEAST_MEMORY_MB * 2 ** 20;

/**
 * Creates interpreters that all begin in the state of a prepared one. The state of an instance is its memory, which is
 * made equal to the image of the prepared one, and two globals: the steps left, which each run sets, and the stack
 * pointer, which is back at its start whenever no call is in progress.
 */
export const createInterpreters = ({ wasm, places, pieces }: PreparedQuickJs): Interpreters => {
  const compiled = new WebAssembly.Module(wasm);
  const image = createMemoryImage(pieces, LEAST_MEMORY_BYTES);
  let idle: Interpreter | undefined;

  const create = (memoryMb: number): Interpreter => {
    const instance = createInstance(compiled, memoryMb);
    image.write(instance.memory);
    return createInterpreter(instance, places, image);
  };

  return {
    take: (memoryMb) => {
      const found = idle;
      idle = undefined;
      return found?.memoryMb === memoryMb ? found : create(memoryMb);
    },
    giveBack: (interpreter) => {
      if (interpreter.reset()) idle = interpreter;
    },
  };
};
