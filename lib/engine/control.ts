import pLimit from 'p-limit';
import type { JsonObject } from '../contract/json.ts';
import type { Callback, InnerResult, RunControl } from '../contract/node.ts';
import type { Plan } from '../workflows/plan/plan.ts';
import { toFailure } from './failure.ts';
import { type InnerRun, type RunPlace, toInnerResult } from './inner-run.ts';
import type { NodeRun } from './node-run.ts';
import type { Session } from './session.ts';
import type { Attempt, Step, Steps } from './steps.ts';

/** Runs inside of runs inside of runs …: a workflow that runs itself has to end somewhere. */
const MAX_DEPTH = 10;

/** The node type with which a workflow begins that another one runs. */
const ENTRY_TYPE = 'manualTrigger';

/**
 * What one node steers with. Names are counted in the order in which it asks, which is the same each time.
 * @param openRun makes a run that belongs to this node
 */
export const createControl = (
  session: Session,
  plan: Plan,
  run: NodeRun,
  steps: Steps,
  openRun: (place: RunPlace) => InnerRun,
): RunControl => {
  let count = 0;
  const nextName = (): string => `${run.name}/${count++}`;
  const { workflows, callbacks } = session.ports;

  const refuseDepth = (name: string): void => {
    if (name.split('/').length > MAX_DEPTH * 3)
      throw new RangeError(`more than ${MAX_DEPTH} runs inside of runs`);
  };

  const asked = <Value>(work: Promise<Value>): Promise<Value> => session.asked(run.planNode.node.id, work);

  /** A step of our own. @throws what failed five times */
  const remembered = async (name: string, work: () => Promise<JsonObject>): Promise<JsonObject> => {
    const step: Step = { name, retry: { maxAttempts: 5 }, attempt: () => toAttempt(work) };
    const result = await asked(steps.run(step));
    if ('failure' in result) throw new Error(result.failure.message);
    return result.outputs.main ?? {};
  };

  const runBody = async (name: string, data: JsonObject, inner: Steps): Promise<InnerResult> => {
    const { planNode } = run;
    const output = planNode.nodeType.control?.bodyOutput;
    if (output === undefined) throw new Error(`nodes of the type ${planNode.node.type} have no body`);
    const body = openRun({ plan, route: plan.bodyRouteOf(planNode), steps: inner, within: name });
    return toInnerResult(await body.fromOutputs({ [output]: data }));
  };

  return {
    wait: (seconds) => asked(steps.wait(nextName(), seconds, session.getStopped())),

    openCallback: async (timeoutSeconds): Promise<Callback> => {
      if (callbacks === null) throw new Error('this run can not wait for an answer: it is not a durable one');
      const name = nextName();
      const place = await asked(steps.callback(name, timeoutSeconds));
      // A step, so that the address is good before anybody gets it, and says the same time on every replay.
      const opened = await remembered(`${name}/open`, async () => ({
        expiresAt: await callbacks.open(name, place.id, timeoutSeconds),
      }));
      const expiresAt = Number(opened.expiresAt);
      return { url: callbacks.urlOf(name, expiresAt), expiresAt, answer: place.answer };
    },

    runBodies: async (items, maxConcurrency = 1) => {
      const limit = pLimit(maxConcurrency);
      // All are asked for at once, in their order: which one is done first must not matter to what is remembered.
      const results = items.map((data) => {
        const name = nextName();
        refuseDepth(name);
        return steps.within(name, (inner) => limit(() => runBody(name, data, inner)));
      });
      return Promise.all(results);
    },

    runWorkflow: async (workflowId, input) => {
      const name = nextName();
      refuseDepth(name);
      const { version } = await remembered(`${name}/version`, async () => ({
        version: await workflows.findVersion(workflowId),
      }));
      if (typeof version !== 'number') throw new Error(`there is no enabled workflow "${workflowId}"`);
      const other = await workflows.loadPlan(workflowId, version);
      const entries = other.nodes.filter(({ node }) => node.type === ENTRY_TYPE && node.disabled !== true);
      const [entry] = entries;
      if (entry === undefined || entries.length > 1) {
        throw new Error(
          `workflow "${workflowId}" needs one ${ENTRY_TYPE} to be run by another, and has ${entries.length}`,
        );
      }
      const inner = openRun({
        plan: other,
        route: other.routeFrom(entry.node.id),
        steps,
        within: name,
        nodes: {},
        trigger: {},
      });
      return toInnerResult(await inner.fromTrigger(input));
    },
  };
};

const toAttempt = (work: () => Promise<JsonObject>): Promise<Attempt> =>
  work().then(
    (main) => ({ outputs: { main } }),
    (error: unknown) => ({ failure: toFailure(error) }),
  );
