import type { AttributeValue, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { text } from '../attributes.ts';
import { STATES_VERSION, WRITTEN } from '../schema/schema.ts';

/** A condition: the execution is not finished. */
export const IS_OPEN = '#status IN (:accepted, :running, :waiting)';

const OPEN_STATUSES = {
  ':accepted': text('accepted'),
  ':running': text('running'),
  ':waiting': text('waiting'),
};

/** A conditional update. Expressions refer to attributes by `#name`, since some names are reserved words. */
export interface Change {
  /** The condition, which may use the names of {@link OPEN_STATUSES}; empty for none. */
  readonly condition: string;
  /** Attributes to set; undefined ones keep their value. */
  readonly set?: Readonly<Record<string, AttributeValue | undefined>>;
  /** Attributes to set to the value of an expression. */
  readonly compute?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
  /** Values of the condition and of `compute`. */
  readonly values?: Readonly<Record<string, AttributeValue>>;
}

export const toUpdate = ({
  condition,
  set = {},
  compute = {},
  remove = [],
  values = {},
}: Change): Omit<UpdateItemCommandInput, 'TableName' | 'Key'> => {
  // With no condition on what is stored, or with the condition that nothing is, it may create the item.
  const makes = /^(?:$|attribute_not)/.test(condition);
  const allValues: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(OPEN_STATUSES))
    if (condition.includes(name)) allValues[name] = value;
  if (makes) allValues[':schema'] = WRITTEN.schema;
  Object.assign(allValues, values);
  const assignments: string[] = [];
  for (const [name, value] of Object.entries(set)) {
    if (value === undefined) continue;
    assignments.push(`#${name} = :set_${name}`);
    allValues[`:set_${name}`] = value;
  }
  for (const [name, expression] of Object.entries(compute)) assignments.push(`#${name} = ${expression}`);
  if (makes) assignments.push(STATES_VERSION);
  const clauses: string[] = [];
  if (assignments.length > 0) clauses.push(`SET ${assignments.join(', ')}`);
  if (remove.length > 0) clauses.push(`REMOVE #${remove.join(', #')}`);
  const update = clauses.join(' ');
  const names: Record<string, string> = {};
  for (const [placeholder, name = ''] of `${condition} ${update}`.matchAll(/#([A-Za-z]+)/g))
    names[placeholder] = name;
  return {
    ConditionExpression: condition === '' ? undefined : condition,
    UpdateExpression: update,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: Object.keys(allValues).length === 0 ? undefined : allValues,
  };
};
