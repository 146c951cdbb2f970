import { STEPS_LEFT } from './metering/meter-wasm.ts';
import { EXPORTS, IMPORTS, LEAST_MEMORY_MB, PAGES_PER_MB } from './quickjs-build.ts';

/** An address in the memory of an instance; 0 is none. A value of JavaScript is known by its address alone. */
export type Pointer = number;

type Functions = Readonly<Record<keyof typeof EXPORTS, (...values: readonly number[]) => number>>;

/** What the imports of an instance answer and call. */
interface Host {
  /** The time that it reads, which stands still: milliseconds since the epoch, UTC. */
  now: number;
  /** Gets the argument of each call of a function that the host has lent. */
  call: (argument: Pointer) => void;
}

/** QuickJS with a memory of its own. */
export interface QuickJsInstance {
  readonly functions: Functions;
  readonly memory: WebAssembly.Memory;
  readonly memoryMb: number;
  /** The steps that it may take from now on; below 0 it has been ended by a WebAssembly.RuntimeError. */
  readonly stepsLeft: WebAssembly.Global;
  readonly host: Host;
}

const PAGE_BYTES = 64 * 1024;

/** Size of a `struct tm` of C, in which zeros are the difference to UTC. */
const LOCAL_TIME_BYTES = 44;

/**
 * Creates an instance. All that it reaches outside are the imports here: any other ends it.
 *
 * @param memoryMb - that it may have at most; {@link LEAST_MEMORY_MB} or more
 */
export const createInstance = (compiled: WebAssembly.Module, memoryMb: number): QuickJsInstance => {
  const most = memoryMb * PAGES_PER_MB;
  const memory = new WebAssembly.Memory({ initial: LEAST_MEMORY_MB * PAGES_PER_MB, maximum: most });
  const host: Host = { now: 0, call: () => {} };
  const succeed = (): number => 0;
  const imports: Readonly<Record<keyof typeof IMPORTS, unknown>> = {
    memory,
    currentTime: () => host.now,
    localTime: (_time: bigint, address: Pointer) => {
      new Uint8Array(memory.buffer, address, LOCAL_TIME_BYTES).fill(0);
    },
    timeZone: succeed,
    growMemory: (bytes: number) => growMemory(memory, bytes >>> 0, most),
    environmentSizes: (count: Pointer, size: Pointer) => {
      const view = new DataView(memory.buffer);
      view.setUint32(count, 0, true);
      view.setUint32(size, 0, true);
      return 0;
    },
    environment: succeed,
    callHost: (_context: Pointer, _this: Pointer, _count: number, argument: Pointer) => {
      host.call(argument);
      return 0; // undefined
    },
    freeHost: succeed,
  };
  const { exports } = new WebAssembly.Instance(compiled, {
    a: {
      ...refuseAll(compiled),
      ...Object.fromEntries(Object.entries(IMPORTS).map(([name, short]) => [short, imports[name as never]])),
    },
  });
  return {
    functions: Object.fromEntries(
      Object.entries(EXPORTS).map(([name, short]) => [name, exports[short]]),
    ) as Functions,
    memory,
    memoryMb,
    stepsLeft: exports[STEPS_LEFT] as WebAssembly.Global,
    host,
  };
};

/** Files, processes, timers and modules of the host: QuickJS can be built with them, and needs none. */
const refuseAll = (compiled: WebAssembly.Module): Record<string, () => never> =>
  Object.fromEntries(
    WebAssembly.Module.imports(compiled).map(({ name }) => [
      name,
      () => {
        throw new WebAssembly.RuntimeError(`its import ${name} is not given`);
      },
    ]),
  );

/** Grows a memory to a size, by a fifth or more where it may. @returns 1 for success, 0 when that is above its maximum */
const growMemory = (memory: WebAssembly.Memory, bytes: number, most: number): number => {
  const pages = memory.buffer.byteLength / PAGE_BYTES;
  const needed = Math.ceil(bytes / PAGE_BYTES) - pages;
  if (pages + needed > most) return 0;
  memory.grow(Math.min(Math.max(needed, Math.ceil(pages / 5)), most - pages));
  return 1;
};
