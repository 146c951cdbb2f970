import { isReservedHeader, isToken, type JsonObject, Type } from '@hookloom/plugin-kit';
import type { FromSchema } from '@hookloom/plugin-kit/host';
import { toExecutionInfo } from '../../../executions/record/execution-store.ts';
import type { Answer } from '../../../shared/answer.ts';
import { quote, toPointerKey } from '../../../shared/describe.ts';
import type { Problem } from '../../../workflows/definition/problem.ts';
import { compileParameters } from '../../../workflows/expressions/parameters.ts';
import { markDuplicate, nameExecution } from '../../answer-run.ts';
import { answerWithResponse } from '../../answer-with-response.ts';
import { REQUEST_STEPS } from '../../request-scope.ts';
import { type AcceptedRequest, defineFeature } from '../../webhook-feature.ts';

/** Of the body as JSON. The answer may repeat parts of a request of up to 6 MB any number of times. */
const MAX_BODY_LENGTH = 1_000_000;

const schema = Type.Object(
  {
    status: Type.Optional(
      Type.Integer({ minimum: 200, maximum: 399, description: '200 when absent; the request is accepted' }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 2_000 }), {
        description: 'Headers, with expressions over the request in {{ }}',
      }),
    ),
    body: Type.Optional(
      Type.Unknown({
        description:
          'A text is sent as it is, anything else as JSON, with expressions over the request in {{ }}; none when absent',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'The answer with onReceived, in place of 202 and the id of the execution, which stays in the header hookloom-execution-id',
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
  stages: ({ status = 200, headers = {}, body = null }) => {
    const template: JsonObject = { headers, body };
    const resolve = compileParameters(template);

    const make = async (request: AcceptedRequest): Promise<Answer> => {
      const { executionId, workflowId, execution, receivedAt: startedAt } = request;
      const { input, workflow, trigger, traceparent } = execution;
      const workflowVersion = workflow.version;
      const info = { executionId, workflowId, workflowVersion, trigger, startedAt, traceparent };
      const seen = {
        input,
        trigger: input,
        nodes: {},
        execution: toExecutionInfo(info),
        seed: executionId,
        maxSteps: REQUEST_STEPS,
      };
      const resolved = resolve === null ? template : await resolve(seen);
      if (JSON.stringify(resolved.body ?? null).length > MAX_BODY_LENGTH)
        throw new RangeError('the response body is too large');
      return nameExecution(executionId, answerWithResponse(executionId, { ...resolved, status }));
    };

    return {
      acknowledge: async (request) => {
        try {
          const made = await make(request);
          return request.isDuplicate ? markDuplicate(made) : made;
        } catch {
          // The execution is stored: an error would make the sender repeat it. The error may contain request data, so it
          // is not logged.
          const { executionId } = request;
          request.logger.warn(
            'The answer could not be computed from the request; the default 202 was sent instead.',
            {
              executionId,
            },
          );
          return null;
        }
      },
    };
  },
});

/** The headers are those that a `respondToWebhook` may set. */
const findProblems = ({ headers = {} }: AnswerRule): Problem[] =>
  Object.keys(headers).flatMap((name) => {
    const path = `/headers/${toPointerKey(name)}`;
    if (!isToken(name)) return [{ path, message: `${quote(name)} is not a name that HTTP allows` }];
    if (isReservedHeader(name))
      return [{ path, message: `${quote(name)} is set by the gateway and can not be chosen` }];
    return [];
  });
