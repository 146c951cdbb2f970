import { isReservedHeader, isToken, type JsonObject, type JsonValue, Type } from '@hookloom/plugin-kit';
import type { FromSchema } from '@hookloom/plugin-kit/host';
import { toExecutionInfo } from '../../../executions/record/execution-store.ts';
import type { Answer } from '../../../shared/answer.ts';
import { quote, toPointerKey } from '../../../shared/describe.ts';
import type { Problem } from '../../../workflows/definition/problem.ts';
import { isHoleError } from '../../../workflows/expressions/expression-error.ts';
import { compileParameters } from '../../../workflows/expressions/parameters.ts';
import type { ResolveParameters } from '../../../workflows/expressions/scope.ts';
import { answerWithResponse, markDuplicate, nameExecution } from '../../answer-run.ts';
import { toScope } from '../../request-scope.ts';
import { type AcceptedRequest, defineFeature, type Stages } from '../../webhook-feature.ts';

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
  stages: (rule) => answerBy(rule),
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

/** Maximum size of the body as JSON. The response may repeat parts of a request of up to 6 MB any number of times. */
const MAX_BODY_LENGTH = 1_000_000;

const answerBy = ({ status = 200, headers = {}, body }: AnswerRule): Stages => {
  const template: JsonObject = { headers, body: (body ?? null) as JsonValue };
  const locations = Object.keys(headers).filter((name) => /^location$/i.test(name));
  const rules: JsonObject = {
    properties: {
      headers: {
        holes: 'fail',
        properties: Object.fromEntries(locations.map((name) => [name, { format: 'uri-reference' }])),
      },
    },
  };
  /** Compiled for the first request, which has the format of the workflow; null without expressions. */
  let resolve: ResolveParameters | null | undefined;

  const make = async (request: AcceptedRequest): Promise<Answer> => {
    const { executionId, workflowId, execution, receivedAt: startedAt } = request;
    const { input, workflow, trigger, traceparent } = execution;
    const info = {
      executionId,
      workflowId,
      workflowVersion: workflow.version,
      trigger,
      startedAt,
      traceparent,
    };
    if (resolve === undefined)
      resolve = compileParameters(template, { schema: rules, format: workflow.definition.format });
    const resolved =
      resolve === null ? template : await resolve(toScope(input, toExecutionInfo(info, workflow), workflow));
    if (JSON.stringify(resolved.body ?? null).length > MAX_BODY_LENGTH)
      throw new RangeError('the response body is too large');
    return nameExecution(executionId, answerWithResponse(executionId, { ...resolved, status }));
  };

  return {
    acknowledge: async (request) => {
      try {
        const made = await make(request);
        return request.isDuplicate ? markDuplicate(made) : made;
      } catch (error) {
        // The execution is stored: an error would make the sender repeat it. The error may contain request data, so it
        // is not logged, unless it is that there is none.
        const { executionId, logger } = request;
        const reason = isHoleError(error) ? { reason: error.message } : {};
        logger.warn('The answer could not be computed from the request; the default 202 was sent instead.', {
          executionId,
          ...reason,
        });
        return null;
      }
    },
  };
};
