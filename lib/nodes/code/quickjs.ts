import { readFile } from 'node:fs/promises';
import build from '@jitl/quickjs-wasmfile-release-sync';
import {
  type EmscriptenModuleLoader,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import { meterWasm, STEPS_LEFT } from './metering/meter-wasm.ts';

/** An interpreter with a memory of its own, for one run: nothing in it is disposed of, it is garbage as a whole. */
export interface Interpreter {
  readonly context: QuickJSContext;
  /**
   * Sets the number of steps that it may take from now on.
   *
   * @param steps - below 2³¹; when they are used up, the call under way throws a WebAssembly.RuntimeError
   */
  limitSteps(steps: number): void;
  /** Memory in use; it never shrinks. */
  usedMb(): number;
}

interface InterpreterOptions {
  /** For the interpreter and all its data; {@link LEAST_MEMORY_MB} or more. */
  readonly memoryMb: number;
  /** The time in it, which stands still: milliseconds since the epoch, UTC. */
  readonly now: number;
  /** What its `Math.random()` is determined by, from 0 to 1. */
  readonly seed: number;
}

export type CreateInterpreter = (options: InterpreterOptions) => Promise<Interpreter>;

/** The memory with which an instance begins. */
const LEAST_MEMORY_MB = 16;

const BYTES_PER_MB = 2 ** 20;
const PAGES_PER_MB = 16;

/**
 * Limit of the interpreter's stack, for about 350 calls within each other. The calls are on the stack of the process,
 * too, where they would find their end later, but not always at the same depth.
 */
const STACK_BYTES = 64 * 1024;

/** Range of the seed. The interpreter takes the milliseconds of its clock for it. */
const SEEDS = 2 ** 40;

/** Names of functions that this build imports: the reason for an exact version in package.json. */
const imported = { currentTime: 'p', localTime: 'm', timeZone: 'n' } as const;

/** Size of a `struct tm` of C, in which zeros are the difference to UTC. */
const LOCAL_TIME_BYTES = 44;

/** The types of the package are those of its CommonJS module. */
const variant = build as object as QuickJSSyncVariant;

/** Loads QuickJS and compiles it, once for all its instances. */
export const loadQuickJs = async (): Promise<CreateInterpreter> => {
  const compiled = await WebAssembly.compile(meterWasm(await readFile(await locateWasm())));

  return async ({ memoryMb, now, seed }) => {
    let time = Math.floor(seed * SEEDS);
    let stepsLeft: WebAssembly.Global | undefined;
    const wasmMemory = new WebAssembly.Memory({
      initial: LEAST_MEMORY_MB * PAGES_PER_MB,
      maximum: memoryMb * PAGES_PER_MB,
    });
    const clock = {
      [imported.currentTime]: () => time,
      [imported.localTime]: (_time: bigint, address: number) => {
        new Uint8Array(wasmMemory.buffer, address, LOCAL_TIME_BYTES).fill(0);
      },
      [imported.timeZone]: () => {},
    };
    const instantiateWasm = (
      { a: imports }: WebAssembly.Imports,
      onCreated: (instance: WebAssembly.Instance) => void,
    ): WebAssembly.Exports => {
      const instance = new WebAssembly.Instance(compiled, { a: { ...imports, ...clock } });
      stepsLeft = instance.exports[STEPS_LEFT] as WebAssembly.Global;
      onCreated(instance);
      return instance.exports;
    };
    const quickJs = await newQuickJSWASMModuleFromVariant(
      newVariant(variant, { emscriptenModule: { wasmMemory, instantiateWasm }, log: () => {} }),
    );
    const context = quickJs.newRuntime({ maxStackSizeBytes: STACK_BYTES }).newContext();
    time = now;
    return {
      context,
      limitSteps: (steps) => {
        if (stepsLeft !== undefined) stepsLeft.value = steps;
      },
      usedMb: () => wasmMemory.buffer.byteLength / BYTES_PER_MB,
    };
  };
};

/** Finds the file of the module beside its loader, which is in node_modules or in a bundle, and passes it to a hook. */
const locateWasm = async (): Promise<string> => {
  const located = Promise.withResolvers<string>();
  const locateFile = (name: string, folder: string): never => {
    located.resolve(folder + name);
    throw new Error('located'); // stops the loader before it reads the file
  };
  const load = (await variant.importModuleLoader()) as EmscriptenModuleLoader<never>;
  load({ locateFile }).catch(located.reject); // without effect once it is located
  return located.promise;
};
