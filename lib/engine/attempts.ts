import {
  type Clock,
  Emission,
  isPlainObject,
  type JsonObject,
  type LentCredential,
  MAIN_OUTPUT,
  type NodeContext,
  type NodeExecutor,
  type NodeResult,
  type Services,
  type Usage,
} from '@hookloom/plugin-kit';
import type { Plan } from '../workflows/plan/plan.ts';
import type { CallTurn } from './call-turn.ts';
import type { RunOptions } from './control.ts';
import { type Failure, type GuardedRun, type Scrub, toFailure, toStrayFailure } from './failure.ts';
import { givenOf, type NodeRun } from './node-run.ts';
import { noAws, noFiles, noState, noTcp } from './pure-services.ts';
import type { Session, SharedServices } from './session.ts';
import {
  type Attempt,
  computeRetryDelay,
  OperationLimitError,
  type Step,
  type StepQueue,
  type StepResult,
  type Steps,
} from './steps.ts';

/**
 * Runs a node that has side effects as a step, with all its attempts. Nodes without side effects are no steps: a replay
 * runs them again.
 */
export const runStep = async (
  session: Session,
  { plan, isFailureHandled: isRunHandled = false }: Pick<RunOptions, 'plan' | 'isFailureHandled'>,
  branch: Steps | Promise<Steps>,
  run: NodeRun,
): Promise<StepResult> => {
  const { id, settings } = run.planNode.node;
  const signal = run.signal();
  const step: Step = {
    name: run.key,
    given: givenOf(run),
    isFailureHandled: isRunHandled || (settings?.onError ?? 'fail') !== 'fail',
    retry: settings?.retry,
    atMostOnce: settings?.atMostOnce === true,
    signal,
    attempt: async (number, queue, keyId) => {
      run.keyId = keyId;
      if (signal.aborted) return failAttempt(signal.reason);
      run.retry = null;
      const before = run.attemptTimes;
      const startedAt = session.deadline.readClock();
      run.attemptTimes = [...before, { number, startedAt, endedAt: null }];
      let isPostponed = false;
      const result = await attemptNode(
        session,
        plan,
        run,
        number,
        queue && {
          slot: queue.slot,
          postpone: (postponed) => {
            isPostponed = true;
            const at = session.deadline.readClock() + postponed.waitMs;
            run.retry = { at, failure: { name: 'CallLimit', message: postponed.reason } };
            queue.postpone(postponed);
          },
        },
      );
      if (isPostponed) {
        run.attemptTimes = before;
        session.reportProgress?.();
        return result;
      }
      run.attemptTimes = [...before, { number, startedAt, endedAt: session.deadline.readClock() }];
      if ('failure' in result && settings?.atMostOnce !== true && !signal.aborted)
        planRetry(session, run, computeRetryDelay(settings?.retry, number, result.failure), result.failure);
      return result;
    },
  };
  const steps = branch instanceof Promise ? await branch : branch;
  const result = await session.awaitOperation(id, steps.run(step)).catch(toUnattempted);
  // Freezes the data too: the journal may have read it from a store.
  const frozen = 'outputs' in result ? Object.values(result.outputs) : [result.failure.details ?? null];
  for (const data of frozen) session.measure(data);
  return result;
};

/** Records what the node waits for. @param delayMs - null for no other attempt */
const planRetry = (
  session: Session,
  run: NodeRun,
  delayMs: number | null,
  { name, message }: Failure,
): void => {
  if (delayMs === null) return;
  run.retry = { at: session.deadline.readClock() + delayMs, failure: { name, message } };
  session.reportProgress?.();
};

/** The result of a step that the operation limit did not allow. */
const toUnattempted = (error: unknown): StepResult => {
  if (!(error instanceof OperationLimitError)) throw error;
  return { failure: toFailure(error), attempts: 0 };
};

/**
 * Makes one attempt at a node: borrows its credential, resolves its parameters, calls its executor, checks its result and
 * removes secrets from it. Never throws or rejects. Synchronous where nothing is asynchronous, as with most pure nodes, to
 * save promises and timers.
 */
