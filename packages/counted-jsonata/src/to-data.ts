import type { Budget } from './budget.ts';
import { EvaluationError } from './evaluation-error.ts';
import { Func, type Members, setMember } from './values.ts';

/** A JSON value (RFC 8259). */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * Converts the result of an evaluation to JSON; undefined if there is none. Frozen values come from the input and are
 * shared; others are copied.
 */
export const toData = (budget: Budget, value: unknown, level = 0): JsonValue | undefined => {
  if (value instanceof Func) throw new EvaluationError('D3201');
  if (typeof value === 'number' && !Number.isFinite(value)) throw new EvaluationError('D3202', { value });
  if (typeof value === 'string') budget.read(value.length);
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value as JsonValue;
  budget.checkNesting(level);
  if (Array.isArray(value)) {
    budget.makeItems(value.length);
    const items: JsonValue[] = [];
    for (const item of value) {
      const data = toData(budget, item, level + 1);
      if (data !== undefined) items.push(data);
    }
    return items;
  }
  const keys = Object.keys(value);
  budget.makeMembers(keys.length);
  const members: Members = {};
  for (const key of keys) {
    const data = toData(budget, (value as Members)[key], level + 1);
    if (data !== undefined) setMember(members, key, data);
  }
  return members as JsonObject;
};
