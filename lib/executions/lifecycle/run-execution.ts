import type { JsonObject, Logger } from '@hookloom/plugin-kit';
import type { CheckpointJournal } from '../../engine/checkpoint-journal.ts';
import type { CredentialSource } from '../../engine/credentials.ts';
import { execute } from '../../engine/execute.ts';
import type { ExecutionResult } from '../../engine/result.ts';
import type { SharedServices } from '../../engine/session.ts';
import { inlineSteps } from '../../engine/steps.ts';
import { ALREADY_STARTED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { collectsAllEnds } from '../../workflows/plan/compile-plan.ts';
import type { Plan } from '../../workflows/plan/plan.ts';
import type { FinishPorts, NodePorts, Ports } from '../ports.ts';
import { BRIEF_DAYS } from '../record/blob-store.ts';
import {
  type ExecutionIdentity,
  type ExecutionStart,
  keyIdOf,
  toExecutionInfo,
} from '../record/execution-store.ts';
import { dropData, packInput, packResult } from '../record/pack-result.ts';
import { finishExecution, type NewEnd, startAndFinish } from './finish-execution.ts';
import { computeLimits, keepsData } from './limits.ts';
import { INLINE_START, type NewExecution, toStart } from './new-execution.ts';
import { packJournal } from './record-updates.ts';

type RunPorts = FinishPorts & Pick<Ports, 'clock' | 'ids' | 'blobs'> & { readonly prepare: PrepareRun };

/**
 * Runs an execution in this process and records it: the start before it has any side effect, and the end. A run of pure
 * nodes is recorded only once, at its end, which costs one write; if that fails, nothing has happened.
 * @param timeLimitMs - upper bound of the workflow's timeout
 * @throws AppError `WORKFLOW_INVALID` | `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE` | `ALREADY_STARTED` if nothing was
 * done; once the start is recorded, it always resolves, even if the end can't be recorded
 */
export type RunExecution = (execution: NewExecution, timeLimitMs: number) => Promise<ExecutionResult>;

export const createRunExecution =
  (ports: RunPorts): RunExecution =>
  async (execution, timeLimitMs) => {
    const { prepare, clock, ids, logger } = ports;
    const { isPure, run } = await prepare(execution, timeLimitMs);
    const start = toStart(execution, { ...INLINE_START, startedAt: clock.now(), startToken: ids.next() });
    // The record of a run with a delivery key is also its claim, which repeated deliveries look for.
    const isRecordedOnce = isPure && !execution.keepsResult;
    if (!isRecordedOnce && !(await ports.executions.start(start))) throw toAlreadyStarted(start);
    const journal: CheckpointJournal | undefined = execution.keepsResult ? new Map() : undefined;
    const result = await runToResult(() => run(start, journal), start, logger);
    const toEnd = () => computeEnd(execution, start, result, ports, journal);
    if (!isRecordedOnce) await recordEnd(start, result, toEnd, ports);
    else if (!(await startAndFinish(start, await toEnd(), ports))) throw toAlreadyStarted(start);
    return result;
  };

const toAlreadyStarted = ({ executionId }: ExecutionStart): AppError =>
  new AppError(ALREADY_STARTED, { executionId });

/** Turns a bug of the engine into a failed execution, so that its record does not stay open. */
export const runToResult = async (
  run: () => Promise<ExecutionResult>,
  start: ExecutionIdentity,
  logger: Logger,
): Promise<ExecutionResult> => {
  try {
    return await run();
  } catch (cause) {
    logger.error('The engine failed.', { ...namesOf(start), cause });
    const message = 'Something failed on our side.';
    const failure = { nodeId: start.trigger.nodeId, name: 'InternalError', message };
    return { status: 'failed', nodes: [], output: {}, response: null, failure };
  }
};

/** The end of an inline run, with what a retry needs if it failed. */
export const computeEnd = async (
  { workflow, input }: NewExecution,
  { executionId, keepsResult, variables }: ExecutionStart,
  result: ExecutionResult,
  { clock, blobs }: Pick<Ports, 'clock' | 'blobs'>,
  journal?: CheckpointJournal,
): Promise<NewEnd> => {
  const { status, nodes, failure } = result;
  const hasFailed = status !== 'succeeded';
  const isKept = keepsData(workflow.definition.settings, 'inline', hasFailed);
  return {
    status,
    endedAt: clock.now(),
    nodes: isKept
      ? await (await import('../record/view-run.chunk.ts')).viewRun(nodes, workflow.definition, variables)
      : dropData(nodes),
    failure,
    ...(keepsResult && (await packResult({ executionId, keepsResult }, result, input, blobs))),
    ...(hasFailed ? { input: await packInput(executionId, input, blobs, true), variables } : {}),
    ...(hasFailed && isKept && journal !== undefined && journal.size > 0
      ? { checkpoints: await packJournal({ executionId }, journal, blobs, true) }
      : {}),
  };
};

const recordEnd = async (
  start: ExecutionStart,
  { status }: ExecutionResult,
  toEnd: () => Promise<NewEnd>,
  ports: RunPorts,
): Promise<void> => {
  const { logger } = ports;
  try {
    const isRecorded = await finishExecution(start, await toEnd(), ports);
    if (!isRecorded) logger.warn('The execution had ended before; its record stays.', namesOf(start));
  } catch (cause) {
    logger.error('The end of the execution could not be recorded.', { ...namesOf(start), status, cause });
  }
};

const namesOf = ({ executionId, workflowId, workflowVersion }: ExecutionIdentity) => ({
  executionId,
  workflowId,
  workflowVersion,
});

/** Only for runs that a sender may repeat. */
const loadJournals = () => import('./read-retried.chunk.ts');

interface PreparedRun {
  /** Whether the plan is pure: see {@link Plan}. */
  readonly isPure: boolean;
  /**
   * Runs an execution. A failed node is a result, not an error: this throws only if the engine has a bug.
   * @param journal - gets the checkpoints of a run whose result is kept, since a sender may repeat what has failed
   */
  run(start: ExecutionStart, journal?: CheckpointJournal): Promise<ExecutionResult>;
}

/**
 * Loads what an inline run needs, before anything about it is recorded.
 * @param timeLimitMs - upper bound of the workflow's timeout
 * @throws AppError `WORKFLOW_INVALID` when the stored workflow, or its trigger, can't run
 * @throws AppError `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE` when its credentials can't be read
 */
type PrepareRun = (execution: NewExecution, timeLimitMs: number) => Promise<PreparedRun>;

/**
 * Maximum wait for a credential: at most half of the time that the caller waits, which leaves the other half for the
 * run.
 */
const MAX_CREDENTIAL_WAIT_MS = 14_000;

/** The credentials of an execution, all of which are read when a node borrows the first. */
export const lendTo = (
  { credentialIds }: Pick<Plan, 'credentialIds'>,
  source: CredentialSource | undefined,
  maxWaitMs?: number,
): Pick<CredentialSource, 'open'> | undefined =>
  source && { open: () => source.open({ credentialIds, ...(maxWaitMs === undefined ? {} : { maxWaitMs }) }) };

/**
 * Gives the HTTP client the headers of the request that started the execution, and its id, by which it recognises calls to
 * this service itself, their depth and their first execution. Replays, retries and background runs find them in their trigger's input.
 */
export const identifyCalls = (
  services: SharedServices,
  { headers = null }: JsonObject,
  executionId: string,
): SharedServices => ({
  ...services,
  http: {
    request: (request, turn) =>
      services.http.request({ ...request, startedBy: { headers, executionId } }, turn),
  },
});

export const createPrepareRun =
  ({
    openPlan,
    otherWorkflows,
    services,
    filesFor,
    stateFor,
    loggerFor,
    openTrace,
    guard,
    outboundCredentials,
    blobs,
  }: NodePorts & Pick<Ports, 'openPlan'> & Partial<Pick<Ports, 'blobs'>>): PrepareRun =>
  async ({ workflow, trigger, input }, timeLimitMs) => {
    const plan = await openPlan(workflow);
    plan.routeFrom(trigger.nodeId); // throws unless it is a trigger
    const beganAt = services.clock.now();
    const maxWaitMs = Math.min(timeLimitMs / 2, MAX_CREDENTIAL_WAIT_MS);
    if (plan.credentialIds.length > 0) await outboundCredentials?.prefetch(plan.credentialIds, maxWaitMs);
    const leftMs = Math.max(0, timeLimitMs - Math.max(0, services.clock.now() - beganAt));
    const limits = computeLimits(workflow.definition.settings, 'inline', leftMs);
    const collectsEnds = collectsAllEnds(workflow.definition, trigger.nodeId);
    const run = async (
      start: ExecutionStart,
      journal: CheckpointJournal = new Map(),
    ): Promise<ExecutionResult> => {
      const execution = toExecutionInfo(start, workflow);
      if (start.retriedCheckpoints !== null && blobs !== undefined) {
        const { readRetried } = await loadJournals();
        for (const [name, checkpoint] of await readRetried(start, plan, blobs)) journal.set(name, checkpoint);
      }
      const steps = inlineSteps(services.clock);
      const { variables } = start;
      const request = { execution, keyId: keyIdOf(start), input, variables, limits, collectsEnds };
      const common = {
        logger: loggerFor(execution),
        workflows: otherWorkflows,
        callbacks: null,
        credentials: lendTo(plan, outboundCredentials),
        guard,
      };
      if (plan.isPure) return execute(plan, request, { ...common, services, steps });
      return execute(plan, request, {
        ...common,
        services: identifyCalls(services, input, start.executionId),
        openFiles: filesFor({ ...start, life: BRIEF_DAYS }),
        openState: stateFor?.({ ...start, executionId: keyIdOf(start) }),
        steps: start.keepsResult ? (await loadJournals()).journalSteps(steps, journal) : steps,
        traceparentOf: await openTrace?.(start),
      });
    };
    return { isPure: plan.isPure, run };
  };
