import { type Clock, type ExecutionInfo, type JsonObject, type Logger, lazy } from '@hookloom/plugin-kit';
import {
  type CheckpointJournal,
  createJournalingSteps,
  serializeJournal,
} from '../../engine/checkpoint-journal.ts';
import type { CredentialSource } from '../../engine/credentials/execution-credentials.ts';
import { execute } from '../../engine/execute.ts';
import type { StrayErrorGuard } from '../../engine/failure.ts';
import type { OtherWorkflows, SharedServices } from '../../engine/session.ts';
import { isInfrastructureError } from '../../shared/errors.ts';
import { readAnswering } from '../../workflows/definition/answering.ts';
import type { WorkflowDefinition } from '../../workflows/definition/definition.ts';
import type { FilesFor } from '../files/execution-files.ts';
import { type BlobStore, BRIEF_DAYS, isKeptLong, lifeAtEnd } from '../record/blob-store.ts';
import {
  beganAt,
  type ExecutionRecord,
  type ExecutionStore,
  isFinal,
  toExecutionInfo,
} from '../record/execution-store.ts';
import { latestTimeOf, PACKED_BYTES } from '../record/pack-result.ts';
import { createRecorder, type Recorder, saveResponse } from '../record/recorder.ts';
import type { BackgroundEngine, BackgroundInvocation } from './background-engine.ts';
import { type FinishParts, finishEarly, finishExecution, type NewEnd } from './finish-execution.ts';
import { computeLimits, RUNNING_LEASE_MS } from './limits.ts';
import { FILE, type LoadedRun, type LoadParts, loadBackgroundRun } from './load-background-run.ts';
import { createRecordUpdates, packJournal, type RecordUpdates } from './record-updates.ts';
import { identifyCalls, lendTo, runToResult } from './run-execution.ts';

export interface BackgroundParts extends FinishParts, LoadParts {
  readonly blobs: BlobStore;
  readonly executions: ExecutionStore;
  readonly otherWorkflows: OtherWorkflows;
  readonly services: SharedServices;
  readonly filesFor: FilesFor;
  readonly loggerFor: (execution: ExecutionInfo) => Logger;
  readonly guard?: StrayErrorGuard | undefined;
  /** Absent where no node can borrow a credential. */
  readonly outboundCredentials?: CredentialSource | undefined;
  /** Called when the execution has ended by itself. Never rejects. */
  readonly afterEnd?:
    | ((record: ExecutionRecord, definition: WorkflowDefinition) => Promise<void>)
    | undefined;
}

const loadObjects = () => import('../files/own-objects.chunk.ts');

/**
 * How long a node waits for its credential while the secret store throttles. No caller waits for the run, and Systems Manager lets as few as
 * 40 sandboxes a second read: 1,000 that begin together are through after some 35 seconds.
 */
const CREDENTIAL_WAIT_MS = 180_000;

