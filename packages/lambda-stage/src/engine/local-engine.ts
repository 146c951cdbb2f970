import { randomUUID } from 'node:crypto';
import type {
  DurableExecutionInvocationInput,
  Operation,
  OperationUpdate,
} from '@aws/durable-execution-sdk-js';
import pLimit from 'p-limit';
import { ApiError, InvalidParameterValueException } from '../net/api-error.ts';
import {
  advance,
  answerCallback,
  applyUpdates,
  createDurableState,
  type DurableState,
  finish,
  LIMITS,
  nextDueAt,
  resume,
  visibleOperations,
} from './durable-state.ts';
import type { LocalExecution, StateStore } from './state-store.ts';

/** Invokes a function, by its key, in its own process; rejects when either fails. The label names the invocation in the log. */
export type Invoke = (name: string, event: unknown, label: string) => Promise<unknown>;

interface CheckpointAnswer {
  readonly CheckpointToken: string;
  readonly NewExecutionState: { readonly Operations: readonly Operation[] };
}

interface Checkpoint {
  readonly clientToken: string;
  readonly answer: Promise<CheckpointAnswer>;
}

interface DurableFunction {
  readonly key: string;
  /** ARN of the version that new executions run. */
  readonly versionArn: string;
  /** Whether invocations have the ARN in their context. */
  readonly isNamed?: boolean;
}

interface LocalEngineParts {
  readonly store: StateStore;
  readonly invoke: Invoke;
  readonly log: (line: string) => void;
  /** The functions that run durable executions; the first one does unless another is asked for. */
  readonly durable: readonly DurableFunction[];
  /** The first delay after a process failed. */
  readonly retryMs?: number;
}

/** Follows the function version's ARN in the ARN of an execution. */
const EXECUTION = '/durable-execution/';
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
/** How many ended executions are kept. Lambda keeps them for the days of `retentionPeriodInDays`. */
const KEPT_ENDED = 100;
/** More than there are processes for background runs. */
const RESUMED_AT_ONCE = 16;
/** A longer delay would overflow a timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Lambda's durable executions on this machine: invokes the function, again after a crash; checkpoints; timers. */
export class LocalEngine {
  readonly #parts: LocalEngineParts;
  readonly #executions = new Map<string, LocalExecution>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Executions with a running invocation; true when a callback was answered since it began. */
  readonly #active = new Map<string, boolean>();
  /** The last checkpoint of each execution: a repeated one gets the same response. */
  readonly #checkpoints = new Map<string, Checkpoint>();
  /** How often in a row the process has failed, by execution. */
  readonly #failures = new Map<string, number>();
  /** What executions returned and the last failure of their process; only for executions of this process. */
  readonly #results = new Map<string, string>();
  readonly #reasons = new Map<string, string>();
  /** The ended executions that are kept, the first that ended first. */
  readonly #ended = new Set<string>();
  #isClosed = false;

  constructor(parts: LocalEngineParts) {
    this.#parts = parts;
  }

  /**
   * Loads the executions of a previous engine. Call it before any is started.
   * @returns a function that resumes those that are open
   */
  async load(): Promise<() => void> {
    const loaded = await this.#parts.store.loadAll();
    const startOf = ({ state }: LocalExecution): number =>
      [...state.operations.values()][0]?.StartTimestamp?.getTime() ?? 0;
    for (const execution of [...loaded].sort((a, b) => startOf(a) - startOf(b))) {
      this.#executions.set(execution.arn, execution);
      if (execution.state.status !== 'running') this.#ended.add(execution.arn);
    }
    return () => {
      // Each writes as it begins: all together would block the process, and the requests that it serves.
      void this.#forgetEnded();
      const limit = pLimit(RESUMED_AT_ONCE);
      for (const { arn, state } of loaded) if (state.status === 'running') void limit(() => this.#run(arn));
    };
  }

  /** Starts no further invocations; resolves when all state is stored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await this.#parts.store.close();
  }

  /**
   * Starts a durable execution unless one with that name exists.
   * @returns its ARN
   * @throws ApiError `DurableExecutionAlreadyStartedException` when the existing one has a different payload
   */
  async startDurable(name: string, input: string, key?: string): Promise<string> {
    const { durable } = this.#parts;
    const found = durable.find((one) => one.key === (key ?? one.key));
    if (found === undefined)
      throw new ApiError('ResourceNotFoundException', `no durable function ${key}`, 404);
    const arn = `${found.versionArn}${EXECUTION}${name}/${name}`;
    const known = this.#executions.get(arn);
    if (known !== undefined && known.input !== input) {
      throw new ApiError(
        'DurableExecutionAlreadyStartedException',
        'already started with a different payload',
        409,
      );
    }
    if (known === undefined) {
      const execution = { arn, input, state: createDurableState(input, Date.now()) };
      this.#executions.set(arn, execution);
      try {
        await this.#parts.store.save(execution, null);
      } catch (error) {
        this.#executions.delete(arn); // the caller may try again
        throw error;
      }
      this.#runIn(arn, 0);
    }
    return arn;
  }

  /** Begins an invocation of an execution. @returns its input */
  async #beginInvocation(arn: string): Promise<DurableExecutionInvocationInput> {
    const state = await this.#change(arn, (before) => resume(advance(before, Date.now())));
    return {
      DurableExecutionArn: arn,
      CheckpointToken: String(state.token),
      InitialExecutionState: { Operations: visibleOperations(state) },
    };
  }

