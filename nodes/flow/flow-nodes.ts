import {
  closed,
  defineAction,
  emit,
  type JsonValue,
  jsonEquals,
  type ParameterProblem,
  RESPONSE_OUTPUT,
  requireValue,
  Type,
} from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';

/** Parameters of the nodes `if` and `filter`. */
const conditionParameters = Type.Object({
  condition: Type.Boolean({
    constant: 'warn',
    description: 'Usually an expression, such as {{ body.total > 100 }}; its value must be true or false',
  }),
});

/** Any name except the reserved one: data delivered on that output would become the response to the caller. */
const outputName = { minLength: 1, not: { const: RESPONSE_OUTPUT } } as const;

type Cases = readonly { readonly equals: JsonValue }[];

/**
 * Finds cases that repeat the value of an earlier one, and so are never reached. Values of expressions are known only
 * during a run.
 */
const findRepeated = (cases: JsonValue | undefined): ParameterProblem[] =>
  (Array.isArray(cases) ? (cases as Cases) : []).flatMap(({ equals }, index, all) => {
    if (JSON.stringify(equals).includes('{{')) return [];
    const before = all.findIndex((other) => jsonEquals(other.equals, equals));
    const message = `is already the value of /cases/${before}, so this case is never reached`;
    return before < index ? [{ path: `/cases/${index}/equals`, message }] : [];
  });

/** Delivers its input on the output of the first case that equals the value as JSON, else on the fallback. */
export const switchNode = defineAction({
  id: 'switch',
  name: 'Switch',
  example: {
    parameters: { value: '{{ country }}', cases: [{ equals: 'AT', output: 'domestic' }], fallback: 'abroad' },
    input: { country: 'AT' },
    output: { country: 'AT' },
  },
  description: 'Passes the input on to the output of the first case that equals the value',
  pure: true,
  outputs: ({ cases, fallback = 'default' }) => {
    const names = (cases as readonly { readonly output: string }[]).map(({ output }) => output);
    return Object.fromEntries([...names, fallback as string].map((name) => [name, Given.input]));
  },
  parameters: Type.Object({
    value: Type.Optional(
      Type.Unknown({
        constant: 'warn',
        description: 'What to compare: any JSON, usually an expression such as {{ body.status }}',
      }),
    ),
    cases: Type.Array(
      Type.Object(
        {
          equals: Type.Unknown({
            description: 'Any JSON; 1 and "1" differ, the order of keys does not matter',
          }),
          output: Type.String({ ...outputName, description: 'The output to which the input is passed' }),
        },
        { additionalProperties: false },
      ),
      { description: 'The cases; the first one that equals the value counts' },
    ),
    fallback: Type.String({
      ...outputName,
      default: 'default',
      description: 'The output if no case equals the value',
    }),
  }),
  checkParameters: (stored) => [...requireValue(stored), ...findRepeated(stored.cases)],
  execute: ({ parameters: { value, cases, fallback }, input }) => {
    const found = value === undefined ? undefined : cases.find(({ equals }) => jsonEquals(equals, value));
    const output = found?.output ?? fallback;
    return emit({ [output]: input });
  },
});

/**
 * Delivers its input if the condition is true. Otherwise it delivers nothing, and the branch that follows is skipped.
 * As strict as `if`.
 */
export const filter = defineAction({
  id: 'filter',
  name: 'Filter',
  example: {
    parameters: { condition: '{{ total > 100 }}' },
    input: { total: 120 },
    output: { total: 120 },
  },
  description: 'Passes the input on if the condition is true, and ends the branch otherwise',
  pure: true,
  endsBranch: true,
  outputs: { main: Given.input },
  parameters: conditionParameters,
  execute: ({ parameters, input }) => (parameters.condition ? input : emit({})),
});

/**
 * Delivers its input on one of two outputs. The condition must be a boolean, so that the string "false" does not count
 * as true.
 */
export const ifNode = defineAction({
  id: 'if',
  name: 'If',
  example: {
    parameters: { condition: '{{ total > 100 }}' },
    input: { total: 120 },
    output: { total: 120 },
  },
  description: 'Passes the input on to the output "true" or "false"',
  pure: true,
  outputs: { true: Given.input, false: Given.input },
  parameters: conditionParameters,
  execute: ({ parameters, input }) => (parameters.condition ? emit({ true: input }) : emit({ false: input })),
});

/** The node type `set`. Its output is the given values, either alone or merged into its input. */
export const set = defineAction({
  id: 'set',
  name: 'Set',
  example: {
    parameters: { values: { total: '{{ price * quantity }}' }, keepInput: true },
    input: { price: 20, quantity: 3 },
    output: { price: 20, quantity: 3, total: 60 },
  },
  description: 'Outputs the given values, alone or merged into the input',
  pure: true,
  outputs: {
    main: Given.by(
      'keepInput',
      { false: Given.parameter('values'), true: Given.merged(Given.input, Given.parameter('values')) },
      false,
    ),
  },
  parameters: Type.Object({
    values: Type.Object({}, { description: 'The output fields' }),
    keepInput: Type.Boolean({
      default: false,
      description: 'Keep the fields of the input that are not among the values',
    }),
  }),
  // A spread defines own properties, also for the key __proto__.
  execute: ({ parameters: { values, keepInput }, input }) => (keepInput ? { ...input, ...values } : values),
});

/** Joins branches. The engine has already merged its input; the other modes use the separate inputs. */
export const merge = defineAction({
  id: 'merge',
  name: 'Merge',
  example: {
    parameters: { mode: 'append' },
    input: { name: 'Ada' },
    output: { items: [{ name: 'Ada' }] },
  },
  description: 'Joins what several branches deliver',
  pure: true,
  outputs: {
    main: Given.by(
      'mode',
      { merge: Given.input, append: closed({ items: Type.Array(Given.anyInput) }), byNode: Given.inputs },
      'merge',
    ),
  },
  parameters: Type.Object({
    mode: Type.Enum(['merge', 'append', 'byNode'], {
      type: 'string',
      default: 'merge',
      description:
        'merge: one map, later connections win; append: { items: [...] }; byNode: { [nodeId]: ... }',
    }),
  }),
  execute: ({ parameters: { mode }, input, context: { inputs } }) => {
    switch (mode) {
      case 'merge':
        return input;
      case 'append':
        return { items: inputs.map(({ data }) => data) };
      case 'byNode':
        return Object.fromEntries(inputs.map(({ sourceNodeId, data }) => [sourceNodeId, data]));
    }
  },
});
