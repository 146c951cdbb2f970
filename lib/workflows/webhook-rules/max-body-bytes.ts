import { Type } from '@hookloom/plugin-kit';
import { defineRule } from './webhook-rule.ts';

/** A limit on bodies below that of the service. */
export const maxBodyBytes = defineRule(
  Type.Integer({
    minimum: 1,
    maximum: 6 * 1024 * 1024,
    description: 'The size of the largest body in bytes: larger ones get 413',
    examples: [65_536],
  }),
);
