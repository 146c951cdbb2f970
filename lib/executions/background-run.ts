import { packText } from '../blobs/pack-value.ts';
import type { ExecutionInfo } from '../contract/node.ts';
import type { Logger, Services } from '../contract/services.ts';
import type { BackgroundMode, Workflow } from '../workflows/definition.ts';
import { closeNodes } from './close-nodes.ts';
import { execute } from './engine.ts';
import type { ExecutionMode, ExecutionResult, NodeFailure, NodeRecord } from './execution.ts';
import type { ExecutionProgress, ExecutionRecord, ExecutionStore } from './execution-store.ts';
import { createFaults } from './faults.ts';
import { keepTimes, latestOf } from './keep-times.ts';
import { computeLimits, keepsData } from './limits.ts';
import { type LoadedRun, type LoadParts, loadBackgroundRun } from './load-background-run.ts';
import { PACKED_BYTES, packResult } from './pack-result.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { runToResult } from './run-execution.ts';
import type { CallbackDesk, OtherWorkflows } from './session.ts';
import { type SettleParts, settleExecution } from './settle-execution.ts';
import { createSteadyClock } from './steady-clock.ts';
import { createRememberingSteps, type StepMemory, writeMemory } from './step-memory.ts';
import type { Steps } from './steps.ts';
import { viewNodes } from './view-data.ts';

/**
 * When somebody should look whether a run is still alive: after the longest that a process can live, or for an express
 * run three of them with Lambda's delays between them.
 */
export const RUNNING_CHECK_MS: Readonly<Record<ExecutionMode, number>> = {
  inline: 20 * 60_000,
  durable: 20 * 60_000,
  express: 60 * 60_000,
};
export const WAITING_CHECK_MS = 6 * 3_600_000;

export interface BackgroundParts extends SettleParts, LoadParts {
  readonly executions: ExecutionStore;
  readonly otherWorkflows: OtherWorkflows;
  readonly services: Services;
  readonly loggerFor: (execution: ExecutionInfo) => Logger;
}

/** The way in which this process remembers, and what comes with it. */
export interface BackgroundEngine {
  readonly mode: BackgroundMode;
  /** From when on its time is counted, milliseconds since the epoch; from the start of the execution when absent. */
  readonly since?: number;
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
    const checkAt = services.clock.now() + RUNNING_CHECK_MS[engine.mode];
    record = await executions.begin(executionId, { owner: engine.owner, checkAt });
    if (record === null)
      return logger.warn('The execution has ended, is somebody else’s, or is unknown: nothing is run.', {
        executionId,
      });
    const loaded = await loadBackgroundRun(record, parts);
    if ('failure' in loaded) await giveUp(record, loaded.failure);
    else await runLoaded(record, loaded, engine);
  };

  const runLoaded = async (
    begun: ExecutionRecord,
    { workflow, plan, input, memory }: LoadedRun,
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
    const faults = createFaults();
    const running = runToResult(
      () =>
        execute(
          plan,
          { execution, input, limits: computeLimits(settings, begun.mode), since: engine.since },
          {
            services: { ...services, clock },
            logger: parts.loggerFor(execution),
            steps: createRememberingSteps(engine.steps, memory),
            workflows: faults.watch(parts.otherWorkflows),
            callbacks: engine.openDesk?.(begun) ?? null,
            onProgress: ownRecorder.note,
            stopped: halted.signal,
          },
        ),
      begun,
      logger,
    );
    const result = await Promise.race([running, faults.first]).catch((fault: unknown) => {
      halted.abort(fault);
      throw fault;
    });
    if (isSuspended) return; // what it came to since is worth nothing: it goes on from before
    await engine.track(ownRecorder.close().then(() => settle(begun, result, workflow, memory)));
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
      checkAt:
        status === 'waiting' ? Math.min(now + WAITING_CHECK_MS, endsAt) : now + RUNNING_CHECK_MS[begun.mode],
    };
  };

  const settle = async (
    begun: ExecutionRecord,
    result: ExecutionResult,
    { definition: { settings } }: Workflow,
    memory: StepMemory,
  ): Promise<void> => {
    const { status, nodes, failure } = result;
    const hasFailed = status !== 'succeeded';
    const isKept = keepsData(settings, begun.mode, hasFailed);
    const end = {
      status,
      endedAt: services.clock.now(),
      nodes: viewNodes(keepTimes(begun.nodes, nodes), { keepsData: isKept }),
      failure,
      ...(await packResult(begun, result, blobs)),
      ...(hasFailed || isWorthKeeping(begun, memory) ? { memory: await packMemory(begun, memory) } : {}),
    };
    if (!(await settleExecution(begun, end, parts)))
      logger.warn('The execution had ended before; its record stays.', { executionId: begun.executionId });
  };

  /** It can't go on: what it did so far stands. */
  const giveUp = async (latest: ExecutionRecord, failure: NodeFailure): Promise<void> => {
    const endedAt = services.clock.now();
    const nodes = closeNodes(latest.nodes, endedAt, failure);
    await settleExecution(latest, { status: 'failed', endedAt, nodes, failure }, parts);
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
      // The latest account: this process may have written it.
      const latest = (await executions.find(record.executionId)) ?? record;
      await giveUp(latest, { nodeId: latest.trigger.nodeId, ...failure });
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

const toInfo = (record: ExecutionRecord): ExecutionInfo => ({
  executionId: record.executionId,
  workflowId: record.workflowId,
  workflowVersion: record.workflowVersion,
  trigger: record.trigger,
  startedAt: new Date(record.startedAt).toISOString(),
});
