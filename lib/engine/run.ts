import type { JsonObject } from '../contract/json.ts';
import { RESPONSE_OUTPUT, type RunControl } from '../contract/node.ts';
import type { Scope } from '../workflows/expressions/scope.ts';
import type { PlanNode } from '../workflows/plan/plan-graph.ts';
import { attemptNode } from './attempts.ts';
import { createControl } from './control.ts';
import { toFailure } from './failure.ts';
import type { InnerRun, RunEnd, RunPlace } from './inner-run.ts';
import type { NodeRun, Outcome } from './node-run.ts';
import { OperationLimitError } from './operation-budget.ts';
import { mainOf, mergeInputs, passThrough, recordOpen, toOutcome } from './outcome.ts';
import { type Outputs, Progress } from './progress.ts';
import { type NodeFailure, type NodeRecord, nodeKeyOf } from './result.ts';
import type { Session } from './session.ts';
import type { Attempt, Step, StepResult } from './steps.ts';

/** One way through a plan, from the node where its route starts. */
export class Run implements InnerRun {
  readonly #session: Session;
  readonly #place: RunPlace;
  readonly #progress: Progress;
  readonly #records: NodeRecord[] = [];
  /** Runs inside of a node, in the order in which it asked for them. */
  readonly #inner = new Map<string, Run[]>();
  /** Per node: how often it has run or was skipped. */
  readonly #turnsOf: Int32Array;
  readonly #nodes: Record<string, JsonObject>;
  #trigger: JsonObject;
  #output: JsonObject = {};
  #response: JsonObject | null = null;
  /** What was started last and has not been taken over yet. */
  #wave: readonly NodeRun[] = [];

  constructor(session: Session, place: RunPlace) {
    this.#session = session;
    this.#place = place;
    this.#progress = new Progress(place.plan, place.route);
    this.#turnsOf = new Int32Array(place.plan.nodes.length);
    this.#nodes = Object.assign(Object.create(null), place.plan.readsNodes ? place.nodes : undefined);
    this.#trigger = place.trigger ?? {};
  }

  fromTrigger(input: JsonObject): Promise<RunEnd> {
    return this.#runWaves(input);
  }

  fromOutputs(outputs: Outputs): Promise<RunEnd> {
    this.#progress.takeReady();
    this.#output = mainOf(outputs);
    this.#progress.settle(this.#place.route.trigger, outputs);
    return this.#runWaves({});
  }

