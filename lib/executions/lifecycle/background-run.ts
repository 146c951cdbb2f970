import type { ExecutionInfo } from '../../contract/node.ts';
import type { Logger, Services } from '../../contract/services.ts';
import {
  type CheckpointJournal,
  createJournalingSteps,
  serializeJournal,
} from '../../engine/checkpoint-journal.ts';
import { closeNodes } from '../../engine/close-nodes.ts';
import { execute } from '../../engine/execute.ts';
import { watchInfrastructureErrors } from '../../engine/infrastructure-errors.ts';
import type { ExecutionResult, NodeFailure, NodeRecord } from '../../engine/result.ts';
import type { CallbackUrls, OtherWorkflows } from '../../engine/session.ts';
import type { Steps } from '../../engine/steps.ts';
import type { StrayErrorGuard } from '../../engine/stray-errors.ts';
import type { BackgroundMode, Workflow } from '../../workflows/definition/definition.ts';
import { countCrashes, MAX_CRASHES } from '../record/count-crashes.ts';
import { type ExecutionMode, isFinal } from '../record/execution-status.ts';
import type { ExecutionProgress, ExecutionRecord, ExecutionStore } from '../record/execution-store.ts';
import { keepTimes, latestOf } from '../record/keep-times.ts';
import { PACKED_BYTES, packResult } from '../record/pack-result.ts';
import { packText } from '../record/pack-value.ts';
import { viewNodes } from '../record/view-data.ts';
import { type FinishParts, finishExecution } from './finish-execution.ts';
import { computeLimits, keepsData } from './limits.ts';
import { type LoadedRun, type LoadParts, loadBackgroundRun } from './load-background-run.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { runToResult } from './run-execution.ts';
import { createSteadyClock } from './steady-clock.ts';

/**
 * When somebody should look whether a run is still alive: after the longest that a process can live, or for an express
 * run three of them with Lambda's delays between them.
 */
export const RUNNING_LEASE_MS: Readonly<Record<ExecutionMode, number>> = {
  inline: 20 * 60_000,
  durable: 20 * 60_000,
  express: 60 * 60_000,
};
export const WAITING_LEASE_MS = 6 * 3_600_000;

export interface BackgroundParts extends FinishParts, LoadParts {
  readonly executions: ExecutionStore;
  readonly otherWorkflows: OtherWorkflows;
  readonly services: Services;
  readonly loggerFor: (execution: ExecutionInfo) => Logger;
  readonly guard?: StrayErrorGuard | undefined;
}

/** What is remembered of an execution's steps, as it was when this process began. */
export interface JournalReader {
  /** How many checkpoints there are. */
  count(): Promise<number>;
  /** @throws {AppError} STORE_UNAVAILABLE */
  read(): Promise<CheckpointJournal>;
}

/** The way in which this process remembers, and what comes with it. */
export interface BackgroundEngine {
  readonly mode: BackgroundMode;
  /** From when on its time is counted, milliseconds since the epoch; from the start of the execution when absent. */
  readonly since?: number;
  /** See `ExecutionRecord.owner`. */
  readonly leaseOwner: string;
  readonly steps: Steps;
  /** Null where nothing is remembered beyond the process. */
  readonly journal: JournalReader | null;
  /** Null where runs can't wait for an answer. */
  readonly openCallbackUrls: ((record: ExecutionRecord) => CallbackUrls) | null;
  /** Is told of work that the engine can't see, so that it does not take the run for idle. */
  track<Value>(work: Promise<Value>): Promise<Value>;
}

/** One process's part in a background run: from a begin or a resumption to the end or a suspension. */
export interface BackgroundInvocation {
  /**
   * Runs on from where the execution is. Resolves when it has ended, now or before; never when the engine suspends it.
   * What it needs is loaded before it is begun: an execution for which that fails has done nothing yet.
   * @throws {AppError} STORE_UNAVAILABLE, and for other infrastructure errors: then it is to be tried again
   */
  run(executionId: string, engine: BackgroundEngine): Promise<void>;
  /** The engine has suspended it: whatever it waited for, it does nothing any more in this process. */
  halt(): void;
  /** Records how a suspended run stands. Never rejects. */
  suspend(): Promise<void>;
  /** The invocation fails for an infrastructure error, which is not to count as a crash. Never rejects. */
  excuse(): Promise<void>;
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
  /** The account of a run that has failed, as its record shows it. */
  let toView = (nodes: readonly NodeRecord[]): readonly NodeRecord[] => nodes;
  /** What its steps gave, as far as this process knows. */
  let remembered: CheckpointJournal = new Map();

