import type { JsonObject } from '../contract/json.ts';
import { RESPONSE_OUTPUT } from '../contract/node.ts';
import type { Scope } from '../workflows/expressions/scope.ts';
import type { PlanNode } from '../workflows/plan/plan-graph.ts';
import { attemptNode, runStep } from './attempts.ts';
import { createControl } from './control.ts';
import { toFailure } from './failure.ts';
import type { InnerRun, RunOptions, RunResult } from './inner-run.ts';
import type { NodeRun, Outcome } from './node-run.ts';
import { mainOf, mergeInputs, passThrough, toNodeRecord, toOutcome } from './outcome.ts';
import { type Outputs, Progress } from './progress.ts';
import { type NodeFailure, type NodeRecord, nodeKeyOf } from './result.ts';
import type { Session } from './session.ts';
import type { Attempt, StepResult } from './steps.ts';

/** Runs a plan along a route. */
export class Run implements InnerRun {
  readonly #session: Session;
  readonly #options: RunOptions;
  readonly #progress: Progress;
  readonly #records: NodeRecord[] = [];
  /** Inner runs by the key of their node run, in the order of their creation. */
  readonly #inner = new Map<string, Run[]>();
  /** Per node: how often it has run or was skipped. */
  readonly #iterations: Int32Array;
  readonly #nodes: Record<string, JsonObject>;
  #trigger: JsonObject;
  #output: JsonObject = {};
  #response: JsonObject | null = null;
  /** The node runs that are in progress. */
  #wave: readonly NodeRun[] = [];

  constructor(session: Session, options: RunOptions) {
    this.#session = session;
    this.#options = options;
    this.#progress = new Progress(options.plan, options.route);
    this.#iterations = new Int32Array(options.plan.nodes.length);
    this.#nodes = Object.assign(Object.create(null), options.plan.readsNodes ? options.nodes : undefined);
    this.#trigger = options.trigger ?? {};
  }

  fromTrigger(input: JsonObject): Promise<RunResult> {
    return this.#runWaves(input);
  }

  fromOutputs(outputs: Outputs): Promise<RunResult> {
    this.#progress.takeReady();
    this.#output = mainOf(outputs);
    this.#progress.settle(this.#options.route.trigger, outputs);
    return this.#runWaves({});
  }

  /** Starts all ready nodes together, in plan order; the next wave starts when all of them have ended. */
  async #runWaves(input: JsonObject): Promise<RunResult> {
    for (let wave = this.#progress.takeReady(); wave.length > 0; wave = this.#progress.takeReady()) {
      const aborted = this.#session.externalAbortReason;
      if (aborted !== null)
        return this.#toResult({ nodeId: this.#idOf(wave[0] ?? -1), ...toFailure(aborted) });
      if (this.#session.fatal !== null) return this.#toResult(this.#session.fatal);
      const exceeded = this.#checkNodeRuns(wave);
      if (exceeded !== null) return this.#toResult(exceeded);
      const runs = wave.map((index) => this.#createNodeRun(index, input));
      this.#wave = runs;
      const started = runs.map((run) => this.#start(run));
      const outcomes = started.some(isPromise) ? await this.#awaitWave(started) : (started as Outcome[]);
      this.#wave = [];
      const failure = this.#completeWave(wave, outcomes);
      if (failure !== null) return this.#toResult(failure);
    }
    return this.#toResult(null);
  }

  #awaitWave(started: readonly (Outcome | Promise<Outcome>)[]): Promise<Outcome[]> {
    this.#session.reportProgress();
    const [only] = started;
    return started.length === 1 && isPromise(only) ? only.then((outcome) => [outcome]) : Promise.all(started);
  }

  #createNodeRun(index: number, triggerInput: JsonObject): NodeRun {
    const planNode = this.#options.plan.nodes[index] as PlanNode;
    const isTrigger = index === this.#options.route.trigger;
    const inputs = isTrigger ? [] : this.#progress.inputsOf(index);
    const input = isTrigger ? triggerInput : mergeInputs(inputs);
    const iteration = this.#iterations[index] ?? 0;
    this.#iterations[index] = iteration + 1;
    this.#session.nodeRuns++;
    const { within } = this.#options;
    const key = nodeKeyOf({ nodeId: planNode.node.id, iteration, within });
    return {
      planNode,
      input,
      inputs,
      iteration,
      key,
      within,
      scope: planNode.resolve === null ? null : this.#scopeOf(key, input),
      control: null,
      startedAt: this.#session.now,
      attempts: 0,
      outcome: null,
    };
  }

