import { type JsonObject, type JsonValue, toExactJson } from '@hookloom/plugin-kit';
import { toPointerKey } from './describe.ts';
import { BODY_INVALID } from './error-catalogue.ts';
import { AppError } from './errors.ts';

/** Characters of a place in a message: keys are the sender's. */
const MAX_PLACE = 200;

/**
 * Refuses JSON with an integer that a number can't hold.
 *
 * @param value - what the text was parsed to, in which such an integer is a string: see `parseJsonBody`
 * @throws AppError `BODY_INVALID` with the place of the first one
 */
export const refuseBigNumbers = (text: string, value: JsonValue): void => {
  if (toExactJson(text) !== text) refuseRounded(JSON.parse(text), value, '');
};

const refuseRounded = (rounded: JsonValue, exact: JsonValue, place: string): void => {
  if (typeof rounded === 'number' && typeof exact === 'string')
    throw new AppError(BODY_INVALID, {
      reason: `${place.slice(0, MAX_PLACE) || 'it'} is an integer beyond ±${Number.MAX_SAFE_INTEGER}: send it as a string`,
      isJson: true,
    });
  if (typeof rounded !== 'object' || rounded === null) return;
  for (const [key, inner] of Object.entries(rounded))
    refuseRounded(inner, (exact as JsonObject)[key] ?? null, `${place}/${toPointerKey(key)}`);
};
