// Invariants of durable operations of a node; tests cite them.
// S9: The name of an operation is made of the key of its node run and a counter: the same on every replay.
// S10: All bodies of a loop are opened in the order of its items, before any of them starts.

import {
  type Callback,
  EACH_OUTPUT,
  type InnerResult,
  type JsonObject,
  type JsonValue,
  type RunControl,
} from '@hookloom/plugin-kit';
import { NESTING_LIMIT } from '@hookloom/plugin-kit/host';
import pLimit from 'p-limit';
import { ENTRY_TRIGGER } from '../workflows/definition/entry-trigger.ts';
import type { Plan, Route } from '../workflows/plan/plan.ts';
import { toFailure } from './failure.ts';
import type { NodeRun, Outputs } from './node-run.ts';
import type { NodeFailure, WaitTime } from './result.ts';
import type { Session } from './session.ts';
import type { Attempt, Step, Steps } from './steps.ts';

/** What a run needs, be it the workflow's own run or an inner run of one of its nodes. */
export interface RunOptions {
  readonly plan: Plan;
  readonly route: Route;
  readonly steps: Steps;
  /** Prefix of all node keys of the run, such as `each/0/3`; empty for the workflow's own run. */
  readonly within: string;
  /** Outputs of outer nodes that expressions can read as `$nodes`. */
  readonly nodes?: JsonObject;
  /** The value of `$item`; undefined outside of a body that runs for each item of a list. */
  readonly item?: JsonValue | undefined;
  /** Returns a signal that is aborted when the enclosing run ends; the session's signal if absent. */
  readonly signal?: () => AbortSignal;
  /** Whether the run collects the outputs of its end nodes: see `execute`. */
  readonly collectsEnds?: boolean;
  /** The chain of workflows that led here, such as `a → b`; only the execution's own workflow if absent. */
  readonly chain?: string;
  /** The value of `$trigger`, if the run does not start at a trigger. */
  readonly trigger?: JsonObject;
  /** Whether a node around it handles every failure of the run; absent for false. */
  readonly isFailureHandled?: boolean;
  /** Whether the node that starts the run has started after items have failed: see `Given`. */
  readonly isPartial?: boolean;
  /** Called when items have failed in the run. */
  readonly onPartial?: () => void;
}

export interface RunResult {
  readonly output: JsonObject;
  readonly response: JsonObject | null;
  readonly failure: NodeFailure | null;
}

/** A run as seen by the control node that starts it. */
export interface InnerRun {
  /** Runs the trigger, with `input`, and what follows it. */
  fromTrigger(input: JsonObject): RunResult | Promise<RunResult>;
  /** Runs what follows the first node of the route, as if that node had delivered `outputs`. */
  fromOutputs(outputs: Outputs): RunResult | Promise<RunResult>;
}

const toInnerResult = ({ output, failure }: RunResult): InnerResult =>
  failure === null ? { output } : { failure };

/** How deep inner runs may be nested, so that a workflow that runs itself ends. */
const MAX_DEPTH = 10;

/** How many failed items of a node run are listed on its record. */
const MAX_FAILED = 20;

/** How many waits of a node run are on its record. */
const MAX_WAITS = 20;

/**
 * Creates the control of one node run. Its operations are named by a counter, since their order is the same on every
 * replay.
 *
 * @param nodes - what the nodes of a body can read as `$nodes`, as well as what the body is given
 */
