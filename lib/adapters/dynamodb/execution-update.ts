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
  /** Names of attributes start with `#`, here and below: some are reserved words. */
  readonly condition: string;
  /** Attributes to set, by name; undefined ones are left as they are. */
  readonly set?: Readonly<Record<string, AttributeValue | undefined>>;
  /** Attributes to set to an expression over others, whose values are in `values`. */
  readonly compute?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
  readonly add?: Readonly<Record<string, AttributeValue>>;
  /** Beside those of the open statuses. */
  readonly values?: Readonly<Record<string, AttributeValue>>;
}

/** What `UpdateItem` takes. */
export const toUpdate = ({
  condition,
  set = {},
  compute = {},
  remove = [],
  add = {},
  values = {},
}: Change) => {
  const assigned = Object.entries(set).filter(
    (entry): entry is [string, AttributeValue] => entry[1] !== undefined,
  );
  const added = Object.entries(add);
  const computed = Object.entries(compute);
  const attributes = [...assigned, ...added, ...computed]
    .map(([name]) => name)
    .concat(remove, ...[condition, ...Object.values(compute)].map(namesIn));
  const clause = (keyword: string, parts: readonly string[]) =>
    parts.length === 0 ? '' : `${keyword} ${parts.join(', ')} `;
  const usesStatuses = condition.includes(':accepted');
  const allValues: Record<string, AttributeValue> = {
    ...(condition.includes(IS_OPEN) ? OPEN_STATUSES : usesStatuses ? { ':accepted': text('accepted') } : {}),
    ...values,
    ...Object.fromEntries([...assigned, ...added].map(([name, value]) => [`:set_${name}`, value])),
  };
  return {
    ConditionExpression: condition,
    UpdateExpression: `${clause('SET', [
      ...assigned.map(([name]) => `#${name} = :set_${name}`),
      ...computed.map(([name, expression]) => `#${name} = ${expression}`),
    ])}${clause(
      'REMOVE',
      remove.map((name) => `#${name}`),
    )}${clause(
      'ADD',
      added.map(([name]) => `#${name} :set_${name}`),
    )}`.trim(),
    ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${name}`, name])),
    ...(Object.keys(allValues).length === 0 ? {} : { ExpressionAttributeValues: allValues }),
  };
};

/** The attributes that an expression names. */
const namesIn = (expression: string): string[] =>
  [...expression.matchAll(/#([A-Za-z]+)\b/g)].map(([, name = '']) => name);