  const run = async (executionId: string, engine: BackgroundEngine): Promise<void> => {
    const stored = await executions.find(executionId);
    if (stored === null || isFinal(stored.status)) return refuse(executionId);
    const loaded = await loadBackgroundRun(stored, parts);
    const journalSize = (await engine.journal?.count()) ?? 0;
    record = await executions.acquireLease(executionId, {
      leaseOwner: engine.leaseOwner,
      leaseExpiresAt: services.clock.now() + RUNNING_LEASE_MS[engine.mode],
      journalSize,
      crashes: countCrashes(stored, journalSize),
    });
    if (record === null) return refuse(executionId);
    if ('failure' in loaded) return giveUp(record, loaded.failure);
    remembered = loaded.checkpoints;
    if (record.crashes >= MAX_CRASHES) return giveUpCrashing(record, engine);
    await runLoaded(record, loaded, engine);
  };

  const refuse = (executionId: string): void =>
    logger.warn('The execution has ended, has another leaseOwner, or is unknown: nothing is run.', {
      executionId,
    });

  const giveUpCrashing = async (begun: ExecutionRecord, engine: BackgroundEngine): Promise<void> => {
    const { executionId, trigger, nodes } = begun;
    const known = await engine.journal?.read().catch((cause: unknown) => {
      logger.warn('The checkpoint journal can not be read.', { executionId, cause });
    });
    remembered = new Map([...remembered, ...(known ?? [])]);
    const open = nodes.findLast(({ status }) => status === 'running' || status === 'waiting');
    const message = `its process has ended too early ${MAX_CRASHES} times in a row, at the same place`;
    await giveUp(begun, { nodeId: open?.nodeId ?? trigger.nodeId, name: 'CrashLoop', message });
  };

