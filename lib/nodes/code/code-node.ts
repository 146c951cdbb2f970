import type { JsonObject } from '../../contract/json.ts';
import type { NodeContext } from '../../contract/node.ts';
import type { PluginHandle } from '../../contract/plugin.ts';
import { createRandom } from '../../shared/random.ts';
import { readParameters } from '../parameters.ts';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['code'],
  properties: {
    code: {
      type: 'string',
      minLength: 1,
      maxLength: 100_000,
      description:
        'JavaScript: the body of an async function that returns an object. It reads $input, $inputs, $values and $execution; braces in it are no expressions',
      examples: ['return { total: $input.items.reduce((sum, { price }) => sum + price, 0) };'],
    },
    values: {
      type: 'object',
      default: {},
      description: 'What the code reads as $values; with expressions, data of other nodes',
      examples: [{ order: '{{ $nodes.fetch.body }}' }],
    },
    memoryMb: {
      type: 'integer',
      minimum: 24,
      maximum: 256,
      default: 32,
      description: 'Memory in MB, of which the interpreter takes 8',
      examples: [128],
    },
    maxSteps: {
      type: 'integer',
      minimum: 1_000,
      maximum: 2_000_000_000,
      default: 300_000_000,
      description: 'Steps of the interpreter before the node fails; a round of a short loop is about 30',
      examples: [2_000_000_000],
    },
  },
} as const;

/** The names that code reads, in the order of the function's parameters. */
const NAMES = ['$input', '$inputs', '$values', '$execution'] as const;

/** Lines that one run may print. */
const MAX_LINES = 100;

/**
 * Runs JavaScript in an interpreter without network, files, environment and objects of this process. A run depends on
 * its parameters and its input alone: the clock shows the start of the execution, random numbers are drawn by the
 * node's seed, and the limits count steps and bytes instead of time.
 */
export const code: PluginHandle = {
  id: 'code',
  name: 'Code',
  description: 'Runs JavaScript on its input, in a sandbox',
  kind: 'action',
  pure: true,
  schema,
  literalParameters: ['code'],
  checkParameters: async ({ code: text }) => {
    const { findSyntaxError } = await import('./sandbox.chunk.ts');
    const message = await findSyntaxError(String(text), NAMES);
    return message === null ? [] : [{ path: '/code', message }];
  },
  execute: async ({ parameters }, input, context) => {
    const { code: text, values, memoryMb, maxSteps } = readParameters(parameters, schema.properties);
    const { runCode } = await import('./sandbox.chunk.ts');
    return runCode(toValues(input, values, context), {
      code: text,
      memoryMb,
      maxSteps,
      now: context.services.clock.now(),
      seed: createRandom(context.services.ids.next())(),
      print: createPrint(context),
    });
  },
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
      logger.warn(`code prints more than ${MAX_LINES} lines, which are left out`);
  };
};