export const attemptNode = (
  session: Session,
  plan: Plan,
  run: NodeRun,
  number: number,
  queue?: StepQueue,
): Attempt | Promise<Attempt> => {
  run.attempts = number;
  run.usage = null;
  if (number > 1) session.reportProgress?.();
  try {
    const { resolve } = run.planNode;
    const executor = plan.executorOf(run.planNode);
    const parameters = resolve === null || run.scope === null ? null : resolve(run.scope);
    const credential = session.borrow(run.planNode);
    let result: NodeResult | Promise<NodeResult>;
    if (!(executor instanceof Promise || parameters instanceof Promise) && credential === null)
      result = callExecutor(session, run, number, executor, parameters, null, queue);
    else {
      // All are awaited at once, so that none rejects without a handler.
      const loading = Promise.all([executor, parameters, credential]);
      result = session.track(loading).then(([loaded, resolved, lent]) => {
        run.signal().throwIfAborted(); // the execution may have ended in the meantime
        return callExecutor(session, run, number, loaded, resolved, lent, queue);
      });
    }
    return isPromiseLike(result)
      ? result.then(
          (returned) => toAttempt(session, run, returned),
          (error: unknown) => failAttempt(error, session.scrub, run.usage),
        )
      : toAttempt(session, run, result);
  } catch (error) {
    return failAttempt(error, session.scrub, run.usage);
  }
};

const failAttempt = (error: unknown, scrub?: Scrub, usage: Usage | null = null): Attempt => {
  const failure = toFailure(error, scrub);
  return usage === null ? { failure } : { failure, usage };
};

/** @param parameters - null if the node's own contain no expression */
const callExecutor = (
  session: Session,
  run: NodeRun,
  number: number,
  executor: NodeExecutor,
  parameters: JsonObject | null,
  credential: LentCredential | null,
  queue?: StepQueue,
): NodeResult | Promise<NodeResult> => {
  const { node: stored, nodeType } = run.planNode;
  const node = parameters === null ? stored : { ...stored, parameters };
  const context = new AttemptContext(session, run, number, credential, queue);
  const work = (): NodeResult | Promise<NodeResult> => {
    const result = executor.execute(node, run.input, context);
    // A control node waits for as long as its waits and inner runs take.
    if (!isPromiseLike(result) || run.control !== null) return result;
    const inTime = awaitWithinTimeout(context, result);
    return nodeType.pure ? session.track(inTime) : inTime;
  };
  const { guard } = session.ports;
  return guard === undefined ? work() : guard.run(toGuardedRun(session, run), work);
};

const toGuardedRun = (session: Session, { key, planNode }: NodeRun): GuardedRun => {
  const nodeId = planNode.node.id;
  return {
    execution: session.execution,
    nodeId,
    scrub: session.scrub,
    fail: (kind, thrown) =>
      session.failAt({ nodeKey: key, failure: { nodeId, ...toStrayFailure(kind, thrown, session.scrub) } }),
  };
};

const isPromiseLike = (value: NodeResult | Promise<NodeResult>): value is Promise<NodeResult> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/**
 * Checks what a node returned, and removes its secrets: it must be a map of outputs to JSON objects, each within the
 * size limit.
 */
const toAttempt = (
  { measure, scrub, limits }: Session,
  { planNode, usage }: NodeRun,
  result: NodeResult,
): Attempt => {
  // A trigger's output is the request, whose size was checked before, so this can't fail.
  const limit = planNode.nodeType.kind === 'trigger' ? Number.POSITIVE_INFINITY : limits.maxOutputBytes;
  try {
    const outputs = result instanceof Emission ? result.outputs : { [MAIN_OUTPUT]: result ?? {} };
    for (const [output, data] of Object.entries<unknown>(outputs)) {
      if (!isPlainObject(data))
        throw new TypeError(
          `a node must return a plain object for each output, but "${output}" is ${describeData(data)}`,
        );
      const bytes = measure(data);
      if (bytes > limit)
        throw new RangeError(`the output "${output}" has about ${bytes} bytes; at most ${limit} are allowed`);
    }
    const scrubbed = scrub(outputs);
    if (scrubbed !== outputs) for (const data of Object.values(scrubbed)) measure(data); // freezes the copies
    return usage === null ? { outputs: scrubbed } : { outputs: scrubbed, usage };
  } catch (error) {
    // The node has done what it does: another attempt would do it again.
    const failure = { ...toFailure(error, scrub), isRetryable: false };
    return usage === null ? { failure } : { failure, usage };
  }
};

const describeData = (data: unknown): string => {
  if (data === null) return 'null';
  if (Array.isArray(data)) return 'a list';
  return typeof data === 'object' ? `an instance of ${data.constructor?.name}` : `a ${typeof data}`;
};

