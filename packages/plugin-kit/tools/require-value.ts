import type { JsonObject } from '../contract/json.ts';
import type { ParameterProblem } from '../contract/plugin.ts';

/** The check of a parameter `value` that a workflow must have, though its expression may have no result. */
export const requireValue = ({ value }: JsonObject): readonly ParameterProblem[] =>
  value === undefined ? [{ path: '', message: 'lacks the key "value"' }] : [];