  #start(run: NodeRun): Outcome | Promise<Outcome> {
    const { node, nodeType } = run.planNode;
    if (node.disabled === true) return passThrough(run);
    if (nodeType.control !== null) return this.#runControl(run).then((result) => this.#finish(run, result));
    const { plan, steps } = this.#options;
    const result = nodeType.pure
      ? attemptNode(this.#session, plan, run, 1)
      : runStep(this.#session, plan, steps, run);
    return isPromise(result) ? result.then((value) => this.#finish(run, value)) : this.#finish(run, result);
  }

  #scopeOf(key: string, input: JsonObject): Scope {
    const { execution, isTimeUpNow } = this.#session;
    return {
      input,
      nodes: this.#nodes,
      trigger: this.#trigger,
      execution,
      seed: `${execution.executionId}/${key}`,
      isTimeUp: isTimeUpNow,
    };
  }

  /** A branch of its own, since it may run concurrently with others; no step, so that a replay runs it again. */
  #runControl(run: NodeRun): Promise<Attempt> {
    const { plan } = this.#options;
    return this.#options.steps.within(run.key, async (steps) => {
      run.control = createControl(this.#session, plan, run, steps, (options) => {
        const inner = new Run(this.#session, { nodes: this.#nodes, trigger: this.#trigger, ...options });
        this.#inner.set(run.key, [...(this.#inner.get(run.key) ?? []), inner]);
        return inner;
      });
      const result = await attemptNode(this.#session, plan, run, 1);
      const { fatal } = this.#session;
      return fatal === null ? result : { failure: { name: fatal.name, message: fatal.message } };
    });
  }

  #finish(run: NodeRun, result: Attempt | StepResult): Outcome {
    const outcome = toOutcome(
      run,
      'attempts' in result ? result : { ...result, attempts: 1 },
      this.#session.readClock(),
    );
    run.outcome = outcome;
    if (run.planNode.nodeType.pure === false) this.#session.reportProgress();
    return outcome;
  }

  /** @returns the failure that ends the run; null when it continues */
  #completeWave(wave: readonly number[], outcomes: readonly Outcome[]): NodeFailure | null {
    for (const { record } of outcomes) this.#records.push(record);
    const fatal = this.#session.fatal ?? outcomes.find((outcome) => outcome.fatal !== null)?.fatal ?? null;
    if (fatal !== null) return fatal;
    outcomes.forEach(({ outputs }, index) => {
      this.#deliver(wave[index] ?? -1, outputs);
    });
    for (const index of this.#progress.takeSkipped()) {
      const iteration = this.#iterations[index] ?? 0;
      this.#iterations[index] = iteration + 1; // a skipped iteration counts
      const planNode = this.#options.plan.nodes[index] as PlanNode;
      this.#records.push(
        toNodeRecord(
          { planNode, iteration, within: this.#options.within, startedAt: this.#session.now, attempts: 0 },
          'skipped',
        ),
      );
    }
    return this.#checkLimits();
  }

  #deliver(index: number, outputs: Outputs): void {
    const main = mainOf(outputs);
    if (index === this.#options.route.trigger) this.#trigger = main;
    if (this.#options.plan.readsNodes) this.#nodes[this.#idOf(index)] = main;
    this.#response ??= outputs[RESPONSE_OUTPUT] ?? null;
    this.#output = main;
    this.#progress.settle(index, outputs);
  }

  #checkLimits(): NodeFailure | null {
    const loop = this.#progress.exhaustedLoop;
    if (loop !== null) {
      return {
        nodeId: this.#idOf(loop),
        name: 'LoopLimit',
        message: 'the loop back to this node went round too often',
      };
    }
    if (this.#progress.readyCount === 0 || !this.#session.isTimeUp) return null;
    return this.#session.timeoutAt(this.#records.at(-1)?.nodeId ?? '');
  }

  #checkNodeRuns(wave: readonly number[]): NodeFailure | null {
    const { nodeRuns, limits } = this.#session;
    if (nodeRuns + wave.length <= limits.maxNodeRuns) return null;
    const message = `more than ${limits.maxNodeRuns} nodes were to run`;
    return { nodeId: this.#idOf(wave[0] ?? -1), name: 'NodeRunLimit', message };
  }

  /** Records of all node runs, the open ones last; inner runs follow their node. */
  collect(): NodeRecord[] {
    const open = this.#wave.map((run) => run.outcome?.record ?? toNodeRecord(run, openStatusOf(run)));
    if (this.#inner.size === 0) return open.length === 0 ? this.#records : [...this.#records, ...open];
    return [...this.#records, ...open].flatMap((record) => [
      record,
      ...(this.#inner.get(nodeKeyOf(record)) ?? []).flatMap((run) => run.collect()),
    ]);
  }

  /** The result so far. */
  partialResult(): Pick<RunResult, 'output' | 'response'> {
    return { output: this.#output, response: this.#response };
  }

  /** The first of the running nodes. */
  currentNodeId(): string {
    return this.#wave[0]?.planNode.node.id ?? '';
  }

  #idOf(index: number): string {
    return this.#options.plan.nodes[index]?.node.id ?? '';
  }

  #toResult(failure: NodeFailure | null): RunResult {
    return { ...this.partialResult(), failure };
  }
}

const openStatusOf = ({ planNode }: NodeRun): 'waiting' | 'running' =>
  planNode.nodeType.control?.suspends === true ? 'waiting' : 'running';

const isPromise = <Value>(value: Value | Promise<Value>): value is Promise<Value> => value instanceof Promise;
