import type { FindNodeType } from '../../contract/node-type.ts';
import type { OtherWorkflows } from '../../engine/session.ts';
import { AppError } from '../../shared/errors.ts';
import type { Workflow } from '../../workflows/definition/definition.ts';
import type { WorkflowStore } from '../../workflows/definition/workflow-store.ts';
import { compilePlan, type Plan } from '../../workflows/plan/plan.ts';

/** The plan of a version; rejects with AppError `WORKFLOW_INVALID`. */
export type OpenPlan = (workflow: Workflow) => Promise<Plan>;

interface PlanParts {
  /** Called for plans that are not known yet; builds the registry on its first call. */
  readonly loadNodeTypes: () => Promise<FindNodeType>;
  /** Answers from memory, or with what `load` resolves to. A version never changes, so its plan never ages. */
  readonly lookUpPlan: (key: string, load: () => Promise<Plan>) => Promise<Plan>;
}

export const createOpenPlan =
  ({ loadNodeTypes, lookUpPlan }: PlanParts): OpenPlan =>
  (workflow) =>
    lookUpPlan(keyOf(workflow), async () => compilePlan(workflow.definition, await loadNodeTypes()));

/** With the time, for a store that was emptied and so counts from 1 again. */
const keyOf = ({ definition, version, updatedAt }: Workflow): string =>
  `${definition.id}/${version}/${updatedAt}`;

/** How many plans of other workflows are kept at hand. */
const MAX_PLANS = 100;

/**
 * The other workflows of a store, for nodes that run them. Plans are kept: a run that was suspended while it read one
 * is resumed at once, and has to find it at hand then.
 */
export const createOtherWorkflows = (
  workflows: Pick<WorkflowStore, 'find' | 'findVersion'>,
  openPlan: OpenPlan,
): OtherWorkflows => {
  const plans = new Map<string, Plan>();
  return {
    findVersion: async (workflowId) => {
      const found = await workflows.find(workflowId);
      return found?.definition.enabled === true ? found.version : null;
    },
    loadPlan: async (workflowId, version) => {
      const key = `${workflowId}/${version}`;
      const known = plans.get(key);
      if (known !== undefined) return known;
      const workflow = await workflows.findVersion(workflowId, version);
      // Its number was just read: see `loadBackgroundRun`.
      if (workflow === null) {
        const cause = new Error(`version ${version} of ${workflowId} is not stored`);
        throw new AppError('STORE_UNAVAILABLE', {}, cause);
      }
      const plan = await openPlan(workflow);
      if (plans.size >= MAX_PLANS) plans.clear();
      plans.set(key, plan);
      return plan;
    },
  };
};
