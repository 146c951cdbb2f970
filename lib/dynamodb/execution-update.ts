import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { text } from './attributes.ts';

/** A condition: the execution has not ended. */
export const IS_OPEN = '#status IN (:accepted, :running, :waiting)';
const OPEN_STATUSES = {
  ':accepted': text('accepted'),
  ':running': text('running'),
  ':waiting': text('waiting'),
};

/** One update of an execution's record. */
export interface Change {
  readonly condition: string;
  /** Attributes to set, by name; undefined ones are left as they are. */
  readonly set?: Readonly<Record<string, AttributeValue | undefined>>;
  readonly remove?: readonly string[];
  readonly add?: Readonly<Record<string, AttributeValue>>;
  /** Beside those of the open statuses. */
  readonly values?: Readonly<Record<string, AttributeValue>>;
}

/** Names of attributes are data (`callback:…`), and some are reserved words: none is written into an expression. */
export const aliasOf = (attribute: string): string => attribute.replace(/[^A-Za-z0-9]/g, '_');

/** What `UpdateItem` takes. */
export const toUpdate = ({ condition, set = {}, remove = [], add = {}, values = {} }: Change) => {
  const assigned = Object.entries(set).filter(
    (entry): entry is [string, AttributeValue] => entry[1] !== undefined,
  );
  const added = Object.entries(add);
  const attributes = [...assigned, ...added].map(([name]) => name).concat(remove, mentioned(condition));
  const clause = (keyword: string, parts: readonly string[]) =>
    parts.length === 0 ? '' : `${keyword} ${parts.join(', ')} `;
  const usesStatuses = condition.includes(':accepted');
  const allValues: Record<string, AttributeValue> = {
    ...(condition.includes(IS_OPEN) ? OPEN_STATUSES : usesStatuses ? { ':accepted': text('accepted') } : {}),
    ...values,
    ...Object.fromEntries([...assigned, ...added].map(([name, value]) => [`:set_${aliasOf(name)}`, value])),
  };
  return {
    ConditionExpression: condition.replace(/(attribute_(?:not_)?exists\()([A-Za-z]+)/g, '$1#$2'),
    UpdateExpression: `${clause(
      'SET',
      assigned.map(([name]) => `#${aliasOf(name)} = :set_${aliasOf(name)}`),
    )}${clause(
      'REMOVE',
      remove.map((name) => `#${aliasOf(name)}`),
    )}${clause(
      'ADD',
      added.map(([name]) => `#${aliasOf(name)} :set_${aliasOf(name)}`),
    )}`.trim(),
    ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${aliasOf(name)}`, name])),
    ...(Object.keys(allValues).length === 0 ? {} : { ExpressionAttributeValues: allValues }),
  };
};

/** The attributes that a condition looks at by their own names. */
const mentioned = (condition: string): string[] => [
  ...[...condition.matchAll(/#(status|owner)\b/g)].map(([, name = '']) => name),
  ...[...condition.matchAll(/attribute_(?:not_)?exists\(([A-Za-z]+)\)/g)].map(([, name = '']) => name),
];
