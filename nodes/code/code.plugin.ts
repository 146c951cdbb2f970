import {
  createRandom,
  defineAction,
  definePlugin,
  type JsonObject,
  type NodeContext,
  NodeError,
  Type,
} from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';

/** The names that code can read, in the order of the function's parameters. */
const NAMES = ['$input', '$inputs', '$values', '$execution'] as const;

/** How many lines one run may print. */
const MAX_LINES = 100;

/**
 * Runs JavaScript in an interpreter that has no network, files, environment or objects of this process. A run depends
 * only on its parameters and input: the clock shows the start of the execution, random numbers come from the node's
 * seed, and the limits count steps and bytes instead of time.
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
  literalParameters: ['code', 'output'],
  // Without it, validation reads the type in the code's first comment.
  outputs: { main: Given.ifGiven('output', Given.schemaIn('output'), Type.Object({})) },
  parameters: Type.Object({
    code: Type.String({
      minLength: 1,
      format: 'javascript',
      maxLength: 100_000,
      description:
        'JavaScript: the body of an async function that returns an object. It can read $input, $inputs, $values and $execution. Braces belong to the code, not to expressions',
    }),
    values: Type.Object(
      {},
      {
        default: {},
        description: 'What the code reads as $values. Expressions can fill in data of other nodes',
      },
    ),
    output: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        format: 'json-schema',
        description:
          'JSON Schema of what the code returns: validation and editors know its fields, and a run that returns anything else fails. It has the limits of the node type validate',
      }),
    ),
    memoryMb: Type.Integer({
      minimum: 24,
      maximum: 256,
      default: 32,
      description: 'Memory in MB, of which the interpreter uses 8',
    }),
    maxSteps: Type.Integer({
      minimum: 1_000,
      maximum: 2_000_000_000,
      default: 300_000_000,
      description: 'How many steps the code may take. One iteration of a short loop takes about 30',
    }),
  }),
  checkParameters: async (parameters) => {
    const { findSyntaxError } = await import('@hookloom/metered-quickjs');
    const message = await findSyntaxError(String(parameters.code), NAMES);
    return message === null ? [] : [{ path: '/code', message }];
  },
  execute: async ({ parameters, input, context }) => {
    const { code: text, values, output, memoryMb, maxSteps } = parameters;
    const { runCode } = await import('@hookloom/metered-quickjs');
    const result = await runCode(toValues(input, values, context), {
      code: text,
      memoryMb,
      maxSteps,
      now: context.services.clock.now(),
      seed: createRandom(context.services.ids.next())(),
      print: createPrint(context),
    });
    if (output !== undefined) await requireFit(result, output);
    return result;
  },
});

/** @throws NodeError if a result is not what the schema says */
const requireFit = async (result: JsonObject, schema: JsonObject): Promise<void> => {
  const { describeErrors, findErrors } = await import('@hookloom/bounded-schema');
  const errors = findErrors(schema, result);
  if (errors.length === 0) return;
  throw new NodeError(`the code did not return what "output" says: ${describeErrors(errors, 'the result')}`, {
    name: 'CodeError',
    isRetryable: false,
  });
};

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
      logger.warn(`code printed more than ${MAX_LINES} lines; the rest is left out`);
  };
};

/** Nodes that run a workflow's own code. */
const provider = definePlugin({
  id: 'code',
  name: 'Code',
  version: '1.0.0',
  description: "Runs a workflow's JavaScript in a sandbox",
  category: 'code',
  handles: [code],
});

export default provider;
