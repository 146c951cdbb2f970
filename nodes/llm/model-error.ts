import { isJsonMap, isNodeError, NodeError } from '@hookloom/plugin-kit';
import { mapAt, textAt } from './read-field.ts';

/** Codes of refusals before an answer is made: OpenAI's and Azure's. */
const refusals = new Set(['content_filter', 'content_policy_violation']);

/** An account without credit answers like one that is too fast, and stays so. */
const NO_CREDIT = 'insufficient_quota';

/**
 * How providers say that a prompt is longer than the model's context. Only OpenAI has a code for it.
 */
const tooLong = [
  'context_length_exceeded',
  'prompt is too long',
  'input is too long',
  'exceed context limit',
  'maximum context length',
  'context window',
] as const;

/**
 * Gives the failures that mean something of their own a name, and says whether another attempt helps.
 *
 * @param thrown - by a provider's client
 * @returns what to throw in its place
 */
export const toModelError = (thrown: unknown): unknown => {
  if (!isNodeError(thrown)) return thrown;
  const { details = {}, message } = thrown;
  const error = mapAt(isJsonMap(details.body) ? details.body : {}, 'error');
  const [code, type, said] = ['code', 'type', 'message'].map((key) => textAt(error, key));
  const about = `${code} ${type} ${said} ${message}`.toLowerCase();
  const options = { details, isRetryable: false, cause: thrown };
  if (thrown.isRetryable) {
    return [code, type].includes(NO_CREDIT)
      ? new NodeError(`${message}: the account has no credit left`, { ...options, name: 'NoCreditError' })
      : thrown;
  }
  if (tooLong.some((words) => about.includes(words)))
    return new NodeError('the prompt and maxTokens are together longer than the context of the model', {
      ...options,
      name: 'ContextTooLongError',
    });
  if ([code, type].some((name) => refusals.has(name ?? '')))
    return new NodeError('the provider refused the prompt; change it', {
      ...options,
      name: 'ModelRefusedError',
    });
  return thrown;
};
