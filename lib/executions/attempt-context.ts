import type { DeliveredInput, ExecutionInfo, NodeContext, RunControl } from '../contract/node.ts';
import type { Clock, Logger, Services } from '../contract/services.ts';
import type { NodeRun } from './attempts.ts';
import { createPureServices } from './pure-services.ts';
import type { Session } from './session.ts';

const DEFAULT_TIMEOUT_SECONDS = 30;

/** A node's own time is up. */
class NodeTimeout extends Error {
  constructor(seconds: number) {
    super(`the node took longer than ${seconds} s`);
    this.name = 'TimeoutError';
  }
}

/**
 * The context of one attempt. Its signal and its timer are made when somebody needs them: most nodes are done
 * before they could be of use.
 */
export class AttemptContext implements NodeContext {
  readonly execution: ExecutionInfo;
  readonly attempt: number;
  readonly iteration: number;
  readonly inputs: readonly DeliveredInput[];
  readonly control: RunControl | null;
  readonly #name: string;
  readonly #isPure: boolean;
  readonly #session: Session;
  readonly #timeoutSeconds: number;
  readonly #startedAt: number;
  #services: Services | undefined;
  #controller: AbortController | undefined;
  /** Why the time is up; undefined while it is not. */
  #expiry: unknown;

  constructor(session: Session, run: NodeRun, number: number) {
    this.execution = session.execution;
    this.attempt = number;
    this.iteration = run.iteration;
    this.inputs = run.inputs;
    this.control = run.control;
    this.#name = run.name;
    this.#isPure = run.planNode.nodeType.pure;
    this.#session = session;
    this.#timeoutSeconds = run.planNode.node.settings?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
    this.#startedAt = number === 1 ? run.startedAt : this.#clock.now();
  }

  get #clock(): Clock {
    return this.#session.ports.services.clock;
  }

  get services(): Services {
    const { services } = this.#session.ports;
    this.#services ??= this.#isPure
      ? createPureServices(services, this.execution.startedAt, this.idempotencyKey)
      : services;
    return this.#services;
  }

  get logger(): Logger {
    return this.#session.ports.logger;
  }

  get idempotencyKey(): string {
    return `${this.execution.executionId}/${this.#name}`;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // A node may look at it for the first time when it is too late.
      if (this.#expiry !== undefined) this.#controller.abort(this.#expiry);
    }
    return this.#controller.signal;
  }

  remainingMs(): number {
    return Math.max(0, this.#startedAt + this.#timeoutSeconds * 1_000 - this.#clock.now());
  }

  /** Rejects, and aborts the signal, when the time of the attempt or of the execution is up; `done` ends the wait. */
  expire(done: AbortSignal): Promise<never> {
    return new Promise((_resolve, reject) => {
      const stopped = this.#session.getStopped();
      const expire = (reason: unknown) => {
        this.#expiry = reason;
        this.#controller?.abort(reason);
        reject(reason);
      };
      stopped.addEventListener('abort', () => expire(stopped.reason), { once: true, signal: done });
      this.#clock.sleep(this.remainingMs(), done).then(
        () => expire(new NodeTimeout(this.#timeoutSeconds)),
        () => {}, // the wait was ended: the result is there
      );
    });
  }
}
