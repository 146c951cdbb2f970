import { CodeError, CodeLimitError } from './code-errors.ts';
import { inSandbox, type JsonObject, type SandboxOptions } from './open-sandbox.ts';

/**
 * Runs the body of an async function in its own sandbox.
 *
 * @param values - the arguments of the function, by parameter name
 * @returns what the code returns, as JSON; `{}` for null and undefined
 * @throws CodeError when the code throws, returns anything but a JSON object, or awaits a promise that never settles
 * @throws CodeLimitError when it reaches a limit
 */
export const runCode = (values: JsonObject, options: SandboxOptions): Promise<JsonObject> =>
  inSandbox(options, ({ call, toText, readText, settle }) => {
    const compiled = call('compile', toText({ code: options.code, names: Object.keys(values) }));
    const returned = settle(call('run', compiled, toText(Object.values(values))));
    if (returned === null)
      throw toError('it awaits a promise that nothing settles: there are no timers and no network');
    const output: unknown = JSON.parse(readText(call('toJson', returned)));
    if (isPlainObject(output)) return output as JsonObject;
    throw toError(`it returns ${describeKind(output)}: return an object, { items: … }`);
  });

const toError = (message: string): CodeError => new CodeError({ message, place: null });

/** Whether a value is a plain object: not an array, null, a primitive or an instance of a class. */
const isPlainObject = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const describeKind = (value: unknown): string => (Array.isArray(value) ? 'a list' : `a ${typeof value}`);

/** Limits for compiling, which runs none of the code. */
const COMPILER = { memoryMb: 64, maxSteps: 1_000_000_000, now: 0, seed: 0, print: () => {} };

/**
 * Compiles the body of an async function without running it.
 *
 * @param names - the parameters of the function
 * @returns the error, with its line and column; null if the code compiles
 */
export const findSyntaxError = async (code: string, names: readonly string[]): Promise<string | null> => {
  try {
    return await inSandbox({ ...COMPILER, code }, ({ call, toText }) => {
      call('compile', toText({ code, names }));
      return null;
    });
  } catch (error) {
    if (error instanceof CodeError || error instanceof CodeLimitError) return error.message;
    throw error;
  }
};
