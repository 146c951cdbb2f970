import { readFile } from 'node:fs/promises';
import loadModule from '@jitl/quickjs-wasmfile-release-sync/emscripten-module';
import { meterWasm } from './metering/meter-wasm.ts';
import { setLeastMemory } from './metering/set-least-memory.ts';

// The names of one build, which belong to the exact version in package.json: a test compares them with its loader.
// What the functions do: https://github.com/justjake/quickjs-emscripten/blob/main/c/interface.c

/** The functions in use, by the name of each in C without `QTS_`. */
export const EXPORTS = {
  initialize: 'u',
  malloc: 'v',
  free: 'M',
  NewRuntime: 'K',
  RuntimeSetMaxStackSize: 'D',
  NewContext: 'N',
  GetUndefined: 'E',
  NewString: '_',
  GetString: '$',
  FreeCString: 'S',
  NewFunction: 'Da',
  GetProp: 'ha',
  Eval: 'pa',
  Call: 'ma',
  ResolveException: 'na',
  IsJobPending: 'fa',
  ExecutePendingJob: 'ga',
  PromiseState: 'wa',
  PromiseResult: 'xa',
} as const;

/** What it calls outside. */
export const IMPORTS = {
  memory: 'a',
  currentTime: 'p',
  localTime: 'm',
  timeZone: 'n',
  growMemory: 'k',
  environmentSizes: 'f',
  environment: 'e',
  callHost: 's',
  freeHost: 't',
} as const;

/** Memory with which an instance begins: 5 MB of it are the stack, of which little is in use. */
export const LEAST_MEMORY_MB = 8;

export const PAGES_PER_MB = 16;

/** Reads QuickJS, and compiles it with counted steps. */
export const compileQuickJs = async (): Promise<WebAssembly.Module> => {
  const wasm = await readFile(await locateWasm());
  return new WebAssembly.Module(meterWasm(setLeastMemory(wasm, LEAST_MEMORY_MB * PAGES_PER_MB)));
};

/** Finds the file beside its loader, which is in node_modules or in a bundle, and passes its place to a hook. */
const locateWasm = async (): Promise<string> => {
  let located: string | undefined;
  const locateFile = (name: string, folder: string): never => {
    located = folder + name;
    throw new Error('located'); // ends the loader before it reads the file
  };
  const load = loadModule as object as (options: object) => Promise<never>;
  await load({ locateFile }).catch((error: unknown) => {
    if (located === undefined) throw error;
  });
  if (located === undefined) throw new Error('the loader of QuickJS asks for no file');
  return located;
};
