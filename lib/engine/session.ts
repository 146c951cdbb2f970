// Invariants of an execution; tests cite them.
// S12: The time of an execution never runs backwards, and its timeout counts from its start, in a replay too.
// S13: Outputs, failures and log entries leave a node without the secrets that the execution has borrowed.

import type {
  Clock,
  ExecutionInfo,
  Files,
  JsonObject,
  LentCredential,
  Logger,
  Question,
  Services,
  State,
} from '@hookloom/plugin-kit';
import type { Plan, PlanNode } from '../workflows/plan/plan.ts';
import type { LimitedHttp } from './call-turn.ts';
import { borrowCredentials, type CredentialSource, createScrubbingLogger } from './credentials.ts';
import { type Scrub, type StrayErrorGuard, toFailure } from './failure.ts';
import { createMeasureJson, type MeasureJson } from './measure-json.ts';
import { createPureServices } from './pure-services.ts';
import type { NodeFailure, NodeRecord } from './result.ts';
import { OperationLimitError, type Steps } from './steps.ts';

export interface ExecutionLimits {
  /** Wall time of the execution, milliseconds. */
  readonly timeoutMs: number;
  /** Node runs in total, including those of loop iterations and inner runs. */
  readonly maxNodeRuns: number;
  /** Size of one node's output as JSON, bytes. */
  readonly maxOutputBytes: number;
}

/** Issues the signed URLs at which pending callbacks are answered. */
export interface CallbackUrls {
  /**
   * Registers a pending callback, which makes its URL valid.
   * @param name - unique in the execution, unless the same question is asked again: see `Session.unanswered`
   * @returns when it expires, milliseconds since the epoch
   */
  open(name: string, callbackId: string, timeoutSeconds: number, question: Question): Promise<number>;
  /** Issues a callback URL. @returns the URL, the same for the same arguments within an execution */
  urlOf(name: string, expiresAt: number): string;
}

/** The other workflows, for nodes that run them. */
export interface OtherWorkflows {
  /** @returns the current version; null if the workflow does not exist or is not enabled */
  findVersion(workflowId: string): Promise<number | null>;
  /** Loads the plan of a workflow. @throws AppError `WORKFLOW_INVALID` */
  loadPlan(workflowId: string, version: number): Promise<Plan>;
}

/** The services that all attempts share; AWS and TCP are absent if runs do not use them. */
export type SharedServices = Pick<Services, 'clock' | 'ids'> &
  Partial<Pick<Services, 'aws' | 'tcp'>> & { readonly http: LimitedHttp };

/**
 * Opens an execution's files for one attempt at a node.
 * @param nodeKey - see `nodeKeyOf`
 * @param signal - the attempt's: once it is aborted, the attempt saves no file
 */
export type OpenFiles = (nodeKey: string, signal: AbortSignal) => Files;

/**
 * Opens an execution's state for one attempt at a node, with the arguments of {@link OpenFiles}.
 * @param keyId - the execution to which a write belongs; the state's own if absent
 */
export type OpenState = (nodeKey: string, signal: AbortSignal, keyId?: string) => State;

export interface EnginePorts {
  readonly services: SharedServices;
  /** Opens the files of an execution; absent if runs have no files. */
  readonly openFiles?: OpenFiles;
  /** Opens the state; absent if runs have none. */
  readonly openState?: OpenState | undefined;
  readonly logger: Logger;
  readonly steps: Steps;
  readonly workflows: OtherWorkflows;
  /** Issues callback URLs; null if runs can't wait for an answer. */
  readonly callbacks: CallbackUrls | null;
  /** Lends credentials; absent if no node can borrow one. */
  readonly credentials?: Pick<CredentialSource, 'open'> | undefined;
  /** Computes the `traceparent` of what a node run sends, by its key; absent without tracing. */
  readonly traceparentOf?: ((nodeKey: string) => string) | undefined;
  /** Catches stray errors, so that they fail their node; absent if a stray error ends the process. */
  readonly guard?: StrayErrorGuard | undefined;
  /**
   * Reports work outside steps to a durable engine, which otherwise would suspend a run that only seems to be
   * waiting.
   */
  readonly track?: <Value>(work: Promise<Value>) => Promise<Value>;
  /** Called when a node that takes time starts or ends; a snapshot is computed on demand. */
  readonly onProgress?: (snapshot: () => readonly NodeRecord[]) => void;
  /** Called with the first data emitted on the output `response`; a replay calls it again. */
  readonly onResponse?: (response: JsonObject) => void;
  /** Aborted, with an Error as its reason, to end the execution early. */
  readonly signal?: AbortSignal;
}

