import jsonata from 'jsonata';
import { evaluate } from '../src/evaluate.ts';
import { EvaluationError } from '../src/evaluation-error.ts';
// By path, not by name: the mutation tests change a copy of these files, which names lead out of.
import { loadNatives } from '../src/functions/natives.ts';
import { parse } from '../src/parse.ts';

const natives = await loadNatives();

export const STARTED_AT = Date.UTC(2026, 0, 31, 12);

/** The code of what is no number of JSON, which the library gives, and no caller may get. */
const NOT_FINITE = 'D3202';

const print = (value: unknown): string =>
  value === undefined ? 'no result' : Object.is(value, -0) ? '-0' : JSON.stringify(value);

/** The value as JSON, or the code of the error. */
export const ours = (text: string, input: unknown = {}): string => {
  const draws = [0.75, 0.25, 0.5];
  try {
    return print(
      evaluate(natives, parse(text), input, {
        startedAt: () => STARTED_AT,
        random: () => draws.shift() ?? 0.1,
        uuid: () => '00000000-0000-4000-8000-000000000000',
        variable: (name) => (name === 'given' ? 'from the caller' : undefined),
      }),
    );
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return error.code;
  }
};

/** The same by the library. */
export const theirs = async (text: string, input: unknown = {}): Promise<string> => {
  try {
    const value: unknown = await jsonata(text).evaluate(structuredClone(input));
    return typeof value === 'number' && !Number.isFinite(value) ? NOT_FINITE : print(value);
  } catch (error) {
    return String((error as { readonly code?: string }).code);
  }
};