export const createControl = (
  session: Session,
  {
    plan,
    route,
    item,
    chain = session.execution.workflowId,
    isFailureHandled = false,
  }: Pick<RunOptions, 'plan' | 'route' | 'item' | 'chain' | 'isFailureHandled'>,
  run: NodeRun,
  steps: Steps,
  nodes: JsonObject,
  createInnerRun: (options: RunOptions) => InnerRun,
): RunControl => {
  let count = 0;
  const nextName = (): string => `${run.key}/${count++}`;
  const { workflows, callbacks } = session.ports;

  const checkDepth = (name: string): void => {
    if (name.split('/').length <= MAX_DEPTH * 3) return;
    const message = `runs are nested more than ${MAX_DEPTH} levels deep: ${chain}`;
    throw Object.assign(new RangeError(message), { name: NESTING_LIMIT });
  };

  const awaitOperation = <Value>(operation: Promise<Value>): Promise<Value> =>
    session.awaitOperation(run.planNode.node.id, operation);

  const recordWait = async <Value>(kind: WaitTime['kind'], waiting: Promise<Value>): Promise<Value> => {
    if (run.waits.length === MAX_WAITS) return waiting;
    const wait = { kind, startedAt: session.deadline.readClock(), endedAt: null };
    run.waits = [...run.waits, wait];
    const value = await waiting;
    const ended = { ...wait, endedAt: session.deadline.readClock() };
    run.waits = run.waits.map((one) => (one === wait ? ended : one));
    return value;
  };

  const runStep = async (name: string, work: () => Promise<JsonObject>): Promise<JsonObject> => {
    const step: Step = { name, retry: { maxAttempts: 5 }, attempt: () => toAttempt(work) };
    const result = await awaitOperation(steps.run(step));
    if ('failure' in result) throw new Error(result.failure.message);
    return result.outputs.main ?? {};
  };

  const runBody = async (name: string, data: JsonObject, inner: Steps): Promise<InnerResult> => {
    const { planNode } = run;
    const output = planNode.nodeType.control?.bodyOutput;
    if (output === undefined) throw new Error(`nodes of the type ${planNode.node.type} have no body`);
    const body = createInnerRun({
      plan,
      route: plan.bodyRouteOf(planNode),
      steps: inner,
      within: name,
      chain,
      nodes: { ...nodes, [planNode.node.id]: data },
      item: output === EACH_OUTPUT ? data.item : item,
    });
    return toInnerResult(await body.fromOutputs({ [output]: data }));
  };

  return {
    wait: (seconds) => recordWait('time', awaitOperation(steps.wait(nextName(), seconds, run.signal()))),

    openCallback: async (timeoutSeconds, question = {}): Promise<Callback> => {
      if (callbacks === null) throw new Error('this run cannot wait for an answer because it is not durable');
      const place = `${run.within}/${run.planNode.node.id}/${count}`;
      const name = nextName();
      const asked = session.scrub(question);
      const urlName = session.unanswered.get(place) ?? name;
      session.unanswered.delete(place);
      const { id, answer } = await awaitOperation(steps.callback(name, timeoutSeconds));
      // Registering is a step, so that the URL is valid before it is used, and the same on every replay.
      const opened = await runStep(`${name}/open`, async () => ({
        expiresAt: await callbacks.open(urlName, id, timeoutSeconds, asked),
        name: urlName,
      }));
      const expiresAt = Number(opened.expiresAt);
      const openedName = String(opened.name ?? name);
      run.callbacks = [...run.callbacks, openedName];
      return {
        url: callbacks.urlOf(openedName, expiresAt),
        expiresAt,
        answer: async () => {
          const answered = await recordWait('callback', answer());
          run.callbacks = run.callbacks.filter((one) => one !== openedName);
          if (answered === null) session.unanswered.set(place, openedName);
          return answered;
        },
      };
    },

    runBodies: async (items, maxConcurrency = 1) => {
      const { length: count } = items;
      const { maxNodeRuns } = session.limits;
      if (count > maxNodeRuns)
        throw new RangeError(`${count} items are more than the ${maxNodeRuns} nodes that may run`);
      if (steps.checkBodies !== undefined)
        await awaitOperation(steps.checkBodies({ plan, route, node: run.planNode, key: run.key, count }, 0));
      const limit = pLimit(maxConcurrency);
      // All branches are opened now, in order, because checkpoints must not depend on which body finishes first.
      const results = session.scrub(items).map((data) => {
        const name = nextName();
        checkDepth(name);
        return steps.within(name, (inner) => limit(() => runBody(name, data, inner)));
      });
      const ended = await Promise.all(results);
      const indexes = ended.flatMap((result, index) => ('failure' in result ? [index] : []));
      if (indexes.length > 0) {
        run.failedItems = { count: indexes.length, indexes: indexes.slice(0, MAX_FAILED) };
        run.isPartial = true;
      }
      return ended;
    },

    runWorkflow: async (workflowId, input) => {
      const name = nextName();
      checkDepth(name);
      const { version } = await runStep(`${name}/version`, async () => ({
        version: await workflows.findVersion(workflowId),
      }));
      if (typeof version !== 'number') throw new Error(`there is no enabled workflow "${workflowId}"`);
      const other = await workflows.loadPlan(workflowId, version);
      const entries = other.nodes.filter(({ node }) => node.type === ENTRY_TRIGGER && node.disabled !== true);
      const [entry] = entries;
      if (entry === undefined || entries.length > 1) {
        throw new Error(
          `a workflow that others run needs exactly one ${ENTRY_TRIGGER}, but "${workflowId}" has ${entries.length}`,
        );
      }
      const inner = createInnerRun({
        plan: other,
        route: other.routeFrom(entry.node.id),
        steps,
        within: name,
        chain: `${chain} → ${workflowId}`,
        nodes: {},
        trigger: {},
        isFailureHandled: isFailureHandled || (run.planNode.node.settings?.onError ?? 'fail') !== 'fail',
      });
      return toInnerResult(await inner.fromTrigger(session.scrub(input)));
    },
  };
};

const toAttempt = (work: () => Promise<JsonObject>): Promise<Attempt> =>
  work().then(
    (main) => ({ outputs: { main } }),
    (error: unknown) => ({ failure: toFailure(error) }),
  );
