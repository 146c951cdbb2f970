import type { ExecutionInfo } from '../contract/node.ts';
import type { Logger, Services } from '../contract/services.ts';
import type { Plan } from '../workflows/plan/plan.ts';
import { toFailure } from './failure.ts';
import { createMeasureJson, type MeasureJson } from './measure-json.ts';
import { OperationLimitError } from './operation-budget.ts';
import { createPureServices } from './pure-services.ts';
import type { NodeFailure, NodeRecord } from './result.ts';
import type { Steps } from './steps.ts';
import type { StrayErrorGuard } from './stray-errors.ts';

export interface ExecutionLimits {
  /** Wall time of the execution, milliseconds. */
  readonly timeoutMs: number;
  /** Node runs in all, turns of loops and runs inside of runs included. */
  readonly maxNodeRuns: number;
  /** Size of one node's output as JSON. */
  readonly maxOutputBytes: number;
}

/** Addresses at which somebody outside answers to a run that waits. */
export interface CallbackUrls {
  /** Makes the address good. Gives when it expires, milliseconds since the epoch. */
  open(name: string, callbackId: string, timeoutSeconds: number): Promise<number>;
  /** The address: the same for the same arguments, in this execution. */
  urlOf(name: string, expiresAt: number): string;
}

/** Other workflows, for nodes that run them. */
export interface OtherWorkflows {
  /** The version that is current; null for a workflow that does not exist or is not enabled. */
  findVersion(workflowId: string): Promise<number | null>;
  /** Rejects with AppError `WORKFLOW_INVALID`. */
  loadPlan(workflowId: string, version: number): Promise<Plan>;
}

export interface EnginePorts {
  readonly services: Services;
  readonly logger: Logger;
  readonly steps: Steps;
  readonly workflows: OtherWorkflows;
  /** Null where runs can't wait for answers. */
  readonly callbacks: CallbackUrls | null;
  /** Told whose code is at work; none where an error that gets loose ends the process. */
  readonly guard?: StrayErrorGuard | undefined;
  /** Called when something that takes time begins or ends, with a way to see how everything stands. */
  readonly onProgress?: (snapshot: () => readonly NodeRecord[]) => void;
  /** Aborted when the execution is to end before its time; with an Error that says why. */
  readonly stopped?: AbortSignal;
}

/** An execution that ends in the middle, at a run of a node. */
export interface Cut {
  /** See `NodeRun.name`. */
  readonly runName: string;
  readonly failure: NodeFailure;
}

/** Why the other nodes stop that are at work then. */
export class CutOffError extends Error {
  constructor({ failure }: Cut) {
    super(`the execution failed at the node "${failure.nodeId}"`);
    this.name = 'ExecutionFailed';
  }
}

/**
 * What all parts of one execution share: its time, its limits, its ports. Time never goes back in it, whatever the
 * clocks of the machines do on which it runs.
 */
export class Session {
  readonly execution: ExecutionInfo;
  readonly limits: ExecutionLimits;
  readonly ports: EnginePorts;
  readonly measure: MeasureJson = createMeasureJson();
  /** The services of one run of a pure node, by its name. */
  readonly pureServices: (seed: string) => Services;
  /** Nodes that were run so far, in all parts. */
  nodeRuns = 0;
  /** Says that something that takes time began or ended. */
  noteProgress: () => void = () => {};
  readonly #endsAt: number;
  #now: number;
  #timeout: NodeFailure | null = null;
  /** Ends the wait for the work of the execution. */
  #stopWaiting: (() => void) | null = null;
  #fatal: NodeFailure | null = null;
  #cut: Cut | null = null;
  #isOver = false;
  /** Made when somebody looks at it, like the timer: an execution of quick nodes needs neither. */
  #stop: AbortController | undefined;
  #timer: AbortController | undefined;

  /** @param since from when on its time is counted, milliseconds since the epoch */
  constructor(
    execution: ExecutionInfo,
    limits: ExecutionLimits,
    ports: EnginePorts,
    // The start of the execution, not of this process: a run that was interrupted has had its time.
    since = Date.parse(execution.startedAt),
  ) {
    this.execution = execution;
    this.limits = limits;
    this.ports = ports;
    this.pureServices = createPureServices(ports.services, execution.startedAt);
    this.#now = ports.services.clock.now();
    this.#endsAt = Math.min(this.#now, since) + limits.timeoutMs;
  }

