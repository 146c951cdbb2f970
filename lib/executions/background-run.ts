import type { BlobStore } from '../blobs/blob-store.ts';
import { packText, unpackText } from '../blobs/pack-value.ts';
import type { JsonObject } from '../contract/json.ts';
import type { ExecutionInfo } from '../contract/node.ts';
import type { Logger, Services } from '../contract/services.ts';
import { AppError, isAppError } from '../errors.ts';
import type { Workflow } from '../workflows/definition.ts';
import type { Plan } from '../workflows/plan.ts';
import type { WorkflowStore } from '../workflows/workflow-store.ts';
import { closeNodes } from './close-nodes.ts';
import { execute } from './engine.ts';
import type { ExecutionResult, NodeRecord } from './execution.ts';
import type { ExecutionProgress, ExecutionRecord, ExecutionStore } from './execution-store.ts';
import { toFailure } from './failure.ts';
import { findBehind } from './find-behind.ts';
import { keepTimes, latestOf } from './keep-times.ts';
import { computeLimits, keepsData } from './limits.ts';
import { PACKED_BYTES, packResult } from './pack-result.ts';
import type { OpenPlan } from './plans.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { runToResult } from './run-execution.ts';
import type { CallbackDesk, OtherWorkflows } from './session.ts';
import { type SettleParts, settleExecution } from './settle-execution.ts';
import { createSteadyClock } from './steady-clock.ts';
import { createRememberingSteps, readMemory, type StepMemory, writeMemory } from './step-memory.ts';
import type { Steps } from './steps.ts';
import { viewNodes } from './view-data.ts';

/** When somebody should look whether a run is still alive: after the longest that a process can live, and now and then. */
export const RUNNING_CHECK_MS = 20 * 60_000;
export const WAITING_CHECK_MS = 6 * 3_600_000;

export interface BackgroundParts extends SettleParts {
  readonly executions: ExecutionStore;
  readonly workflows: Pick<WorkflowStore, 'findVersion'>;
  readonly otherWorkflows: OtherWorkflows;
  readonly openPlan: OpenPlan;
  readonly blobs: BlobStore;
  readonly services: Services;
  readonly loggerFor: (execution: ExecutionInfo) => Logger;
}

/** The way in which this process remembers, and what comes with it. */
export interface BackgroundEngine {
  /** See `ExecutionRecord.owner`. */
  readonly owner: string;
  readonly steps: Steps;
  /** Null where runs can't wait for an answer. */
  readonly openDesk: ((record: ExecutionRecord) => CallbackDesk) | null;
  /** Is told of work that the engine can't see, so that it does not take the run for idle. */
  track<Value>(work: Promise<Value>): Promise<Value>;
}

/** One process's part in a background run: from a begin or a resumption to the end or a suspension. */
export interface BackgroundInvocation {
  /**
   * Runs on from where the execution is. Resolves when it has ended, now or before; never when the engine suspends it.
   * Rejects with AppError `STORE_UNAVAILABLE`, and for other faults of ours that may pass: then it is to be tried again.
   */
  run(executionId: string, engine: BackgroundEngine): Promise<void>;
  /** The engine has suspended it: whatever it waited for, it does nothing any more in this process. */
  halt(): void;
  /** Records how a suspended run stands. Never rejects. */
  suspend(): Promise<void>;
  /** The engine has failed it, for a reason of its own, which is recorded. */
  fail(failure: { readonly name: string; readonly message: string }): Promise<void>;
  /** Nothing of it goes on after this: no timer, no write. */
  close(): Promise<void>;
}

