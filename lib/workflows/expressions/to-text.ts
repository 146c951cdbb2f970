import { roundNumber } from '@hookloom/counted-jsonata/values';
import type { JsonValue } from '@hookloom/plugin-kit';
import type { Result } from './scope.ts';

/** Writes the value of an expression within a text: as `&` does, and nothing for null. */
export const toText = (value: Result): string => {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(roundNumber(value));
  return typeof value === 'object' ? JSON.stringify(value, roundNumbers) : String(value);
};

/** As `&` writes them: without the errors of binary fractions. */
const roundNumbers = (_key: string, value: JsonValue): JsonValue =>
  typeof value === 'number' ? roundNumber(value) : value;
