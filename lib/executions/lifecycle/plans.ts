import type { OtherWorkflows } from '../../engine/session.ts';
import { LruMap } from '../../shared/cache.ts';
import { STORE_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { WorkflowDefinition } from '../../workflows/definition/definition.ts';
import { compilePlan } from '../../workflows/plan/compile-plan.ts';
import type { Plan } from '../../workflows/plan/plan.ts';
import type { OpenPlan, Ports } from '../ports.ts';

/** With a cache of plans: a version never changes, so its plan never goes stale. */
export const createOpenPlan =
  ({
    loadNodeTypes,
    lookUpPlan,
  }: Pick<Ports, 'loadNodeTypes'> & {
    readonly lookUpPlan: (key: string, load: () => Promise<Plan>) => Promise<Plan>;
  }): OpenPlan =>
  (workflow) =>
    // Includes the time, because in a store that was emptied, versions start at 1 again.
    lookUpPlan(`${workflow.definition.id}/${workflow.version}/${workflow.updatedAt}`, async () => {
      const { definition } = workflow;
      return compilePlan(definition, await loadNodeTypes(nodeTypesOf(definition)));
    });

/** The node types that a workflow uses, each once. */
export const nodeTypesOf = ({ nodes }: WorkflowDefinition): readonly string[] => [
  ...new Set(nodes.map(({ type }) => type)),
];

/** How many plans of other workflows are cached. */
const MAX_PLANS = 100;

/**
 * Loads other workflows from the store. Plans are cached because a run that was suspended while it loaded one is
 * resumed at once in this process, and must not be suspended there again.
 */
export const createOtherWorkflows = (workflows: Ports['workflows'], openPlan: OpenPlan): OtherWorkflows => {
  const plans = new LruMap<string, { readonly plan: Plan; readonly updatedAt: string }>(MAX_PLANS);
  return {
    findVersion: async (workflowId) => {
      const found = await workflows.find(workflowId);
      if (found?.definition.enabled !== true) return null;
      const { version, updatedAt } = found;
      // After its table was restored, another version may have the number of one that was lost.
      const key = `${workflowId}/${version}`;
      if (plans.get(key)?.updatedAt !== updatedAt) plans.delete(key);
      return version;
    },
    loadPlan: async (workflowId, version) => {
      const key = `${workflowId}/${version}`;
      const cached = plans.get(key);
      if (cached !== undefined) return cached.plan;
      const workflow = await workflows.findVersion(workflowId, version);
      // The previous step has read this version: see `loadBackgroundRun`.
      if (workflow === null) {
        const cause = new Error(`version ${version} of ${workflowId} was not found`);
        throw new AppError(STORE_UNAVAILABLE, {}, cause);
      }
      const plan = await openPlan(workflow);
      plans.set(key, { plan, updatedAt: workflow.updatedAt });
      return plan;
    },
  };
};
