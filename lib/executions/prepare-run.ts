import type { ExecutionInfo } from '../contract/node.ts';
import type { FindNodeType } from '../contract/node-type.ts';
import type { Logger, Services } from '../contract/services.ts';
import type { Workflow, WorkflowSettings } from '../workflows/definition.ts';
import { compilePlan, type Plan } from '../workflows/plan.ts';
import { type ExecutionLimits, execute } from './engine.ts';
import type { Launch, RunPrepared } from './run-execution.ts';
import { inlineSteps } from './steps.ts';

/** What an execution may use when its workflow says nothing else. The gateway gives up after 30 seconds. */
const DEFAULT_LIMITS = { timeoutSeconds: 25, maxNodeRuns: 100_000, maxOutputBytes: 32 * 1024 * 1024 };

export interface PrepareParts {
  /** Called for plans that are not known yet; builds the registry on its first call. */
  readonly loadNodeTypes: () => Promise<FindNodeType>;
  /** Answers from memory, or with what `load` resolves to. A version never changes, so its plan never ages. */
  readonly lookUpPlan: (key: string, load: () => Promise<Plan>) => Promise<Plan>;
  readonly services: Services;
  /** A logger that is tagged with whose it is. */
  readonly loggerFor: (execution: ExecutionInfo) => Logger;
}

/**
 * Makes a launch ready to run with the engine, in this process from start to end.
 * Rejects with AppError `WORKFLOW_INVALID` when the stored workflow, or its trigger, can't run.
 */
export const createPrepareRun =
  ({ loadNodeTypes, lookUpPlan, services, loggerFor }: PrepareParts) =>
  async ({ executionId, workflow, trigger, input, timeLimitMs }: Launch): Promise<RunPrepared> => {
    const plan = await lookUpPlan(keyOf(workflow), async () =>
      compilePlan(workflow.definition, await loadNodeTypes()),
    );
    plan.routeFrom(trigger.nodeId); // throws for what is no trigger
    const limits = toLimits(workflow.definition.settings, timeLimitMs);
    return async (startedAt) => {
      const execution: ExecutionInfo = {
        executionId,
        workflowId: workflow.definition.id,
        workflowVersion: workflow.version,
        trigger,
        startedAt: new Date(startedAt).toISOString(),
      };
      const steps = inlineSteps(services.clock);
      return execute(plan, { execution, input, limits }, { services, logger: loggerFor(execution), steps });
    };
  };

/** With the time, for a store that was emptied and so counts from 1 again. */
const keyOf = ({ definition, version, updatedAt }: Workflow): string =>
  `${definition.id}/${version}/${updatedAt}`;

const toLimits = (settings: WorkflowSettings = {}, timeLimitMs: number): ExecutionLimits => {
  const { timeoutSeconds, maxNodeRuns, maxOutputBytes } = { ...DEFAULT_LIMITS, ...settings };
  return { timeoutMs: Math.min(timeoutSeconds * 1000, timeLimitMs), maxNodeRuns, maxOutputBytes };
};
