import { isBigInteger } from '@hookloom/plugin-kit';
import { toPointerKey } from '../../../../lib/shared/describe.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { correct, type Finding } from '../proposals/correction.ts';

/**
 * Finds the numbers of a definition that are integers beyond ±(2^53 − 1): whatever parsed the definition may have
 * rounded them.
 *
 * @param value - of a bounded depth
 */
export const checkNumbers = (value: unknown, path = ''): Problem[] => {
  if (typeof value === 'number')
    return isBigInteger(String(value))
      ? [
          {
            path,
            message: `is beyond ±${Number.MAX_SAFE_INTEGER}, where numbers lose digits: write a string`,
          },
        ]
      : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => checkNumbers(inner, `${path}/${toPointerKey(key)}`));
};

/** Quoted parts and names; one without its end extends to the end, which keeps matching linear. */
const QUOTED = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`[^`]*`?/gs;
/** Numbers, with the character before them. */
const NUMBERS = /(?:^|[^\w.$])([\d.]+(?:[eE][+-]?\d+)?)/g;

/** Finds the first such number in an expression: data has them as strings, and a number would be equal to others. */
export const findRoundedNumber = (expression: string): Finding | null => {
  for (const [, number = ''] of expression.replace(QUOTED, ' ').matchAll(NUMBERS)) {
    if (!isBigInteger(number)) continue;
    const text = JSON.stringify(number);
    return {
      message: `${number} is beyond ±${Number.MAX_SAFE_INTEGER}, where numbers lose digits: data has it as a string; did you mean ${text}?`,
      ...correct(number, text),
    };
  }
  return null;
};