  const runLoaded = async (
    begun: ExecutionRecord,
    { workflow, plan, input, checkpoints }: LoadedRun,
    engine: BackgroundEngine,
  ) => {
    const execution = toInfo(begun);
    const { settings } = workflow.definition;
    toView = (nodes) =>
      viewNodes(keepTimes(begun.nodes, nodes), { keepsData: keepsData(settings, begun.mode, true) });
    const clock = createSteadyClock(services.clock, latestOf(begun.nodes, begun.startedAt), over.signal);
    const ownRecorder = createRecorder({
      executionId: begun.executionId,
      executions,
      clock,
      logger,
      toProgress: (nodes, status) => toProgress(begun, workflow, checkpoints, nodes, status),
      onEnded: () => halted.abort(new Error('the execution was ended from outside')),
    });
    recorder = ownRecorder;
    const faults = watchInfrastructureErrors();
    const running = runToResult(
      () =>
        execute(
          plan,
          { execution, input, limits: computeLimits(settings, begun.mode), since: engine.since },
          {
            services: { ...services, clock },
            logger: parts.loggerFor(execution),
            steps: createJournalingSteps(engine.steps, checkpoints),
            workflows: faults.watch(parts.otherWorkflows),
            callbacks: engine.openCallbackUrls?.(begun) ?? null,
            onProgress: ownRecorder.note,
            stopped: halted.signal,
            guard: parts.guard,
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
    await engine.track(
      ownRecorder.close().then(() => settle(begun, result, { workflow, input, checkpoints })),
    );
  };

  const toProgress = async (
    begun: ExecutionRecord,
    { definition: { settings } }: Workflow,
    checkpoints: CheckpointJournal,
    nodes: readonly NodeRecord[],
    status: ExecutionProgress['status'],
  ): Promise<ExecutionProgress> => {
    const now = services.clock.now();
    const isKept = keepsData(settings, begun.mode, false);
    const endsAt = begun.startedAt + computeLimits(settings, begun.mode).timeoutMs;
    return {
      status,
      nodes: viewNodes(keepTimes(begun.nodes, nodes), { keepsData: isKept }),
      ...(status === 'waiting' ? { checkpoints: await packJournal(begun, checkpoints) } : {}),
      leaseExpiresAt:
        status === 'waiting' ? Math.min(now + WAITING_LEASE_MS, endsAt) : now + RUNNING_LEASE_MS[begun.mode],
    };
  };

  const settle = async (
    begun: ExecutionRecord,
    result: ExecutionResult,
    { workflow, input, checkpoints }: Pick<LoadedRun, 'workflow' | 'input' | 'checkpoints'>,
  ): Promise<void> => {
    const { settings } = workflow.definition;
    const { status, nodes, failure } = result;
    const hasFailed = status !== 'succeeded';
    const isKept = keepsData(settings, begun.mode, hasFailed);
    const end = {
      status,
      endedAt: services.clock.now(),
      nodes: viewNodes(keepTimes(begun.nodes, nodes), { keepsData: isKept }),
      failure,
      ...(await packResult(begun, result, input, blobs)),
      ...(hasFailed || isWorthKeeping(begun, checkpoints)
        ? { checkpoints: await packJournal(begun, checkpoints) }
        : {}),
    };
    if (!(await finishExecution(begun, end, parts)))
      logger.warn('The execution had ended before; its record stays.', { executionId: begun.executionId });
  };

  /** It can't go on: what it did so far stands, and what its steps gave is kept for a retry. */
  const giveUp = async (
    latest: ExecutionRecord,
    failure: NodeFailure,
    account: Pick<ExecutionRecord, 'nodes' | 'nodesOmitted'> = latest,
  ): Promise<void> => {
    const endedAt = services.clock.now();
    const end = {
      status: 'failed',
      endedAt,
      nodes: closeNodes(account.nodes, endedAt, failure),
      nodesOmitted: account.nodesOmitted,
      failure,
      ...(remembered.size > 0 ? { checkpoints: await packJournal(latest, remembered) } : {}),
    } as const;
    await finishExecution(latest, end, parts);
  };

  const packJournal = ({ executionId }: ExecutionRecord, checkpoints: CheckpointJournal): Promise<string> =>
    packText(serializeJournal(checkpoints), {
      limitBytes: PACKED_BYTES,
      key: `executions/${executionId}/checkpoints`,
      blobs,
    });

  return {
    run,
    halt: () => {
      isSuspended = true;
      halted.abort(new Error('the run was suspended'));
    },
    suspend: async () => recorder?.suspend(),
    excuse: async () => {
      if (record === null) return;
      const { executionId, crashes, mode } = record;
      const leaseExpiresAt = services.clock.now() + RUNNING_LEASE_MS[mode];
      await executions
        .saveProgress(executionId, { status: 'running', crashes: crashes - 1, leaseExpiresAt })
        .catch((cause: unknown) => {
          logger.warn('The process will be taken for one that crashed.', { executionId, cause });
        });
    },
    fail: async (failure) => {
      if (record === null) return;
      const latest = (await executions.find(record.executionId)) ?? record;
      const nodes = recorder?.latest() ?? null;
      await giveUp(
        latest,
        { nodeId: latest.trigger.nodeId, ...failure },
        nodes === null ? latest : { nodes: toView(nodes), nodesOmitted: 0 },
      );
    },
    close: async () => {
      over.abort('the invocation is over'); // a reason of our own: the default one costs a stack trace
      await recorder?.close();
    },
  };
};

/** What a run that went well remembers is seldom asked for: it is kept as long as it costs little. */
const isWorthKeeping = ({ mode }: ExecutionRecord, checkpoints: CheckpointJournal): boolean =>
  mode === 'durable' && checkpoints.size > 0 && serializeJournal(checkpoints).length < PACKED_BYTES;

const toInfo = (record: ExecutionRecord): ExecutionInfo => ({
  executionId: record.executionId,
  workflowId: record.workflowId,
  workflowVersion: record.workflowVersion,
  trigger: record.trigger,
  startedAt: new Date(record.startedAt).toISOString(),
  ...(record.traceparent === null ? {} : { traceparent: record.traceparent }),
});
