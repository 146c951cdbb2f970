import { closed, defineAction, emit, requireValue, Type } from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';

export const validate = defineAction({
  id: 'validate',
  name: 'Validate',
  description:
    'Checks a value against a JSON Schema (2020-12). Outputs { value } on "valid", or { value, errors } with up to 100 errors on "invalid"',
  pure: true,
  outputs: {
    valid: closed({ value: Given.schemaIn('schema') }),
    invalid: closed({
      value: Type.Optional(Given.parameter('value')),
      errors: Type.Array(closed({ place: Type.String(), keyword: Type.String(), message: Type.String() })),
    }),
  },
  parameters: Type.Object({
    value: Type.Optional(
      Type.Unknown({
        description:
          'What to check: any JSON, usually an expression. An expression without a result is invalid',
      }),
    ),
    schema: Type.Record(Type.String(), Type.Unknown(), {
      format: 'json-schema',
      description:
        'The JSON Schema. References must stay inside it, patterns have no look-around and no back-references, and patternProperties and $dynamicRef are not supported. Lists with uniqueItems have at most 1,000 items, or 100 if any is a list, an object or a long string',
    }),
  }),
  example: {
    parameters: {
      value: '{{ body }}',
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
    },
    input: { body: { id: 7 } },
    output: { value: { id: 7 } },
  },
  checkParameters: requireValue,
  execute: async ({ parameters: { value, schema } }) => {
    if (value === undefined) return emit({ invalid: { errors: [NO_VALUE] } });
    const { findErrors } = await import('@hookloom/bounded-schema');
    const errors = findErrors(schema, value);
    return errors.length === 0 ? emit({ valid: { value } }) : emit({ invalid: { value, errors } });
  },
});

const NO_VALUE = {
  place: '',
  keyword: 'required',
  message: 'There is no value, because its expression has no result.',
};
