import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { type Change, compareValues } from '../../shared/compare-values.ts';
import { toPointerKey } from '../../shared/describe.ts';
import { BODY_INVALID } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { redactText } from '../../shared/secrets/redact-text.ts';
import { REDACTED } from '../../shared/secrets/secret-names.ts';
import type { EditedInput } from './execution-store.ts';
import { redactCredentials } from './redact-credentials.ts';
import { viewChange } from './view-data.ts';

/** Every change of a record is billed by the size of the whole record. */
const MAX_CHANGES = 20;
const MAX_LENGTH = 4_000;
const MAX_PATH_LENGTH = 200;

/** Describes what was edited: at most 20 changes in 4,000 characters of JSON. */
export const describeEdit = (from: JsonObject, to: JsonObject, by: string | null): EditedInput => {
  const all = compareValues(from, to);
  let left = MAX_LENGTH;
  const changes = all
    .filter(({ path }) => path.length <= MAX_PATH_LENGTH)
    .slice(0, MAX_CHANGES)
    .map((change) => {
      const text = redactCredentials(redactCredentials(JSON.stringify(viewChange(change)), from), to);
      left -= text.length;
      return left < 0 ? null : (JSON.parse(text) as Change);
    })
    .filter((change) => change !== null);
  const changesOmitted = all.length - changes.length;
  return { by, changes, ...(changesOmitted === 0 ? {} : { changesOmitted }) };
};

/**
 * The input of a trigger with some fields replaced. What records show as `[redacted]` keeps the original's value in the
 * same place, so that a record can be edited without its secrets.
 * @param edited - the fields to replace
 * @throws AppError `BODY_INVALID` for `[redacted]` where the original has nothing, and for the start of a large value
 */
export const completeInput = (original: JsonObject, edited: JsonObject): JsonObject => ({
  ...original,
  ...(completeValue(edited, original, '/input') as JsonObject),
});

const completeValue = (edited: JsonValue, original: JsonValue | undefined, pointer: string): JsonValue => {
  if (typeof edited === 'string') return completeText(edited, original, pointer);
  if (typeof edited !== 'object' || edited === null) return edited;
  if (Object.hasOwn(edited, '$bytes') && Object.hasOwn(edited, '$start'))
    throw editProblem(pointer, 'is only the start of a value; write all of it');
  const known = (original ?? {}) as Readonly<Record<string, JsonValue>>;
  const entries = Object.entries(edited).map(([key, value]): [string, JsonValue] => {
    const place = `${pointer}/${toPointerKey(key)}`;
    return [key, completeValue(value, Object.hasOwn(known, key) ? known[key] : undefined, place)];
  });
  return isPlainObject(edited) ? Object.fromEntries(entries) : entries.map(([, value]) => value);
};

const completeText = (edited: string, original: JsonValue | undefined, pointer: string): JsonValue => {
  if (!edited.includes(REDACTED)) return edited;
  if (edited === REDACTED && original !== undefined) return original;
  if (typeof original === 'string' && redactText(original) === edited) return original;
  throw editProblem(pointer, 'contains "[redacted]", which is not what was received; write the real value');
};

/** Longer places are cut, since their keys come from the caller. */
const MAX_POINTER_LENGTH = 200;

const editProblem = (pointer: string, problem: string): AppError =>
  new AppError(BODY_INVALID, { reason: `${pointer.slice(0, MAX_POINTER_LENGTH)} ${problem}` });