  async #run(arn: string): Promise<void> {
    if (this.#isClosed || this.#active.has(arn) || this.#find(arn).state.status !== 'running') return;
    this.#active.set(arn, false);
    const label = `run ${arn.split('/').at(-1) ?? arn}`;
    try {
      const event = await this.#beginInvocation(arn);
      const invokedFunctionArn = arn.split(EXECUTION)[0] ?? '';
      const owner = this.#parts.durable.find(({ versionArn }) => versionArn === invokedFunctionArn);
      const context = owner?.isNamed === true ? { context: { invokedFunctionArn } } : {};
      const invocation = { event, requestId: randomUUID(), ...context };
      const output = (await this.#parts.invoke(owner?.key ?? '', invocation, label)) as {
        readonly Status?: string;
        readonly Result?: string;
      };
      this.#failures.delete(arn);
      if (output.Result !== undefined && output.Result !== '') this.#results.set(arn, output.Result);
      if (output.Status === 'SUCCEEDED') await this.#change(arn, (state) => finish(state, 'succeeded'));
      if (output.Status === 'FAILED') await this.#change(arn, (state) => finish(state, 'failed'));
      this.#suspend(arn);
    } catch (error) {
      if (this.#isClosed) return;
      const failures = (this.#failures.get(arn) ?? 0) + 1;
      this.#failures.set(arn, failures);
      this.#reasons.set(arn, (error as Error).message);
      const delayMs = Math.min((this.#parts.retryMs ?? FIRST_RETRY_MS) * 2 ** (failures - 1), LAST_RETRY_MS);
      this.#parts.log(
        `${label}: its process failed (${(error as Error).message}); retrying in ${delayMs / 1_000} s`,
      );
      this.#runIn(arn, delayMs);
    } finally {
      this.#active.delete(arn);
    }
  }

  /** Waits for the next timer or answer, unless an answer arrived during the invocation. */
  #suspend(arn: string): void {
    const { state } = this.#find(arn);
    if (state.status !== 'running') return;
    const due = this.#active.get(arn) === true ? 0 : nextDueAt(state);
    if (due === null) return;
    const delayMs = due - Date.now();
    // Timers can fire early and have a maximum delay: check again.
    if (delayMs > 0) this.#setTimer(arn, Math.min(delayMs, LONGEST_TIMER_MS), () => this.#suspend(arn));
    else this.#runIn(arn, 0);
  }

  #runIn(arn: string, delayMs: number): void {
    this.#setTimer(arn, delayMs, () => this.#run(arn));
  }

  #setTimer(arn: string, delayMs: number, act: () => void): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timers.get(arn));
    this.#timers.set(arn, setTimeout(act, delayMs));
  }

