import { createValues } from './interpreter-values.ts';
import type { Pointer, QuickJsInstance } from './quickjs-instance.ts';
import { SANDBOX_PROGRAM } from './sandbox-program.ts';

/** The functions of {@link SANDBOX_PROGRAM}. */
const TOOLS = ['compile', 'run', 'toJson', 'explain'] as const;
export type Tool = (typeof TOOLS)[number];

/** Addresses in the memory of every instance that begins with the same image. */
export type Places = Readonly<ReturnType<typeof prepareInterpreter>>;

/**
 * Limit of the interpreter's stack, enough for about 350 nested calls. The calls also use the stack of the process,
 * which would overflow later, and not always at the same depth.
 */
const STACK_BYTES = 64 * 1024;

/** A distinctive time, which serves to find the random state in the memory. */
const MARK_MS = 0x1234_5678_9a;

/** The state of `Math.random()` that the interpreter derives from a time, in microseconds. */
export const toRandomState = (milliseconds: number): bigint => BigInt(milliseconds) * 1_000n || 1n;

/** Number of bytes of a context that are searched for its random state. */
const CONTEXT_BYTES = 1_024;

/** Starts QuickJS in a new instance and runs the sandbox program in it. */
export const prepareInterpreter = (instance: QuickJsInstance) => {
  const { functions, host, memory } = instance;
  functions.initialize();
  host.now = MARK_MS;
  const runtime = functions.NewRuntime();
  functions.RuntimeSetMaxStackSize(runtime, STACK_BYTES);
  const context = functions.NewContext(runtime, 0);
  const nothing = functions.GetUndefined();
  const values = createValues(instance, context);

  const print = functions.NewFunction(context, values.toCText('print'), 1, 0, 0);
  const source = values.toCText(SANDBOX_PROGRAM);
  const bytes = Buffer.byteLength(SANDBOX_PROGRAM);
  const program = functions.Eval(context, source, bytes, values.toCText('sandbox'), 0, 0);
  const { value: tools, isThrown } = values.call(program, nothing, [print]);
  if (isThrown) throw new Error('the sandbox program failed');
  const find = (tool: Tool) => functions.GetProp(context, tools, values.toText(tool));

  const mark = Buffer.alloc(8);
  mark.writeBigUInt64LE(toRandomState(MARK_MS));
  const offset = Buffer.from(memory.buffer, context, CONTEXT_BYTES).indexOf(mark);
  if (offset < 0) throw new Error('the random state of the interpreter was not found');
  return {
    runtime,
    context,
    undefined: nothing,
    tools: Object.fromEntries(TOOLS.map((tool) => [tool, find(tool)])) as Record<Tool, Pointer>,
    /** The state of `Math.random()`: 64 bits, not all of them 0. */
    random: context + offset,
    /** The interpreter writes the context of a job here. */
    jobContext: functions.malloc(4),
  };
};
