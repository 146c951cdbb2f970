// Invariants of the scheduler; tests cite them.
// S1: A node behind the trigger starts as soon as its own connections are settled, once per iteration, and only if one
//   has delivered.
// S2: The result of a run does not depend on which node was faster: inputs are merged in the order of connections.
// S3: A run that fails aborts the nodes that are running, and starts no other.
// S4: An error of the engine, or of the store of its steps, rejects the run: it is the failure of no node.
// S5: The iterations of a node are numbered through, whether they ran or were skipped.

import { type JsonObject, RESPONSE_OUTPUT } from '@hookloom/plugin-kit';
import type { Scope } from '../workflows/expressions/scope.ts';
import type { PlanNode } from '../workflows/plan/plan.ts';
import { attemptNode, runStep } from './attempts.ts';
import { createControl, type InnerRun, type RunOptions, type RunResult } from './control.ts';
import { toFailure } from './failure.ts';
import {
  mainOf,
  mergeInputs,
  type NodeRun,
  type Outcome,
  passThrough,
  RunRecords,
  toNodeRecord,
  toOutcome,
  unattempted,
} from './node-run.ts';
import { type Outputs, Progress } from './progress.ts';
import { type NodeFailure, type NodeRecord, nodeKeyOf } from './result.ts';
import { openBranches, RunOutputs } from './run-outputs.ts';
import { ExecutionFailedError, type Session } from './session.ts';
import type { Attempt, StepResult } from './steps.ts';

/** Runs a plan along a route: each node starts as soon as its own connections are settled. */
export class Run implements InnerRun {
  readonly #session: Session;
  readonly #options: RunOptions;
  readonly #progress: Progress;
  readonly #branchOf: ReturnType<typeof openBranches>['branchOf'];
  readonly #closeBranches: () => void;
  readonly #records = new RunRecords();
  /** How often each node has run or was skipped. */
  readonly #iterations: Int32Array;
  readonly #outputs: RunOutputs;
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
    const branches = openBranches(options, this.#failWith);
    this.#branchOf = branches.branchOf;
    this.#closeBranches = branches.close;
  }

  fromTrigger(input: JsonObject): Promise<RunResult> {
    return this.#run(input);
  }

  fromOutputs(outputs: Outputs): Promise<RunResult> {
    this.#progress.takeReady();
    this.#initial = mainOf(outputs);
    this.#progress.settle(this.#options.route.trigger, outputs);
    return this.#run({});
  }

  async #run(triggerInput: JsonObject): Promise<RunResult> {
    try {
      for (;;) {
        if (this.#bug !== null) throw this.#bug.error;
        const failure = this.#startReady(triggerInput) ?? this.#completeAll();
        if (failure !== null) return this.#fail(failure);
        if (this.#progress.readyCount === 0) {
          if (!this.#records.hasOpen) return { ...this.partialResult(), failure: null };
          this.#session.reportProgress();
          this.#wake = Promise.withResolvers<void>();
          await this.#wake.promise;
        }
      }
    } finally {
      this.#closeBranches();
    }
  }

  /** @returns the failure that ends the run; null when it continues */
  #startReady(triggerInput: JsonObject): NodeFailure | null {
    for (let ready = this.#progress.takeReady(); ready.length > 0; ready = this.#progress.takeReady()) {
      for (const index of ready) {
        const refused = this.#checkStart(index);
        if (refused !== null) return refused;
        const run = this.#createNodeRun(index, triggerInput);
        const outcome = this.#start(run);
        if (isPromise(outcome)) {
          this.#records.open(run);
          outcome.then((settled) => this.#arrive(run, settled), this.#failWith);
        } else {
          this.#records.add(outcome.record);
          const failure = this.#complete(run, outcome);
          if (failure !== null) return failure;
        }
      }
    }
    return null;
  }

  #arrive(run: NodeRun, outcome: Outcome): void {
    run.outcome = outcome;
    this.#completed.push(run);
    this.#wake?.resolve();
  }

