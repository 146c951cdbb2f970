import { concatenate, encodeModule, encodeUnsigned, readSections } from './wasm-format.ts';
import { IMPORT_SECTION, readImports } from './wasm-imports.ts';

/**
 * Changes the size of the memory with which an instance of a module has to begin.
 *
 * @param wasm - a module that imports its memory
 * @param pages - of 64 kB; enough for the data and the stack of the module
 */
export const setLeastMemory = (wasm: Uint8Array, pages: number): Uint8Array<ArrayBuffer> =>
  encodeModule(
    wasm,
    readSections(wasm).map(({ id, body }) => {
      if (id !== IMPORT_SECTION) return { id, body };
      const { leastMemory } = readImports(body);
      const [start, end] = leastMemory;
      return {
        id,
        body: concatenate([body.subarray(0, start), encodeUnsigned(pages), body.subarray(end)]),
      };
    }),
  );
