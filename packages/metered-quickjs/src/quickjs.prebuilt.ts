import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { captureMemory } from './memory-image.ts';
import { meterWasm } from './metering/meter-wasm.ts';
import { setLeastMemory } from './metering/wasm-imports.ts';
import { prepareInterpreter } from './prepare-interpreter.ts';
import { packQuickJs } from './prepared-quickjs.ts';
import { LEAST_MEMORY_MB, PAGES_PER_MB } from './quickjs-build.ts';
import { createInstance } from './quickjs-instance.ts';

const { resolve } = createRequire(import.meta.url);
const wasm = meterWasm(
  setLeastMemory(
    await readFile(resolve('@jitl/quickjs-wasmfile-release-sync/wasm')),
    LEAST_MEMORY_MB * PAGES_PER_MB,
  ),
);
const instance = createInstance(new WebAssembly.Module(wasm), LEAST_MEMORY_MB);
const places = prepareInterpreter(instance);

/** The packed interpreter. In a bundle, it is computed at build time by resources/chunks.ts. */
export default packQuickJs({ wasm, places, pieces: captureMemory(instance.memory) });
