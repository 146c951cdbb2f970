import type { JsonObject } from '../contract/json.ts';
import { type ExecutionInfo, RESPONSE_OUTPUT } from '../contract/node.ts';
import type { Logger, Services } from '../contract/services.ts';
import type { Plan, PlanNode } from '../workflows/plan.ts';
import type { Route } from '../workflows/route.ts';
import type { Scope, TakeTurn } from '../workflows/scope.ts';
import { type AttemptSettings, attemptNode, type NodeRun } from './attempts.ts';
import type { ExecutionResult, FinalStatus, NodeFailure, NodeRecord } from './execution.ts';
import { toFailure } from './failure.ts';
import { createMeasureJson } from './measure-json.ts';
import { mainOf, mergeInputs, type Outcome, passThrough, toOutcome } from './outcome.ts';
import { type Outputs, Progress } from './progress.ts';
import type { Attempt, StepResult, Steps } from './steps.ts';
import { createTakeTurn } from './turns.ts';

export interface ExecutionLimits {
  /** Wall time of the execution, milliseconds. */
  readonly timeoutMs: number;
  /** Node runs in all, turns of loops included. */
  readonly maxNodeRuns: number;
  /** Size of one node's output as JSON. */
  readonly maxOutputBytes: number;
}

export interface ExecutionRequest {
  readonly execution: ExecutionInfo;
  /** What the trigger gets. */
  readonly input: JsonObject;
  readonly limits: ExecutionLimits;
}

export interface EnginePorts {
  readonly services: Services;
  readonly logger: Logger;
  readonly steps: Steps;
}

/**
 * Runs a plan from the trigger that fired. Whatever a node or a workflow does wrong is in the result; it rejects
 * with {@link AppError} `WORKFLOW_INVALID` when the trigger can't fire, and for our own bugs.
 */
export const execute = async (
  plan: Plan,
  request: ExecutionRequest,
  ports: EnginePorts,
): Promise<ExecutionResult> => new Run(plan, request, ports).toEnd();

class Run {
  readonly #plan: Plan;
  readonly #ports: EnginePorts;
  readonly #input: JsonObject;
  readonly #limits: ExecutionLimits;
  readonly #route: Route;
  readonly #progress: Progress;
  readonly #attempts: AttemptSettings;
  readonly #takeTurn: TakeTurn;
  readonly #endsAt: number;

  readonly #records: NodeRecord[] = [];
  /** Per node: how often it has run or was skipped. */
  readonly #turnsOf: Int32Array;
  readonly #nodes: Record<string, JsonObject> = Object.create(null);
  #trigger: JsonObject = {};
  #output: JsonObject = {};
  #response: JsonObject | null = null;
  /** Why the execution, not a node of it, took too long. */
  #timeout: NodeFailure | null = null;
  #nodeRuns = 0;
  #now: number;
  #onTimeUp: (() => void) | null = null;
  /** Made when somebody looks at it, like the timer: an execution of quick nodes needs neither. */
  #stop: AbortController | undefined;
  #timer: AbortController | undefined;

