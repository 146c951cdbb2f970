import {
  type Cursor,
  concatenate,
  encodeModule,
  encodeUnsigned,
  readSections,
  readUnsigned,
  skipInteger,
} from './wasm-format.ts';

export const IMPORT_SECTION = 2;

interface Imports {
  /** Number of imported functions. Their indexes come before those of the module's own functions. */
  readonly functionCount: number;
  /** Start and end offsets of the memory's minimum size in the section. */
  readonly leastMemory: readonly [start: number, end: number];
}

/**
 * Reads the import section.
 *
 * @throws RangeError for an import that is neither a function nor a memory
 */
export const readImports = (section: Uint8Array): Imports => {
  const cursor: Cursor = { bytes: section, at: 0 };
  let functionCount = 0;
  let leastMemory: readonly [number, number] = [0, 0];
  for (let rest = readUnsigned(cursor); rest > 0; rest--) {
    skipText(cursor);
    skipText(cursor);
    const kind = readUnsigned(cursor);
    if (kind === 0) {
      skipInteger(cursor);
      functionCount++;
    } else if (kind === 2) {
      const hasMaximum = readUnsigned(cursor) === 1;
      const start = cursor.at;
      skipInteger(cursor);
      leastMemory = [start, cursor.at];
      if (hasMaximum) skipInteger(cursor);
    } else throw new RangeError(`unknown kind of import: ${kind}`);
  }
  return { functionCount, leastMemory };
};

const skipText = (cursor: Cursor): void => {
  const length = readUnsigned(cursor);
  cursor.at += length;
};

/**
 * Changes the minimum size of a module's imported memory.
 *
 * @param wasm - a module that imports its memory
 * @param pages - the size in pages of 64 kB; it must hold the data and the stack of the module
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
