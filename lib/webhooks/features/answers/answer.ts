import type { JsonObject } from '@hookloom/plugin-kit';
import { toExecutionInfo } from '../../../executions/record/execution-info.ts';
import type { Answer } from '../../../shared/answer.ts';
import { compileParameters } from '../../../workflows/expressions/parameters.ts';
import type { AnswerRule } from '../../../workflows/webhook-rules/answer.ts';
import { markDuplicate, nameExecution } from '../../answer-run.ts';
import { answerWithResponse } from '../../answer-with-response.ts';
import { REQUEST_STEPS } from '../../request-scope.ts';
import type { AcceptedRequest, WebhookFeature } from '../../webhook-feature.ts';

/** Of a body as JSON. The answer is made of a request of up to 6 MB, and repeats parts of it at will. */
const MAX_BODY_LENGTH = 1_000_000;

/** Answers a request that is accepted by status, headers and body of the workflow, with expressions over the request. */
export const answer: WebhookFeature = (value) => {
  const { status = 200, headers = {}, body = null } = value as AnswerRule;
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
      throw new RangeError('the body of the answer is too large');
    return nameExecution(executionId, answerWithResponse(executionId, { ...resolved, status }));
  };

  return {
    acknowledge: async (request) => {
      try {
        const made = await make(request);
        return request.isDuplicate ? markDuplicate(made) : made;
      } catch {
        // The execution is stored: an error would make the sender repeat it. What failed may hold data of the request.
        const { executionId } = request;
        request.logger.warn('The answer can not be made from the request: it is the usual 202.', {
          executionId,
        });
        return null;
      }
    },
  };
};
