import type { JsonObject } from '../contract/json.ts';
import type { ParameterProblem } from '../contract/plugin.ts';

/** Checks that a workflow has the parameter `value`, although its expression may have no result. */
export const requireValue = ({ value }: JsonObject): readonly ParameterProblem[] =>
  value === undefined ? [{ path: '', message: 'lacks the key "value"' }] : [];
