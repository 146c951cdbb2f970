import { type JsonObject, type JsonValue, NodeError, parseJson, type Usage } from '@hookloom/plugin-kit';
import type { Answer } from './question.ts';

export interface AnswerProblem {
  readonly kind: 'notJson' | 'mismatch';
  /** The faults, each as `{ place, keyword, message }` with the place as a JSON Pointer; empty for `notJson`. */
  readonly faults: readonly JsonObject[];
}

type Checked = { readonly json: JsonValue } | { readonly problem: AnswerProblem };

const MAX_FAULTS = 20;

/**
 * Creates a function that reads the JSON of an answer and checks it against the schema.
 * @throws RangeError that says what in the schema can't be used, before a model is asked
 */
export const createCheck = async (
  schema: JsonObject,
): Promise<(answer: Pick<Answer, 'value' | 'text'>) => Checked> => {
  const { findErrors } = await import('@hookloom/bounded-schema');
  findErrors(schema, {});
  return ({ value, text }) => {
    const json = value ?? parseText(text);
    if (json === undefined) return { problem: { kind: 'notJson', faults: [] } };
    const faults = findFaults(() => findErrors(schema, json));
    return faults.length === 0 ? { json } : { problem: { kind: 'mismatch', faults } };
  };
};

/**
 * Finds the faults of a value. If the checker refuses it, for instance because it is nested too deep, that is a fault
 * like any other.
 */
const findFaults = (findErrors: () => readonly JsonObject[]): readonly JsonObject[] => {
  try {
    return findErrors().slice(0, MAX_FAULTS);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = error.message.replace('Parameter "value"', 'The answer');
    return [{ place: '', keyword: 'schema', message }];
  }
};

/** @returns undefined if the text is not JSON and has none in a code fence */
const parseText = (text: string): JsonValue | undefined => parseAnswer(text) ?? parseAnswer(findFenced(text));

/** The text between the first and the last code fence, where models put JSON when they add an introduction. */
const findFenced = (text: string): string => {
  const open = text.indexOf('```');
  const start = text.indexOf('\n', open);
  const end = text.lastIndexOf('```');
  return open === -1 || start === -1 || end < start ? '' : text.slice(start + 1, end);
};

const parseAnswer = (text: string): JsonValue | undefined => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

/** How many characters of an answer an error shows. */
const SHOWN = 2_000;
/** Maximum number of faults in a message; the details have more. */
const NAMED_FAULTS = 3;

/** An answer that the node can't use, with the usage of all its questions. */
interface Unusable {
  readonly answer: Answer;
  readonly usage: Usage;
}

/**
 * Returns the error for a successful response without a model's answer: it may come from another API, a gateway's own
 * page, or a fault of the provider.
 */
export const toNoAnswer = (body: JsonValue): NodeError =>
  new NodeError('the provider sent no answer from the model; error.details has the start of what it sent', {
    name: 'NoAnswerError',
    details: { answer: JSON.stringify(body).slice(0, SHOWN) },
  });

/** The error for an empty answer that was not truncated. */
export const toEmpty = ({ answer, usage }: Unusable): NodeError =>
  new NodeError("the model's answer is empty", {
    name: 'NoAnswerError',
    details: toDetails(answer, usage),
  });

/** Returns the error for a refusal by the model or by a filter of its provider. */
export const toRefusal = ({ answer, usage }: Unusable): NodeError =>
  new NodeError('the model refused to answer, or its provider withheld the answer; change the prompt', {
    name: 'ModelRefusedError',
    isRetryable: false,
    details: toDetails(answer, usage),
  });

/**
 * Returns the error for an unusable answer. It is retryable unless the answer was cut off, since a model does not
 * answer the same twice.
 */
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
    return new NodeError('the answer is not JSON; error.details has its start', {
      name: 'AnswerNotJsonError',
      details,
    });
  return new NodeError(`the answer does not match the schema: ${describeFaults(faults)}`, {
    name: 'AnswerMismatchError',
    details: { ...details, faults },
  });
};

const toDetails = ({ text, value, finishReason, model }: Answer, usage: Usage): JsonObject => {
  const all = value === undefined ? text : JSON.stringify(value);
  return { finishReason, model, usage, answer: all.slice(0, SHOWN) };
};

/** Leaves out the checker's messages, which may repeat the answer. */
const describeFaults = (faults: readonly JsonObject[]): string => {
  const named = faults.slice(0, NAMED_FAULTS).map(({ place, keyword }) => `${place || '/'} (${keyword})`);
  const more = faults.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};
