import { isPlainObject, type JsonObject } from '../contract/json.ts';
import {
  type DeliveredInput,
  Emission,
  type ExecutionInfo,
  MAIN_OUTPUT,
  type NodeContext,
  type NodeExecutor,
  type NodeResult,
  type WorkflowNode,
} from '../contract/node.ts';
import type { Logger, Services } from '../contract/services.ts';
import type { Plan, PlanNode } from '../workflows/plan.ts';
import type { Scope } from '../workflows/scope.ts';
import { toFailure } from './failure.ts';
import type { MeasureJson } from './measure-json.ts';
import type { Attempt } from './steps.ts';

const DEFAULT_TIMEOUT_SECONDS = 30;

/** What every attempt of one execution shares. */
export interface AttemptSettings {
  readonly plan: Plan;
  readonly execution: ExecutionInfo;
  readonly services: Services;
  readonly logger: Logger;
  readonly measure: MeasureJson;
  readonly maxOutputBytes: number;
  /** The signal that is aborted when the execution's own time is up; made when somebody asks for it. */
  getStopped(): AbortSignal;
}

/** One run of one node, whatever number of attempts it takes. */
export interface NodeRun {
  readonly planNode: PlanNode;
  readonly input: JsonObject;
  readonly inputs: readonly DeliveredInput[];
  readonly iteration: number;
  /** Null when the node's parameters hold no expression. */
  readonly scope: Scope | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/**
 * Tries a node once: resolves its parameters, calls its executor, checks what it returns. Never throws or rejects.
 * It answers at once when nothing has to be waited for, which for a pure node is the rule: no promise, no timer.
 */
export const attemptNode = (
  settings: AttemptSettings,
  run: NodeRun,
  number: number,
): Attempt | Promise<Attempt> => {
  const { node, resolve } = run.planNode;
  try {
    const executor = settings.plan.executorOf(run.planNode);
    const parameters = resolve === null || run.scope === null ? null : resolve(run.scope);
    if (executor instanceof Promise) {
      // Both at once: either may reject, and neither is left alone with it.
      return Promise.all([executor, parameters]).then(
        ([loaded, resolved]) => callLater(settings, run, number, loaded, withParameters(node, resolved)),
        fail,
      );
    }
    return parameters instanceof Promise
      ? parameters.then(
          (resolved) => callLater(settings, run, number, executor, withParameters(node, resolved)),
          fail,
        )
      : call(settings, run, number, executor, withParameters(node, parameters));
  } catch (error) {
    return fail(error);
  }
};

const fail = (error: unknown): Attempt => ({ failure: toFailure(error) });

const withParameters = (node: WorkflowNode, parameters: JsonObject | null): WorkflowNode =>
  parameters === null ? node : { ...node, parameters };

/** Not when the execution has ended meanwhile: nobody is there any more for what the node would do. */
const callLater = (
  settings: AttemptSettings,
  run: NodeRun,
  number: number,
  executor: NodeExecutor,
  node: WorkflowNode,
): Attempt | Promise<Attempt> => {
  const stopped = settings.getStopped();
  return stopped.aborted ? fail(stopped.reason) : call(settings, run, number, executor, node);
};

const call = (
  settings: AttemptSettings,
  run: NodeRun,
  number: number,
  executor: NodeExecutor,
  node: WorkflowNode,
): Attempt | Promise<Attempt> => {
  const context = new AttemptContext(settings, run, number);
  try {
    const result = executor.execute(node, run.input, context);
    if (!isPromiseLike(result)) return toAttempt(settings, run, result);
    return awaitWithin(context, result).then((value) => toAttempt(settings, run, value), fail);
  } catch (error) {
    return fail(error);
  }
};

const isPromiseLike = (value: NodeResult | Promise<NodeResult>): value is Promise<NodeResult> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** Checks what an executor returned: data on outputs, all of it JSON and none of it too large. */
const toAttempt = (
  { measure, maxOutputBytes }: AttemptSettings,
  { planNode }: NodeRun,
  result: unknown,
): Attempt => {
  // What a trigger delivers came with the request, whose size was checked: no caller can make it fail here.
  const limit = planNode.nodeType.kind === 'trigger' ? Number.POSITIVE_INFINITY : maxOutputBytes;
  try {
    const outputs = toOutputs(result);
    for (const [output, data] of Object.entries(outputs)) checkOutput(measure, limit, output, data);
    return { outputs };
  } catch (error) {
    return fail(error);
  }
};

const toOutputs = (result: unknown): Readonly<Record<string, JsonObject>> => {
  if (result instanceof Emission) return result.outputs;
  return { [MAIN_OUTPUT]: (result ?? {}) as JsonObject };
};

const checkOutput = (measure: MeasureJson, limit: number, output: string, data: unknown): void => {
  if (!isPlainObject(data)) {
    throw new TypeError(
      `a node must deliver a plain map, and this delivered ${describe(data)} on "${output}"`,
    );
  }
  const bytes = measure(data);
  if (bytes > limit) {
    throw new RangeError(`the output "${output}" has about ${bytes} bytes, more than the ${limit} allowed`);
  }
};

const describe = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? `an instance of ${value.constructor?.name}` : `a ${typeof value}`;
};

/** Waits for the result, but not beyond the attempt's time, nor the execution's, whether or not the node looks at its signal. */
const awaitWithin = async (context: AttemptContext, result: Promise<NodeResult>): Promise<NodeResult> => {
  const done = new AbortController();
  try {
    return await Promise.race([result, context.expire(done.signal)]);
  } finally {
    done.abort('the attempt is done'); // a reason of our own: the default one costs a stack trace
  }
};

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
class AttemptContext implements NodeContext {
  readonly execution: ExecutionInfo;
  readonly services: Services;
  readonly attempt: number;
  readonly iteration: number;
  readonly inputs: readonly DeliveredInput[];
  readonly logger: Logger;
  readonly #settings: AttemptSettings;
  readonly #timeoutSeconds: number;
  readonly #startedAt: number;
  #controller: AbortController | undefined;
  /** Why the time is up; undefined while it is not. */
  #expiry: unknown;

  constructor(settings: AttemptSettings, run: NodeRun, number: number) {
    this.execution = settings.execution;
    this.services = settings.services;
    this.attempt = number;
    this.iteration = run.iteration;
    this.inputs = run.inputs;
    this.logger = settings.logger;
    this.#timeoutSeconds = run.planNode.node.settings?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
    this.#startedAt = number === 1 ? run.startedAt : settings.services.clock.now();
    this.#settings = settings;
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
    return Math.max(0, this.#startedAt + this.#timeoutSeconds * 1_000 - this.services.clock.now());
  }

  /** Rejects, and aborts the signal, when the time of the attempt or of the execution is up; `done` ends the wait. */
  expire(done: AbortSignal): Promise<never> {
    return new Promise((_resolve, reject) => {
      const stopped = this.#settings.getStopped();
      const expire = (reason: unknown) => {
        this.#expiry = reason;
        this.#controller?.abort(reason);
        reject(reason);
      };
      stopped.addEventListener('abort', () => expire(stopped.reason), { once: true, signal: done });
      this.services.clock.sleep(this.remainingMs(), done).then(
        () => expire(new NodeTimeout(this.#timeoutSeconds)),
        () => {}, // the wait was ended: the result is there
      );
    });
  }
}
