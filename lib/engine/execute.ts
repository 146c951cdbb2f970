import type { ExecutionInfo, JsonObject } from '@hookloom/plugin-kit';
import type { Plan } from '../workflows/plan/plan.ts';
import type { RunResult } from './control.ts';
import { type ExecutionResult, failOpenNodes, type NodeRecord, nodeKeyOf } from './result.ts';
import { Run } from './run.ts';
import {
  type EnginePorts,
  ExecutionFailedError,
  type ExecutionLimits,
  Session,
  type StrayFailure,
} from './session.ts';

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
  if (onProgress !== undefined) session.reportProgress = () => onProgress(() => run.collect());
  try {
    const result = await session.awaitWithinTimeout(run.fromTrigger(input));
    if (ports.guard !== undefined) await ports.guard.flush();
    if (session.strayFailure !== null) return toStrayFailed(session, run, session.strayFailure);
    return result === null ? toTimedOut(session, run) : toResult(session, run, result);
  } catch (bug) {
    session.abort(bug); // other nodes may still be running
    throw bug;
  } finally {
    session.close();
  }
};

const toResult = (session: Session, run: Run, { output, response, failure }: RunResult): ExecutionResult => {
  const nodes = run.collect();
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
  const failure = session.timeoutAt(run.currentNodeId());
  const nodes = failOpenNodes(run.collect(), session.deadline.readClock(), failure);
  return { status: 'timedOut', nodes, ...run.partialResult(), failure };
};

/** Like {@link toTimedOut}, for a stray failure, whose node may already have succeeded. */
const toStrayFailed = (session: Session, run: Run, { nodeKey, failure }: StrayFailure): ExecutionResult => {
  const reason = new ExecutionFailedError(failure);
  const nodes = failOpenNodes(run.collect(), session.deadline.readClock(), reason).map(
    (record): NodeRecord =>
      nodeKeyOf(record) === nodeKey ? { ...record, status: 'failed', failure } : record,
  );
  return { status: 'failed', nodes, ...run.partialResult(), failure };
};
