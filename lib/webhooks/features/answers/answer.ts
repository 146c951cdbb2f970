import { isReservedHeader, isToken, Type } from '@hookloom/plugin-kit';
import type { FromSchema } from '@hookloom/plugin-kit/host';
import { quote, toPointerKey } from '../../../shared/describe.ts';
import type { Problem } from '../../../workflows/definition/problem.ts';
import { defineFeature } from '../../webhook-feature.ts';

const schema = Type.Object(
  {
    status: Type.Optional(
      Type.Integer({
        minimum: 200,
        maximum: 399,
        description: '200 by default; the request is accepted either way',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 2_000 }), {
        description: 'Headers, with expressions over the request in {{ }}',
      }),
    ),
    body: Type.Optional(
      Type.Unknown({
        description:
          'A string is sent unchanged, anything else as JSON. Expressions over the request are written in {{ }}. By default the response has no body',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'The response with onReceived, instead of 202 with the execution id, which is still in the header hookloom-execution-id',
    examples: [
      { status: 200, headers: { 'content-type': 'text/plain' }, body: 'received {{ body.id }}' },
      { status: 202, body: { run: '{{ $execution.id }}', order: '{{ body.order.id }}' } },
      { status: 303, headers: { location: 'https://shop.example/thanks' } },
    ],
  },
);

type AnswerRule = FromSchema<typeof schema>;

/** Answers an accepted request with the status, headers and body that the workflow defines by expressions over the request. */
export const answer = defineFeature({
  name: 'answer',
  schema,
  templates: ['/headers', '/body'],
  check: (rule) => findProblems(rule),
  stages: async (rule) => (await import('./answer-stages.ts')).answerBy(rule),
});

/** Checks the headers of an answer, which are those that a `respondToWebhook` may set. */
const findProblems = ({ headers = {} }: AnswerRule): Problem[] =>
  Object.keys(headers).flatMap((name) => {
    const path = `/headers/${toPointerKey(name)}`;
    if (!isToken(name)) return [{ path, message: `${quote(name)} is not a name that HTTP allows` }];
    if (isReservedHeader(name))
      return [{ path, message: `${quote(name)} is set by the gateway and cannot be chosen` }];
    return [];
  });
