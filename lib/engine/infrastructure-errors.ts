import { isInfrastructureError } from '../shared/errors.ts';
import type { OtherWorkflows } from './session.ts';

/** The infrastructure errors of one invocation of a background run. */
interface InfrastructureErrors {
  /** Pending until the first; then rejected, with it. */
  readonly first: Promise<never>;
  /** Reports a plan that can't be loaded as an infrastructure error; the node that needs it stays pending. */
  watch(workflows: OtherWorkflows): OtherWorkflows;
}

/**
 * Infrastructure errors abort the invocation, so that Lambda retries it. As failures of a node they would end the
 * execution, or make its replay diverge from the journal.
 */
export const watchInfrastructureErrors = (): InfrastructureErrors => {
  const first = Promise.withResolvers<never>();
  first.promise.catch(() => {}); // it may reject after the run has ended
  return {
    first: first.promise,
    watch: (workflows) => ({
      findVersion: workflows.findVersion, // called in a step, which retries it
      loadPlan: async (workflowId, version) => {
        try {
          return await workflows.loadPlan(workflowId, version);
        } catch (error) {
          if (!isInfrastructureError(error)) throw error;
          first.reject(error);
          return new Promise<never>(() => {});
        }
      },
    }),
  };
};
