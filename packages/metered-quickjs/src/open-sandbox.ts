import { CodeError, CodeLimitError, readThrown } from './code-errors.ts';
import { createInterpreters, type Interpreter, type RunOptions } from './interpreter.ts';
import { type Outcome, OutOfMemoryError } from './interpreter-values.ts';
import type { Tool } from './prepare-interpreter.ts';
import { unpackQuickJs } from './prepared-quickjs.ts';
import packed from './quickjs.prebuilt.ts';
import { LEAST_MEMORY_MB } from './quickjs-build.ts';
import type { Pointer } from './quickjs-instance.ts';

/** A JSON value (RFC 8259). */
type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export interface SandboxOptions extends RunOptions {
  /** The code, which error positions refer to. */
  readonly code: string;
  /** Memory for the interpreter and all its data, in MB. */
  readonly memoryMb: number;
}

/** The share of the memory, not counting the interpreter's own, that one string may take. */
const TEXT_SHARE = 1 / 3;
const BYTES_PER_MB = 2 ** 20;

/** Maximum memory left when the interpreter cannot allocate an error. */
const ERROR_MB = 2;

/** Shared by all runs of the process. */
const interpreters = createInterpreters(unpackQuickJs(packed));

/**
 * Runs a task in its own sandbox.
 *
 * @throws CodeLimitError when the task reaches a limit
 */
export const inSandbox = async <Result>(
  options: SandboxOptions,
  task: (sandbox: ReturnType<typeof openSandbox>) => Result,
): Promise<Result> => {
  const interpreter = interpreters.take(options.memoryMb);
  interpreter.begin(options);
  let isIntact = false;
  try {
    const result = task(openSandbox(interpreter, options));
    isIntact = true;
    return result;
  } catch (error) {
    isIntact = error instanceof CodeError; // any other error may have interrupted a call
    throw toLimitError(error, interpreter, options) ?? error;
  } finally {
    if (isIntact) interpreters.giveBack(interpreter);
  }
};

/** A prepared interpreter whose failures are translated to errors. */
const openSandbox = (interpreter: Interpreter, { code, memoryMb }: SandboxOptions) => {
  const lines = code.split('\n').length;

  const toError = (thrown: Pointer): Error => {
    const explained = interpreter.call('explain', thrown);
    if (explained.isThrown) return outOfMemory(memoryMb);
    const found = readThrown(interpreter.readText(explained.value), lines);
    // If no memory is left for an error object, the interpreter throws null.
    const isFull = found.isOutOfMemory || (found.isNull && interpreter.usedMb() > memoryMb - ERROR_MB);
    return isFull ? outOfMemory(memoryMb) : new CodeError(found);
  };
  const unwrap = ({ isThrown, value }: Outcome): Pointer => {
    if (isThrown) throw toError(value);
    return value;
  };

  return {
    /** @throws CodeError when the function throws */
    call: (tool: Tool, ...values: readonly Pointer[]): Pointer => unwrap(interpreter.call(tool, ...values)),
    /** A value as JSON. @throws CodeLimitError when it does not fit into the memory */
    toText: (value: JsonValue): Pointer => {
      const text = JSON.stringify(value);
      const bytes = Buffer.byteLength(text);
      if (bytes <= (memoryMb - LEAST_MEMORY_MB) * TEXT_SHARE * BYTES_PER_MB) return interpreter.toText(text);
      throw new CodeLimitError(
        `its input of ${bytes} bytes does not fit into ${memoryMb} MB: raise memoryMb`,
      );
    },
    readText: interpreter.readText,
    /**
     * Runs pending promise jobs until none are left.
     *
     * @returns the value of the promise; null if it is still pending
     * @throws CodeError when the promise is rejected
     */
    settle: (promise: Pointer): Pointer | null => {
      const outcome = interpreter.settle(promise);
      return outcome === null ? null : unwrap(outcome);
    },
  };
};

const outOfMemory = (memoryMb: number): CodeLimitError =>
  new CodeLimitError(`the code needs more than ${memoryMb} MB of memory: raise memoryMb, or keep less data`);

/** The error for an exceeded limit or a failure that ends the interpreter; null for any other error. */
const toLimitError = (
  error: unknown,
  interpreter: Interpreter,
  { maxSteps, memoryMb }: SandboxOptions,
): Error | null => {
  if (error instanceof OutOfMemoryError) return outOfMemory(memoryMb);
  // The compiler may exhaust the stack of the process first when code is deeply nested.
  if (error instanceof RangeError) return new CodeLimitError('the code is nested too deeply');
  if (!(error instanceof WebAssembly.RuntimeError)) return null;
  return interpreter.hasSteps()
    ? new CodeError({ message: `the interpreter failed: ${error.message}`, place: null })
    : new CodeLimitError(
        `the code takes more than ${maxSteps} steps: check for endless loops, or raise maxSteps`,
      );
};
