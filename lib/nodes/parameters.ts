import { isPlainObject, type JsonObject, type JsonValue } from '../contract/json.ts';

type Got = JsonValue | undefined;

/**
 * The error for a resolved parameter that a node can't work with. An expression may give anything, so what
 * validation saw when the workflow was stored says nothing of it. Names the parameter, what was expected and the
 * type that was got, never the value: it may be a secret.
 */
export const wrongParameter = (name: string, expected: string, got: Got): TypeError =>
  new TypeError(`Parameter "${name}" must be ${expected}, got ${nameType(got)}`);

const nameType = (value: Got): string => {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** The parameter, or its default when it is absent; null is a value like any other. */
const pick = (parameters: JsonObject, name: string, byDefault: Got): Got => {
  const value = parameters[name];
  return value === undefined ? byDefault : value;
};

/** Without a default the parameter is required, here and below. */
export const readString = (parameters: JsonObject, name: string, byDefault?: string): string => {
  const value = pick(parameters, name, byDefault);
  if (typeof value !== 'string') throw wrongParameter(name, 'a string', value);
  return value;
};

export const readBoolean = (parameters: JsonObject, name: string, byDefault?: boolean): boolean => {
  const value = pick(parameters, name, byDefault);
  if (typeof value !== 'boolean') throw wrongParameter(name, 'true or false', value);
  return value;
};

export const readMap = (parameters: JsonObject, name: string, byDefault?: JsonObject): JsonObject => {
  const value = pick(parameters, name, byDefault);
  if (!isJsonMap(value)) throw wrongParameter(name, 'a map', value);
  return value;
};

export const isJsonMap = (value: Got): value is JsonObject => isPlainObject(value);

/** A number from `min` to `max`; with `integer`, a whole one. */
export const readNumber = (
  parameters: JsonObject,
  name: string,
  rule: {
    readonly min: number;
    readonly max: number;
    readonly byDefault: number;
    readonly integer?: boolean;
  },
): number => {
  const { min, max, byDefault, integer = false } = rule;
  const value = pick(parameters, name, byDefault);
  const expected = `${integer ? 'an integer' : 'a number'} from ${min} to ${max}`;
  if (typeof value !== 'number') throw wrongParameter(name, expected, value);
  if (value < min || value > max || (integer && !Number.isInteger(value))) {
    throw new RangeError(`Parameter "${name}" must be ${expected}, got another number`);
  }
  return value;
};

export const readChoice = <Choice extends string>(
  parameters: JsonObject,
  name: string,
  choices: readonly Choice[],
  byDefault: Choice,
): Choice => {
  const value = pick(parameters, name, byDefault);
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw wrongParameter(name, `one of ${choices.join(', ')}`, value);
  return choice;
};
