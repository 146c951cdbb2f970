// Invariants of the scheduler; tests cite them.
// S1: A node behind the trigger starts as soon as its own connections are settled, once per iteration, and only if one
//   has delivered.
// S2: The result of a run does not depend on which node was faster: inputs are merged in the order of connections.
// S3: A run that fails aborts the nodes that are running, and starts no other.
// S4: An error of the engine, or of the store of its steps, rejects the run: it is the failure of no node.
// S5: The iterations of a node are numbered through, whether they ran or were skipped.
// S8: Each node with durable operations has a branch of its own. All are opened in plan order before any node starts.

import { type ExecutionInfo, type JsonObject, RESPONSE_OUTPUT } from '@hookloom/plugin-kit';
import type { Scope } from '../workflows/expressions/scope.ts';
import type { Plan, PlanNode } from '../workflows/plan/plan.ts';
import { attemptNode, runStep } from './attempts.ts';
import { createControl, type InnerRun, type RunOptions, type RunResult } from './control.ts';
import { toFailure } from './failure.ts';
import {
  givenOf,
  mainOf,
  mergeInputs,
  type NodeRun,
  nodeKeyOf,
  type Outcome,
  type Outputs,
  passThrough,
  RunRecords,
  toNodeRecord,
  toOutcome,
  unattempted,
} from './node-run.ts';
import { Progress, RunOutputs } from './progress.ts';
import { type ExecutionResult, failOpenNodes, type NodeFailure, type NodeRecord } from './result.ts';
import {
  type EnginePorts,
  ExecutionFailedError,
  type ExecutionLimits,
  Session,
  type StrayFailure,
} from './session.ts';
import type { Attempt, StepResult, Steps } from './steps.ts';

interface ExecutionRequest {
  readonly execution: ExecutionInfo;
  /** See {@link Session}; the execution itself if absent. */
  readonly keyId?: string | undefined;
  /** The input of the trigger. */
  readonly input: JsonObject;
  /** `$vars` in expressions; absent if the workflow reads none. */
  readonly variables?: JsonObject | undefined;
  readonly limits: ExecutionLimits;
  /** When the timeout started, in milliseconds since the epoch; if absent, the timeout starts with the execution. */
  readonly since?: number | undefined;
  /** Whether the result's output holds the outputs of all end nodes by node id, or only the output of the last one. */
  readonly collectsEnds?: boolean;
}

/**
 * Runs a plan, starting at the trigger that fired.
 * @returns the result, which includes every failure of a node or of the workflow
 * @throws AppError `WORKFLOW_INVALID` if the trigger can't fire; any other error is a bug in the engine
 */
export const execute = async (
  plan: Plan,
  { execution, keyId, input, variables, limits, since, collectsEnds = false }: ExecutionRequest,
  ports: EnginePorts,
): Promise<ExecutionResult> => {
  const route = plan.routeFrom(execution.trigger.nodeId);
  const session = new Session(execution, limits, ports, since, variables, keyId);
  const run = new Run(session, { plan, route, steps: ports.steps, within: '', collectsEnds });
  const { onProgress } = ports;
  if (onProgress !== undefined) session.reportProgress = () => onProgress(() => run.records.collect());
  try {
    const started = run.fromTrigger(input);
    const result = started instanceof Promise ? await session.awaitWithinTimeout(started) : started;
    if (ports.guard !== undefined) await ports.guard.flush();
    if (session.strayFailure !== null) return toStrayFailed(session, run, session.strayFailure);
    return result === null ? toTimedOut(session, run) : toExecutionResult(session, run, result);
  } catch (bug) {
    session.abort(bug); // other nodes may still be running
    throw bug;
  } finally {
    session.close();
  }
};

const toExecutionResult = (
  session: Session,
  run: Run,
  { output, response, failure }: RunResult,
): ExecutionResult => {
  const nodes = run.records.collect();
  if (failure === null) return { status: 'succeeded', nodes, output, response, failure };
  return session.isTimeout(failure)
    ? { status: 'timedOut', nodes, output, response, failure: session.timeoutAt(failure.nodeId) }
    : { status: 'failed', nodes, output, response, failure };
};

/**
 * Ends an execution that ran out of time. Nodes may still be running: their signals are aborted, and their results
 * ignored.
 */