export const createBackgroundInvocation = (parts: BackgroundParts): BackgroundInvocation => {
  const { executions, services, logger, blobs } = parts;
  const closed = new AbortController();
  /** Aborts the run: it was suspended, its record is final, or an infrastructure error occurred. */
  const halted = new AbortController();
  let isSuspended = false;
  let record: ExecutionRecord | null = null;
  let updates: RecordUpdates | null = null;
  let recorder: Recorder | null = null;
  let journal: CheckpointJournal = new Map();

  const run = async (executionId: string, engine: BackgroundEngine): Promise<void> => {
    const stored = await executions.find(executionId);
    if (stored === null || isFinal(stored.status)) return logNothingToRun(executionId);
    const loaded = await loadBackgroundRun(stored, parts);
    if (stored.retryOf !== null && stored.invocations === 0 && 'plan' in loaded)
      await (await loadObjects()).keepRetriedFiles(stored, loaded.input, loaded.stored, blobs);
    const acquireLease = lazy(() => acquire(stored, engine));
    const isLeasedLate = engine.mode === 'express' && 'plan' in loaded && loaded.plan.isPure;
    record = isLeasedLate ? stored : await acquireLease();
    if (record === null) return logNothingToRun(executionId);
    if ('failure' in loaded) return finishFailed(record, loaded.failure);
    journal = loaded.journal;
    if (record.crashes >= MAX_CRASHES) return finishCrashLoop(record, engine);
    if (stored.retryOf !== null) await ownRetried(stored, loaded, acquireLease);
    updates = createRecordUpdates(record, loaded, blobs, services.clock);
    const saveProgress: ExecutionStore['saveProgress'] = async (id, progress) =>
      (await acquireLease()) !== null && executions.saveProgress(id, progress);
    await runLoaded(record, loaded, { ...updates, saveProgress }, engine);
  };

  /**
   * The lease keeps a duplicate from running, and counts crashes. An express run that touches nothing acquires it with
   * its first progress, after a second: most have ended by then, and save a write.
   */
  const acquire = async (
    stored: ExecutionRecord,
    { leaseOwner, mode, journal: known }: BackgroundEngine,
  ): Promise<ExecutionRecord | null> => {
    const journalSize = (await known?.count()) ?? 0;
    return executions.acquireLease(stored.executionId, {
      leaseOwner,
      leaseExpiresAt: services.clock.now() + RUNNING_LEASE_MS[mode],
      journalSize,
      crashes: countCrashes(stored, journalSize),
      invocations: stored.invocations + 1,
    });
  };

  const ownRetried = async (
    stored: ExecutionRecord,
    loaded: LoadedRun,
    acquireLease: () => Promise<ExecutionRecord | null>,
  ): Promise<void> => {
    const { executionId, mode } = stored;
    const { timeoutMs } = computeLimits(loaded.workflow.definition.settings, mode);
    const { ownRetriedBlobs } = await loadObjects();
    const changes = await ownRetriedBlobs(stored, loaded.input, loaded.stored, timeoutMs, blobs);
    if (changes === null || (await acquireLease()) === null) return;
    const leaseExpiresAt = services.clock.now() + RUNNING_LEASE_MS[mode];
    await executions.saveProgress(executionId, { status: 'running', leaseExpiresAt, ...changes });
    loaded.stored = { ...loaded.stored, ...changes };
  };

  const logNothingToRun = (executionId: string): void =>
    logger.warn('The execution has ended, is leased by another owner, or is unknown: nothing is run.', {
      executionId,
    });

  const finishCrashLoop = async (leased: ExecutionRecord, engine: BackgroundEngine): Promise<void> => {
    const { executionId } = leased;
    const stored = await engine.journal?.read().catch((cause: unknown) => {
      logger.warn('The checkpoint journal can not be read.', { executionId, cause });
    });
    journal = new Map([...journal, ...(stored ?? [])]);
    const message = `its process has ended too early ${MAX_CRASHES} times in a row, at the same place`;
    await finishFailed(leased, { name: 'CrashLoop', message });
  };

  const runLoaded = async (
    leased: ExecutionRecord,
    loaded: LoadedRun,
    { toProgress, toEnd, saveProgress }: RecordUpdates & Pick<ExecutionStore, 'saveProgress'>,
    engine: BackgroundEngine,
  ): Promise<void> => {
    const execution = toExecutionInfo(leased);
    const { executionId, workflowId, mode } = leased;
    const { callbackKey } = loaded;
    const floor = latestTimeOf(leased.nodes, leased.startedAt);
    const clock = createMonotonicClock(services.clock, floor, closed.signal);
    const runRecorder = createRecorder({
      executionId,
      executions: { saveProgress },
      clock,
      logger,
      toProgress,
      onEnded: () => halted.abort(new Error('the execution was ended from outside')),
    });
    recorder = runRecorder;
    const infrastructure = watchInfrastructureErrors();
    const { definition } = loaded.workflow;
    const limits = computeLimits(definition.settings, mode);
    const { collectsEnds, respondsEarly } = readAnswering(definition, leased.trigger.nodeId);
    let responseSaved: Promise<void> | null = null;
    const onResponse = (response: JsonObject): void => {
      const leaseExpiresAt = services.clock.now() + RUNNING_LEASE_MS[mode];
      const saving = { executions: { saveProgress }, blobs, leaseExpiresAt, logger };
      responseSaved = engine.track(saveResponse(leased, response, loaded.input, saving));
    };
    const running = runToResult(
      () =>
        execute(
          loaded.plan,
          { execution, input: loaded.input, limits, since: engine.since ?? beganAt(leased), collectsEnds },
          {
            services: { ...identifyCalls(services, loaded.input), clock },
            openFiles: parts.filesFor(mode === 'durable' ? leased : { ...leased, life: BRIEF_DAYS }),
            logger: parts.loggerFor(execution),
            steps: createJournalingSteps(engine.steps, loaded.journal),
            workflows: infrastructure.watch(parts.otherWorkflows),
            callbacks: engine.openCallbackUrls?.({ executionId, workflowId, callbackKey }) ?? null,
            credentials: lendTo(loaded.plan, parts.outboundCredentials, CREDENTIAL_WAIT_MS),
            track: engine.track,
            onProgress: runRecorder.update,
            ...(respondsEarly && leased.keepsResult ? { onResponse } : {}),
            signal: halted.signal,
            guard: parts.guard,
          },
        ),
      leased,
      logger,
    );
    const result = await Promise.race([running, infrastructure.first]).catch((error: unknown) => {
      halted.abort(error);
      throw error;
    });
    if (isSuspended) return; // the replay resumes from before the suspension: a later result is void
    await responseSaved;
    const end = async (): Promise<void> => {
      await runRecorder.close();
      const newEnd = await toEnd(result);
      if (await finish(leased, newEnd)) await letGo(leased, newEnd, loaded, engine);
      await parts.afterEnd?.(leased, definition);
    };
    await engine.track(end());
  };

  /** Most runs have nothing in a blob. */
  const letGo = async (
    { executionId, mode, startedAt, invocations }: ExecutionRecord,
    { endedAt, checkpoints }: NewEnd,
    { stored, input, hasFiles, journal: all }: LoadedRun,
    { stepBlobs = new Set() }: BackgroundEngine,
  ): Promise<void> => {
    // The files of an express run have their life from the start; its checkpoints are not kept while it is open.
    const journalText = mode === 'durable' ? serializeJournal(all) : '';
    const hasWaited = invocations > 1 && journalText.length >= PACKED_BYTES;
    const texts = [
      ...(hasFiles ? [JSON.stringify(input)] : []),
      ...(journalText.includes(FILE) ? [journalText] : []),
    ];
    const isInBlobs = isKeptLong(stored.input) || isKeptLong(stored.retriedCheckpoints ?? '');
    if (!isInBlobs && !hasWaited && texts.length === 0 && stepBlobs.size === 0) return;
    const hasCheckpoints = typeof checkpoints === 'string';
    const life = lifeAtEnd(startedAt, endedAt);
    const ended = { stored, stepBlobs, texts, hasWaited, hasCheckpoints, life };
    await (await loadObjects()).letGo(executionId, ended, parts);
  };

  const finish = async (leased: ExecutionRecord, end: NewEnd): Promise<boolean> => {
    const isFinished = await finishExecution(leased, end, parts);
    if (!isFinished)
      logger.warn('The execution had ended before; its record stays.', { executionId: leased.executionId });
    return isFinished;
  };

  /** Keeps the checkpoints, for a retry. */
  const finishFailed = async (
    latest: ExecutionRecord,
    failure: { readonly nodeId?: string; readonly name: string; readonly message: string },
  ): Promise<void> => {
    const extra = journal.size > 0 ? { checkpoints: await packJournal(latest, journal, blobs, true) } : {};
    await finishEarly(latest, 'failed', failure, { ...parts, clock: services.clock }, extra);
  };

  return {
    run,
    halt: () => {
      isSuspended = true;
      halted.abort(new Error('the run was suspended'));
    },
    suspend: async () => recorder?.suspend(),
    uncountCrash: async () => {
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
      const known =
        nodes === null ? {} : { nodes: (await updates?.toFailed(nodes)) ?? nodes, nodesOmitted: 0 };
      await finishFailed({ ...latest, ...known }, { nodeId: latest.trigger.nodeId, ...failure });
    },
    close: async () => {
      closed.abort('the invocation is over'); // an explicit reason: the default one costs a stack trace
      await recorder?.close();
    },
  };
};

