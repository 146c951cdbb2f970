import { isPlainObject, type JsonObject } from '../contract/json.ts';
import {
  Emission,
  MAIN_OUTPUT,
  type NodeExecutor,
  type NodeResult,
  type WorkflowNode,
} from '../contract/node.ts';
import type { Plan } from '../workflows/plan/plan.ts';
import { type AttemptContext, createAttemptContext } from './attempt-context.ts';
import { toFailure, toStrayFailure } from './failure.ts';
import type { MeasureJson } from './measure-json.ts';
import type { NodeRun } from './node-run.ts';
import type { Session } from './session.ts';
import type { Attempt } from './steps.ts';
import type { CodeOwner } from './stray-errors.ts';

/**
 * Tries a node once: resolves its parameters, calls its executor, checks what it returns. Never throws or rejects.
 * It answers at once when nothing has to be waited for, which for a pure node is the rule: no promise, no timer.
 */
export const attemptNode = (
  session: Session,
  plan: Plan,
  run: NodeRun,
  number: number,
): Attempt | Promise<Attempt> => {
  const { node, resolve } = run.planNode;
  try {
    const executor = plan.executorOf(run.planNode);
    const parameters = resolve === null || run.scope === null ? null : resolve(run.scope);
    if (executor instanceof Promise) {
      // Both at once: either may reject, and neither is left alone with it.
      return Promise.all([executor, parameters]).then(
        ([loaded, resolved]) => callLater(session, run, number, loaded, withParameters(node, resolved)),
        fail,
      );
    }
    return parameters instanceof Promise
      ? parameters.then(
          (resolved) => callLater(session, run, number, executor, withParameters(node, resolved)),
          fail,
        )
      : call(session, run, number, executor, withParameters(node, parameters));
  } catch (error) {
    return fail(error);
  }
};

const fail = (error: unknown): Attempt => ({ failure: toFailure(error) });

const withParameters = (node: WorkflowNode, parameters: JsonObject | null): WorkflowNode =>
  parameters === null ? node : { ...node, parameters };

/** Not when the execution has ended meanwhile: nobody is there any more for what the node would do. */
const callLater = (
  session: Session,
  run: NodeRun,
  number: number,
  executor: NodeExecutor,
  node: WorkflowNode,
): Attempt | Promise<Attempt> => {
  const stopped = session.getStopped();
  return stopped.aborted ? fail(stopped.reason) : call(session, run, number, executor, node);
};

const call = (
  session: Session,
  run: NodeRun,
  number: number,
  executor: NodeExecutor,
  node: WorkflowNode,
): Attempt | Promise<Attempt> => {
  const attempt = createAttemptContext(session, run, number);
  const work = (): NodeResult | Promise<NodeResult> => {
    const result = executor.execute(node, run.input, attempt.context);
    // What steers the run may wait for longer than anything that it could be measured by.
    return isPromiseLike(result) && run.control === null ? awaitWithin(attempt, result) : result;
  };
  const { guard } = session.ports;
  try {
    const result = guard === undefined ? work() : guard.run(toOwner(session, run), work);
    if (!isPromiseLike(result)) return toAttempt(session, run, result);
    return result.then((value) => toAttempt(session, run, value), fail);
  } catch (error) {
    return fail(error);
  }
};

const toOwner = (session: Session, { name, planNode }: NodeRun): CodeOwner => {
  const nodeId = planNode.node.id;
  return {
    execution: session.execution,
    nodeId,
    fail: (kind, thrown) =>
      session.cutOff({ runName: name, failure: { nodeId, ...toStrayFailure(kind, thrown) } }),
  };
};

const isPromiseLike = (value: NodeResult | Promise<NodeResult>): value is Promise<NodeResult> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** Checks what an executor returned: data on outputs, all of it JSON and none of it too large. */
const toAttempt = ({ measure, limits }: Session, { planNode }: NodeRun, result: unknown): Attempt => {
  // What a trigger delivers came with the request, whose size was checked: no caller can make it fail here.
  const limit = planNode.nodeType.kind === 'trigger' ? Number.POSITIVE_INFINITY : limits.maxOutputBytes;
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
const awaitWithin = async ({ expire }: AttemptContext, result: Promise<NodeResult>): Promise<NodeResult> => {
  const done = new AbortController();
  try {
    return await Promise.race([result, expire(done.signal)]);
  } finally {
    done.abort('the attempt is done'); // a reason of our own: the default one costs a stack trace
  }
};
