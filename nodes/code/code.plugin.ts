import {
  createRandom,
  defineAction,
  definePlugin,
  type JsonObject,
  type NodeContext,
  Type,
} from '@hookloom/plugin-kit';

/** The names that code reads, in the order of the function's parameters. */
const NAMES = ['$input', '$inputs', '$values', '$execution'] as const;

/** Lines that one run may print. */
const MAX_LINES = 100;

/**
 * Runs JavaScript in an interpreter without network, files, environment and objects of this process. A run depends on
 * its parameters and its input alone: the clock shows the start of the execution, random numbers are drawn by the
 * node's seed, and the limits count steps and bytes instead of time.
 */
export const code = defineAction({
  id: 'code',
  name: 'Code',
  example: {
    parameters: { code: 'return { total: $input.prices.reduce((sum, price) => sum + price, 0) };' },
    input: { prices: [20, 3] },
    output: { total: 23 },
  },
  description: 'Runs JavaScript on its input, in a sandbox',
  pure: true,
  literalParameters: ['code'],
  parameters: Type.Object({
    code: Type.String({
      minLength: 1,
      format: 'javascript',
      maxLength: 100_000,
      description:
        'JavaScript: the body of an async function that returns an object. It reads $input, $inputs, $values and $execution. Braces in it are its own, not those of expressions',
    }),
    values: Type.Object(
      {},
      {
        default: {},
        description: 'What the code reads as $values: with expressions, the data of other nodes',
      },
    ),
    memoryMb: Type.Integer({
      minimum: 24,
      maximum: 256,
      default: 32,
      description: 'Memory in MB, of which the interpreter takes 8',
    }),
    maxSteps: Type.Integer({
      minimum: 1_000,
      maximum: 2_000_000_000,
      default: 300_000_000,
      description: 'Steps that the code may take. A round of a short loop takes about 30',
    }),
  }),
  checkParameters: async (parameters) => {
    const { findSyntaxError } = await import('@hookloom/metered-quickjs');
    const message = await findSyntaxError(String(parameters.code), NAMES);
    return message === null ? [] : [{ path: '/code', message }];
  },
  execute: async ({ parameters, input, context }) => {
    const { code: text, values, memoryMb, maxSteps } = parameters;
    const { runCode } = await import('@hookloom/metered-quickjs');
    return runCode(toValues(input, values, context), {
      code: text,
      memoryMb,
      maxSteps,
      now: context.services.clock.now(),
      seed: createRandom(context.services.ids.next())(),
      print: createPrint(context),
    });
  },
});

/** The values of {@link NAMES}; `$execution` is the same as in expressions. */
const toValues = (input: JsonObject, values: JsonObject, { inputs, execution }: NodeContext): JsonObject => {
  const { executionId: id, trigger, ...others } = execution;
  return {
    $input: input,
    $inputs: inputs.map((delivered) => ({ ...delivered })),
    $values: values,
    $execution: { id, ...others, trigger: { ...trigger } },
  } satisfies Record<(typeof NAMES)[number], unknown>;
};

const createPrint = ({ logger }: NodeContext): ((line: string) => void) => {
  let lines = 0;
  return (line) => {
    lines++;
    if (lines <= MAX_LINES) logger.info('printed by code', { line });
    else if (lines === MAX_LINES + 1)
      logger.warn(`code prints more than ${MAX_LINES} lines, which are left out`);
  };
};

/** Nodes that run code of a workflow. */
const provider = definePlugin({
  id: 'code',
  name: 'Code',
  version: '1.0.0',
  description: 'Runs JavaScript of a workflow in a sandbox',
  category: 'code',
  handles: [code],
});

export default provider;
