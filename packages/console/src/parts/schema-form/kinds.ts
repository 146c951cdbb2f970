import { isPlainObject, type JsonValue, jsonEquals } from '@hookloom/plugin-kit';
import type { Kind } from './fields.ts';

/** What a form does with values of a kind. */
interface KindRow<Own extends Kind> {
  /** What it is called where one is chosen. */
  readonly name: string;
  readonly describe: (kind: Own) => string;
  readonly empty: (kind: Own) => JsonValue;
  readonly fits: (value: unknown, kind: Own) => boolean;
}

/** A row of a kind whose values are all alike. */
const plainKind = (
  name: string,
  noun: string,
  empty: JsonValue,
  fits: (value: unknown) => boolean,
): KindRow<Kind> => ({ name, describe: () => noun, empty: () => empty, fits });

const isText = (value: unknown) => typeof value === 'string';
const isAny = () => true;

const KINDS: { readonly [Type in Kind['type']]: KindRow<Extract<Kind, { readonly type: Type }>> } = {
  text: plainKind('Text', 'a text', '', isText),
  expression: plainKind('Expression', 'a text', '', isText),
  code: plainKind('Code', 'a text', '', isText),
  cron: plainKind('Schedule', 'a text', '', isText),
  boolean: plainKind('True or false', 'true or false', false, (value) => typeof value === 'boolean'),
  list: plainKind('List', 'a list', [], Array.isArray),
  map: plainKind('Keys and values', 'an object', {}, isPlainObject),
  object: plainKind('Object', 'an object', {}, isPlainObject),
  json: plainKind('JSON', 'JSON', null, isAny),
  file: plainKind('File', 'JSON', null, isAny),
  jsonSchema: plainKind('JSON Schema', 'JSON', null, isAny),
  number: {
    name: 'Number',
    describe: ({ isInteger }) => (isInteger ? 'an integer' : 'a number'),
    empty: () => 0,
    fits: (value, { isInteger }) => typeof value === 'number' && (!isInteger || Number.isInteger(value)),
  },
  choice: {
    name: 'Choice',
    describe: ({ options }) => `one of ${options.map((option) => JSON.stringify(option)).join(', ')}`,
    empty: ({ options }) => options[0] ?? null,
    fits: (value, { options }) => options.some((option) => jsonEquals(option, value as JsonValue)),
  },
  oneOf: {
    name: 'Other',
    describe: ({ kinds }) => kinds.map(describeKind).join(' or '),
    empty: ({ kinds: [first] }) => (first === undefined ? null : emptyOf(first)),
    fits: (value, { kinds }) => kinds.some((kind) => fitsKind(kind, value)),
  },
};

const rowOf = ({ type }: Kind) => KINDS[type] as KindRow<Kind>;

export const nameOfKind = (kind: Kind): string => rowOf(kind).name;

export const describeKind = (kind: Kind): string => rowOf(kind).describe(kind);

/** The value that a new item begins with. */
export const emptyOf = (kind: Kind): JsonValue => rowOf(kind).empty(kind);

/** Whether a value has the shape that a kind of field shows; any other value is shown as JSON, and kept. */
export const fitsKind = (kind: Kind, value: unknown): boolean => rowOf(kind).fits(value, kind);
