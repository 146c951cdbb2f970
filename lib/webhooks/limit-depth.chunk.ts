import { readDepth } from '../executions/record/call-depth.ts';
import { LOOP_DETECTED } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';

/** The maximum length of a chain of executions that call the service. */
const MAX_DEPTH = 10;

/** Breaks loops of workflows that call each other's webhooks. @throws AppError `LOOP_DETECTED` */
export const limitDepth = (headers: Readonly<Record<string, string>>): void => {
  if (readDepth(headers) >= MAX_DEPTH) throw new AppError(LOOP_DETECTED, { limit: MAX_DEPTH });
};
