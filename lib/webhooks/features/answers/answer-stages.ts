import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { toExecutionInfo } from '../../../executions/record/execution-store.ts';
import type { Answer } from '../../../shared/answer.ts';
import { compileParameters } from '../../../workflows/expressions/parameters.ts';
import { markDuplicate, nameExecution } from '../../answer-run.ts';
import { answerWithResponse } from '../../answer-with-response.ts';
import { REQUEST_STEPS } from '../../request-scope.ts';
import type { AcceptedRequest, Stages } from '../../webhook-feature.ts';

/** Maximum size of the body as JSON. The response may repeat parts of a request of up to 6 MB any number of times. */
const MAX_BODY_LENGTH = 1_000_000;

/** The value of the parameter `answer`. */
interface AnswerRule {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Answers an accepted request with the status, headers and body that the workflow defines by expressions over the request. */
export const answerBy = ({ status = 200, headers = {}, body = null }: AnswerRule): Stages => {
  const template: JsonObject = { headers, body: body as JsonValue };
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
};
