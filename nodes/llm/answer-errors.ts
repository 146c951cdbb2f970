import { type JsonObject, type JsonValue, NodeError, type Usage } from '@hookloom/plugin-kit';
import type { AnswerProblem } from './check-answer.chunk.ts';
import type { Answer } from './question.ts';

/** Characters of an answer that an error shows. */
const SHOWN = 2_000;
/** Places of faults in a message; the details have more. */
const NAMED_FAULTS = 3;

/** An answer that the node can't use, with what all its questions used. */
interface Unusable {
  readonly answer: Answer;
  readonly usage: Usage;
}

/** A success of the provider without what a model answers: another API, a gateway's own page, or a fault of the provider. */
export const toNoAnswer = (body: JsonValue): NodeError =>
  new NodeError('the provider has sent no answer of the model: error.details has the start of what it sent', {
    name: 'NoAnswerError',
    details: { answer: JSON.stringify(body).slice(0, SHOWN) },
  });

/** The answer is empty, and was not cut off. */
export const toEmpty = ({ answer, usage }: Unusable): NodeError =>
  new NodeError('the model has answered with an empty text', {
    name: 'NoAnswerError',
    details: toDetails(answer, usage),
  });

/** The model, or a filter of its provider, has refused to answer. */
export const toRefusal = ({ answer, usage }: Unusable): NodeError =>
  new NodeError('the model refused to answer, or its provider withheld the answer; change the prompt', {
    name: 'ModelRefusedError',
    isRetryable: false,
    details: toDetails(answer, usage),
  });

/** Retryable but for an answer that was cut off: a model does not answer the same twice. */
export const toUnusable = (
  { answer, usage }: Unusable,
  { kind, faults }: AnswerProblem,
  maxTokens: number,
): NodeError => {
  const details = toDetails(answer, usage);
  if (answer.finishReason === 'length')
    return new NodeError(
      `the answer was cut off before its JSON was complete: raise maxTokens (${maxTokens}), or ask for less`,
      { name: 'AnswerTruncatedError', isRetryable: false, details },
    );
  if (kind === 'notJson')
    return new NodeError('the answer is not JSON: error.details has its start', {
      name: 'AnswerNotJsonError',
      details,
    });
  return new NodeError(`the answer does not match the schema: ${describe(faults)}`, {
    name: 'AnswerMismatchError',
    details: { ...details, faults },
  });
};

const toDetails = ({ text, value, finishReason, model }: Answer, usage: Usage): JsonObject => {
  const all = value === undefined ? text : JSON.stringify(value);
  return { finishReason, model, usage, answer: all.slice(0, SHOWN) };
};

/** Without the messages of the checker, which may repeat the answer. */
const describe = (faults: readonly JsonObject[]): string => {
  const named = faults.slice(0, NAMED_FAULTS).map(({ place, keyword }) => `${place || '/'} (${keyword})`);
  const more = faults.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};
