import {
  defineAction,
  emit,
  type JsonValue,
  jsonEquals,
  type ParameterProblem,
  RESPONSE_OUTPUT,
  Type,
} from '@hookloom/plugin-kit';
import { requireValue } from './require-value.ts';

/** Any name but the reserved one, on which the input would become the answer to the caller. */
const outputName = { minLength: 1, not: { const: RESPONSE_OUTPUT } } as const;

type Cases = readonly { readonly equals: JsonValue }[];

/** A case is never reached behind one of the same value. Values of expressions are known in a run only. */
const findRepeated = (cases: JsonValue | undefined): ParameterProblem[] =>
  (Array.isArray(cases) ? (cases as Cases) : []).flatMap(({ equals }, index, all) => {
    if (JSON.stringify(equals).includes('{{')) return [];
    const before = all.findIndex((other) => jsonEquals(other.equals, equals));
    const message = `is the value of /cases/${before} already: this case is never reached`;
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
  description: 'Hands the input on to the output of the first case that equals the value',
  pure: true,
  outputs: ({ cases, fallback = 'default' }) => [
    ...(cases as readonly { readonly output: string }[]).map(({ output }) => output),
    fallback as string,
  ],
  parameters: Type.Object({
    value: Type.Optional(
      Type.Unknown({
        description: 'What is compared: any JSON, usually an expression such as {{ body.status }}',
      }),
    ),
    cases: Type.Array(
      Type.Object(
        {
          equals: Type.Unknown({
            description: 'Any JSON; 1 and "1" differ, the order of keys does not matter',
          }),
          output: Type.String({ ...outputName, description: 'The output that the input is handed on to' }),
        },
        { additionalProperties: false },
      ),
      { description: 'The first case that equals the value counts' },
    ),
    fallback: Type.String({
      ...outputName,
      default: 'default',
      description: 'The output when no case equals the value',
    }),
  }),
  checkParameters: (stored) => [...requireValue(stored), ...findRepeated(stored.cases)],
  execute: ({ parameters: { value, cases, fallback }, input }) => {
    const found = value === undefined ? undefined : cases.find(({ equals }) => jsonEquals(equals, value));
    const output = found?.output ?? fallback;
    return emit({ [output]: input });
  },
});
