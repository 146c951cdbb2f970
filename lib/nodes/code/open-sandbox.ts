import type { QuickJSHandle } from 'quickjs-emscripten-core';
import type { JsonValue } from '../../contract/json.ts';
import { CodeError, CodeLimitError, readThrown } from './code-errors.ts';
import { type CreateInterpreter, type Interpreter, loadQuickJs } from './quickjs.ts';
import { SANDBOX_PROGRAM } from './sandbox-program.ts';

/** What a run depends on beside its arguments. */
export interface SandboxOptions {
  /** For the places of errors. */
  readonly code: string;
  readonly memoryMb: number;
  readonly maxSteps: number;
  /** The time in the sandbox, milliseconds since the epoch. */
  readonly now: number;
  /** From 0 to 1: determines the random numbers in the sandbox. */
  readonly seed: number;
  /** Gets each line that the code prints. */
  readonly print: (line: string) => void;
}

/** The functions of {@link SANDBOX_PROGRAM}. */
const TOOLS = ['compile', 'run', 'toJson', 'explain'] as const;
type Tool = (typeof TOOLS)[number];

/** A prepared interpreter. A value in it is a handle, which shows nothing of the value. */
interface Sandbox {
  /** @throws CodeError for what the function throws */
  call(tool: Tool, ...values: readonly QuickJSHandle[]): QuickJSHandle;
  /** The JSON of a value. @throws CodeLimitError when it is too large for the memory */
  toText(value: JsonValue): QuickJSHandle;
  readText(text: QuickJSHandle): string;
  /**
   * Runs what waits for promises, until nothing is left.
   *
   * @returns the value of the promise; null when it is still pending
   * @throws CodeError for the reason of its rejection
   */
  settle(promise: QuickJSHandle): QuickJSHandle | null;
}

/** Memory of the interpreter itself, and the part of the rest that one text may take. */
const OWN_MEMORY_MB = 8;
const TEXT_SHARE = 1 / 3;
const BYTES_PER_MB = 2 ** 20;

/** Memory that is left at most when there is none for an error. */
const ERROR_MB = 2;

let loading: Promise<CreateInterpreter> | undefined;

/** Loads the interpreter on first use, once per process; again after a failure. */
const load = (): Promise<CreateInterpreter> => {
  loading ??= loadQuickJs().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
};

/**
 * Does a task in a sandbox of its own.
 *
 * @throws CodeLimitError when the task reaches a limit
 */
export const inSandbox = async <Result>(
  options: SandboxOptions,
  task: (sandbox: Sandbox) => Result,
): Promise<Result> => {
  const createInterpreter = await load();
  const interpreter = await createInterpreter(options);
  const sandbox = prepare(interpreter, options);
  interpreter.limitSteps(options.maxSteps);
  try {
    return task(sandbox);
  } catch (error) {
    throw toLimitError(error, options) ?? error;
  }
};

const prepare = ({ context, usedMb }: Interpreter, { code, memoryMb, print }: SandboxOptions): Sandbox => {
  const lines = code.split('\n').length;
  const nothing = context.undefined;
  const printText = context.newFunction('print', (text) => print(context.getString(text)));
  const program = context.unwrapResult(context.evalCode(SANDBOX_PROGRAM));
  const functions = context.unwrapResult(context.callFunction(program, nothing, printText));
  const tools = new Map(TOOLS.map((tool) => [tool, context.getProp(functions, tool)]));
  const callTool = (tool: Tool, values: readonly QuickJSHandle[]) =>
    context.callFunction(tools.get(tool) ?? nothing, nothing, ...values);

  const toError = (thrown: QuickJSHandle): Error => {
    const explained = callTool('explain', [thrown]);
    if (explained.error !== undefined) return outOfMemory(memoryMb);
    const found = readThrown(context.getString(explained.value), lines);
    // Where no memory is left for an error, the interpreter throws null.
    const isFull = found.isOutOfMemory || (found.isNull && usedMb() > memoryMb - ERROR_MB);
    return isFull ? outOfMemory(memoryMb) : new CodeError(found);
  };

  return {
    call: (tool, ...values) => {
      const result = callTool(tool, values);
      if (result.error !== undefined) throw toError(result.error);
      return result.value;
    },
    toText: (value) => {
      const text = JSON.stringify(value);
      const bytes = Buffer.byteLength(text);
      if (bytes <= (memoryMb - OWN_MEMORY_MB) * TEXT_SHARE * BYTES_PER_MB) return context.newString(text);
      throw new CodeLimitError(`its input of ${bytes} bytes is too large for ${memoryMb} MB: raise memoryMb`);
    },
    readText: (text) => context.getString(text),
    settle: (promise) => {
      while (context.runtime.hasPendingJob()) context.runtime.executePendingJobs();
      const state = context.getPromiseState(promise);
      if (state.type === 'rejected') throw toError(state.error);
      return state.type === 'fulfilled' ? state.value : null;
    },
  };
};

const outOfMemory = (memoryMb: number): CodeLimitError =>
  new CodeLimitError(
    `the code needs more memory than ${memoryMb} MB: raise memoryMb, or keep less of the data`,
  );

/** The error of a limit that ends the interpreter as a whole; null for any other error. */
const toLimitError = (error: unknown, { maxSteps }: SandboxOptions): CodeLimitError | null => {
  if (error instanceof WebAssembly.RuntimeError)
    return new CodeLimitError(`the code takes more than ${maxSteps} steps: end its loops, or raise maxSteps`);
  // The stack of the process, which the compiler of deeply nested code may reach first.
  return error instanceof RangeError ? new CodeLimitError('the code is nested too deeply') : null;
};
