/** Bytes that are compared and written at a time. */
const PIECE = 32 * 1024;
const ZEROS = Buffer.alloc(PIECE);

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

/**
 * Copies what is not zero of a memory.
 *
 * @param memory - a multiple of {@link PIECE}, as all memories of WebAssembly
 */
export const captureMemory = (memory: WebAssembly.Memory): MemoryImage => {
  const source = Buffer.from(memory.buffer);
  const pieces: (Buffer | null)[] = [];
  for (let at = 0; at < source.length; at += PIECE) {
    const piece = source.subarray(at, at + PIECE);
    pieces.push(piece.equals(ZEROS) ? null : Buffer.from(piece));
  }
  return {
    write: ({ buffer }) => {
      const target = Buffer.from(buffer);
      for (const [index, piece] of pieces.entries()) if (piece !== null) target.set(piece, index * PIECE);
    },
    restore: ({ buffer }) => {
      if (buffer.byteLength !== source.length) return false;
      const target = Buffer.from(buffer);
      for (const [index, piece] of pieces.entries()) {
        const at = index * PIECE;
        if (piece !== null) target.set(piece, at);
        // Comparing is faster than writing, and leaves memory that no run has touched unallocated.
        else if (target.compare(ZEROS, 0, PIECE, at, at + PIECE) !== 0) target.fill(0, at, at + PIECE);
      }
      return true;
    },
  };
};
