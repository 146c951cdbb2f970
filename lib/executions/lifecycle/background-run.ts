// Invariants of a background run; tests cite them.
// B4: No process acquires a lease before it has loaded all data: one that fails to load has run nothing.
// B5: One owner has the lease. No node runs without it, except in an express run of pure nodes, which may run twice.
// B6: A run whose record is final aborts its nodes at its next progress, and changes nothing of the record.
// B7: A process that was suspended records no end: the replay resumes from before the suspension.
// B8: An infrastructure error outside of steps never ends a run: at most the invocation, which Lambda retries.
// B9: A run is ended for its crashes only after 20 in a row without a checkpoint in between.
// B10: No time in a record is before the ones that were recorded earlier, whatever clock the next machine has.

import { type Clock, type JsonObject, lazy } from '@hookloom/plugin-kit';
import { type CheckpointJournal, serializeJournal } from '../../engine/checkpoint-journal.ts';
import { execute } from '../../engine/execute.ts';
import type { OtherWorkflows } from '../../engine/session.ts';
import { isInfrastructureError } from '../../shared/errors.ts';
import { collectsAllEnds } from '../../workflows/plan/compile-plan.ts';
import type { BackgroundPorts } from '../ports.ts';
import { BRIEF_DAYS, isKeptLong, lifeAtEnd } from '../record/blob-store.ts';
import {
  beganAt,
  type ExecutionRecord,
  type ExecutionStore,
  isFinal,
  keyIdOf,
  toExecutionInfo,
} from '../record/execution-store.ts';
import { latestTimeOf, PACKED_BYTES } from '../record/pack-result.ts';
import { createRecorder, type Recorder, saveResponse } from '../record/recorder.ts';
import type { BackgroundEngine, BackgroundInvocation } from './background-engine.ts';
import { finishEarly, finishExecution, type NewEnd } from './finish-execution.ts';
import { computeLimits, RUNNING_LEASE_MS } from './limits.ts';
import { FILE, type LoadedRun, loadBackgroundRun } from './load-background-run.ts';
import { createRecordUpdates, packJournal, type RecordUpdates } from './record-updates.ts';
import { identifyCalls, lendTo, runToResult } from './run-execution.ts';

const loadAnswering = () => import('./answered-early.chunk.ts');
const loadObjects = () => import('../files/own-objects.chunk.ts');

/**
 * How long a node waits for its credential while the secret store throttles. No caller waits for the run. Systems
 * Manager lets as few as 40 sandboxes a second read, so 1,000 that start together take some 35 seconds.
 */
const CREDENTIAL_WAIT_MS = 180_000;

/** What an invocation knows about its run so far. */
type State =
  | { readonly name: 'new' }
  /** The record is leased; a pure express run leases it with its first progress. */
  | { readonly name: 'loaded'; readonly record: ExecutionRecord }
  | { readonly name: 'running' | 'suspended'; readonly run: Running };

interface Running {
  readonly record: ExecutionRecord;
  readonly updates: RecordUpdates;
  readonly recorder: Recorder;
}

export const createBackgroundInvocation = (ports: BackgroundPorts): BackgroundInvocation =>
  new BackgroundRun(ports);

class BackgroundRun implements BackgroundInvocation {
  readonly #ports: BackgroundPorts;
  readonly #closed = new AbortController();
  /** Aborts the run: it was suspended, its record is final, or an infrastructure error occurred. */
  readonly #halted = new AbortController();
  #state: State = { name: 'new' };
  #journal: CheckpointJournal = new Map();

  constructor(ports: BackgroundPorts) {
    this.#ports = ports;
  }

