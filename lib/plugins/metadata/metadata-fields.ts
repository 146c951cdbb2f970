import {
  type ControlTraits,
  type CredentialType,
  ERROR_OUTPUT,
  isPlainObject,
  type JsonObject,
  type NodeOutputs,
  type Purity,
  RESPONSE_OUTPUT,
  type TriggerSource,
} from '@hookloom/plugin-kit';
import { BUILT_IN_SOURCES, type NodeExample } from '@hookloom/plugin-kit/host';
import { satisfies, validateStrict } from 'compare-versions';
import * as v from 'valibot';
import { findKeywordFault, isPattern } from './find-keyword-fault.ts';

/** Names with a special meaning for JavaScript objects. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);
const ID = /^[A-Za-z0-9._-]{1,64}$/;
const MAX_TEXT_LENGTH = 2_000;

const mustBe =
  (what: string) =>
  ({ input }: { readonly input: unknown }): string =>
    `must be ${what}, not ${describeValue(input)}`;

const field = <Type>(what: string, isValid: (value: unknown) => boolean) =>
  v.custom<Type>(isValid, mustBe(what));

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_TEXT_LENGTH;
const isName = (value: unknown): value is string => isText(value) && value.trim() !== '';
const isNameList = (value: unknown): value is readonly string[] =>
  // Array.from, because `every` skips the holes of a sparse list.
  Array.isArray(value) && new Set(value).size === value.length && Array.from(value).every(isName);

/** Whether a value is JSON: without this check, a response that contains it would fail. */
const isJson = (value: unknown): boolean => succeeds(() => JSON.stringify(value));
const isJsonObject = (value: unknown): boolean => isPlainObject(value) && isJson(value);

export const id = field<string>(
  '1 to 64 of A-Z a-z 0-9 . _ - and not a reserved name',
  (value) => typeof value === 'string' && ID.test(value) && !RESERVED.has(value),
);
export const name = field<string>(`a string of 1 to ${MAX_TEXT_LENGTH} characters`, isName);
export const propertyName = v.pipe(
  name,
  v.check((value) => !RESERVED.has(value), mustBe('a name that is not reserved')),
);
export const text = field<string>(`a string of at most ${MAX_TEXT_LENGTH} characters`, isText);
export const version = field<string>(
  'a semantic version such as 1.0.0',
  (value) => typeof value === 'string' && validateStrict(value),
);
export const range = field<string>(
  'a version range such as ^1.2.0',
  (value) => typeof value === 'string' && value.trim() !== '' && succeeds(() => satisfies('1.0.0', value)),
);
export const pattern = field<string>('a regular expression', isPattern);
export const boolean = field<boolean>('true or false', (value) => typeof value === 'boolean');
export const purity = field<Purity>(
  'true, false or a function',
  (value) => typeof value === 'boolean' || typeof value === 'function',
);
export const method = field('a function', (value) => typeof value === 'function');
export const json = field('JSON', isJson);
export const schema = v.pipe(
  field('a JSON Schema object', isJsonObject),
  v.check(
    (value) => findKeywordFault(value) === null,
    ({ input }) => `must be a valid JSON Schema, but is not at ${findKeywordFault(input)}`,
  ),
);
export const example = field<NodeExample>(
  '{ parameters, input?, output? }, each a JSON object',
  (value) =>
    isPlainObject(value) &&
    isJsonObject(value.parameters) &&
    [value.input, value.output].every((data) => data === undefined || isJsonObject(data)),
);
/** The schema of a credential type: an object of strings. */
export const textFields = field<JsonObject & { readonly properties: JsonObject }>(
  'a JSON Schema of an object whose properties are all strings',
  (value) =>
    isPlainObject(value) &&
    value.type === 'object' &&
    isPlainObject(value.properties) &&
    Object.values(value.properties).every(
      (property) => isPlainObject(property) && property.type === 'string',
    ) &&
    (value.required === undefined || isNameList(value.required)),
);
export const names = field<readonly string[]>('a list of different names', isNameList);
export const hosts = field<CredentialType['hosts']>(
  'a function, or a list of different host patterns',
  (value) => typeof value === 'function' || (isNameList(value) && value.length > 0),
);
export const texts = field<readonly string[]>(
  'a list of at least one string',
  (value) => Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'string'),
);
const isSchemaOrFunction = (value: unknown): boolean => typeof value === 'function' || isJsonObject(value);

export const outputs = field<NodeOutputs>(
  `a function, or different names, each with a JSON Schema or in a list, other than "${ERROR_OUTPUT}" and "${RESPONSE_OUTPUT}"`,
  (value) => {
    if (typeof value === 'function') return true;
    if (isPlainObject(value) && !Object.values(value).every(isSchemaOrFunction)) return false;
    const names = isPlainObject(value) ? Object.keys(value) : value;
    return isNameList(names) && !names.includes(ERROR_OUTPUT) && !names.includes(RESPONSE_OUTPUT);
  },
);
export const control = field<ControlTraits>(
  '{ suspends: true or false, bodyOutput?: the name of an output, waitSeconds?: a function, needsBody?: true or false }',
  (value) =>
    isPlainObject(value) &&
    typeof value.suspends === 'boolean' &&
    (value.bodyOutput === undefined || isName(value.bodyOutput)) &&
    (value.waitSeconds === undefined || typeof value.waitSeconds === 'function') &&
    (value.needsBody === undefined || typeof value.needsBody === 'boolean'),
);

const isEventSource = (value: unknown): boolean =>
  isPlainObject(value) &&
  ['toInput', 'toKey'].every((name) => typeof value[name] === 'function') &&
  ['toAddress', 'register', 'unregister', 'inspect', 'resourceOf', 'takesBatches', 'poll'].every(
    (name) => value[name] === undefined || typeof value[name] === 'function',
  ) &&
  (value.toAddress !== undefined || value.register !== undefined) &&
  (value.register === undefined) === (value.unregister === undefined);
const EVENT_SOURCE = '{ toInput, toKey } with { toAddress } or { register, unregister }, all functions';
export const triggerSource = field<TriggerSource>(
  `one of ${BUILT_IN_SOURCES.join(', ')}, or ${EVENT_SOURCE}`,
  (value) => BUILT_IN_SOURCES.some((source) => source === value) || isEventSource(value),
);

export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  v.picklist(words, mustBe(`one of ${words.join(', ')}`));

export const list = <Entry extends v.GenericSchema>(entry: Entry) => v.array(entry, mustBe('a list'));

type Field = v.GenericSchema & { readonly message?: unknown };

/** An object with these fields and any others. A required field that is missing is reported as undefined. */
export const shape = <const Fields extends Readonly<Record<string, Field>>>(fields: Fields) =>
  v.object(fields, (issue) => {
    const message = fields[String(issue.path?.[0].key)]?.message;
    return typeof message === 'function'
      ? message(issue)
      : `must be an object, not ${describeValue(issue.input)}`;
  });

/** Wraps a parser of a library that reports an invalid value only by throwing. */
const succeeds = (run: () => unknown): boolean => {
  try {
    run();
    return true;
  } catch {
    return false;
  }
};

/** Describes a value for a message, briefly and never in full. */
export const describeValue = (value: unknown): string => {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'string')
    return value.length <= 40 ? `"${value}"` : `a string of ${value.length} characters`;
  return typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : `a value of type ${typeof value}`;
};
