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
  /** In front of the opcodes of bulk memory operations and saturating conversions. */
  prefix: 0xfc,
} as const;

export const prefixed = { memoryCopy: 10, memoryFill: 11 } as const;

/** The block type without parameters and results, and the type of 32-bit integers. */
export const EMPTY_BLOCK = 0x40;
export const I32 = 0x7f;

/** Integers behind an opcode: a label, an index, a constant, or alignment and offset. */
const integersBehind = (opcode: number): number | null => {
  if (opcode >= 0x45 && opcode <= 0xc4) return 0; // computes
  if (opcode >= 0x28 && opcode <= 0x3e) return 2; // loads and stores
  if (opcode >= 0x20 && opcode <= 0x25) return 1; // variables, and reads of tables
  switch (opcode) {
    case 0x00: // unreachable
    case 0x01: // nop
    case 0x05: // else
    case 0x0b: // end
    case 0x0f: // return
    case 0x1a: // drop
    case 0x1b: // select
    case 0xd1: // ref.is_null
      return 0;
    case 0x02: // block
    case 0x03: // loop
    case 0x04: // if
    case 0x0c: // br
    case 0x0d: // br_if
    case 0x10: // call
    case 0x3f: // memory.size
    case 0x41: // i32.const
    case 0x42: // i64.const
    case 0xd0: // ref.null
    case 0xd2: // ref.func
      return 1;
    case 0x11: // call_indirect
      return 2;
    default:
      return null;
  }
};

/** The integers behind the second opcode of a prefixed instruction: 0 to 7 convert. */
const prefixedIntegers = (second: number): number | null => {
  if (second <= 7) return 0;
  if (second === prefixed.memoryCopy) return 2;
  return second === prefixed.memoryFill ? 1 : null;
};

/**
 * Moves behind an instruction. Those that change a table or a segment, or the size of the memory, are not known: a module
 * without them has no state beside its memory and its globals.
 *
 * @returns its opcode, and the second opcode of a prefixed instruction
 * @throws RangeError for an instruction of an extension that C compilers do not use by default, such as SIMD
 */
export const readInstruction = (cursor: Cursor): { readonly opcode: number; readonly second: number } => {
  const opcode = readByte(cursor);
  if (opcode === op.prefix) {
    const second = readUnsigned(cursor);
    const integers = prefixedIntegers(second);
    if (integers === null) throw unknownInstruction(opcode, second);
    skipIntegers(cursor, integers);
    return { opcode, second };
  }
  if (opcode === 0x0e)
    skipIntegers(cursor, readUnsigned(cursor) + 1); // br_table
  else if (opcode === 0x1c)
    skipIntegers(cursor, readUnsigned(cursor)); // select with types
  else if (opcode === 0x43)
    cursor.at += 4; // f32.const
  else if (opcode === 0x44)
    cursor.at += 8; // f64.const
  else {
    const integers = integersBehind(opcode);
    if (integers === null) throw unknownInstruction(opcode, 0);
    skipIntegers(cursor, integers);
  }
  return { opcode, second: 0 };
};

const skipIntegers = (cursor: Cursor, count: number): void => {
  for (let at = 0; at < count; at++) skipInteger(cursor);
};

const unknownInstruction = (opcode: number, second: number): RangeError =>
  new RangeError(`the instruction 0x${opcode.toString(16)} ${second} is not known`);
