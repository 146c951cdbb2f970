import { isAppError } from '../shared/errors.ts';
import type { OtherWorkflows } from './session.ts';

/** What fails on our side while a run goes on, and may be there the next time: no business of the workflow's. */
interface InfrastructureErrors {
  /** Rejects with the first; never resolves. */
  readonly first: Promise<never>;
  /** What can't be had is a fault; the node that asked for it hears nothing more. */
  watch(workflows: OtherWorkflows): OtherWorkflows;
}

/**
 * A background run is tried again after a fault. As the failure of a node it would be the end of the run, or send it
 * another way than the one that is remembered.
 */
export const watchInfrastructureErrors = (): InfrastructureErrors => {
  const first = Promise.withResolvers<never>();
  first.promise.catch(() => {}); // it may come when nobody listens any more
  return {
    first: first.promise,
    watch: (workflows) => ({
      // Asked for in a step, which tries again and remembers.
      findVersion: workflows.findVersion,
      loadPlan: async (workflowId, version) => {
        try {
          return await workflows.loadPlan(workflowId, version);
        } catch (error) {
          if (!isAppError(error, 'STORE_UNAVAILABLE')) throw error;
          first.reject(error);
          return new Promise<never>(() => {});
        }
      },
    }),
  };
};
