// The binary format of WebAssembly: https://webassembly.github.io/spec/core/binary/

/** Length of the magic number and the version, which precede the first section. */
const PREAMBLE = 8;

/** A position in a module that advances with each read. */
export interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

interface Section {
  readonly id: number;
  readonly body: Uint8Array;
}

export const readByte = (cursor: Cursor): number => {
  const byte = cursor.bytes[cursor.at++];
  if (byte === undefined) throw new RangeError('the module ends too early');
  return byte;
};

/** Reads an unsigned LEB128 integer. */
export const readUnsigned = (cursor: Cursor): number => {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = readByte(cursor);
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return value;
  }
};

/** Skips a LEB128 integer, signed or unsigned. */
export const skipInteger = (cursor: Cursor): void => {
  while (readByte(cursor) >= 0x80);
};

/** Encodes an unsigned integer as LEB128. */
export const encodeUnsigned = (value: number): number[] => {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 0x80)) {
    if (rest < 0x80) return [...bytes, rest];
    bytes.push((rest % 0x80) + 0x80);
  }
};

export const readSections = (wasm: Uint8Array): Section[] => {
  const cursor: Cursor = { bytes: wasm, at: PREAMBLE };
  const sections: Section[] = [];
  while (cursor.at < wasm.length) {
    const id = readByte(cursor);
    const size = readUnsigned(cursor);
    sections.push({ id, body: wasm.subarray(cursor.at, cursor.at + size) });
    cursor.at += size;
  }
  return sections;
};

/** Encodes a module from sections, with the preamble of an existing module. */
export const encodeModule = (wasm: Uint8Array, sections: readonly Section[]): Uint8Array<ArrayBuffer> =>
  concatenate([
    wasm.subarray(0, PREAMBLE),
    ...sections.flatMap(({ id, body }) => [[id, ...encodeUnsigned(body.length)], body]),
  ]);

/** Appends entries to the body of a section that is a vector. */
export const appendEntries = (body: Uint8Array, entries: readonly (readonly number[])[]): Uint8Array => {
  const cursor: Cursor = { bytes: body, at: 0 };
  const count = readUnsigned(cursor);
  return concatenate([encodeUnsigned(count + entries.length), body.subarray(cursor.at), ...entries]);
};

export const concatenate = (parts: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};