  /**
   * Applies updates.
   *
   * @param clientToken - identifies the request: a repeated one gets the first response again, which may have been
   *   lost
   * @throws InvalidParameterValueException for a stale token, or updates that are not allowed
   */
  checkpoint(
    arn: string,
    token: string,
    updates: readonly OperationUpdate[],
    clientToken?: string,
  ): Promise<CheckpointAnswer> {
    const last = this.#checkpoints.get(arn);
    if (clientToken !== undefined && last?.clientToken === clientToken) return last.answer;
    const answer = this.#applyCheckpoint(arn, token, updates);
    if (clientToken === undefined) return answer;
    this.#checkpoints.set(arn, { clientToken, answer });
    answer.catch(() => {
      // Nothing was applied; a repeated request may succeed.
      if (this.#checkpoints.get(arn)?.answer === answer) this.#checkpoints.delete(arn);
    });
    return answer;
  }

  async #applyCheckpoint(
    arn: string,
    token: string,
    updates: readonly OperationUpdate[],
  ): Promise<CheckpointAnswer> {
    const before = this.#find(arn).state;
    if (token !== String(before.token)) throw new InvalidParameterValueException('Invalid checkpoint token');
    const after = await this.#change(arn, (state) => {
      const now = Date.now();
      return applyUpdates(advance(state, now), updates, now, randomUUID);
    });
    const changed = [...after.operations.values()].filter(
      (operation) => before.operations.get(operation.Id ?? '') !== operation,
    );
    return { CheckpointToken: String(after.token), NewExecutionState: { Operations: changed } };
  }

  getState(arn: string) {
    return { Operations: visibleOperations(this.#find(arn).state) };
  }

  getDurableState(arn: string): DurableState {
    return this.#find(arn).state;
  }

  /** What the execution returned, and the last failure of its process. */
  getOutcome(arn: string): { readonly result: string | null; readonly failure: string | null } {
    return { result: this.#results.get(arn) ?? null, failure: this.#reasons.get(arn) ?? null };
  }

  async stop(arn: string): Promise<void> {
    await this.#change(arn, (state) => finish(state, 'stopped'));
    clearTimeout(this.#timers.get(arn));
  }

  /** Answers a callback with JSON text. @throws ApiError `ResourceNotFoundException` when it is not open */
  async answer(callbackId: string, result: string): Promise<void> {
    if (Buffer.byteLength(result) > LIMITS.operationBytes) {
      throw new InvalidParameterValueException(`An answer has at most ${LIMITS.operationBytes} bytes`);
    }
    for (const { arn, state } of this.#executions.values()) {
      const answered = answerCallback(state, callbackId, result, Date.now());
      if (answered === null) continue;
      await this.#change(arn, () => answered);
      if (this.#active.has(arn)) this.#active.set(arn, true);
      else this.#runIn(arn, 0);
      return;
    }
    throw new ApiError('ResourceNotFoundException', 'no callback of this id is open', 404);
  }

  /**
   * Changes the state in memory first, so that changes are serial, then stores it before the caller gets a response. If
   * storing fails, the change is undone. A new token alone is not stored: the processes that had an older one end with
   * this process.
   */
  async #change(arn: string, toNext: (state: DurableState) => DurableState): Promise<DurableState> {
    const execution = this.#find(arn);
    const next = { ...execution, state: toNext(execution.state) };
    this.#executions.set(arn, next);
    const { operations, status } = execution.state;
    if (next.state.operations === operations && next.state.status === status) return next.state;
    try {
      await this.#parts.store.save(next, execution.state);
    } catch (error) {
      if (this.#executions.get(arn) === next) this.#executions.set(arn, execution);
      throw error;
    }
    if (next.state.status !== 'running') {
      this.#ended.add(arn);
      void this.#forgetEnded();
    }
    return next.state;
  }

  /** Forgets the executions that ended first, beyond those that are kept. */
  async #forgetEnded(): Promise<void> {
    const idle = [...this.#ended].filter((arn) => !this.#active.has(arn));
    const surplus = idle.slice(0, Math.max(0, this.#ended.size - KEPT_ENDED)).map((arn) => this.#forget(arn));
    for (const execution of surplus) {
      if (this.#executions.has(execution.arn)) continue; // started again under its name
      // What could not be removed is loaded by the next engine, which removes it.
      await this.#parts.store.remove(execution).catch(() => {});
    }
  }

  #forget(arn: string): LocalExecution {
    const execution = this.#find(arn);
    clearTimeout(this.#timers.get(arn));
    this.#ended.delete(arn);
    for (const kept of [
      this.#executions,
      this.#timers,
      this.#checkpoints,
      this.#failures,
      this.#results,
      this.#reasons,
    ])
      kept.delete(arn);
    return execution;
  }

  #find(arn: string): LocalExecution {
    const execution = this.#executions.get(arn);
    if (execution === undefined) {
      throw new ApiError('ResourceNotFoundException', `there is no durable execution ${arn}`, 404);
    }
    return execution;
  }
}