  constructor(plan: Plan, { execution, input, limits }: ExecutionRequest, ports: EnginePorts) {
    this.#plan = plan;
    this.#ports = ports;
    this.#input = input;
    this.#limits = limits;
    this.#route = plan.routeFrom(execution.trigger.nodeId);
    this.#progress = new Progress(plan, this.#route);
    this.#attempts = {
      plan,
      execution,
      services: ports.services,
      logger: ports.logger,
      measure: createMeasureJson(),
      maxOutputBytes: limits.maxOutputBytes,
      getStopped: () => this.#stopController().signal,
    };
    this.#turnsOf = new Int32Array(plan.nodes.length);
    this.#now = ports.services.clock.now();
    this.#endsAt = this.#now + limits.timeoutMs;
    this.#takeTurn = createTakeTurn(() => ports.services.clock.now() > this.#endsAt);
  }

  /** In waves: all nodes that are ready start together, in plan order; the next wave starts when all are done. */
  async toEnd(): Promise<ExecutionResult> {
    try {
      for (let wave = this.#progress.takeReady(); wave.length > 0; wave = this.#progress.takeReady()) {
        const started = wave.map((node) => this.#start(node));
        const outcomes = started.some(isPromise) ? await this.#inTime(started) : (started as Outcome[]);
        if (outcomes === null) return this.#timedOut(wave);
        const failure = this.#take(wave, outcomes);
        if (failure !== null) return this.#end(failure === this.#timeout ? 'timedOut' : 'failed', failure);
      }
      return this.#end('succeeded', null);
    } catch (bug) {
      this.#stopController().abort(bug); // others of the wave may still be at it
      throw bug;
    } finally {
      this.#timer?.abort('the execution has ended'); // a reason of our own: the default one costs a stack trace
    }
  }

  #start(index: number): Outcome | Promise<Outcome> {
    const planNode = this.#plan.nodes[index] as PlanNode;
    const isTrigger = index === this.#route.trigger;
    const inputs = isTrigger ? [] : this.#progress.inputsOf(index);
    const input = isTrigger ? this.#input : mergeInputs(inputs);
    const iteration = this.#turnsOf[index] ?? 0;
    this.#turnsOf[index] = iteration + 1;
    this.#nodeRuns++;
    const scope = planNode.resolve === null ? null : this.#scopeOf(planNode, input, iteration);
    const run: NodeRun = { planNode, input, inputs, iteration, scope, startedAt: this.#now };
    if (planNode.node.disabled === true) return passThrough(run);
    const result = isStep(planNode) ? this.#runStep(run) : attemptNode(this.#attempts, run, 1);
    return isPromise(result)
      ? result.then((settled) => this.#finish(run, settled))
      : this.#finish(run, result);
  }

  #scopeOf({ node }: PlanNode, input: JsonObject, iteration: number): Scope {
    const { execution } = this.#attempts;
    const seed = `${execution.executionId}/${node.id}/${iteration}`;
    return {
      input,
      nodes: this.#nodes,
      trigger: this.#trigger,
      execution,
      seed,
      takeTurn: this.#takeTurn,
    };
  }

  async #runStep(run: NodeRun): Promise<StepResult> {
    const { id, settings } = run.planNode.node;
    const stopped = this.#attempts.getStopped();
    const result = await this.#ports.steps.run({
      name: `${id}/${run.iteration}`,
      retry: settings?.retry,
      signal: stopped,
      attempt: async (number) =>
        stopped.aborted ? { failure: toFailure(stopped.reason) } : attemptNode(this.#attempts, run, number),
    });
    // What was remembered comes from a store: not frozen yet.
    if ('outputs' in result) for (const data of Object.values(result.outputs)) this.#attempts.measure(data);
    return result;
  }

  #finish(run: NodeRun, result: Attempt | StepResult): Outcome {
    this.#now = this.#ports.services.clock.now();
    return toOutcome(run, 'attempts' in result ? result : { ...result, attempts: 1 }, this.#now);
  }

  /** Waits for a wave; null when the execution's time is up before. One timer serves all waves. */
  #inTime(started: readonly (Outcome | Promise<Outcome>)[]): Promise<Outcome[] | null> {
    return new Promise((resolve, reject) => {
      this.#onTimeUp = () => resolve(null);
      if (this.#timer === undefined) this.#startTimer();
      const [only] = started;
      const all =
        started.length === 1 && isPromise(only)
          ? only.then((outcome) => [outcome as Outcome])
          : Promise.all(started);
      all.then(resolve, reject);
    });
  }

  #startTimer(): void {
    const { clock } = this.#ports.services;
    this.#timer = new AbortController();
    clock.sleep(Math.max(0, this.#endsAt - clock.now()), this.#timer.signal).then(
      () => {
        this.#stopController().abort(new Error('the execution ran out of time'));
        this.#onTimeUp?.();
      },
      () => {}, // the execution ended before
    );
  }

  #stopController(): AbortController {
    this.#stop ??= new AbortController();
    return this.#stop;
  }

  /** Takes over what a wave came to; gives what ends the execution, null when it goes on. */
  #take(wave: readonly number[], outcomes: readonly Outcome[]): NodeFailure | null {
    for (const { record } of outcomes) this.#records.push(record);
    const fatal = outcomes.find((outcome) => outcome.fatal !== null)?.fatal ?? null;
    // Who fails when the time is up fails because of it, most likely.
    if (fatal !== null) return this.#now > this.#endsAt ? this.#timeoutAt(fatal.nodeId) : fatal;
    outcomes.forEach(({ outputs }, index) => {
      this.#keep(wave[index] ?? -1, outputs);
    });
    for (const index of this.#progress.takeSkipped()) {
      this.#turnsOf[index] = (this.#turnsOf[index] ?? 0) + 1; // a turn without it is one of its turns, too
      this.#records.push(this.#recordOf(index, 'skipped'));
    }
    return this.#exceededLimit();
  }

  #keep(index: number, outputs: Outputs): void {
    const main = mainOf(outputs);
    if (index === this.#route.trigger) this.#trigger = main;
    if (this.#plan.readsNodes) this.#nodes[this.#idOf(index)] = main;
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
    const [last] = this.#records.slice(-1);
    const nodeId = last?.nodeId ?? '';
    const { readyCount } = this.#progress;
    if (this.#nodeRuns + readyCount > this.#limits.maxNodeRuns) {
      return {
        nodeId,
        name: 'NodeRunLimit',
        message: `more than ${this.#limits.maxNodeRuns} nodes were to run`,
      };
    }
    return this.#now > this.#endsAt && readyCount > 0 ? this.#timeoutAt(nodeId) : null;
  }

  #timeoutAt(nodeId: string): NodeFailure {
    const message = `the execution took longer than ${this.#limits.timeoutMs} ms`;
    this.#timeout = { nodeId, name: 'ExecutionTimeout', message };
    return this.#timeout;
  }

  /** Nodes of the last wave may still be running: their signals are aborted, and nobody waits for them. */
  #timedOut(wave: readonly number[]): ExecutionResult {
    const now = this.#ports.services.clock.now();
    const [first = -1] = wave;
    const failure = this.#timeoutAt(this.#idOf(first));
    for (const index of wave) {
      this.#records.push({
        ...this.#recordOf(index, 'failed'),
        attempts: 1,
        durationMs: Math.max(0, now - this.#now),
        failure: { ...failure, nodeId: this.#idOf(index) },
      });
    }
    return this.#end('timedOut', failure);
  }

  #recordOf(index: number, status: NodeRecord['status']): NodeRecord {
    const { id, type } = (this.#plan.nodes[index] as PlanNode).node;
    const iteration = Math.max(0, (this.#turnsOf[index] ?? 0) - 1);
    return { nodeId: id, type, status, iteration, attempts: 0, startedAt: this.#now, durationMs: 0 };
  }

  #idOf(index: number): string {
    return this.#plan.nodes[index]?.node.id ?? '';
  }

  #end(status: FinalStatus, failure: NodeFailure | null): ExecutionResult {
    return { status, nodes: this.#records, output: this.#output, response: this.#response, failure };
  }
}

/** Only what touches the outside is worth remembering: everything else is computed again. */
const isStep = ({ nodeType }: PlanNode): boolean => nodeType.kind === 'action' && !nodeType.pure;

const isPromise = <Value>(value: Value | Promise<Value>): value is Promise<Value> => value instanceof Promise;