/** A failure that did not come from the attempt at a node. It ends the execution. */
export interface StrayFailure {
  /** The key of the node run: see `nodeKeyOf`. */
  readonly nodeKey: string;
  readonly failure: NodeFailure;
}

/** The abort reason of the nodes that are running when the execution fails. */
export class ExecutionFailedError extends Error {
  constructor({ nodeId }: NodeFailure) {
    super(`the execution failed at the node "${nodeId}"`);
    this.name = 'ExecutionFailed';
  }
}

/**
 * The clock of an execution, and when its time is up. It never runs backwards, although replays happen on machines with
 * different clocks. All times are in milliseconds since the epoch.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #endsAt: number;
  /** The time read by the last `readClock`. */
  now: number;
  /** The controller of the timer, created on demand: an execution of quick nodes needs none. */
  #timer: AbortController | undefined;

  /** @param since - when the timeout started: at the start of the execution, even in a replay */
  constructor(clock: Clock, since: number, timeoutMs: number) {
    this.#clock = clock;
    this.now = clock.now();
    this.#endsAt = Math.min(this.now, since) + timeoutMs;
  }

  readClock(): number {
    const now = this.#clock.now();
    if (now > this.now) this.now = now;
    return this.now;
  }

  get isUp(): boolean {
    return this.now > this.#endsAt;
  }

  /** Whether the time is up by the actual clock, which expressions check while they are evaluated. */
  readonly isUpNow = (): boolean => this.#clock.now() > this.#endsAt;

  /** Calls `onUp` when the time is up, unless stopped before. A second call has no effect. */
  start(onUp: () => void): void {
    if (this.#timer !== undefined) return;
    this.#timer = new AbortController();
    this.#clock.sleep(Math.max(0, this.#endsAt - this.#clock.now()), this.#timer.signal).then(onUp, () => {}); // the execution ended before
  }

  stop(): void {
    this.#timer?.abort('the execution has ended'); // an explicit reason: the default one costs a stack trace
  }
}

/** The state that all runs of one execution share: time, limits, ports. */
export class Session {
  readonly execution: ExecutionInfo;
  /** The execution from whose id idempotency keys, ids and random numbers are derived. */
  readonly keyId: string;
  readonly limits: ExecutionLimits;
  readonly ports: EnginePorts;
  /** `$vars` in expressions, of inner runs too; undefined if the workflow reads none. */
  readonly variables: JsonObject | undefined;
  readonly deadline: Deadline;
  /** The logger for nodes. */
  readonly logger: Logger;
  readonly borrow: (planNode: PlanNode) => Promise<LentCredential> | null;
  /**
   * Removes the secrets of the credentials that this execution has borrowed. Everything that leaves a node passes
   * through it: outputs, failures, log entries.
   */
  readonly scrub: Scrub;
  readonly measure: MeasureJson = createMeasureJson();
  /** Creates the services of one run of a pure node from its idempotency key. */
  readonly pureServices: (seed: string) => Services;
  /**
   * The names of callbacks that timed out, by their operation without the iteration. The next iteration asks again
   * under the same name, so that URLs that were sent earlier answer the new question. Once answered, the next question
   * gets a name of its own.
   */
  readonly unanswered = new Map<string, string>();
  /** Node runs so far, of all inner runs too. */
  nodeRuns = 0;
  /** Null if no caller watches it. */
  reportProgress: (() => void) | null = null;
  /** The failure that ends the execution whatever its nodes' `onError` says; null while there is none. */
  fatal: NodeFailure | null = null;
  strayFailure: StrayFailure | null = null;
  #timeout: NodeFailure | null = null;
  /** Makes `awaitWithinTimeout` resolve to null. */
  #stopWaiting: (() => void) | null = null;
  #isClosed = false;
  /** The controller that aborts the execution, created on demand: an execution of quick nodes needs none. */
  #abort: AbortController | undefined;

