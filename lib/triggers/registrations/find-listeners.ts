import type { StoredRegistration } from './registration-store.ts';

/**
 * The triggers that listen for the failures of a workflow: those that name it, and those that name none. Not those for
 * other kinds of notices, and never its own, which would restart it with each of its failures.
 *
 * @param registrations - of the error triggers and notice triggers of all workflows
 */
export const findListeners = (
  registrations: readonly StoredRegistration[],
  failedWorkflowId: string,
): readonly StoredRegistration[] =>
  registrations.filter(
    ({ workflowId, parameters: { workflows, kinds } }) =>
      workflowId !== failedWorkflowId &&
      (!Array.isArray(kinds) || kinds.includes('failure')) &&
      (!Array.isArray(workflows) || workflows.includes(failedWorkflowId)),
  );
