import { NodeError, type Question } from '@hookloom/plugin-kit';
import type { CallbackUrls } from '../engine/session.ts';
import type { CallbackSigner } from '../executions/lifecycle/background-engine.ts';
import type { Ports } from '../executions/ports.ts';
import { signToken } from './callback-token.ts';

/** Maximum length of a question as JSON, in characters; it is stored with the pending callback. */
const MAX_QUESTION = 30_000;

interface CallbackUrlParts extends Pick<Ports, 'executions' | 'clock'> {
  /** Public origin of the service: `https://host`, without a trailing slash. */
  readonly publicUrl: string;
  /** Called with each URL once it is valid; the local service prints it. */
  readonly onOpen?: (url: string) => void;
}

/** Issues the signed callback URLs of one execution. */
export const createCallbackUrls = (
  { executions, clock, publicUrl, onOpen }: CallbackUrlParts,
  { executionId, workflowId, callbackKey }: CallbackSigner,
): CallbackUrls => {
  const urlOf = (name: string, expiresAt: number): string =>
    toCallbackUrl({ executionId, name, publicUrl, expiresAt }, callbackKey);
  return {
    urlOf,
    open: async (name, callbackId, timeoutSeconds, question) => {
      await checkQuestion(question);
      const openedAt = clock.now();
      const expiresAt = openedAt + Math.ceil(timeoutSeconds) * 1_000;
      const subject = { executionId, workflowId, name, openedAt, publicUrl, question };
      await executions.openCallback(executionId, name, { callbackId, expiresAt, subject });
      onOpen?.(urlOf(name, expiresAt));
      return expiresAt;
    },
  };
};

/**
 * The URL of a pending callback; deterministic.
 *
 * @param callbackKey - see `ExecutionData`
 */
export const toCallbackUrl = (
  callback: {
    readonly executionId: string;
    readonly name: string;
    readonly publicUrl: string;
    readonly expiresAt: number;
  },
  callbackKey: string | null,
): string => {
  if (callbackKey === null) throw new Error('this execution has no key for signing callback URLs');
  return `${callback.publicUrl}/api/webhook-callback/${signToken(callback, callbackKey)}`;
};

/** @throws NodeError when the question can't be shown on a page */
const checkQuestion = async (question: Question): Promise<void> => {
  if (JSON.stringify(question).length > MAX_QUESTION)
    throw new NodeError(`the question is longer than ${MAX_QUESTION} characters`, { isRetryable: false });
  if (question.fields === undefined) return;
  const { findFormProblems } = await import('../shared/forms/form-problems.chunk.ts');
  const [problem] = findFormProblems(question.fields, ['decision']);
  if (problem !== undefined)
    throw new NodeError(`Parameter "fields"${problem.path} ${problem.message}`, { isRetryable: false });
};