  /** When something last began or ended; milliseconds since the epoch. */
  get now(): number {
    return this.#now;
  }

  /** The failure that ends the execution whatever the settings of its nodes say; null while there is none. */
  get fatal(): NodeFailure | null {
    return this.#fatal;
  }

  /**
   * Waits for what the engine of the run was asked for on behalf of a node. An engine that takes no more operations ends
   * the execution there: the failure is not handed to the node, whose `onError` could send a replay another way.
   */
  async asked<Value>(nodeId: string, work: Promise<Value>): Promise<Value> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof OperationLimitError) this.#fatal ??= { nodeId, ...toFailure(error) };
      throw error;
    }
  }

  /** Where the execution was cut off; null when it was not. */
  get cut(): Cut | null {
    return this.#cut;
  }

  /**
   * Ends the execution at once, at a run of a node, whatever else is at work. False when it has ended before, or goes on
   * in another process.
   */
  cutOff(cut: Cut): boolean {
    if (this.#isOver || this.stopReason !== null) return false;
    this.#cut ??= cut;
    this.#fatal ??= cut.failure;
    this.abort(new CutOffError(cut));
    this.#stopWaiting?.();
    return true;
  }

  /** Looks at the clock. */
  tick(): number {
    const now = this.ports.services.clock.now();
    if (now > this.#now) this.#now = now;
    return this.#now;
  }

  get isTimeUp(): boolean {
    return this.#now > this.#endsAt;
  }

  /** Whether the time is up by the clock, which the evaluation of expressions looks at in between. */
  readonly isTimeUpNow = (): boolean => this.ports.services.clock.now() > this.#endsAt;

  /** Why it has to end before its time; null when it has not. */
  get stopReason(): Error | null {
    const { stopped } = this.ports;
    return stopped?.aborted === true ? (stopped.reason as Error) : null;
  }

  /** Aborted when the execution's time is up, or it is stopped. */
  getStopped(): AbortSignal {
    if (this.#stop === undefined) {
      const stop = new AbortController();
      this.#stop = stop;
      const { stopped } = this.ports;
      if (stopped?.aborted === true) stop.abort(stopped.reason);
      else stopped?.addEventListener('abort', () => stop.abort(stopped.reason), { once: true });
    }
    return this.#stop.signal;
  }

  /** Waits, but not longer than the execution may take: null when its time is up before, or it is cut. */
  inTime<Value>(work: Promise<Value>): Promise<Value | null> {
    return new Promise((resolve, reject) => {
      this.#stopWaiting = () => resolve(null);
      if (this.#timer === undefined) this.#startTimer();
      work.then(resolve, reject);
    });
  }

  #startTimer(): void {
    const { clock } = this.ports.services;
    this.#timer = new AbortController();
    clock.sleep(Math.max(0, this.#endsAt - clock.now()), this.#timer.signal).then(
      () => {
        this.abort(new Error('the execution ran out of time'));
        this.#stopWaiting?.();
      },
      () => {}, // the execution ended before
    );
  }

  /** The failure of an execution that took too long, seen at a node. */
  timeoutAt(nodeId: string): NodeFailure {
    const message = `the execution took longer than ${this.limits.timeoutMs} ms`;
    this.#timeout = { nodeId, name: 'ExecutionTimeout', message };
    return this.#timeout;
  }

  /** Whether a run ended for want of time. Who fails when the time is up fails because of it, most likely. */
  isLate(failure: NodeFailure): boolean {
    return failure === this.#timeout || (this.isTimeUp && this.stopReason === null);
  }

  /** Tells whatever is still at work that nobody waits for it any more. */
  abort(reason: unknown): void {
    this.getStopped();
    this.#stop?.abort(reason);
  }

  close(): void {
    this.#isOver = true;
    this.#timer?.abort('the execution has ended'); // a reason of our own: the default one costs a stack trace
  }
}
