import type { Pointer, QuickJsInstance } from './quickjs-instance.ts';

/** What a function of the interpreter returned or threw. */
export interface Outcome {
  readonly isThrown: boolean;
  readonly value: Pointer;
}

/** The interpreter has too little memory left. */
export class OutOfMemoryError extends Error {}

/**
 * Passes values in and out of an instance; each function may throw an OutOfMemoryError. Only copies of strings are
 * freed, since they may be large: the memory is later reset as a whole.
 */
export const createValues = ({ functions, memory }: QuickJsInstance, context: Pointer) => {
  /** Writes a C string, which ends at the first NUL. */
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

/** @throws OutOfMemoryError for the address 0, which means that an allocation failed */
export const required = (pointer: Pointer): Pointer => {
  if (pointer === 0) throw new OutOfMemoryError();
  return pointer;
};
