import type { JsonValue } from '@hookloom/plugin-kit';
import type { Kind } from './fields.ts';

/** What a value of this kind is, in a message. */
export const describeKind = (kind: Kind): string => {
  switch (kind.type) {
    case 'text':
    case 'expression':
    case 'code':
    case 'cron':
      return 'a text';
    case 'number':
      return kind.isInteger ? 'an integer' : 'a number';
    case 'boolean':
      return 'true or false';
    case 'choice':
      return `one of ${kind.options.map((option) => JSON.stringify(option)).join(', ')}`;
    case 'list':
      return 'a list';
    case 'map':
    case 'object':
      return 'an object';
    case 'oneOf':
      return kind.kinds.map(describeKind).join(' or ');
    default:
      return 'JSON';
  }
};

/** What a kind is called where one is chosen. */
export const KIND_NAMES: Readonly<Record<Kind['type'], string>> = {
  text: 'Text',
  number: 'Number',
  boolean: 'True or false',
  choice: 'Choice',
  list: 'List',
  map: 'Keys and values',
  object: 'Object',
  oneOf: 'Other',
  expression: 'Expression',
  code: 'Code',
  cron: 'Schedule',
  file: 'File',
  jsonSchema: 'JSON Schema',
  json: 'JSON',
};

/** The value that a new item begins with. */
export const emptyOf = (kind: Kind): JsonValue => {
  switch (kind.type) {
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'choice':
      return kind.options[0] ?? null;
    case 'list':
      return [];
    case 'map':
    case 'object':
      return {};
    case 'oneOf':
      return kind.kinds[0] === undefined ? null : emptyOf(kind.kinds[0]);
    case 'json':
    case 'file':
    case 'jsonSchema':
      return null;
    default:
      return '';
  }
};
