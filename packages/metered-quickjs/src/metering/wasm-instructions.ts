import { type Cursor, readByte, readUnsigned, skipInteger } from './wasm-format.ts';

// Instructions by their opcodes: https://webassembly.github.io/spec/core/binary/instructions.html

export const op = {
  unreachable: 0x00,
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  call: 0x10,
  localGet: 0x20,
  globalGet: 0x23,
  globalSet: 0x24,
  i32Const: 0x41,
  i32LessThan: 0x48,
  i32Subtract: 0x6b,
  i32ShiftRight: 0x76,
  /** The prefix of the opcodes of bulk memory operations and saturating conversions. */
  prefix: 0xfc,
} as const;

export const prefixed = { memoryCopy: 10, memoryFill: 11 } as const;

/** The block type without parameters or results, and the type of 32-bit integers. */
export const EMPTY_BLOCK = 0x40;
export const I32 = 0x7f;

/** Marks an instruction that is unknown, or whose length depends on more than its opcode. */
const OTHER = 0xff;

/** Number of LEB128 integers that follow each opcode: a label, an index, a constant, or alignment and offset. */
const INTEGERS = new Uint8Array(0x100)
  .fill(OTHER)
  .fill(0, 0x45, 0xc5) // computes
  .fill(2, 0x28, 0x3f) // loads and stores
  .fill(1, 0x20, 0x26); // variables, and reads of tables
for (const opcode of [
  0x00, // unreachable
  0x01, // nop
  0x05, // else
  0x0b, // end
  0x0f, // return
  0x1a, // drop
  0x1b, // select
  0xd1, // ref.is_null
])
  INTEGERS[opcode] = 0;
for (const opcode of [
  0x02, // block
  0x03, // loop
  0x04, // if
  0x0c, // br
  0x0d, // br_if
  0x10, // call
  0x3f, // memory.size
  0x41, // i32.const
  0x42, // i64.const
  0xd0, // ref.null
  0xd2, // ref.func
])
  INTEGERS[opcode] = 1;
INTEGERS[0x11] = 2; // call_indirect

/**
 * Finds the end of an instruction. Instructions that change a table, a segment or the memory size are rejected: a
 * module without them has no state besides its memory and globals.
 *
 * @param at - the offset of its opcode
 * @returns the offset of the next instruction
 * @throws RangeError for an unknown instruction, such as one of an extension that C compilers do not use by default
 */
export const skipInstruction = (bytes: Uint8Array, at: number): number => {
  let integers = INTEGERS[bytes[at] ?? OTHER] ?? OTHER;
  if (integers === OTHER) return skipOther({ bytes, at });
  let next = at + 1;
  for (; integers > 0; integers--) {
    while ((bytes[next] ?? 0) >= 0x80) next++;
    next++;
  }
  return next;
};

const skipOther = (cursor: Cursor): number => {
  const opcode = readByte(cursor);
  if (opcode === 0x0e)
    skipIntegers(cursor, readUnsigned(cursor) + 1); // br_table
  else if (opcode === 0x1c)
    skipIntegers(cursor, readUnsigned(cursor)); // select with types
  else if (opcode === 0x43)
    cursor.at += 4; // f32.const
  else if (opcode === 0x44)
    cursor.at += 8; // f64.const
  else if (opcode === op.prefix) skipIntegers(cursor, integersOfPrefixed(readUnsigned(cursor)));
  else throw unknownInstruction(opcode);
  return cursor.at;
};

/** Number of integers that follow the second opcode of a prefixed instruction; 0 to 7 are conversions. */
const integersOfPrefixed = (second: number): number => {
  if (second <= 7) return 0;
  if (second === prefixed.memoryCopy) return 2;
  if (second === prefixed.memoryFill) return 1;
  throw unknownInstruction(op.prefix, second);
};

const skipIntegers = (cursor: Cursor, count: number): void => {
  for (let rest = count; rest > 0; rest--) skipInteger(cursor);
};

const unknownInstruction = (...opcodes: readonly number[]): RangeError =>
  new RangeError(`unknown instruction ${opcodes.map((opcode) => `0x${opcode.toString(16)}`).join(' ')}`);
