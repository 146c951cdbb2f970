import type { ExecutionInfo } from '../../contract/node.ts';
import type { Logger, Services } from '../../contract/services.ts';
import { execute } from '../../engine/execute.ts';
import type { OtherWorkflows } from '../../engine/session.ts';
import { inlineSteps } from '../../engine/steps.ts';
import type { StrayErrorGuard } from '../../engine/stray-errors.ts';
import { computeLimits } from './limits.ts';
import type { OpenPlan } from './plans.ts';
import type { InlineRun, RunPrepared } from './run-execution.ts';

export interface PrepareParts {
  readonly openPlan: OpenPlan;
  readonly otherWorkflows: OtherWorkflows;
  readonly services: Services;
  /** A logger that is tagged with whose it is. */
  readonly loggerFor: (execution: ExecutionInfo) => Logger;
  readonly guard?: StrayErrorGuard | undefined;
}

/**
 * Makes a run ready to run with the engine, in this process from start to end.
 * Rejects with AppError `WORKFLOW_INVALID` when the stored workflow, or its trigger, can't run.
 */
export const createPrepareRun =
  ({ openPlan, otherWorkflows, services, loggerFor, guard }: PrepareParts) =>
  async ({
    executionId,
    workflow,
    trigger,
    input,
    timeLimitMs,
    traceparent,
  }: InlineRun): Promise<RunPrepared> => {
    const plan = await openPlan(workflow);
    plan.routeFrom(trigger.nodeId); // throws for what is no trigger
    const limits = computeLimits(workflow.definition.settings, 'inline', timeLimitMs);
    return async (startedAt) => {
      const execution: ExecutionInfo = {
        executionId,
        workflowId: workflow.definition.id,
        workflowVersion: workflow.version,
        trigger,
        startedAt: new Date(startedAt).toISOString(),
        ...(traceparent === null ? {} : { traceparent }),
      };
      const ports = {
        services,
        logger: loggerFor(execution),
        steps: inlineSteps(services.clock),
        workflows: otherWorkflows,
        callbacks: null,
        guard,
      };
      return execute(plan, { execution, input, limits }, ports);
    };
  };