  async run(executionId: string, engine: BackgroundEngine): Promise<void> {
    const { executions, services, blobs } = this.#ports;
    const stored = await executions.find(executionId);
    if (stored === null || isFinal(stored.status)) return this.#logNothingToRun(executionId);
    const loaded = await loadBackgroundRun(stored, this.#ports);
    if (stored.retryOf !== null && stored.invocations === 0 && 'plan' in loaded)
      await (await loadObjects()).keepRetriedFiles(stored, loaded.input, loaded.stored, blobs);
    const acquireLease = lazy(() => this.#acquireLease(stored, engine));
    const isLeasedLate = engine.mode === 'express' && 'plan' in loaded && loaded.plan.isPure;
    const record = isLeasedLate ? stored : await acquireLease();
    if (record === null) return this.#logNothingToRun(executionId);
    this.#state = { name: 'loaded', record };
    if ('failure' in loaded) return this.#finishFailed(record, loaded.failure);
    this.#journal = loaded.journal;
    if (record.crashes >= MAX_CRASHES) return this.#finishCrashLoop(record, engine);
    if (stored.retryOf !== null) await this.#ownRetried(stored, loaded, acquireLease);
    const saveProgress: ExecutionStore['saveProgress'] = async (id, progress) =>
      (await acquireLease()) !== null && executions.saveProgress(id, progress);
    const updates = createRecordUpdates(record, loaded, blobs, services.clock);
    await this.#runLoaded(record, loaded, updates, saveProgress, engine);
  }

  /**
   * Acquires the lease, which keeps a duplicate from running, and counts crashes. An express run of pure nodes acquires
   * it with its first progress, after a second: most have ended by then, which saves a write.
   */
  async #acquireLease(
    stored: ExecutionRecord,
    { leaseOwner, mode, journal }: BackgroundEngine,
  ): Promise<ExecutionRecord | null> {
    const { executions, services } = this.#ports;
    const journalSize = (await journal?.count()) ?? 0;
    return executions.acquireLease(stored.executionId, {
      leaseOwner,
      leaseExpiresAt: services.clock.now() + RUNNING_LEASE_MS[mode],
      journalSize,
      crashes: countCrashes(stored, journalSize),
      invocations: stored.invocations + 1,
    });
  }

  async #ownRetried(
    stored: ExecutionRecord,
    loaded: LoadedRun,
    acquireLease: () => Promise<ExecutionRecord | null>,
  ): Promise<void> {
    const { executions, services, blobs } = this.#ports;
    const { executionId, mode } = stored;
    const { timeoutMs } = computeLimits(loaded.workflow.definition.settings, mode);
    const { ownRetriedBlobs } = await loadObjects();
    const changes = await ownRetriedBlobs(stored, loaded.input, loaded.stored, timeoutMs, blobs);
    if (changes === null || (await acquireLease()) === null) return;
    const leaseExpiresAt = services.clock.now() + RUNNING_LEASE_MS[mode];
    await executions.saveProgress(executionId, { status: 'running', leaseExpiresAt, ...changes });
    loaded.stored = { ...loaded.stored, ...changes };
  }

