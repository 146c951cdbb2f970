import type { Clock } from '@hookloom/plugin-kit';
import type { CallbackIndex } from '../approvals/callback-index.ts';
import {
  answeredAlready,
  type Decision,
  type FoundCallback,
  findPendingCallback,
  parseDecision,
} from '../approvals/find-callback.ts';
import { prefersHtml } from '../approvals/pages/prefers-html.ts';
import type { Ports } from '../executions/ports.ts';
import { createHandler } from '../http/create-handler.ts';
import { parseJsonBody } from '../http/parse-json-body.ts';
import { readPathParameter } from '../http/read-parameters.ts';
import { limitBody, readWebhookEvent } from '../http/read-webhook-event.ts';
import { answerJson } from '../shared/answer.ts';
import { ANSWER_MISMATCH, METHOD_NOT_ALLOWED } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { toErrorMember } from '../shared/forms/form-error.ts';
import { isForm, parseBody } from '../webhooks/parse-body.ts';

interface CallbackParts extends Pick<Ports, 'executions' | 'durableService' | 'logger'> {
  readonly callbacks: Pick<CallbackIndex, 'close'>;
  readonly clock: Clock;
}

/** Maximum size of an answer: the engine limits it to 256 KB, and JSON-encodes it a second time. */
const MAX_BODY_BYTES = 100_000;
const MAX_BODY_DEPTH = 100;

const loadPages = () => import('../approvals/pages.chunk.ts');

/** The handler of callback URLs: GET shows a form and changes nothing, POST decides. The engine accepts only one answer. */
export const createCallbackFunction = (parts: CallbackParts) => {
  const { clock, logger } = parts;
  const presentProblem: Parameters<typeof createHandler>[0]['presentProblem'] = async (problem, event) => {
    const { headers } = readWebhookEvent(event, clock.now());
    return prefersHtml(headers.accept) ? (await loadPages()).problemPage(problem) : null;
  };

  return createHandler({ logger, clock, presentProblem }, async ({ event }) => {
    const { method, headers, rawBody } = readWebhookEvent(event, clock.now());
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
      throw new AppError(METHOD_NOT_ALLOWED, { allow: ['GET', 'HEAD', 'POST'] });
    }
    limitBody(event, MAX_BODY_BYTES);
    const found = await findPendingCallback(readPathParameter(event, 'token'), parts);
    if (method !== 'POST') return (await loadPages()).askPage(found);
    const wantsPage = prefersHtml(headers.accept);
    const sent = parseBody({ headers, rawBody }, (text) => parseJsonBody(text, MAX_BODY_DEPTH));
    const given = parseDecision(sent, clock.now());
    const { question = {} } = found.callback.subject ?? {};
    const read = question.fields === undefined ? null : (await loadPages()).readAnswer;
    const { body, errors } = read?.(question, given.body, isForm(headers)) ?? { ...given, errors: [] };
    if (errors.length > 0) {
      if (wantsPage) return (await loadPages()).askPage(found, { typed: given.body, errors });
      throw new AppError(ANSWER_MISMATCH, { errors: errors.map(toErrorMember) });
    }
    const { decision } = given;
    await decide({ ...given, body }, found, parts);
    const { executionId } = found.execution;
    const answer = wantsPage
      ? (await loadPages()).decidedPage(decision)
      : answerJson(200, { executionId, decision });
    return { ...answer, executionId };
  });
};

/** @throws AppError `CALLBACK_GONE` when another answer was accepted before, and whatever `answerCallback` throws */
const decide = async (
  decision: Decision,
  { execution: { executionId, leaseOwner }, callback: { callbackId }, name }: FoundCallback,
  { durableService, executions, callbacks, clock, logger }: CallbackParts,
): Promise<void> => {
  const isTaken = await durableService.answerCallback({ callbackId, durableArn: leaseOwner ?? '' }, decision);
  if (!isTaken) throw answeredAlready((await executions.findCallback(executionId, name))?.answered);
  // The engine has the answer: without this update, a second answer is still refused, but with a different message.
  const answered = { decision: decision.decision, at: clock.now() };
  await callbacks.close(executionId, name, answered).catch((cause: unknown) => {
    logger.warn('The callback remains in lists until it expires.', { executionId, cause });
  });
};
