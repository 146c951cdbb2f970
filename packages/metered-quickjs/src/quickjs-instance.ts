import { STEPS_LEFT } from './metering/meter-wasm.ts';
import { EXPORTS, IMPORTS, LEAST_MEMORY_MB, PAGES_PER_MB } from './quickjs-build.ts';

/** An address in the memory of an instance; 0 means none. JavaScript values are identified by their address. */
export type Pointer = number;

type Functions = Readonly<Record<keyof typeof EXPORTS, (...values: readonly number[]) => number>>;

/** What the imports of an instance return and call. */
interface Host {
  /** The time that it reads, which does not advance: milliseconds since the epoch, UTC. */
  now: number;
  /** Receives the argument of each call to a host function. */
  call: (argument: Pointer) => void;
}

/** A QuickJS instance with its own memory. */
export interface QuickJsInstance {
  readonly functions: Functions;
  readonly memory: WebAssembly.Memory;
  readonly memoryMb: number;
  /** The steps that it may still take. Below 0, a WebAssembly.RuntimeError has ended it. */
  readonly stepsLeft: WebAssembly.Global;
  readonly host: Host;
}

const PAGE_BYTES = 64 * 1024;

/** Size of a C `struct tm`. All zeros there mean no offset from UTC. */
const LOCAL_TIME_BYTES = 44;

/**
 * Creates an instance. The imports given here are all that it can reach outside; any other import ends it.
 *
 * @param memoryMb - its maximum memory; {@link LEAST_MEMORY_MB} or more
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

/** The imports for files, processes, timers and modules of the host. QuickJS can be built with them but needs none. */
const refuseAll = (compiled: WebAssembly.Module): Record<string, () => never> =>
  Object.fromEntries(
    WebAssembly.Module.imports(compiled).map(({ name }) => [
      name,
      () => {
        throw new WebAssembly.RuntimeError(`its import ${name} is not available`);
      },
    ]),
  );

/**
 * Grows a memory to at least a size, by a fifth or more where possible. @returns 1 for success, 0 if the size is above
 * the maximum
 */
const growMemory = (memory: WebAssembly.Memory, bytes: number, most: number): number => {
  const pages = memory.buffer.byteLength / PAGE_BYTES;
  const needed = Math.ceil(bytes / PAGE_BYTES) - pages;
  if (pages + needed > most) return 0;
  memory.grow(Math.min(Math.max(needed, Math.ceil(pages / 5)), most - pages));
  return 1;
};
