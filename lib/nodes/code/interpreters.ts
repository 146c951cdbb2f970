import { createInterpreter, type Interpreter } from './interpreter.ts';
import { captureMemory, type MemoryImage } from './memory-image.ts';
import { type Places, prepareInterpreter } from './prepare-interpreter.ts';
import { createInstance } from './quickjs-instance.ts';

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
      const places = prepareInterpreter(instance);
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
