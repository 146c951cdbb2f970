import type { JsonObject } from '../../../contract/json.ts';
import type { ExecutionInfo } from '../../../contract/node.ts';
import type { Answer } from '../../../shared/answer.ts';
import { compileExpression } from '../../../workflows/expressions/compile-expression.ts';
import type { Evaluate, Result } from '../../../workflows/expressions/scope.ts';
import { compileTemplate } from '../../../workflows/expressions/template.ts';
import type { HandshakeRule } from '../../../workflows/webhook-rules/handshake.ts';
import { redactCredentialHeaders } from '../../redact-credential-headers.ts';
import { REQUEST_STEPS } from '../../request-scope.ts';
import { toTriggerInput } from '../../to-trigger-input.ts';
import type { Stages } from '../../webhook-feature.ts';
import { refuse } from './echo.ts';

/** A handshake that an expression finds. One by a method of its own is without a body: it is answered before bodies are parsed. */
export const custom = ({ match = '', answer = {} }: HandshakeRule): Stages => {
  const isHandshake = compileExpression(match);
  const template = compileTemplate(answer.body ?? '');
  const reply = async (input: JsonObject): Promise<Answer | null> => {
    // An expression that fails finds no handshake, and so opens nothing.
    if ((await evaluate(isHandshake, input).catch(() => null)) !== true) return null;
    const body =
      template === null
        ? (answer.body ?? '')
        : ((await evaluate(template, input).catch(() => refuse('its answer can not be made'))) ?? '');
    return {
      status: answer.status ?? 200,
      headers: { 'content-type': answer.contentType ?? 'text/plain', 'cache-control': 'no-store' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    };
  };
  return {
    admit: (arrival) => {
      const { request, webhook } = arrival;
      if (webhook.refusal === undefined) return null;
      const headers = redactCredentialHeaders(request.headers, webhook.workflow.definition);
      return reply(toTriggerInput(arrival, headers, {}));
    },
    judge: ({ input }) => reply(input),
  };
};

const evaluate = async (evaluateIn: Evaluate, input: JsonObject): Promise<Result> =>
  evaluateIn({ input, nodes: {}, trigger: input, execution: NONE, seed: '', maxSteps: REQUEST_STEPS });

/** A handshake starts no execution. */
const NONE: ExecutionInfo = {
  executionId: '',
  workflowId: '',
  workflowVersion: 0,
  trigger: { nodeId: '', type: '' },
  startedAt: '',
};
