import { BODY_INVALID } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';

const MAX_CONTROLS = 500_000;

/**
 * Limits the control characters of a body that have no short escape in JSON: each takes six bytes in the record, so a
 * body of 6 MB would become 36 MB.
 *
 * @throws AppError `BODY_INVALID`
 */
export const limitControls = (...texts: readonly string[]): void => {
  if (hasManyControls(...texts))
    throw new AppError(BODY_INVALID, { reason: `it has more than ${MAX_CONTROLS} control characters` });
};

export const hasManyControls = (...texts: readonly string[]): boolean => {
  let length = 0;
  for (const text of texts) length += text.length;
  if (length <= MAX_CONTROLS) return false;
  let controls = 0;
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) if (isLongInJson(text.charCodeAt(at))) controls += 1;
  }
  return controls > MAX_CONTROLS;
};

/** RFC 8259 §7: backspace, tab, line feed, form feed and carriage return have escapes of two characters. */
const isLongInJson = (code: number): boolean => code < 0x20 && (code < 8 || code > 13 || code === 11);
