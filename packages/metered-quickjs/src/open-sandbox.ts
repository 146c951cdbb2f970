import { CodeError, CodeLimitError, readThrown } from './code-errors.ts';
import type { Interpreter, RunOptions } from './interpreter.ts';
import { type Outcome, OutOfMemoryError } from './interpreter-values.ts';
import { createInterpreters } from './interpreters.ts';
import type { JsonValue } from './json.ts';
import type { Tool } from './prepare-interpreter.ts';
import { unpackQuickJs } from './prepared-quickjs.ts';
import packed from './quickjs.prebuilt.ts';
import { LEAST_MEMORY_MB } from './quickjs-build.ts';
import type { Pointer } from './quickjs-instance.ts';

export interface SandboxOptions extends RunOptions {
  /** For the places of errors. */
  readonly code: string;
  /** For the interpreter and all its data. */
  readonly memoryMb: number;
}

/** A prepared interpreter, and what its failures mean. */
interface Sandbox {
  /** @throws CodeError for what the function throws */
  call(tool: Tool, ...values: readonly Pointer[]): Pointer;
  /** The JSON of a value. @throws CodeLimitError when it is too large for the memory */
  toText(value: JsonValue): Pointer;
  readText(text: Pointer): string;
  /**
   * Runs what waits for promises, until nothing is left.
   *
   * @returns the value of the promise; null when it is still pending
   * @throws CodeError for the reason of its rejection
   */
  settle(promise: Pointer): Pointer | null;
}

/** The part of the memory that one text may take, without the interpreter's own. */
const TEXT_SHARE = 1 / 3;
const BYTES_PER_MB = 2 ** 20;

/** Memory that is left at most when there is none for an error. */
const ERROR_MB = 2;

/** For all runs of the process. */
const interpreters = createInterpreters(unpackQuickJs(packed));

/**
 * Does a task in a sandbox of its own.
 *
 * @throws CodeLimitError when the task reaches a limit
 */
export const inSandbox = async <Result>(
  options: SandboxOptions,
  task: (sandbox: Sandbox) => Result,
): Promise<Result> => {
  const interpreter = interpreters.take(options.memoryMb);
  interpreter.begin(options);
  let isIntact = false;
  try {
    const result = task(openSandbox(interpreter, options));
    isIntact = true;
    return result;
  } catch (error) {
    isIntact = error instanceof CodeError; // any other error may have ended it within a call
    throw toLimitError(error, interpreter, options) ?? error;
  } finally {
    if (isIntact) interpreters.giveBack(interpreter);
  }
};

const openSandbox = (interpreter: Interpreter, { code, memoryMb }: SandboxOptions): Sandbox => {
  const lines = code.split('\n').length;

  const toError = (thrown: Pointer): Error => {
    const explained = interpreter.call('explain', thrown);
    if (explained.isThrown) return outOfMemory(memoryMb);
    const found = readThrown(interpreter.readText(explained.value), lines);
    // Where no memory is left for an error, the interpreter throws null.
    const isFull = found.isOutOfMemory || (found.isNull && interpreter.usedMb() > memoryMb - ERROR_MB);
    return isFull ? outOfMemory(memoryMb) : new CodeError(found);
  };
  const unwrap = ({ isThrown, value }: Outcome): Pointer => {
    if (isThrown) throw toError(value);
    return value;
  };

  return {
    call: (tool, ...values) => unwrap(interpreter.call(tool, ...values)),
    toText: (value) => {
      const text = JSON.stringify(value);
      const bytes = Buffer.byteLength(text);
      if (bytes <= (memoryMb - LEAST_MEMORY_MB) * TEXT_SHARE * BYTES_PER_MB) return interpreter.toText(text);
      throw new CodeLimitError(`its input of ${bytes} bytes is too large for ${memoryMb} MB: raise memoryMb`);
    },
    readText: interpreter.readText,
    settle: (promise) => {
      const outcome = interpreter.settle(promise);
      return outcome === null ? null : unwrap(outcome);
    },
  };
};

const outOfMemory = (memoryMb: number): CodeLimitError =>
  new CodeLimitError(
    `the code needs more memory than ${memoryMb} MB: raise memoryMb, or keep less of the data`,
  );

/** The error of a limit or a failure that ends the interpreter as a whole; null for any other error. */
const toLimitError = (
  error: unknown,
  interpreter: Interpreter,
  { maxSteps, memoryMb }: SandboxOptions,
): Error | null => {
  if (error instanceof OutOfMemoryError) return outOfMemory(memoryMb);
  // The stack of the process, which the compiler of deeply nested code may reach first.
  if (error instanceof RangeError) return new CodeLimitError('the code is nested too deeply');
  if (!(error instanceof WebAssembly.RuntimeError)) return null;
  return interpreter.hasSteps()
    ? new CodeError({ message: `the interpreter fails: ${error.message}`, place: null })
    : new CodeLimitError(`the code takes more than ${maxSteps} steps: end its loops, or raise maxSteps`);
};