const toTimedOut = (session: Session, run: Run): ExecutionResult => {
  const failure = session.timeoutAt(run.records.currentNodeId);
  const nodes = failOpenNodes(run.records.collect(), session.deadline.readClock(), failure);
  return { status: 'timedOut', nodes, ...run.partialResult(), failure };
};

/** Like {@link toTimedOut}, for a stray failure, whose node may already have succeeded. */
const toStrayFailed = (session: Session, run: Run, { nodeKey, failure }: StrayFailure): ExecutionResult => {
  const reason = new ExecutionFailedError(failure);
  const nodes = failOpenNodes(run.records.collect(), session.deadline.readClock(), reason).map(
    (record): NodeRecord =>
      nodeKeyOf(record) === nodeKey ? { ...record, status: 'failed', failure } : record,
  );
  return { status: 'failed', nodes, ...run.partialResult(), failure };
};

/** Runs a plan along a route: each node starts as soon as its own connections are settled. */
class Run implements InnerRun {
  readonly #session: Session;
  readonly #options: RunOptions;
  readonly #progress: Progress;
  /** The branches of nodes with durable operations, by node: each has a context of its own. */
  readonly #branches = new Map<number, Steps | Promise<Steps>>();
  /** Ends the branches. Operations that are still running are abandoned. */
  #closeBranches: (() => void) | null = null;
  readonly records = new RunRecords();
  /** How often each node has run or was skipped. */
  readonly #iterations: Int32Array;
  readonly #outputs: RunOutputs;
  /** Whether items have failed, so that nodes that start now may be given something else by a retry. */
  #isPartial: boolean;
  #trigger: JsonObject;
  #initial: JsonObject = {};
  #response: JsonObject | null = null;
  #completed: NodeRun[] = [];
  #wake: PromiseWithResolvers<void> | null = null;
  #bug: { readonly error: unknown } | null = null;
  /** The controller that aborts the run, created on demand with its signal: a run of quick nodes needs none. */
  #abort: AbortController | undefined;
  #signal: AbortSignal | undefined;

  constructor(session: Session, options: RunOptions) {
    this.#session = session;
    this.#options = options;
    this.#progress = new Progress(options.plan, options.route);
    this.#outputs = new RunOutputs(options);
    this.#iterations = new Int32Array(options.plan.nodes.length);
    this.#trigger = options.trigger ?? {};
    this.#isPartial = options.isPartial === true;
    this.#openBranches(options);
  }

  /**
   * Opens a branch for each node that is a step or a control node, in plan order. The engine of durable runs numbers
   * operations by their position in a branch, so no number depends on which branch is faster.
   */
  #openBranches({ plan, route, steps, within }: RunOptions): void {
    let closed: PromiseWithResolvers<void> | undefined;
    for (const { index, node, nodeType } of plan.nodes) {
      const isReached = (route.incoming[index]?.length ?? 0) > 0 || index === route.trigger;
      if (!isReached || node.disabled === true || (nodeType.pure && nodeType.control === null)) continue;
      closed ??= Promise.withResolvers<void>();
      const { promise: end } = closed;
      const opened = Promise.withResolvers<Steps>();
      this.#branches.set(index, opened.promise);
      steps
        .within(within === '' ? node.id : `${within}/${node.id}`, (branch) => {
          this.#branches.set(index, branch);
          opened.resolve(branch);
          return end;
        })
        .catch(this.#failWith);
    }
    if (closed !== undefined) this.#closeBranches = closed.resolve;
  }

  fromOutputs(outputs: Outputs): RunResult | Promise<RunResult> {
    this.#progress.takeReady();
    this.#initial = mainOf(outputs);
    this.#progress.settle(this.#options.route.trigger, outputs);
    return this.fromTrigger({}); // which has settled: its input is not read
  }

  /** Synchronous where nothing is asynchronous, as with most pure nodes. */
  fromTrigger(triggerInput: JsonObject): RunResult | Promise<RunResult> {
    try {
      const result = this.#advance(triggerInput);
      if (result === null) return this.#continue();
      this.#closeBranches?.();
      return result;
    } catch (bug) {
      this.#closeBranches?.();
      throw bug;
    }
  }