  /** Ends the run with an error of the engine itself, or of the store of its steps. */
  readonly #failWith = (error: unknown): void => {
    this.#bug ??= { error };
    this.#wake?.resolve();
  };

  #completeAll(): NodeFailure | null {
    for (const run of this.#completed.splice(0)) {
      if (run.outcome === null) continue;
      this.#records.close(run, run.outcome.record);
      const failure = this.#complete(run, run.outcome);
      if (failure !== null) return failure;
    }
    return null;
  }

  #checkStart(index: number): NodeFailure | null {
    const { externalAbortReason, fatal, nodeRuns, limits } = this.#session;
    const nodeId = this.#idOf(index);
    if (externalAbortReason !== null) return { nodeId, ...toFailure(externalAbortReason) };
    if (fatal !== null) return fatal;
    if (nodeRuns < limits.maxNodeRuns) return null;
    return {
      nodeId,
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
    const key = nodeKeyOf({ nodeId: planNode.node.id, iteration, within });
    return {
      planNode,
      input,
      inputs,
      iteration,
      key,
      within,
      signal: this.#signalOf,
      scope: planNode.resolve === null ? null : this.#scopeOf(planNode, key, input),
      control: null,
      startedAt: this.#session.deadline.now,
      ...unattempted,
      outcome: null,
    };
  }

  #start(run: NodeRun): Outcome | Promise<Outcome> {
    const { node, nodeType, index } = run.planNode;
    if (node.disabled === true) return passThrough(run);
    if (nodeType.control !== null) return this.#runControl(run).then((result) => this.#finish(run, result));
    const { plan, steps } = this.#options;
    const result = nodeType.pure
      ? attemptNode(this.#session, plan, run, 1)
      : runStep(this.#session, plan, this.#branchOf(index) ?? steps, run);
    return isPromise(result) ? result.then((value) => this.#finish(run, value)) : this.#finish(run, result);
  }

  #scopeOf(planNode: PlanNode, key: string, input: JsonObject): Scope {
    const { execution, keyId, variables, deadline } = this.#session;
    return {
      input,
      nodes: planNode.nodesRead.length === 0 ? {} : this.#outputs.visibleTo(planNode),
      trigger: this.#trigger,
      execution,
      variables,
      seed: `${keyId}/${key}`,
      isTimeUp: deadline.isUpNow,
    };
  }

  /** Runs a control node. It is not a step: a replay runs it again. */
  async #runControl(run: NodeRun): Promise<Attempt> {
    const { plan, steps } = this.#options;
    const opened = this.#branchOf(run.planNode.index) ?? steps;
    const branch = opened instanceof Promise ? await opened : opened;
    return branch.within(run.key, async (own) => {
      const nodes = plan.readsNodes ? this.#outputs.visibleTo({ ...run.planNode, nodesRead: 'all' }) : {};
      run.control = createControl(this.#session, this.#options, run, own, (options) => {
        const inner = new Run(this.#session, {
          nodes,
          trigger: this.#trigger,
          signal: this.#signalOf,
          ...options,
        });
        this.#records.addInner(run.key, inner);
        return inner;
      });
      const result = await attemptNode(this.#session, plan, run, 1);
      const { fatal } = this.#session;
      return fatal === null ? result : { failure: { name: fatal.name, message: fatal.message } };
    });
  }

  #finish(run: NodeRun, result: Attempt | StepResult): Outcome {
    const counted = 'attempts' in result ? result : { ...result, attempts: 1 };
    return toOutcome(run, counted, this.#session.deadline.readClock());
  }

  /** @returns the failure that ends the run; null when it continues */
  #complete({ planNode: { index } }: NodeRun, { outputs, fatal }: Outcome): NodeFailure | null {
    const failure = this.#session.fatal ?? fatal;
    if (failure !== null) return failure;
    const main = mainOf(outputs);
    const { route, plan } = this.#options;
    if (index === route.trigger) this.#trigger = main;
    this.#outputs.set(index, main);
    const response = outputs[RESPONSE_OUTPUT];
    if (response !== undefined && this.#response === null) this.#respond(response);
    this.#progress.settle(index, outputs);
    for (const skipped of this.#progress.takeSkipped()) this.#recordSkipped(skipped);
    const restarted = this.#progress.takeRestarted();
    if (plan.readsNodes) for (const loop of restarted) this.#outputs.keepIteration(loop);
    return this.#checkLimits(index);
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
    this.#records.add(toNodeRecord(run, 'skipped'));
  }

  #checkLimits(index: number): NodeFailure | null {
    const loop = this.#progress.exhaustedLoop;
    if (loop !== null) {
      const message = `the loop back to this node ran ${loop.maxIterations} times, which is its maxIterations`;
      return { nodeId: this.#idOf(loop.header), name: 'LoopLimit', message };
    }
    if (this.#progress.readyCount === 0 || !this.#session.deadline.isUp) return null;
    return this.#session.timeoutAt(this.#idOf(index));
  }

  /** Aborts the nodes that are running, and fails them. */
  #fail(failure: NodeFailure): RunResult {
    if (this.#records.hasOpen) {
      const reason = new ExecutionFailedError(failure);
      this.#abort?.abort(reason);
      this.#records.failOpen(this.#session.deadline.readClock(), reason);
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

  /** Returns the records of all node runs so far. */
  collect(): NodeRecord[] {
    return this.#records.collect();
  }

  /** Returns the result so far. */
  partialResult(): Pick<RunResult, 'output' | 'response'> {
    const output = this.#options.collectsEnds === true ? this.#outputs.ends : this.#outputs.last;
    return { output: output ?? this.#initial, response: this.#response };
  }

  currentNodeId(): string {
    return this.#records.currentNodeId;
  }

  #idOf(index: number): string {
    return this.#options.plan.nodes[index]?.node.id ?? '';
  }
}

const isPromise = <Value>(value: Value | Promise<Value>): value is Promise<Value> => value instanceof Promise;