/**
 * The clock of one execution, whose replays run on machines with different clocks.
 *
 * @param floor - the latest recorded time, milliseconds since the epoch: `now` is never earlier
 * @param closed - ends every `sleep`
 */
const createMonotonicClock = (clock: Clock, floor: number, closed: AbortSignal): Clock => ({
  now: () => Math.max(floor, clock.now()),
  sleep: (ms, signal) => clock.sleep(ms, signal === undefined ? closed : AbortSignal.any([signal, closed])),
});

/** The infrastructure errors of one invocation of a background run. */
interface InfrastructureErrors {
  /** Pending until the first; then rejected, with it. */
  readonly first: Promise<never>;
  /** Reports a plan that can't be loaded as an infrastructure error; the node that needs it stays pending. */
  watch(workflows: OtherWorkflows): OtherWorkflows;
}

/**
 * Infrastructure errors abort the invocation, so that Lambda retries it. As failures of a node they would end the
 * execution, or make its replay diverge from the journal.
 */
const watchInfrastructureErrors = (): InfrastructureErrors => {
  const first = Promise.withResolvers<never>();
  first.promise.catch(() => {}); // it may reject after the run has ended
  return {
    first: first.promise,
    watch: (workflows) => ({
      findVersion: workflows.findVersion, // called in a step, which retries it
      loadPlan: async (workflowId, version) => {
        try {
          return await workflows.loadPlan(workflowId, version);
        } catch (error) {
          if (!isInfrastructureError(error)) throw error;
          first.reject(error);
          return new Promise<never>(() => {});
        }
      },
    }),
  };
};

/** Consecutive crashes after which the execution is failed. */
const MAX_CRASHES = 20;

/**
 * Counts consecutive crashes before a process starts. A process has crashed that left the run `running`; one that made a
 * checkpoint before restarts the count.
 *
 * @param journalSize - the present number of checkpoints
 */
const countCrashes = (
  { status, crashes, journalSize: before }: Pick<ExecutionRecord, 'status' | 'crashes' | 'journalSize'>,
  journalSize: number,
): number => {
  if (status !== 'running') return 0;
  return journalSize > before ? 1 : crashes + 1;
};
