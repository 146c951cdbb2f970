import { readDepth } from '../executions/record/call-depth.ts';
import { featureError } from '../shared/feature-errors.ts';

/** The maximum length of a chain of executions that call the service. */
const MAX_DEPTH = 10;

/** Breaks loops of workflows that call each other's webhooks. @throws AppError `LOOP_DETECTED` */
export const limitDepth = (headers: Readonly<Record<string, string>>): void => {
  if (readDepth(headers) >= MAX_DEPTH) throw featureError('LOOP_DETECTED', { limit: MAX_DEPTH });
};