/** Enforces the timeouts on nodes that ignore their signal. */
const awaitWithinTimeout = async (
  context: AttemptContext,
  result: Promise<NodeResult>,
): Promise<NodeResult> => {
  const done = new AbortController();
  try {
    return await Promise.race([result, AttemptContext.rejectOnTimeout(context, done.signal)]);
  } finally {
    done.abort('the attempt has ended'); // an explicit reason: the default one costs a stack trace
  }
};

const DEFAULT_TIMEOUT_SECONDS = 30;

class NodeTimeoutError extends Error {
  constructor(seconds: number) {
    super(`the node took longer than ${seconds} s`);
    this.name = 'TimeoutError';
  }
}

/** Between looks whether the time of an attempt still stands still, at least. */
const WAITING_INTERVAL_MS = 100;

/**
 * What an executor is given for one attempt: its own properties, which an executor can destructure and spread. All attempts
 * share the accessor of `signal`, which is made on demand, and the functions are fields of the class. With a getter in an
 * object literal, or functions that the constructor assigns, V8 would keep what every attempt refers to until it collects the
 * whole heap, which took a third of the time of a request.
 */
class AttemptContext implements NodeContext {
  static readonly #signal: PropertyDescriptor & ThisType<AttemptContext> = {
    enumerable: true,
    get() {
      return this.#controller.signal;
    },
  };

  readonly execution: NodeContext['execution'];
  readonly attempt: number;
  readonly iteration: number;
  readonly inputs: NodeContext['inputs'];
  readonly control: NodeContext['control'];
  readonly logger: NodeContext['logger'];
  readonly services: Services;
  readonly credential: LentCredential | null;
  readonly idempotencyKey: string;
  readonly traceparent: string | undefined;
  declare readonly signal: AbortSignal;
  readonly #run: NodeRun;
  readonly #clock: Clock;
  readonly #time: AttemptTime;
  readonly #timeoutSeconds: number;
  readonly #queue: StepQueue | undefined;
  #created: AbortController | undefined;

  /** @param number - 1 for the first attempt */
  constructor(
    session: Session,
    run: NodeRun,
    number: number,
    credential: LentCredential | null,
    queue?: StepQueue,
  ) {
    const { execution, ports } = session;
    const { clock } = ports.services;
    const { node, nodeType } = run.planNode;
    this.#run = run;
    this.#clock = clock;
    this.#queue = queue;
    this.#timeoutSeconds = node.settings?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
    // Loading the credential does not count towards the node's time.
    const startedAt = number === 1 && credential === null ? run.startedAt : clock.now();
    this.#time = { startedAt, waiting: 0, waitingSince: null };
    this.execution = execution;
    this.attempt = number;
    this.iteration = run.iteration;
    this.inputs = run.inputs;
    this.control = run.control;
    this.logger = session.logger;
    this.credential = credential;
    this.idempotencyKey = `${run.keyId ?? session.keyId}/${run.key}`;
    this.services = nodeType.pure ? session.pureServices(this.idempotencyKey) : this.#openServices(ports);
    this.traceparent = nodeType.pure ? undefined : ports.traceparentOf?.(run.key);
    Object.defineProperty(this, 'signal', AttemptContext.#signal);
  }

  get #controller(): AbortController {
    this.#created ??= new AbortController();
    return this.#created;
  }

  readonly remainingMs = (): number => {
    const { startedAt, waitingSince } = this.#time;
    return Math.max(0, startedAt + this.#timeoutSeconds * 1_000 - (waitingSince ?? this.#clock.now()));
  };

  readonly addUsage = (amounts: Usage): void => {
    // What an attempt counts after its timeout is not added to the next attempt.
    if (this.#created?.signal.aborted !== true) this.#run.usage = addUsage(this.#run.usage, amounts);
  };

  #openServices({ services, openFiles, openState }: Session['ports']): Services {
    const { key, keyId } = this.#run;
    const controller = this.#controller;
    const { signal } = controller;
    const calls = { time: this.#time, remainingMs: this.remainingMs, controller, queue: this.#queue };
    return {
      ...openNetwork(services, calls),
      files: openFiles?.(key, signal) ?? noFiles,
      state: openState?.(key, signal, keyId) ?? noState,
    };
  }

  /** Rejects, and aborts the signal of the context, when the attempt times out or the execution ends; until `done`. */
  static rejectOnTimeout(context: AttemptContext, done: AbortSignal): Promise<never> {
    const run = context.#run;
    const controller = context.#controller;
    return new Promise((_resolve, reject) => {
      const signal = run.signal();
      const fail = (reason: unknown) => {
        controller.abort(reason);
        reject(reason);
      };
      if (signal.aborted) return fail(signal.reason); // by the node itself, before it returned its promise
      signal.addEventListener('abort', () => fail(signal.reason), { once: true, signal: done });
      if (context.#queue !== undefined)
        controller.signal.addEventListener('abort', () => reject(controller.signal.reason), {
          once: true,
          signal: done,
        });
      sleepUntilTimeout(context.#clock, context.#time, context.remainingMs, done).then(
        () => fail(new NodeTimeoutError(context.#timeoutSeconds)),
        () => {}, // `done` was aborted
      );
    });
  }
}

/** The time of an attempt, which stands still while its calls wait for limits. */
interface AttemptTime {
  /** Milliseconds since the epoch, plus the time that it stood still. */
  startedAt: number;
  /** How many of its calls wait. */
  waiting: number;
  /** When the first of them began to wait; null while none waits. */
  waitingSince: number | null;
}

class PostponedError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'CallLimit';
  }
}

interface AttemptCalls {
  readonly time: AttemptTime;
  readonly remainingMs: () => number;
  readonly controller: AbortController;
  readonly queue: StepQueue | undefined;
}

/**
 * Opens the services by which an attempt reaches the network. Its calls wait for limits, and it can be postponed until it
 * first uses one of them: a node has done nothing by then that it would repeat.
 */
const openNetwork = (
  services: SharedServices,
  { time, remainingMs, controller, queue }: AttemptCalls,
): Omit<Services, 'files' | 'state'> => {
  const { aws = noAws, tcp = noTcp } = services;
  let isFirst = true;
  const use = (): boolean => {
    const wasFirst = isFirst;
    isFirst = false;
    return wasFirst;
  };
  const turn: CallTurn = {
    remainingMs,
    untimed: async (work) => {
      const { now } = services.clock;
      if (time.waiting++ === 0) time.waitingSince = now();
      try {
        return await work();
      } finally {
        if (--time.waiting === 0) {
          time.startedAt += now() - (time.waitingSince ?? 0);
          time.waitingSince = null;
        }
      }
    },
    begin: () => {
      const canPostpone = use() && queue !== undefined;
      return { canPostpone, slot: canPostpone ? queue.slot : null };
    },
    postpone: (postponed) => {
      queue?.postpone(postponed);
      const error = new PostponedError(postponed.reason);
      controller.abort(error);
      throw error;
    },
  };
  return {
    ...services,
    aws: queue === undefined ? aws : watchUse(aws, use),
    tcp: queue === undefined ? tcp : watchUse(tcp, use),
    http: {
      // A request ends with its attempt. Its timeout is slightly longer than the attempt's, so that the node's message is
      // the one shown.
      request: (request) => {
        const { signal } = controller;
        return services.http.request(
          { timeoutMs: remainingMs() + TIMEOUT_MARGIN_MS, signal, ...request },
          turn,
        );
      },
    },
  };
};

/** A service that reports its use. */
const watchUse = <Service extends object>(service: Service, onUse: () => void): Service =>
  new Proxy(service, {
    get: (target, name) => {
      onUse();
      return Reflect.get(target, name);
    },
  });

const TIMEOUT_MARGIN_MS = 1_000;

const sleepUntilTimeout = async (
  clock: Clock,
  time: AttemptTime,
  remainingMs: () => number,
  done: AbortSignal,
): Promise<void> => {
  for (let ms = remainingMs(); ms > 0; ms = remainingMs())
    await clock.sleep(time.waitingSince === null ? ms : Math.max(ms, WAITING_INTERVAL_MS), done);
};

/** Limits the size of a record, together with {@link NAME}. */
const MAX_NAMES = 20;
const NAME = /^[A-Za-z0-9_-]{1,40}$/;

/**
 * Adds amounts to what an attempt has counted so far.
 * @throws TypeError if an amount is not a number of at least 0, a name has other characters, or there are too many
 * names
 */
const addUsage = (before: Usage | null, amounts: Usage): Usage => {
  const total = new Map(Object.entries(before ?? {}));
  for (const [name, amount] of Object.entries(amounts)) {
    const sum = (total.get(name) ?? 0) + amount;
    if (!NAME.test(name) || name === '__proto__' || !(amount >= 0) || !Number.isFinite(sum))
      throw new TypeError(`addUsage() takes names made of A-Z a-z 0-9 _ - and amounts of at least 0`);
    total.set(name, sum);
  }
  if (total.size > MAX_NAMES) throw new TypeError(`addUsage() takes at most ${MAX_NAMES} names`);
  return Object.freeze(Object.fromEntries(total));
};