  /**
   * @param since - when the timeout started, in milliseconds since the epoch: at the start of the execution, even in a
   * replay
   */
  constructor(
    execution: ExecutionInfo,
    limits: ExecutionLimits,
    ports: EnginePorts,
    since = Date.parse(execution.startedAt),
    variables?: JsonObject,
    keyId: string = execution.executionId,
  ) {
    this.execution = execution;
    this.keyId = keyId;
    this.limits = limits;
    this.ports = ports;
    this.variables = variables;
    const { borrow, scrub } = borrowCredentials(ports.credentials);
    this.borrow = borrow;
    this.scrub = scrub;
    this.logger = createScrubbingLogger(ports.logger, scrub);
    this.pureServices = createPureServices(ports.services, execution.startedAt);
    this.deadline = new Deadline(ports.services.clock, since, limits.timeoutMs);
  }

  /** Tracks I/O outside steps: see {@link EnginePorts}. */
  track<Value>(work: Promise<Value>): Promise<Value> {
    return this.ports.track === undefined ? work : this.ports.track(work);
  }

  /**
   * Awaits a durable operation of a node. Exceeding the operation limit ends the execution: as a failure of the node,
   * `onError` could make a replay diverge.
   *
   * @throws OperationLimitError
   */
  async awaitOperation<Value>(nodeId: string, operation: Promise<Value>): Promise<Value> {
    try {
      return await operation;
    } catch (error) {
      if (error instanceof OperationLimitError) this.fatal ??= { nodeId, ...toFailure(error) };
      throw error;
    }
  }

  /**
   * Fails the execution at once, even if other nodes are running.
   * @returns false if it has ended, or was aborted from outside, in which case another process may continue it
   */
  failAt(stray: StrayFailure): boolean {
    if (this.#isClosed || this.externalAbortReason !== null) return false;
    this.strayFailure ??= stray;
    this.fatal ??= stray.failure;
    this.abort(new ExecutionFailedError(stray.failure));
    this.#stopWaiting?.();
    return true;
  }

  /** Why the execution has to end early; null if it does not. */
  get externalAbortReason(): Error | null {
    const { signal } = this.ports;
    return signal?.aborted === true ? (signal.reason as Error) : null;
  }

  /** The signal that is aborted when the execution times out, fails, or is aborted from outside. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get #controller(): AbortController {
    if (this.#abort === undefined) {
      const controller = new AbortController();
      this.#abort = controller;
      const { signal } = this.ports;
      if (signal?.aborted === true) controller.abort(signal.reason);
      else signal?.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
    }
    return this.#abort;
  }

  /** Aborts all nodes that are still running. */
  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** @returns what `work` resolves to; null when the execution times out or fails before */
  awaitWithinTimeout<Value>(work: Promise<Value>): Promise<Value | null> {
    return new Promise((resolve, reject) => {
      this.#stopWaiting = () => resolve(null);
      work.then(resolve, reject);
    });
  }

  /** Ends the execution when its time is up. Called when a run waits: until then, no timer could fire. */
  startTimer(): void {
    this.deadline.start(() => {
      this.abort(new Error('the execution ran out of time'));
      this.#stopWaiting?.();
    });
  }

  /** The failure of an execution that timed out at a node. */
  timeoutAt(nodeId: string): NodeFailure {
    const message = `the execution took longer than ${this.limits.timeoutMs} ms`;
    this.#timeout = { nodeId, name: 'ExecutionTimeout', message };
    return this.#timeout;
  }

  /** Whether a failure is a timeout of the execution; one after its end most likely follows from it. */
  isTimeout(failure: NodeFailure): boolean {
    return failure === this.#timeout || (this.deadline.isUp && this.externalAbortReason === null);
  }

  close(): void {
    this.#isClosed = true;
    this.deadline.stop();
  }
}
