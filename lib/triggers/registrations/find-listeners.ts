import type { StoredRegistration } from './registration-store.ts';

/**
 * The error triggers that listen for the failures of a workflow: those that name it, and those that name none. Never
 * its own, which would restart it with each of its failures.
 *
 * @param registrations - of the error triggers of all workflows
 */
export const findListeners = (
  registrations: readonly StoredRegistration[],
  failedWorkflowId: string,
): readonly StoredRegistration[] =>
  registrations.filter(
    ({ workflowId, parameters: { workflows } }) =>
      workflowId !== failedWorkflowId && (!Array.isArray(workflows) || workflows.includes(failedWorkflowId)),
  );
