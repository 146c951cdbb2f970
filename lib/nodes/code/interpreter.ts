import { captureMemory, type MemoryImage } from './memory-image.ts';
import { createInstance, type Pointer, type QuickJsInstance } from './quickjs-instance.ts';
import { SANDBOX_PROGRAM } from './sandbox-program.ts';

/** The functions of {@link SANDBOX_PROGRAM}. */
const TOOLS = ['compile', 'run', 'toJson', 'explain'] as const;
export type Tool = (typeof TOOLS)[number];

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

/** What a function of the interpreter returned or threw. */
export interface Outcome {
  readonly isThrown: boolean;
  readonly value: Pointer;
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
   * Makes its whole state that of the beginning.
   *
   * @returns false when that is not possible: its memory has grown
   */
  reset(): boolean;
}

export class OutOfMemoryError extends Error {}

/** Places in the memory of each instance that begins with the same image. */
interface Places {
  readonly runtime: Pointer;
  readonly context: Pointer;
  readonly undefined: Pointer;
  readonly tools: Readonly<Record<Tool, Pointer>>;
  /** The state of `Math.random()`, 64 bits that are not 0. */
  readonly random: Pointer;
  /** What the interpreter writes the context of a job to. */
  readonly jobContext: Pointer;
}

/**
 * Limit of the interpreter's stack, for about 350 calls within each other. The calls are on the stack of the process,
 * too, where they would find their end later, but not always at the same depth.
 */
const STACK_BYTES = 64 * 1024;

/** Range of the seed. The interpreter makes its random numbers of the microseconds of its clock. */
const SEEDS = 2 ** 40;

/** A time as no other, by which the state of the random numbers is found. */
const MARK_MS = 0x1234_5678_9a;

const toRandomState = (milliseconds: number): bigint => BigInt(milliseconds) * 1_000n || 1n;

/** Bytes of a context in which its random state is. */
const CONTEXT_BYTES = 1_024;

/** The interpreters of a process, all of which begin in the same state. */
export interface Interpreters {
  take(memoryMb: number): Interpreter;
  /** For the next run, once it is as at its beginning. */
  giveBack(interpreter: Interpreter): void;
}

/**
 * Creates interpreters of one module. The first one is prepared, and its state is the beginning of each run. An instance
 * has no state but its memory, which is made equal to an image of the first one's, and two globals: the steps left, which
 * each run sets, and the end of the stack, which is where it was while no call is under way.
 */
export const createInterpreters = (compiled: WebAssembly.Module): Interpreters => {
  let prepared: { readonly places: Places; readonly image: MemoryImage } | undefined;
  let idle: Interpreter | undefined;

  const create = (memoryMb: number): Interpreter => {
    const instance = createInstance(compiled, memoryMb);
    if (prepared === undefined) {
      const places = prepare(instance);
      prepared = { places, image: captureMemory(instance.memory) };
    } else {
      prepared.image.write(instance.memory);
    }
    return createInterpreter(instance, prepared.places, prepared.image);
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

const prepare = (instance: QuickJsInstance): Places => {
  const { functions, host, memory } = instance;
  functions.initialize();
  host.now = MARK_MS;
  const runtime = functions.NewRuntime();
  functions.RuntimeSetMaxStackSize(runtime, STACK_BYTES);
  const context = functions.NewContext(runtime, 0);
  const nothing = functions.GetUndefined();
  const values = createValues(instance, context);

  const print = functions.NewFunction(context, values.toCText('print'), 1, 0, 0);
  const source = values.toCText(SANDBOX_PROGRAM);
  const bytes = Buffer.byteLength(SANDBOX_PROGRAM);
  const program = functions.Eval(context, source, bytes, values.toCText('sandbox'), 0, 0);
  const { value: tools, isThrown } = values.call(program, nothing, [print]);
  if (isThrown) throw new Error('the program of the sandbox fails');
  const find = (tool: Tool) => functions.GetProp(context, tools, values.toText(tool));

  const mark = Buffer.alloc(8);
  mark.writeBigUInt64LE(toRandomState(MARK_MS));
  const within = Buffer.from(memory.buffer, context, CONTEXT_BYTES).indexOf(mark);
  if (within < 0) throw new Error('the random numbers of the interpreter are not found');
  return {
    runtime,
    context,
    undefined: nothing,
    tools: Object.fromEntries(TOOLS.map((tool) => [tool, find(tool)])) as Record<Tool, Pointer>,
    random: context + within,
    jobContext: functions.malloc(4),
  };
};

const createInterpreter = (instance: QuickJsInstance, places: Places, image: MemoryImage): Interpreter => {
  const { functions, host, memory, memoryMb, stepsLeft } = instance;
  const { context, runtime } = places;
  const values = createValues(instance, context);
  return {
    memoryMb,
    usedMb: () => memory.buffer.byteLength / 2 ** 20,
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

/** Values of an instance. Nothing of them is freed, but the copies of long texts. */
const createValues = ({ functions, memory }: QuickJsInstance, context: Pointer) => {
  /** Writes a text as C has it, which ends with the first NUL. */
  const toCText = (text: string): Pointer => {
    const bytes = Buffer.byteLength(text);
    const start = required(functions.malloc(bytes + 1));
    const target = Buffer.from(memory.buffer, start, bytes + 1);
    target.write(text);
    target[bytes] = 0;
    return start;
  };
  const toOutcome = (value: Pointer): Outcome => {
    const thrown = functions.ResolveException(context, required(value));
    return thrown === 0 ? { isThrown: false, value } : { isThrown: true, value: thrown };
  };
  return {
    toCText,
    toText: (text: string): Pointer => {
      const copy = toCText(text);
      const { isThrown, value } = toOutcome(functions.NewString(context, copy));
      if (isThrown) throw new OutOfMemoryError();
      functions.free(copy);
      return value;
    },
    readText: (value: Pointer): string => {
      const start = required(functions.GetString(context, value));
      const rest = Buffer.from(memory.buffer, start);
      const text = rest.toString('utf8', 0, rest.indexOf(0));
      functions.FreeCString(context, start);
      return text;
    },
    call: (callee: Pointer, receiver: Pointer, given: readonly Pointer[]): Outcome => {
      const list = required(functions.malloc(4 * given.length));
      new Uint32Array(memory.buffer, list, given.length).set(given);
      return toOutcome(functions.Call(context, callee, receiver, given.length, list));
    },
  };
};

const required = (pointer: Pointer): Pointer => {
  if (pointer === 0) throw new OutOfMemoryError();
  return pointer;
};
