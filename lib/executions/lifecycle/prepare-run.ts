import type { ExecutionInfo, JsonObject, Logger } from '@hookloom/plugin-kit';
import type { CredentialSource } from '../../engine/credentials/execution-credentials.ts';
import { execute } from '../../engine/execute.ts';
import type { StrayErrorGuard } from '../../engine/failure.ts';
import type { ExecutionResult } from '../../engine/result.ts';
import type { OtherWorkflows, SharedServices } from '../../engine/session.ts';
import { inlineSteps } from '../../engine/steps.ts';
import { readAnswering } from '../../workflows/definition/answering.ts';
import type { Plan } from '../../workflows/plan/plan.ts';
import type { FilesFor } from '../files/execution-files.ts';
import { BRIEF_DAYS } from '../record/blob-store.ts';
import { toExecutionInfo } from '../record/execution-info.ts';
import type { ExecutionStart } from '../record/execution-store.ts';
import { computeLimits } from './limits.ts';
import type { NewExecution } from './new-execution.ts';
import type { OpenPlan } from './plans.ts';

interface PrepareParts {
  readonly openPlan: OpenPlan;
  readonly otherWorkflows: OtherWorkflows;
  readonly services: SharedServices;
  readonly filesFor: FilesFor;
  readonly loggerFor: (execution: ExecutionInfo) => Logger;
  readonly guard?: StrayErrorGuard | undefined;
  /** Absent where no node can borrow a credential. */
  readonly outboundCredentials?: CredentialSource | undefined;
}

export interface PreparedRun {
  /** See {@link Plan}. */
  readonly isPure: boolean;
  /** A failing node is a result; it throws for bugs of the engine only. */
  run(start: ExecutionStart): Promise<ExecutionResult>;
}

/**
 * Loads what an inline run needs, before anything of it is recorded.
 *
 * @param timeLimitMs - upper bound of the workflow's timeout
 * @throws AppError `WORKFLOW_INVALID` when the stored workflow, or its trigger, can't run
 * @throws AppError `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE` when its credentials can't be read
 */
export type PrepareRun = (execution: NewExecution, timeLimitMs: number) => Promise<PreparedRun>;

/** At most half of the time that the caller waits, so that the run has the other half. */
const MAX_CREDENTIAL_WAIT_MS = 14_000;

/** The credentials of an execution, which are read together when a node borrows the first. */
export const lendTo = (
  { credentialIds }: Plan,
  source: CredentialSource | undefined,
  maxWaitMs?: number,
): Pick<CredentialSource, 'open'> | undefined =>
  source && { open: () => source.open({ credentialIds, ...(maxWaitMs === undefined ? {} : { maxWaitMs }) }) };

/**
 * Gives the HTTP client the headers of the request that has started the execution, by which it recognises calls to the own
 * service, and how deep they are. Replays, retries and background runs have them in the input of their trigger.
 */
export const identifyCalls = (services: SharedServices, { headers = null }: JsonObject): SharedServices => ({
  ...services,
  http: { request: (request) => services.http.request({ ...request, startedBy: headers }) },
});

export const createPrepareRun =
  ({
    openPlan,
    otherWorkflows,
    services,
    filesFor,
    loggerFor,
    guard,
    outboundCredentials,
  }: PrepareParts): PrepareRun =>
  async ({ workflow, trigger, input }, timeLimitMs) => {
    const plan = await openPlan(workflow);
    plan.routeFrom(trigger.nodeId); // throws unless it is a trigger
    const beganAt = services.clock.now();
    const maxWaitMs = Math.min(timeLimitMs / 2, MAX_CREDENTIAL_WAIT_MS);
    await outboundCredentials?.prefetch(plan.credentialIds, maxWaitMs);
    const leftMs = Math.max(0, timeLimitMs - Math.max(0, services.clock.now() - beganAt));
    const limits = computeLimits(workflow.definition.settings, 'inline', leftMs);
    const { collectsEnds } = readAnswering(workflow.definition, trigger.nodeId);
    const run = async (start: ExecutionStart): Promise<ExecutionResult> => {
      const execution = toExecutionInfo(start);
      const ports = {
        services: plan.isPure ? services : identifyCalls(services, input),
        openFiles: filesFor({ ...start, life: BRIEF_DAYS }),
        logger: loggerFor(execution),
        steps: inlineSteps(services.clock),
        workflows: otherWorkflows,
        callbacks: null,
        credentials: lendTo(plan, outboundCredentials),
        guard,
      };
      return execute(plan, { execution, input, limits, collectsEnds }, ports);
    };
    return { isPure: plan.isPure, run };
  };
