import type { ExecutionInfo, JsonObject, JsonValue } from '@hookloom/plugin-kit';
import type { Answer } from '../../../shared/answer.ts';
import { featureError } from '../../../shared/feature-errors.ts';
import { compileExpression } from '../../../workflows/expressions/compile-expression.ts';
import { compileParameters } from '../../../workflows/expressions/parameters.ts';
import type { Evaluate, Scope } from '../../../workflows/expressions/scope.ts';
import { compileTemplate, splitTemplate } from '../../../workflows/expressions/template.ts';
import type { HandshakeRule } from '../../../workflows/webhook-rules/handshake.ts';
import { createJsonText } from '../../../workflows/webhook-rules/json-text.ts';
import { redactCredentialHeaders } from '../../redact-credential-headers.ts';
import { REQUEST_STEPS } from '../../request-scope.ts';
import { toTriggerInput } from '../../to-trigger-input.ts';
import type { Stages } from '../../webhook-feature.ts';

/**
 * A handshake recognised by an expression. A handshake with its own method has no body: it is answered before bodies
 * are parsed.
 */
export const custom = ({ match = '', answer = {} }: HandshakeRule): Stages => {
  const evaluateMatch = compileExpression(match);
  const findMatch = async (input: JsonObject) => evaluateMatch(toScope(input));
  const makeBody = compileBody(answer);
  const reply = async (input: JsonObject): Promise<Answer | null> => {
    // A failing expression means no handshake, so nothing is bypassed.
    if ((await findMatch(input).catch(() => null)) !== true) return null;
    return {
      status: answer.status ?? 200,
      headers: { 'content-type': contentTypeOf(answer), 'cache-control': 'no-store' },
      body: await makeBody(toScope(input)).catch((error: unknown) => {
        throw featureError('HANDSHAKE_UNANSWERED', {}, error);
      }),
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

type AnswerOfRule = NonNullable<HandshakeRule['answer']>;

const contentTypeOf = ({ contentType, body = '' }: AnswerOfRule): string =>
  contentType ?? (typeof body === 'string' ? 'text/plain' : 'application/json');

/** Values inserted into JSON text are escaped; in a structure they keep their types. */
const compileBody = (answer: AnswerOfRule): ((scope: Scope) => Promise<string>) => {
  const body = (answer.body ?? '') as JsonValue;
  if (typeof body !== 'string') {
    const resolve = compileParameters({ body });
    return async (scope) => JSON.stringify(resolve === null ? body : ((await resolve(scope)).body ?? null));
  }
  if (contentTypeOf(answer) !== 'application/json') {
    const template: Evaluate | null = compileTemplate(body);
    return async (scope) => (template === null ? body : toText(await template(scope)));
  }
  const parts = splitTemplate(body);
  const expressions = parts.map((part, at) =>
    'expression' in part ? compileExpression(part.expression, `:${at}`) : null,
  );
  return async (scope) => {
    const values = await Promise.all(expressions.map((evaluate) => evaluate?.(scope) ?? null));
    return createJsonText(parts, (at) => values[at] ?? null);
  };
};

const toText = (value: JsonValue | undefined): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const toScope = (input: JsonObject): Scope => ({
  input,
  nodes: {},
  trigger: input,
  execution: NONE,
  seed: '',
  maxSteps: REQUEST_STEPS,
});

/** A handshake starts no execution. */
const NONE: ExecutionInfo = {
  executionId: '',
  workflowId: '',
  workflowVersion: 0,
  trigger: { nodeId: '', type: '' },
  startedAt: '',
};
