import type { Piece } from './memory-image.ts';
import type { Places } from './prepare-interpreter.ts';

/** QuickJS with counted steps, and the memory image of an instance that is ready for runs. */
export interface PreparedQuickJs {
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly places: Places;
  readonly pieces: readonly Piece[];
}

/** The header, which precedes the bytes and says where they belong. */
interface Header {
  readonly places: Places;
  readonly wasmBytes: number;
  readonly pieces: readonly { readonly at: number; readonly bytes: number }[];
}

const LENGTH_BYTES = 4;

/** Packs everything into one file: the length of the header, the header as JSON, then the bytes. */
export const packQuickJs = ({ wasm, places, pieces }: PreparedQuickJs): Uint8Array<ArrayBuffer> => {
  const header: Header = {
    places,
    wasmBytes: wasm.length,
    pieces: pieces.map(({ at, bytes }) => ({ at, bytes: bytes.length })),
  };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, wasm, ...pieces.map(({ bytes }) => bytes)]);
};

export const unpackQuickJs = (packed: Uint8Array<ArrayBuffer>): PreparedQuickJs => {
  const file = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
  let at = LENGTH_BYTES;
  const take = (bytes: number): Buffer<ArrayBuffer> => {
    const start = at;
    at += bytes;
    return file.subarray(start, at);
  };
  const { places, wasmBytes, pieces }: Header = JSON.parse(take(file.readUInt32LE()).toString());
  return {
    places,
    wasm: take(wasmBytes),
    pieces: pieces.map((piece) => ({ at: piece.at, bytes: take(piece.bytes) })),
  };
};
