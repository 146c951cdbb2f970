import { createInterpreter, type Interpreter } from './interpreter.ts';
import { createMemoryImage } from './memory-image.ts';
import type { PreparedQuickJs } from './prepared-quickjs.ts';
import { LEAST_MEMORY_MB } from './quickjs-build.ts';
import { createInstance } from './quickjs-instance.ts';

/** The interpreters of a process, all of which begin in the same state. */
interface Interpreters {
  take(memoryMb: number): Interpreter;
  /** For the next run, once it is as at its beginning. */
  giveBack(interpreter: Interpreter): void;
}

const LEAST_MEMORY_BYTES = LEAST_MEMORY_MB * 2 ** 20;

/**
 * Creates interpreters that begin as a prepared one is. An instance has no state but its memory, which is made equal to an
 * image of that one's, and two globals: the steps left, which each run sets, and the end of the stack, which is where it
 * was while no call is under way.
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
