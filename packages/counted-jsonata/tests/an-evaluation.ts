import { expect } from '@jest/globals';
import jsonata from 'jsonata';
import { evaluate } from '../src/evaluate.ts';
import { describeError, EvaluationError } from '../src/evaluation-error.ts';
// By path, not by name: the mutation tests change a copy of these files, which names lead out of.
import { loadNatives } from '../src/functions/natives.ts';
import { parse } from '../src/parse.ts';

const natives = await loadNatives();

export const STARTED_AT = Date.UTC(2026, 0, 31, 12);

/** The code of what is no number of JSON, which the library gives, and no caller may get. */
const NOT_FINITE = 'D3202';

const print = (value: unknown): string =>
  value === undefined ? 'no result' : Object.is(value, -0) ? '-0' : JSON.stringify(value, withoutHoles);

/** The library has items without a value in a list, where JSON would have null. */
const withoutHoles = (_key: string, value: unknown): unknown =>
  Array.isArray(value) ? value.filter((item) => item !== undefined) : value;

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

/** The message of the error, or `no error`. */
export const messageOf = (text: string, input: unknown = {}): string => {
  const environment = {
    startedAt: () => STARTED_AT,
    random: () => 0.5,
    uuid: () => '',
    variable: () => undefined,
  };
  try {
    evaluate(natives, parse(text), input, environment);
    return 'no error';
  } catch (error) {
    return describeError(error);
  }
};

/** The fewest steps with which an evaluation of the text ends. */
export const stepsOf = (text: string, input: unknown): number => {
  const expression = parse(text);
  const environment = {
    startedAt: () => STARTED_AT,
    random: () => 0.5,
    uuid: () => '',
    variable: () => undefined,
  };
  const isEnough = (maxSteps: number): boolean => {
    try {
      evaluate(natives, expression, input, { ...environment, maxSteps });
      return true;
    } catch (error) {
      if (error instanceof EvaluationError && error.code === 'D1012') return false;
      throw error;
    }
  };
  let most = 16;
  while (!isEnough(most)) most *= 2;
  let least = most === 16 ? 0 : most / 2 + 1;
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (isEnough(middle)) most = middle;
    else least = middle + 1;
  }
  return least;
};

/** The same as {@link ours} by the library. */
export const theirs = async (text: string, input: unknown = {}): Promise<string> => {
  try {
    const value: unknown = await jsonata(text).evaluate(structuredClone(input));
    return typeof value === 'number' && !Number.isFinite(value) ? NOT_FINITE : print(value);
  } catch (error) {
    return String((error as { readonly code?: string }).code);
  }
};

/** Expects the same value or error as the library's for each of the texts. */
export const compare = async (texts: readonly string[], input: unknown): Promise<void> => {
  const found: string[] = [];
  const expected: string[] = [];
  for (const text of texts) {
    found.push(`${text}: ${ours(text, input)}`);
    expected.push(`${text}: ${await theirs(text, input)}`);
  }
  expect(found).toEqual(expected);
};
