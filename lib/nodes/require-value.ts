import type { CheckParameters } from '../contract/plugin.ts';

/** The check of a parameter `value` that a workflow must have, though its expression may have no result. */
export const requireValue: CheckParameters = ({ value }) =>
  value === undefined ? [{ path: '', message: 'lacks the key "value"' }] : [];
