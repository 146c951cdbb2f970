/** Bytes that are compared and written at a time; all memories of WebAssembly are a multiple of them. */
const PIECE_BYTES = 32 * 1024;
const ZEROS = Buffer.alloc(PIECE_BYTES);

/** A part of a memory that is not all zeros. */
export interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** The content of a memory at one time. */
export interface MemoryImage {
  /** Makes a new memory, which is all zeros, equal to the image. It has to be as large. */
  write(memory: WebAssembly.Memory): void;
  /**
   * Makes a memory equal to the image, byte by byte.
   *
   * @returns whether it is: a memory of another size is left as it is
   */
  restore(memory: WebAssembly.Memory): boolean;
}

/** Copies what is not zero of a memory. */
export const captureMemory = (memory: WebAssembly.Memory): Piece[] => {
  const source = Buffer.from(memory.buffer);
  const pieces: Piece[] = [];
  for (let at = 0; at < source.length; at += PIECE_BYTES) {
    const bytes = source.subarray(at, at + PIECE_BYTES);
    if (!bytes.equals(ZEROS)) pieces.push({ at, bytes: Uint8Array.from(bytes) });
  }
  return pieces;
};

/** @param size - of the memory that was captured, in bytes */
export const createMemoryImage = (pieces: readonly Piece[], size: number): MemoryImage => {
  const kept = new Map(pieces.map(({ at, bytes }) => [at, bytes]));
  return {
    write: ({ buffer }) => {
      const target = new Uint8Array(buffer);
      for (const [at, bytes] of kept) target.set(bytes, at);
    },
    restore: ({ buffer }) => {
      if (buffer.byteLength !== size) return false;
      const target = Buffer.from(buffer);
      for (let at = 0; at < size; at += PIECE_BYTES) {
        const end = at + PIECE_BYTES;
        const bytes = kept.get(at);
        if (bytes !== undefined) target.set(bytes, at);
        // Comparing is faster than writing, and leaves memory that no run has touched unallocated.
        else if (target.compare(ZEROS, 0, PIECE_BYTES, at, end) !== 0) target.fill(0, at, end);
      }
      return true;
    },
  };
};
