import { isId } from '@hookloom/plugin-kit/host';
import type { Context } from 'aws-lambda';
import { WORKFLOW_NOT_FOUND } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
/** The time until Lambda ends an invocation, in milliseconds; without a limit in a process that has none. */
export const remainingMs = ({ getRemainingTimeInMillis }: Partial<Context>): number =>
  getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY;

/** @throws AppError `WORKFLOW_NOT_FOUND` for an invalid id, which the response does not echo */
export const checkWorkflowId = (workflowId: string): string => {
  if (isId(workflowId)) return workflowId;
  throw new AppError(WORKFLOW_NOT_FOUND, { workflowId: 'with this id' });
};
