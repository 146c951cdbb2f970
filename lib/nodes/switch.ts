import type { JsonValue } from '../contract/json.ts';
import { emit, RESPONSE_OUTPUT } from '../contract/node.ts';
import type { PluginHandle } from '../contract/plugin.ts';
import { jsonEquals } from './json-equals.ts';
import { isJsonMap, readParameters, wrongParameter } from './parameters.ts';

/** Any name but the reserved one, on which the input would become the answer to the caller. */
const outputName = { type: 'string', minLength: 1, not: { const: RESPONSE_OUTPUT } } as const;

const caseSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['equals', 'output'],
  properties: {
    equals: { description: 'Any JSON; 1 and "1" differ, the order of keys does not matter' },
    output: { ...outputName, description: 'The output that the input is handed on to' },
  },
} as const;

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['value', 'cases'],
  properties: {
    value: { description: 'What is compared: any JSON, usually an expression such as {{ body.status }}' },
    cases: {
      type: 'array',
      items: caseSchema,
      description: 'The first case that equals the value counts',
    },
    fallback: {
      ...outputName,
      default: 'default',
      description: 'The output when no case equals the value',
    },
  },
} as const;

/** The fallback is checked only when it is needed. */
const { fallback, ...rules } = schema.properties;

/** Delivers its input on the output of the first case that equals the value as JSON, else on the fallback. */
export const switchNode: PluginHandle = {
  id: 'switch',
  name: 'Switch',
  example: {
    parameters: { value: '{{ country }}', cases: [{ equals: 'AT', output: 'domestic' }], fallback: 'abroad' },
    input: { country: 'AT' },
    output: { country: 'AT' },
  },
  description: 'Hands the input on to the output of the first case that equals the value',
  kind: 'action',
  pure: true,
  outputs: ({ cases, fallback = 'default' }) => [
    ...(cases as readonly { readonly output: string }[]).map(({ output }) => output),
    fallback as string,
  ],
  schema,
  execute: ({ parameters }, input) => {
    // An expression without a result leaves the parameter out: compared as null.
    const { value = null, cases } = readParameters(parameters, rules);
    const found = cases.map(readCase).find(({ equals = null }) => jsonEquals(equals, value));
    const output = found?.output ?? readParameters(parameters, { fallback }).fallback;
    if (output === RESPONSE_OUTPUT)
      throw new RangeError(`The output "${RESPONSE_OUTPUT}" is reserved for answers`);
    return emit({ [output]: input });
  },
};

const readCase = (entry: JsonValue, index: number) => {
  if (!isJsonMap(entry)) throw wrongParameter(`cases[${index}]`, 'a map', entry);
  return readParameters(entry, caseSchema.properties);
};