  #logNothingToRun(executionId: string): void {
    this.#ports.logger.warn(
      'The execution has ended, is leased by another owner, or is unknown: nothing is run.',
      { executionId },
    );
  }

  async #finishCrashLoop(leased: ExecutionRecord, { journal }: BackgroundEngine): Promise<void> {
    const { executionId } = leased;
    const stored = await journal?.read().catch((cause: unknown) => {
      this.#ports.logger.warn('The checkpoint journal cannot be read.', { executionId, cause });
    });
    this.#journal = new Map([...this.#journal, ...(stored ?? [])]);
    const message = `its process crashed ${MAX_CRASHES} times in a row at the same point`;
    await this.#finishFailed(leased, { name: 'CrashLoop', message });
  }

  async #runLoaded(
    record: ExecutionRecord,
    loaded: LoadedRun,
    updates: RecordUpdates,
    saveProgress: ExecutionStore['saveProgress'],
    engine: BackgroundEngine,
  ): Promise<void> {
    const { services, blobs, logger, openTrace, ...ports } = this.#ports;
    const traceparentOf = openTrace === undefined ? undefined : await openTrace(record);
    const respondsEarly = record.keepsResult && (await loadAnswering()).isAnsweredEarly(record, loaded.plan);
    const execution = toExecutionInfo(record, loaded.workflow);
    const { executionId, workflowId, mode } = record;
    const { callbackKey } = loaded;
    const floor = latestTimeOf(record.nodes, record.startedAt);
    const clock = createMonotonicClock(services.clock, floor, this.#closed.signal);
    const recorder = createRecorder({
      executionId,
      executions: { saveProgress },
      clock,
      logger,
      toProgress: updates.toProgress,
      onEnded: () => this.#halted.abort(new Error('the execution was ended from outside')),
    });
    this.#state = { name: 'running', run: { record, updates, recorder } };
    const infrastructure = watchInfrastructureErrors();
    const { definition } = loaded.workflow;
    const limits = computeLimits(definition.settings, mode);
    const collectsEnds = collectsAllEnds(definition, record.trigger.nodeId);
    let responseSaved: Promise<void> | null = null;
    const onResponse = (response: JsonObject): void => {
      const leaseExpiresAt = services.clock.now() + RUNNING_LEASE_MS[mode];
      const saving = { executions: { saveProgress }, blobs, leaseExpiresAt, logger };
      responseSaved = engine.track(saveResponse(record, response, loaded.input, saving));
    };
    const running = runToResult(
      () =>
        execute(
          loaded.plan,
          {
            execution,
            keyId: keyIdOf(record),
            input: loaded.input,
            variables: loaded.variables,
            limits,
            collectsEnds,
            since: engine.since ?? beganAt(record),
          },
          {
            services: { ...identifyCalls(services, loaded.input, executionId), clock },
            openFiles: ports.filesFor(mode === 'durable' ? record : { ...record, life: BRIEF_DAYS }),
            openState: ports.stateFor?.({ ...record, executionId: keyIdOf(record) }),
            logger: ports.loggerFor(execution),
            steps: loaded.journalSteps(engine.steps),
            workflows: infrastructure.watch(ports.otherWorkflows),
            callbacks: engine.openCallbackUrls?.({ executionId, workflowId, callbackKey }) ?? null,
            credentials: lendTo(loaded.plan, ports.outboundCredentials, CREDENTIAL_WAIT_MS),
            traceparentOf,
            track: engine.track,
            onProgress: recorder.update,
            ...(respondsEarly ? { onResponse } : {}),
            signal: this.#halted.signal,
            guard: ports.guard,
          },
        ),
      record,
      logger,
    );
    const result = await Promise.race([running, infrastructure.first]).catch((error: unknown) => {
      this.#halted.abort(error);
      throw error;
    });
    if (this.#isSuspended()) return; // the replay resumes from before the suspension, so a later result is void
    await responseSaved;
    const end = async (): Promise<void> => {
      await recorder.close();
      const journalSize = engine.countOperations?.();
      const counted = journalSize === undefined ? {} : { journalSize };
      const newEnd = { ...(await updates.toEnd(result)), ...counted };
      if (await this.#finish(record, newEnd)) await this.#releaseBlobs(record, newEnd, loaded, engine);
      await ports.afterEnd?.(record, definition);
    };
    await engine.track(end());
  }

  #isSuspended(): boolean {
    return this.#state.name === 'suspended';
  }

  async #finish(record: ExecutionRecord, end: NewEnd): Promise<boolean> {
    const isFinished = await finishExecution(record, end, this.#ports);
    if (!isFinished)
      this.#ports.logger.warn('The execution had ended before; its record stays.', {
        executionId: record.executionId,
      });
    return isFinished;
  }

  /** Releases the blobs of a run; most runs have none. */
  async #releaseBlobs(
    { executionId, mode, startedAt, invocations }: ExecutionRecord,
    { endedAt, checkpoints }: NewEnd,
    { stored, input, hasFiles, journal }: LoadedRun,
    { stepBlobs = new Set() }: BackgroundEngine,
  ): Promise<void> {
    // The life of an express run's files is set at the start; its checkpoints are not kept while it is open.
    const journalText = mode === 'durable' ? serializeJournal(journal) : '';
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
    await (await loadObjects()).letGo(executionId, ended, this.#ports);
  }

  /** Finishes an execution as failed. Keeps the checkpoints, for a retry. */
  async #finishFailed(
    latest: ExecutionRecord,
    failure: { readonly nodeId?: string; readonly name: string; readonly message: string },
  ): Promise<void> {
    const { blobs, services } = this.#ports;
    const journal = this.#journal;
    const extra = journal.size > 0 ? { checkpoints: await packJournal(latest, journal, blobs, true) } : {};
    await finishEarly(latest, 'failed', failure, { ...this.#ports, clock: services.clock }, extra);
  }

  halt(): void {
    if (this.#state.name === 'running') this.#state = { ...this.#state, name: 'suspended' };
    this.#halted.abort(new Error('the run was suspended'));
  }

  async suspend(): Promise<void> {
    await this.#running?.recorder.suspend();
  }

  async uncountCrash(): Promise<void> {
    const record = this.#record;
    if (record === null) return;
    const { executions, services, logger } = this.#ports;
    const { executionId, crashes, mode } = record;
    const leaseExpiresAt = services.clock.now() + RUNNING_LEASE_MS[mode];
    await executions
      .saveProgress(executionId, { status: 'running', crashes: crashes - 1, leaseExpiresAt })
      .catch((cause: unknown) => {
        logger.warn('This process will be counted as crashed.', { executionId, cause });
      });
  }

  async fail(failure: { readonly name: string; readonly message: string }): Promise<void> {
    const record = this.#record;
    if (record === null) return;
    const latest = (await this.#ports.executions.find(record.executionId)) ?? record;
    const { recorder, updates } = this.#running ?? {};
    const nodes = recorder?.latest() ?? null;
    const known = nodes === null ? {} : { nodes: (await updates?.toFailed(nodes)) ?? nodes, nodesOmitted: 0 };
    await this.#finishFailed({ ...latest, ...known }, { nodeId: latest.trigger.nodeId, ...failure });
  }

  async close(): Promise<void> {
    this.#closed.abort('the invocation has ended'); // an explicit reason: the default one costs a stack trace
    await this.#running?.recorder.close();
  }

  /** The running execution; null before it runs. */
  get #running(): Running | null {
    return 'run' in this.#state ? this.#state.run : null;
  }

  /** The execution's record; null before it is loaded. */
  get #record(): ExecutionRecord | null {
    return 'record' in this.#state ? this.#state.record : (this.#running?.record ?? null);
  }
}

/**
 * The clock of one execution, whose replays run on machines with different clocks.
 * @param floor - the latest recorded time, in milliseconds since the epoch: `now` is never earlier
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
  /** Reports a plan that can't be loaded as an infrastructure error and leaves the node that needs it pending. */
  watch(workflows: OtherWorkflows): OtherWorkflows;
}

/**
 * Infrastructure errors abort the invocation, so that Lambda retries it. As node failures they would end the execution,
 * or make its replay diverge from the journal.
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

/** The number of consecutive crashes after which the execution fails. */
const MAX_CRASHES = 20;

/**
 * Counts consecutive crashes before a process starts. A process that left the run `running` has crashed; if it made a
 * checkpoint first, the count starts again.
 * @param journalSize - the current number of checkpoints
 */
const countCrashes = (
  { status, crashes, journalSize: before }: Pick<ExecutionRecord, 'status' | 'crashes' | 'journalSize'>,
  journalSize: number,
): number => {
  if (status !== 'running') return 0;
  return journalSize > before ? 1 : crashes + 1;
};