  /** Runs on whenever a node ends. */
  async #continue(): Promise<RunResult> {
    try {
      for (;;) {
        this.#session.startTimer();
        this.#session.reportProgress?.();
        this.#wake = Promise.withResolvers<void>();
        await this.#wake.promise;
        const result = this.#advance({}); // the trigger was the first node
        if (result !== null) return result;
      }
    } finally {
      this.#closeBranches?.();
    }
  }

  /** Starts the nodes that can run. @returns the result; null while nodes are open */
  #advance(triggerInput: JsonObject): RunResult | null {
    do {
      if (this.#bug !== null) throw this.#bug.error;
      const failure = this.#startReady(triggerInput) ?? this.#completeAll();
      if (failure !== null) return this.#fail(failure);
    } while (this.#progress.ready.length > 0);
    return this.records.hasOpen ? null : { ...this.partialResult(), failure: null };
  }

  /** @returns the failure that ends the run; null when it continues */
  #startReady(triggerInput: JsonObject): NodeFailure | null {
    for (let ready = this.#progress.takeReady(); ready.length > 0; ready = this.#progress.takeReady()) {
      for (const index of ready) {
        const refused = this.#checkStart(index);
        if (refused !== null) return refused;
        const run = this.#createNodeRun(index, triggerInput);
        const outcome = this.#start(run);
        if (outcome instanceof Promise) {
          this.records.open(run);
          outcome.then((settled) => {
            run.outcome = settled;
            this.#completed.push(run);
            this.#wake?.resolve();
          }, this.#failWith);
        } else {
          this.records.add(outcome.record);
          const failure = this.#complete(run, outcome);
          if (failure !== null) return failure;
        }
      }
    }
    return null;
  }

  /** Ends the run with an error of the engine itself, or of the store of its steps. */
  readonly #failWith = (error: unknown): void => {
    this.#bug ??= { error };
    this.#wake?.resolve();
  };

  #completeAll(): NodeFailure | null {
    for (const run of this.#completed.splice(0)) {
      if (run.outcome === null) continue;
      this.records.close(run, run.outcome.record);
      const failure = this.#complete(run, run.outcome);
      if (failure !== null) return failure;
    }
    return null;
  }

  #checkStart(index: number): NodeFailure | null {
    const { externalAbortReason, fatal, nodeRuns, limits } = this.#session;
    if (externalAbortReason !== null) return { nodeId: this.#idOf(index), ...toFailure(externalAbortReason) };
    if (fatal !== null) return fatal;
    if (nodeRuns < limits.maxNodeRuns) return null;
    return {
      nodeId: this.#idOf(index),
      name: 'NodeRunLimit',
      message: `the execution needs more than the ${limits.maxNodeRuns} node runs that are allowed`,
    };
  }

  #createNodeRun(index: number, triggerInput: JsonObject): NodeRun {
    const planNode = this.#options.plan.nodes[index] as PlanNode;
    const { within, route } = this.#options;
    const isTrigger = index === route.trigger;
    const inputs = isTrigger ? [] : this.#progress.inputsOf(index);
    const input = isTrigger ? triggerInput : mergeInputs(inputs);
    const iteration = this.#iterations[index] ?? 0;
    this.#iterations[index] = iteration + 1;
    this.#session.nodeRuns++;
    const { execution, keyId, variables, deadline } = this.#session;
    const key = nodeKeyOf({ nodeId: planNode.node.id, iteration, within });
    const scope: Scope | null =
      planNode.resolve === null
        ? null
        : {
            input,
            nodes: planNode.nodesRead.length === 0 ? {} : this.#outputs.visibleTo(planNode),
            trigger: this.#trigger,
            item: this.#options.item,
            execution,
            variables,
            seed: `${keyId}/${key}`,
            isTimeUp: deadline.isUpNow,
          };
    return {
      planNode,
      input,
      inputs,
      iteration,
      key,
      within,
      signal: this.#signalOf,
      scope,
      startsPartial: this.#isPartial,
      control: null,
      startedAt: deadline.now,
      ...unattempted,
      outcome: null,
    };
  }

  #start(run: NodeRun): Outcome | Promise<Outcome> {
    const { node, nodeType, index } = run.planNode;
    if (node.disabled === true) return passThrough(run);
    const { plan, steps } = this.#options;
    const { deadline } = this.#session;
    const result =
      nodeType.control !== null
        ? this.#runControl(run)
        : nodeType.pure
          ? attemptNode(this.#session, plan, run, 1)
          : runStep(this.#session, this.#options, this.#branches.get(index) ?? steps, run);
    return result instanceof Promise
      ? result.then((ended: Attempt | StepResult) => toOutcome(run, ended, deadline.readClock(), plan.format))
      : toOutcome(run, result, deadline.readClock(), plan.format);
  }

  /** Runs a control node. It is not a step: a replay runs it again. */
  async #runControl(run: NodeRun): Promise<Attempt> {
    const { plan, steps } = this.#options;
    const opened = this.#branches.get(run.planNode.index) ?? steps;
    const branch = opened instanceof Promise ? await opened : opened;
    return branch.within(
      run.key,
      async (own) => {
        const nodes = plan.readsNodes ? this.#outputs.visibleTo({ ...run.planNode, nodesRead: 'all' }) : {};
        run.control = createControl(this.#session, this.#options, run, own, nodes, (options) => {
          const inner = new Run(this.#session, {
            trigger: this.#trigger,
            signal: this.#signalOf,
            isPartial: run.startsPartial,
            onPartial: () => {
              run.isPartial = true;
            },
            ...options,
          });
          this.records.addInner(run.key, inner.records);
          return inner;
        });
        const result = await attemptNode(this.#session, plan, run, 1);
        const { fatal } = this.#session;
        return fatal === null ? result : { failure: { name: fatal.name, message: fatal.message } };
      },
      givenOf(run),
    );
  }

  /** @returns the failure that ends the run; null when it continues */
  #complete({ planNode: { index }, isPartial }: NodeRun, { outputs, fatal }: Outcome): NodeFailure | null {
    if (isPartial) {
      this.#isPartial = true;
      this.#options.onPartial?.();
    }
    const failure = this.#session.fatal ?? fatal;
    if (failure !== null) return failure;
    const main = mainOf(outputs);
    const { route, plan } = this.#options;
    if (index === route.trigger) this.#trigger = main;
    this.#outputs.latest.set(index, main);
    const response = outputs[RESPONSE_OUTPUT];
    if (response !== undefined && this.#response === null) this.#respond(response);
    this.#progress.settle(index, outputs);
    const { skipped, restarted, exhaustedLoop } = this.#progress;
    for (const node of skipped) this.#recordSkipped(node);
    if (plan.readsNodes) for (const loop of restarted) this.#outputs.keepIteration(loop);
    skipped.length = 0;
    restarted.length = 0;
    if (exhaustedLoop !== null) {
      const message = `the loop back to this node ran ${exhaustedLoop.maxIterations} times, which is its maxIterations`;
      return { nodeId: this.#idOf(exhaustedLoop.header), name: 'LoopLimit', message };
    }
    if (this.#progress.ready.length === 0 || !this.#session.deadline.isUp) return null;
    return this.#session.timeoutAt(this.#idOf(index));
  }

  /** Answers the caller, unless the run is an inner one. */
  #respond(response: JsonObject): void {
    this.#response = response;
    if (this.#options.within === '') this.#session.ports.onResponse?.(response);
  }

  #recordSkipped(index: number): void {
    const iteration = this.#iterations[index] ?? 0;
    this.#iterations[index] = iteration + 1; // a skipped iteration counts
    const planNode = this.#options.plan.nodes[index] as PlanNode;
    const { within } = this.#options;
    const run = {
      planNode,
      iteration,
      within,
      startedAt: this.#session.deadline.now,
      ...unattempted,
    };
    this.records.add(toNodeRecord(run, 'skipped'));
  }

  /** Aborts the nodes that are running, and fails them. */
  #fail(failure: NodeFailure): RunResult {
    if (this.records.hasOpen) {
      const reason = new ExecutionFailedError(failure);
      this.#abort?.abort(reason);
      this.records.failOpen(this.#session.deadline.readClock(), reason);
    }
    return { ...this.partialResult(), failure };
  }

  readonly #signalOf = (): AbortSignal => {
    if (this.#signal === undefined) {
      const outer = this.#options.signal?.() ?? this.#session.signal;
      this.#abort = new AbortController();
      this.#signal = AbortSignal.any([outer, this.#abort.signal]);
    }
    return this.#signal;
  };

  /** Returns the result so far. */
  partialResult(): Pick<RunResult, 'output' | 'response'> {
    const output = this.#options.collectsEnds === true ? this.#outputs.ends : this.#outputs.last;
    return { output: output ?? this.#initial, response: this.#response };
  }

  #idOf(index: number): string {
    return this.#options.plan.nodes[index]?.node.id ?? '';
  }
}