  /** In waves: all nodes that are ready start together, in plan order; the next wave starts when all are done. */
  async #runWaves(input: JsonObject): Promise<RunEnd> {
    for (let wave = this.#progress.takeReady(); wave.length > 0; wave = this.#progress.takeReady()) {
      const stopped = this.#session.stopReason;
      if (stopped !== null) return this.#end({ nodeId: this.#idOf(wave[0] ?? -1), ...toFailure(stopped) });
      if (this.#session.fatal !== null) return this.#end(this.#session.fatal);
      const tooMany = this.#exceededNodeRuns(wave);
      if (tooMany !== null) return this.#end(tooMany);
      const runs = wave.map((index) => this.#open(index, input));
      this.#wave = runs;
      const started = runs.map((run) => this.#start(run));
      const outcomes = started.some(isPromise) ? await this.#finishWave(started) : (started as Outcome[]);
      this.#wave = [];
      const failure = this.#take(wave, outcomes);
      if (failure !== null) return this.#end(failure);
    }
    return this.#end(null);
  }

  #finishWave(started: readonly (Outcome | Promise<Outcome>)[]): Promise<Outcome[]> {
    this.#session.noteProgress();
    const [only] = started;
    return started.length === 1 && isPromise(only) ? only.then((outcome) => [outcome]) : Promise.all(started);
  }

  #open(index: number, triggerInput: JsonObject): NodeRun {
    const planNode = this.#place.plan.nodes[index] as PlanNode;
    const isTrigger = index === this.#place.route.trigger;
    const inputs = isTrigger ? [] : this.#progress.inputsOf(index);
    const input = isTrigger ? triggerInput : mergeInputs(inputs);
    const iteration = this.#turnsOf[index] ?? 0;
    this.#turnsOf[index] = iteration + 1;
    this.#session.nodeRuns++;
    const { id } = planNode.node;
    const name = nodeKeyOf({ nodeId: id, iteration, within: this.#place.within });
    const run: NodeRun = {
      planNode,
      input,
      inputs,
      iteration,
      name,
      within: this.#place.within,
      scope: null,
      control: null,
      startedAt: this.#session.now,
      attempts: 0,
      outcome: null,
    };
    return planNode.resolve === null ? run : { ...run, scope: this.#scopeOf(name, input) };
  }

  #start(run: NodeRun): Outcome | Promise<Outcome> {
    const { node, nodeType } = run.planNode;
    if (node.disabled === true) return passThrough(run);
    if (nodeType.control !== null) return this.#runControl(run).then((result) => this.#finish(run, result));
    const result = nodeType.pure ? this.#attempt(run, 1) : this.#runStep(run);
    return isPromise(result)
      ? result.then((settled) => this.#finish(run, settled))
      : this.#finish(run, result);
  }

  /** @param control for a node that steers the run */
  #attempt(run: NodeRun, number: number, control: RunControl | null = null): Attempt | Promise<Attempt> {
    run.attempts = number;
    if (number > 1) this.#session.noteProgress();
    return attemptNode(this.#session, this.#place.plan, control === null ? run : { ...run, control }, number);
  }

  #scopeOf(name: string, input: JsonObject): Scope {
    const { execution, isTimeUpNow } = this.#session;
    return {
      input,
      nodes: this.#nodes,
      trigger: this.#trigger,
      execution,
      seed: `${execution.executionId}/${name}`,
      isTimeUp: isTimeUpNow,
    };
  }

  /** Only what touches the outside is worth remembering: everything else is computed again. */
  async #runStep(run: NodeRun): Promise<StepResult> {
    const { id, settings } = run.planNode.node;
    const stopped = this.#session.getStopped();
    const step: Step = {
      name: run.name,
      retry: settings?.retry,
      atMostOnce: settings?.atMostOnce === true,
      signal: stopped,
      attempt: async (number) =>
        stopped.aborted ? { failure: toFailure(stopped.reason) } : this.#attempt(run, number),
    };
    const result = await this.#session.asked(id, this.#place.steps.run(step)).catch(toRefused);
    // What was remembered comes from a store: not frozen yet.
    if ('outputs' in result) for (const data of Object.values(result.outputs)) this.#session.measure(data);
    return result;
  }

  /** It may go on side by side with others, so it has an order of its own; it is no step, so it is called again on a replay. */
  #runControl(run: NodeRun): Promise<Attempt> {
    return this.#place.steps.within(run.name, async (steps) => {
      const control = createControl(this.#session, this.#place.plan, run, steps, (place) => {
        const inner = new Run(this.#session, { nodes: this.#nodes, trigger: this.#trigger, ...place });
        this.#inner.set(run.name, [...(this.#inner.get(run.name) ?? []), inner]);
        return inner;
      });
      const result = await this.#attempt(run, 1, control);
      const { fatal } = this.#session;
      return fatal === null ? result : { failure: { name: fatal.name, message: fatal.message } };
    });
  }

  #finish(run: NodeRun, result: Attempt | StepResult): Outcome {
    const outcome = toOutcome(
      run,
      'attempts' in result ? result : { ...result, attempts: 1 },
      this.#session.tick(),
    );
    run.outcome = outcome;
    if (run.planNode.nodeType.pure === false) this.#session.noteProgress();
    return outcome;
  }

  /** Takes over what a wave came to; gives what ends the run, null when it goes on. */
  #take(wave: readonly number[], outcomes: readonly Outcome[]): NodeFailure | null {
    for (const { record } of outcomes) this.#records.push(record);
    const fatal = this.#session.fatal ?? outcomes.find((outcome) => outcome.fatal !== null)?.fatal ?? null;
    if (fatal !== null) return fatal;
    outcomes.forEach(({ outputs }, index) => {
      this.#keep(wave[index] ?? -1, outputs);
    });
    for (const index of this.#progress.takeSkipped()) {
      const iteration = this.#turnsOf[index] ?? 0;
      this.#turnsOf[index] = iteration + 1; // a turn without it is one of its turns, too
      const planNode = this.#place.plan.nodes[index] as PlanNode;
      this.#records.push(
        recordOpen(
          { planNode, iteration, within: this.#place.within, startedAt: this.#session.now, attempts: 0 },
          'skipped',
        ),
      );
    }
    return this.#exceededLimit();
  }

  #keep(index: number, outputs: Outputs): void {
    const main = mainOf(outputs);
    if (index === this.#place.route.trigger) this.#trigger = main;
    if (this.#place.plan.readsNodes) this.#nodes[this.#idOf(index)] = main;
    this.#response ??= outputs[RESPONSE_OUTPUT] ?? null;
    this.#output = main;
    this.#progress.settle(index, outputs);
  }

  #exceededLimit(): NodeFailure | null {
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

  #exceededNodeRuns(wave: readonly number[]): NodeFailure | null {
    const { nodeRuns, limits } = this.#session;
    if (nodeRuns + wave.length <= limits.maxNodeRuns) return null;
    const message = `more than ${limits.maxNodeRuns} nodes were to run`;
    return { nodeId: this.#idOf(wave[0] ?? -1), name: 'NodeRunLimit', message };
  }

  /** How everything stands: what is over, then what is open; what runs inside of a node follows it. */
  collect(): NodeRecord[] {
    const open = this.#wave.map((run) => run.outcome?.record ?? recordOpen(run, openStatusOf(run)));
    if (this.#inner.size === 0) return open.length === 0 ? this.#records : [...this.#records, ...open];
    return [...this.#records, ...open].flatMap((record) => [
      record,
      ...(this.#inner.get(nodeKeyOf(record)) ?? []).flatMap((run) => run.collect()),
    ]);
  }

  /** What it has come to so far. */
  standing(): Pick<RunEnd, 'output' | 'response'> {
    return { output: this.#output, response: this.#response };
  }

  /** The first of the nodes that are at work. */
  openNodeId(): string {
    return this.#wave[0]?.planNode.node.id ?? '';
  }

  #idOf(index: number): string {
    return this.#place.plan.nodes[index]?.node.id ?? '';
  }

  #end(failure: NodeFailure | null): RunEnd {
    return { output: this.#output, response: this.#response, failure };
  }
}

/** A step that the engine did not take. */
const toRefused = (error: unknown): StepResult => {
  if (!(error instanceof OperationLimitError)) throw error;
  return { failure: toFailure(error), attempts: 0 };
};

const openStatusOf = ({ planNode }: NodeRun): 'waiting' | 'running' =>
  planNode.nodeType.control?.suspends === true ? 'waiting' : 'running';

const isPromise = <Value>(value: Value | Promise<Value>): value is Promise<Value> => value instanceof Promise;