export const createBackgroundInvocation = (parts: BackgroundParts): BackgroundInvocation => {
  const { executions, services, logger, blobs } = parts;
  const over = new AbortController();
  /** Aborted when the run is to do nothing any more. */
  const halted = new AbortController();
  let isSuspended = false;
  let record: ExecutionRecord | null = null;
  let recorder: Recorder | null = null;

  const run = async (executionId: string, engine: BackgroundEngine): Promise<void> => {
    const checkAt = services.clock.now() + RUNNING_CHECK_MS;
    record = await executions.begin(executionId, { owner: engine.owner, checkAt });
    if (record === null)
      return logger.warn('The execution has ended, is somebody else’s, or is unknown: nothing is run.', {
        executionId,
      });
    const prepared = hasCrashedTooOften(record) ? unprepared(record, CRASH_LOOP) : await prepare(record);
    if ('failure' in prepared) {
      const { failure } = prepared;
      await settle(record, { status: 'failed', nodes: [], output: {}, response: null, failure }, null, null);
      return;
    }
    await runPrepared(record, prepared, engine);
  };

  const runPrepared = async (
    begun: ExecutionRecord,
    { workflow, plan, input, memory }: Prepared,
    engine: BackgroundEngine,
  ) => {
    const execution = toInfo(begun);
    const { settings } = workflow.definition;
    const clock = createSteadyClock(services.clock, latestOf(begun.nodes, begun.startedAt), over.signal);
    const ownRecorder = createRecorder({
      executionId: begun.executionId,
      executions,
      clock,
      logger,
      toProgress: (nodes, status) => toProgress(begun, workflow, memory, nodes, status),
      onEnded: () => halted.abort(new Error('the execution was ended from outside')),
    });
    recorder = ownRecorder;
    const result = await runToResult(
      () =>
        execute(
          plan,
          { execution, input, limits: computeLimits(settings, begun.mode) },
          {
            services: { ...services, clock },
            logger: parts.loggerFor(execution),
            steps: createRememberingSteps(engine.steps, memory),
            workflows: parts.otherWorkflows,
            callbacks: engine.openDesk?.(begun) ?? null,
            onProgress: ownRecorder.note,
            stopped: halted.signal,
          },
        ),
      begun,
      logger,
    );
    if (isSuspended) return; // what it came to since is worth nothing: it goes on from before
    await engine.track(ownRecorder.close().then(() => settle(begun, result, workflow, memory)));
  };

  /** What can't be had now is a fault, and tried again; what never can be is the execution's failure. */
  const prepare = async (begun: ExecutionRecord): Promise<Prepared | Unprepared> => {
    const { workflowId, workflowVersion, trigger, retryOf, seed } = begun;
    try {
      const workflow = await parts.workflows.findVersion(workflowId, workflowVersion);
      if (workflow === null) {
        throw new AppError('WORKFLOW_INVALID', { reason: `version ${workflowVersion} is not stored` });
      }
      const plan = await parts.openPlan(workflow);
      plan.routeFrom(trigger.nodeId); // throws for what is no trigger
      const input = JSON.parse(await unpackText(begun.input ?? 'j{}', blobs)) as JsonObject;
      const memory =
        seed === null
          ? new Map()
          : readMemory(await unpackText(seed, blobs), findBehind(plan, retryOf?.fromNodeId ?? ''));
      return { workflow, plan, input, memory };
    } catch (error) {
      if (isAppError(error, 'STORE_UNAVAILABLE')) throw error;
      logger.error('The execution can not run.', { executionId: begun.executionId, cause: error });
      return unprepared(begun, toFailure(error));
    }
  };

  const toProgress = async (
    begun: ExecutionRecord,
    { definition: { settings } }: Workflow,
    memory: StepMemory,
    nodes: readonly NodeRecord[],
    status: ExecutionProgress['status'],
  ): Promise<ExecutionProgress> => {
    const now = services.clock.now();
    const isKept = keepsData(settings, begun.mode, false);
    const endsAt = begun.startedAt + computeLimits(settings, begun.mode).timeoutMs;
    return {
      status,
      nodes: viewNodes(keepTimes(begun.nodes, nodes), { keepsData: isKept }),
      ...(status === 'waiting' ? { memory: await packMemory(begun, memory) } : {}),
      checkAt: status === 'waiting' ? Math.min(now + WAITING_CHECK_MS, endsAt) : now + RUNNING_CHECK_MS,
    };
  };

  const settle = async (
    begun: ExecutionRecord,
    result: ExecutionResult,
    workflow: Workflow | null,
    memory: StepMemory | null,
  ): Promise<void> => {
    const { status, nodes, failure } = result;
    const hasFailed = status !== 'succeeded';
    const isKept = keepsData(workflow?.definition.settings, begun.mode, hasFailed);
    const end = {
      status,
      endedAt: services.clock.now(),
      nodes: viewNodes(keepTimes(begun.nodes, nodes), { keepsData: isKept }),
      failure,
      ...(await packResult(begun, result, blobs)),
      ...(memory !== null && (hasFailed || isWorthKeeping(begun, memory))
        ? { memory: await packMemory(begun, memory) }
        : {}),
    };
    const isSettled = await settleExecution(begun, end, parts);
    if (!isSettled)
      logger.warn('The execution had ended before; its record stays.', { executionId: begun.executionId });
  };

  const packMemory = ({ executionId }: ExecutionRecord, memory: StepMemory): Promise<string> =>
    packText(writeMemory(memory), {
      limitBytes: PACKED_BYTES,
      key: `executions/${executionId}/memory`,
      blobs,
    });

  return {
    run,
    halt: () => {
      isSuspended = true;
      halted.abort(new Error('the run was suspended'));
    },
    suspend: async () => recorder?.suspend(),
    fail: async (failure) => {
      if (record === null) return;
      const endedAt = services.clock.now();
      // The latest account: this process may have written it.
      const { trigger, nodes } = (await executions.find(record.executionId)) ?? record;
      const ended = { nodeId: trigger.nodeId, ...failure };
      const end = {
        status: 'failed' as const,
        endedAt,
        nodes: closeNodes(nodes, endedAt, failure),
        failure: ended,
      };
      await settleExecution(record, end, parts);
    },
    close: async () => {
      over.abort('the invocation is over'); // a reason of our own: the default one costs a stack trace
      await recorder?.close();
    },
  };
};

/** What a run that went well remembers is seldom asked for: it is kept as long as it costs little. */
const isWorthKeeping = ({ mode }: ExecutionRecord, memory: StepMemory): boolean =>
  mode === 'durable' && memory.size > 0 && writeMemory(memory).length < PACKED_BYTES;

/** After as many crashes, whatever causes them will cause the next one, too. */
const MAX_CRASHES = 100;

const CRASH_LOOP = {
  name: 'CrashLoop',
  message: `its process has ended too early ${MAX_CRASHES} times`,
};

/** Every process but the last should have suspended the run. */
const hasCrashedTooOften = ({ invocations, suspensions }: ExecutionRecord): boolean =>
  invocations - 1 - suspensions >= MAX_CRASHES;

const unprepared = (
  { trigger }: ExecutionRecord,
  failure: { readonly name: string; readonly message: string },
): Unprepared => ({ failure: { nodeId: trigger.nodeId, ...failure } });

interface Prepared {
  readonly workflow: Workflow;
  readonly plan: Plan;
  readonly input: JsonObject;
  readonly memory: StepMemory;
}

interface Unprepared {
  readonly failure: { readonly nodeId: string; readonly name: string; readonly message: string };
}

const toInfo = (record: ExecutionRecord): ExecutionInfo => ({
  executionId: record.executionId,
  workflowId: record.workflowId,
  workflowVersion: record.workflowVersion,
  trigger: record.trigger,
  startedAt: new Date(record.startedAt).toISOString(),
});
