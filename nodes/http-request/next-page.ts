import {
  asFinal,
  type JsonValue,
  parseJson,
  parsePointer,
  type ReadNext,
  type Services,
} from '@hookloom/plugin-kit';
import { NEXT } from './properties.ts';

const FORM =
  'must be a JSON pointer such as "/meta/next", or an expression over the answer such as body.meta.next';

/**
 * Finds out what is wrong with the parameter `next` of a workflow file.
 *
 * @returns the end of a sentence; null for nothing
 */
export const findNextProblem = async (next: JsonValue | undefined): Promise<string | null> => {
  if (typeof next !== 'string' || parsePointer(next) !== null || next.includes('{{')) return null;
  if (!NEXT.test(next)) return FORM;
  const { parse } = await import('@hookloom/counted-jsonata');
  try {
    parse(next);
    return null;
  } catch (error) {
    return `is no expression: ${(error as Error).message}`;
  }
};

/**
 * Opens the parameter `next`: a JSON pointer in the body, or an expression without braces over the answer
 * `{ status, headers, body, url }`.
 *
 * @throws Error if it is neither; the function throws it if the evaluation fails
 */
export const openNext = async (
  next: string,
  { clock, ids }: Pick<Services, 'clock' | 'ids'>,
): Promise<ReadNext> => {
  const read = parsePointer(next);
  if (read !== null) return ({ body = null }) => read(body);
  const problem = await findNextProblem(next);
  if (problem !== null) throw asFinal(new TypeError(`Parameter "next" ${problem}`));
  const { describeError, evaluate, loadNatives, parse } = await import('@hookloom/counted-jsonata');
  const [expression, natives] = [parse(next), await loadNatives()];
  const environment = {
    startedAt: () => clock.now(),
    random: Math.random,
    uuid: () => ids.next(),
    variable: () => undefined,
    parseJson,
  };
  return (answer) => {
    try {
      return evaluate(natives, expression, answer, environment);
    } catch (error) {
      throw asFinal(new TypeError(`Parameter "next" failed: ${describeError(error)}`));
    }
  };
};
