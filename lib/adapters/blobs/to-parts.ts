/**
 * Cuts content into parts of one size. The last one may be smaller, and is empty for empty content. At most two parts
 * are in memory: the pieces of one, and the part made by joining them.
 */
export const toParts = async function* (
  content: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let count = 0;
  const join = (): Uint8Array => {
    const part = Buffer.concat(pieces, size);
    pieces = [];
    size = 0;
    count += 1;
    return part;
  };
  for await (const chunk of content) {
    for (let rest = chunk; rest.byteLength > 0; ) {
      const piece = rest.subarray(0, partBytes - size);
      pieces.push(piece);
      size += piece.byteLength;
      rest = rest.subarray(piece.byteLength);
      if (size === partBytes) yield join();
    }
  }
  if (size > 0 || count === 0) yield join();
};
