/** How many bytes are compared and written at a time. The size of every WebAssembly memory is a multiple of this. */
const PIECE_BYTES = 32 * 1024;
const ZEROS = Buffer.alloc(PIECE_BYTES);

/** A piece of a memory that is not all zeros. */
export interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Copies the pieces of a memory that are not all zeros. */
export const captureMemory = (memory: WebAssembly.Memory): Piece[] => {
  const source = Buffer.from(memory.buffer);
  const pieces: Piece[] = [];
  for (let at = 0; at < source.length; at += PIECE_BYTES) {
    const bytes = source.subarray(at, at + PIECE_BYTES);
    if (!bytes.equals(ZEROS)) pieces.push({ at, bytes: Uint8Array.from(bytes) });
  }
  return pieces;
};

/** The content of a memory at one moment. */
export type MemoryImage = ReturnType<typeof createMemoryImage>;

/** @param size - the size of the captured memory, in bytes */
export const createMemoryImage = (pieces: readonly Piece[], size: number) => {
  const kept = new Map(pieces.map(({ at, bytes }) => [at, bytes]));
  return {
    /** Writes the image to a new memory, which is all zeros and must have the size of the image. */
    write: ({ buffer }: WebAssembly.Memory): void => {
      const target = new Uint8Array(buffer);
      for (const [at, bytes] of kept) target.set(bytes, at);
    },
    /**
     * Makes a used memory equal to the image, byte by byte.
     *
     * @returns false for a memory of a different size, which is left unchanged
     */
    restore: ({ buffer }: WebAssembly.Memory): boolean => {
      if (buffer.byteLength !== size) return false;
      const target = Buffer.from(buffer);
      for (let at = 0; at < size; at += PIECE_BYTES) {
        const end = at + PIECE_BYTES;
        const bytes = kept.get(at);
        if (bytes !== undefined) target.set(bytes, at);
        // Comparing is faster than writing, and keeps memory that no run has touched unallocated.
        else if (target.compare(ZEROS, 0, PIECE_BYTES, at, end) !== 0) target.fill(0, at, end);
      }
      return true;
    },
  };
};
