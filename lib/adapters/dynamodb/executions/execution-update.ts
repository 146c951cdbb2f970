import type { AttributeValue, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { compact, text } from '../attributes.ts';
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
  const assigned = compact(set);
  const clauses = {
    SET: [
      ...Object.keys(assigned).map((name) => `#${name} = :set_${name}`),
      ...Object.entries(compute).map(([name, expression]) => `#${name} = ${expression}`),
      ...(makes ? [STATES_VERSION] : []),
    ],
    REMOVE: remove.map((name) => `#${name}`),
  };
  const update = Object.entries(clauses)
    .filter(([, parts]) => parts.length > 0)
    .map(([keyword, parts]) => `${keyword} ${parts.join(', ')}`)
    .join(' ');
  const names = [...`${condition} ${update}`.matchAll(/#([A-Za-z]+)/g)];
  const assignedValues = Object.entries(assigned).map(([name, value]) => [`:set_${name}`, value]);
  const allValues = {
    ...Object.fromEntries(Object.entries(OPEN_STATUSES).filter(([name]) => condition.includes(name))),
    ...(makes ? { ':schema': WRITTEN.schema } : {}),
    ...values,
    ...Object.fromEntries(assignedValues),
  };
  return {
    ConditionExpression: condition === '' ? undefined : condition,
    UpdateExpression: update,
    ExpressionAttributeNames: Object.fromEntries(
      names.map(([placeholder, name = '']) => [placeholder, name]),
    ),
    ExpressionAttributeValues: Object.keys(allValues).length === 0 ? undefined : allValues,
  };
};
