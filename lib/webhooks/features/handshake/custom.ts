import type { ExecutionInfo, JsonObject, JsonValue } from '@hookloom/plugin-kit';
import type { Answer } from '../../../shared/answer.ts';
import { HANDSHAKE_UNANSWERED } from '../../../shared/error-catalogue.ts';
import { AppError, isRefusal, Refusal } from '../../../shared/errors.ts';
import type { Workflow } from '../../../workflows/definition/definition.ts';
import { compileExpression, compileTemplate } from '../../../workflows/expressions/compile-expression.ts';
import { HoleError, isHoleError, toHoleError } from '../../../workflows/expressions/expression-error.ts';
import { compileParameters } from '../../../workflows/expressions/parameters.ts';
import type { Evaluate, Scope } from '../../../workflows/expressions/scope.ts';
import { splitTemplate } from '../../../workflows/expressions/template.ts';
import { redactCredentialHeaders } from '../../redact-credential-headers.ts';
import { toScope, toTriggerInput } from '../../request-scope.ts';
import type { WebhookRequest } from '../../webhook.ts';
import type { Stages } from '../../webhook-feature.ts';
import { readFields } from '../signature/read-request.ts';
import type { HandshakeRule } from './handshake-rule.ts';

/** Unsigned handshakes are small, and parsed without any proof of their sender. */
const MAX_UNSIGNED_BYTES = 10_000;

/**
 * A handshake recognised by an expression. A handshake with its own method has no body: it is answered before bodies
 * are parsed. An unsigned one may have a JSON or form body.
 */
export const custom = ({ match = '', answer = {}, unsigned = false }: HandshakeRule): Stages => {
  const evaluateMatch = compileExpression(match);
  const findMatch = async (scope: Scope) => evaluateMatch(scope);
  const scopeOf = (input: JsonObject, { stage = '', variables }: Workflow): Scope =>
    toScope(input, { ...NONE, stage }, { ...(variables === undefined ? {} : { variables }) });
  const reply = async (input: JsonObject, workflow: Workflow): Promise<Answer | null> => {
    const scope = scopeOf(input, workflow);
    // A failing expression means no handshake, so nothing is bypassed.
    if ((await findMatch(scope).catch(() => null)) !== true) return null;
    return {
      status: answer.status ?? 200,
      headers: { 'content-type': contentTypeOf(answer), 'cache-control': 'no-store' },
      body: await bodyIn(workflow.definition)(scope).catch((error: unknown) => {
        const isHole = isHoleError(error); // its message has no data
        throw new AppError(
          HANDSHAKE_UNANSWERED,
          {},
          isHole ? new Refusal(`handshake: ${error.message}`) : error,
        );
      }),
    };
  };
  let makeBody: ((scope: Scope) => Promise<string>) | undefined;
  /** Compiled for the first handshake, which has the format of the workflow. */
  const bodyIn = ({ format = 1 }: Workflow['definition']) => {
    makeBody ??= compileBody(answer, format > 1);
    return makeBody;
  };
  return {
    admit: (arrival) => {
      const { request, webhook } = arrival;
      const hasOwnMethod = webhook.refusal !== undefined;
      if (!hasOwnMethod && !(unsigned && request.rawBody.length <= MAX_UNSIGNED_BYTES)) return null;
      const headers = redactCredentialHeaders(request.headers, webhook.workflow.definition);
      const body = hasOwnMethod ? {} : parseFields(request);
      return reply(toTriggerInput(arrival, headers, body), webhook.workflow);
    },
    ...(unsigned ? {} : { judge: ({ input, webhook }) => reply(input, webhook.workflow) }),
  };
};

const parseFields = (request: WebhookRequest): JsonObject => {
  try {
    return readFields(request);
  } catch (error) {
    if (isRefusal(error)) return {};
    throw error;
  }
};

type AnswerOfRule = NonNullable<HandshakeRule['answer']>;

const contentTypeOf = ({ contentType, body = '' }: AnswerOfRule): string =>
  contentType ?? (typeof body === 'string' ? 'text/plain' : 'application/json');

/**
 * Compiles the body of an answer: values inserted into JSON text are escaped; in a structure they keep their types.
 *
 * @param needsValues - whether each expression must give a value, since senders accept only what they have sent
 */
const compileBody = (answer: AnswerOfRule, needsValues: boolean): ((scope: Scope) => Promise<string>) => {
  const body = (answer.body ?? '') as JsonValue;
  if (typeof body !== 'string') {
    const resolve = compileParameters({ body });
    return async (scope) => {
      const made = resolve === null ? body : ((await resolve(scope)).body ?? null);
      if (needsValues && !hasAll(body, made))
        throw new HoleError(`an expression in its "answer" gives nothing`);
      return JSON.stringify(made);
    };
  }
  if (contentTypeOf(answer) !== 'application/json') {
    const template: Evaluate | null = compileTemplate(body, 'answer', { needsValues });
    return async (scope) => {
      const made = template === null ? body : await template(scope);
      if (needsValues && (made ?? null) === null)
        throw toHoleError(body.slice(2, -2), made as null | undefined, '"answer"');
      return toAnswerText(made);
    };
  }
  const parts = splitTemplate(body);
  const expressions = parts.map((part, at) =>
    'expression' in part ? compileExpression(part.expression, `:${at}`) : null,
  );
  return async (scope) => {
    const values = await Promise.all(expressions.map((evaluate) => evaluate?.(scope) ?? null));
    for (const [at, part] of parts.entries())
      if (needsValues && 'expression' in part && (values[at] ?? null) === null)
        throw toHoleError(part.expression, values[at] as null | undefined, '"answer"');
    return createJsonText(parts, (at) => values[at] ?? null);
  };
};

/** Whether what was made of a structure has all of its values. */
const hasAll = (template: JsonValue, made: JsonValue): boolean =>
  typeof template !== 'object' || template === null
    ? template === null || made !== null
    : Object.entries(template).every(([key, inner]) =>
        hasAll(inner as JsonValue, (made as JsonObject | null)?.[key] ?? null),
      );

const toAnswerText = (value: JsonValue | undefined): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Execution info for expressions of a handshake, which starts no execution. */
const NONE: Omit<ExecutionInfo, 'stage'> = {
  executionId: '',
  workflowId: '',
  workflowVersion: 0,
  trigger: { nodeId: '', type: '' },
  startedAt: '',
};

/**
 * Fills in the expressions of a template whose text is JSON: as escaped text inside a JSON string, elsewhere as the
 * JSON of the value.
 *
 * @param valueAt - the value of the expression that is the nth part
 */
const createJsonText = (
  parts: ReturnType<typeof splitTemplate>,
  valueAt: (at: number) => JsonValue,
): string => {
  let text = '';
  let isInText = false;
  for (const [at, part] of parts.entries()) {
    if ('text' in part) {
      text += part.text;
      isInText = endsInText(part.text, isInText);
    } else {
      text += isInText ? escapeAsJson(valueAt(at)) : JSON.stringify(valueAt(at));
    }
  }
  return text;
};

const escapeAsJson = (value: JsonValue): string => {
  if (value === null) return '';
  return JSON.stringify(typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(1, -1);
};

const endsInText = (text: string, startsInText: boolean): boolean => {
  let isInText = startsInText;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') isInText = !isInText;
    else if (isInText && text[at] === '\\') at += 1;
  }
  return isInText;
};

/** Whether a template becomes valid JSON if all inserted values are null. */
export const isJsonTemplate = (template: string): boolean => {
  try {
    JSON.parse(createJsonText(splitTemplate(template), () => null));
    return true;
  } catch {
    return false;
  }
};
