import type { JsonValue } from '@hookloom/plugin-kit';
import { BODY_INVALID } from '../../../shared/error-catalogue.ts';
import { AppError, isAppError } from '../../../shared/errors.ts';
import type { BodyParsers } from '../../webhook-feature.ts';

/** Maximum number of lines; blank lines count. */
const MAX_LINES = 50_000;

/**
 * Parses newline-delimited JSON: one value per line; blank lines are skipped. https://github.com/ndjson/ndjson-spec
 *
 * @throws AppError `BODY_INVALID` with the line number, `BODY_TOO_DEEP`
 */
export const parseNdjson = (text: string, { json, limitJson }: BodyParsers): JsonValue[] => {
  limitJson(text); // all lines together
  const values: JsonValue[] = [];
  let number = 0;
  for (let start = 0; start < text.length; ) {
    number += 1;
    if (number > MAX_LINES)
      throw new AppError(BODY_INVALID, { reason: `it has more than ${MAX_LINES} lines` });
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    if (line.trim() !== '') values.push(parseLine(line, number, json));
    start = end + 1;
  }
  return values;
};

const parseLine = (line: string, number: number, parseJson: (line: string) => JsonValue): JsonValue => {
  try {
    return parseJson(line);
  } catch (error) {
    if (!isAppError(error, 'BODY_INVALID')) throw error;
    throw new AppError(BODY_INVALID, { reason: `in line ${number}, ${error.parameters.reason}` });
  }
};
