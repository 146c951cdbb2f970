import { createInterpreter, type Interpreter } from './interpreter.ts';
import { createMemoryImage } from './memory-image.ts';
import type { PreparedQuickJs } from './prepared-quickjs.ts';
import { LEAST_MEMORY_MB } from './quickjs-build.ts';
import { createInstance } from './quickjs-instance.ts';

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
