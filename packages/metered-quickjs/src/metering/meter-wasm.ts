import {
  appendEntries,
  type Cursor,
  concatenate,
  encodeModule,
  encodeUnsigned,
  readSections,
  readUnsigned,
  skipInteger,
} from './wasm-format.ts';
import { IMPORT_SECTION, readImports } from './wasm-imports.ts';
import { EMPTY_BLOCK, I32, op, prefixed, skipInstruction } from './wasm-instructions.ts';

/** The exported global with the number of steps left, a mutable `i32`. */
export const STEPS_LEFT = 'stepsLeft';

/** The maximum number of steps, which a new instance begins with. */
const MOST_STEPS = 2 ** 31 - 1;

const ids = { types: 1, functions: 3, globals: 6, exports: 7, code: 10 } as const;

/**
 * Rewrites a WebAssembly module so that it counts its steps and traps when none are left. A step is a function call, a
 * loop iteration, or 64 bytes of a bulk copy; the work between two steps is bounded. This bounds everything in an
 * interpreter, including its native regular expressions, sorting and large numbers, and the count depends only on its
 * memory and imports.
 *
 * @param wasm - a WebAssembly 2.0 module without SIMD, with one memory and no imported globals
 * @returns the module with the export {@link STEPS_LEFT}
 * @throws RangeError for any other instruction
 */
export const meterWasm = (wasm: Uint8Array): Uint8Array<ArrayBuffer> => {
  const sections = readSections(wasm);
  const find = (id: number) => sections.find((section) => section.id === id)?.body ?? new Uint8Array(1);
  const count = (id: number): number => readUnsigned({ bytes: find(id), at: 0 });
  const functionCount = readImports(find(IMPORT_SECTION)).functionCount + count(ids.functions);
  const stepsLeft = encodeUnsigned(count(ids.globals));
  const inserted: Inserted = {
    step: Uint8Array.from(takeSteps(stepsLeft, [op.i32Const, 1])),
    callCopy: Uint8Array.of(op.call, ...encodeUnsigned(functionCount)),
    callFill: Uint8Array.of(op.call, ...encodeUnsigned(functionCount + 1)),
  };
  const bulkType = encodeUnsigned(count(ids.types));
  const name = new TextEncoder().encode(STEPS_LEFT);

  const rewrite: Readonly<Record<number, (body: Uint8Array) => Uint8Array>> = {
    [ids.types]: (body) => appendEntries(body, [[0x60, 3, I32, I32, I32, 0]]),
    [ids.functions]: (body) => appendEntries(body, [bulkType, bulkType]),
    [ids.globals]: (body) =>
      appendEntries(body, [[I32, 1, op.i32Const, ...encodeUnsigned(MOST_STEPS), op.end]]),
    [ids.exports]: (body) => appendEntries(body, [[name.length, ...name, 3, ...stepsLeft]]),
    [ids.code]: (body) =>
      appendEntries(meterBodies(body, inserted), [
        bulkFunction(stepsLeft, [op.prefix, prefixed.memoryCopy, 0, 0]),
        bulkFunction(stepsLeft, [op.prefix, prefixed.memoryFill, 0]),
      ]),
  };
  return encodeModule(
    wasm,
    sections.map(({ id, body }) => ({ id, body: rewrite[id]?.(body) ?? body })),
  );
};

/** Instructions that are inserted into the functions of a module. */
type Inserted = Readonly<Record<'step' | 'callCopy' | 'callFill', Uint8Array>>;

const meterBodies = (body: Uint8Array, inserted: Inserted): Uint8Array => {
  const cursor: Cursor = { bytes: body, at: 0 };
  const count = readUnsigned(cursor);
  const parts: ArrayLike<number>[] = [encodeUnsigned(count)];
  for (let rest = count; rest > 0; rest--) {
    const size = readUnsigned(cursor);
    const metered = meterBody(body.subarray(cursor.at, cursor.at + size), inserted);
    cursor.at += size;
    parts.push(encodeUnsigned(metered.length), metered);
  }
  return concatenate(parts);
};

/** Counts a step at the start of a function and of each loop iteration, and replaces bulk instructions. */
const meterBody = (body: Uint8Array, { step, callCopy, callFill }: Inserted): Uint8Array => {
  const cursor: Cursor = { bytes: body, at: 0 };
  for (let groups = readUnsigned(cursor); groups > 0; groups--) {
    skipInteger(cursor); // the number of variables
    skipInteger(cursor); // their type
  }
  const parts = [body.subarray(0, cursor.at), step];
  let copied = cursor.at;
  for (let at = cursor.at, next = at; at < body.length; at = next) {
    next = skipInstruction(body, at);
    const opcode = body[at];
    if (opcode === op.loop) {
      parts.push(body.subarray(copied, next), step);
      copied = next;
    } else if (opcode === op.prefix) {
      const second = body[at + 1];
      if (second !== prefixed.memoryCopy && second !== prefixed.memoryFill) continue;
      parts.push(body.subarray(copied, at), second === prefixed.memoryCopy ? callCopy : callFill);
      copied = next;
    }
  }
  return concatenate([...parts, body.subarray(copied)]);
};

/** A function that takes the operands of a bulk instruction, the last of which is the number of bytes. */
const bulkFunction = (stepsLeft: readonly number[], instruction: readonly number[]): number[] => {
  const steps = [op.localGet, 2, op.i32Const, 6, op.i32ShiftRight]; // 64 bytes each
  const operands = [0, 1, 2].flatMap((index) => [op.localGet, index]);
  const body = [0, ...takeSteps(stepsLeft, steps), ...operands, ...instruction, op.end];
  return [...encodeUnsigned(body.length), ...body];
};

/** Instructions that subtract from the steps left, and trap if too few are left. */
const takeSteps = (stepsLeft: readonly number[], steps: readonly number[]): number[] => [
  // stepsLeft = stepsLeft - steps
  op.globalGet,
  ...stepsLeft,
  ...steps,
  op.i32Subtract,
  op.globalSet,
  ...stepsLeft,
  // if (stepsLeft < 0) trap
  op.globalGet,
  ...stepsLeft,
  op.i32Const,
  0,
  op.i32LessThan,
  op.if,
  EMPTY_BLOCK,
  op.unreachable,
  op.end,
];
