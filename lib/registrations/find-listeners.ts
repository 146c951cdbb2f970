import type { StoredRegistration } from './registration-store.ts';

/**
 * The error triggers that ask for the failures of a workflow: those that name it, and those that name none. Never its own,
 * which would start it again with each of its failures.
 *
 * @param registrations - of error triggers, of all workflows
 */
export const findListeners = (
  registrations: readonly StoredRegistration[],
  failedWorkflowId: string,
): readonly StoredRegistration[] =>
  registrations.filter(
    ({ workflowId, parameters: { workflows } }) =>
      workflowId !== failedWorkflowId && (!Array.isArray(workflows) || workflows.includes(failedWorkflowId)),
  );
