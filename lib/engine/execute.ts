import type { JsonObject } from '../contract/json.ts';
import type { ExecutionInfo } from '../contract/node.ts';
import type { Plan } from '../workflows/plan/plan.ts';
import { closeNodes } from './close-nodes.ts';
import type { RunEnd } from './inner-run.ts';
import { type ExecutionResult, type NodeRecord, nodeKeyOf } from './result.ts';
import { Run } from './run.ts';
import { type Cut, CutOffError, type EnginePorts, type ExecutionLimits, Session } from './session.ts';

interface ExecutionRequest {
  readonly execution: ExecutionInfo;
  /** What the trigger gets. */
  readonly input: JsonObject;
  readonly limits: ExecutionLimits;
  /** From when on its time is counted, milliseconds since the epoch; from the start of the execution when absent. */
  readonly since?: number | undefined;
}

/**
 * Runs a plan from the trigger that fired. Whatever a node or a workflow does wrong is in the result; it rejects
 * with {@link AppError} `WORKFLOW_INVALID` when the trigger can't fire, and for our own bugs.
 */
export const execute = async (
  plan: Plan,
  { execution, input, limits, since }: ExecutionRequest,
  ports: EnginePorts,
): Promise<ExecutionResult> => {
  const route = plan.routeFrom(execution.trigger.nodeId);
  const session = new Session(execution, limits, ports, since);
  const run = new Run(session, { plan, route, steps: ports.steps, within: '' });
  const { onProgress } = ports;
  if (onProgress !== undefined) session.noteProgress = () => onProgress(() => run.collect());
  try {
    const work = run.fromTrigger(input);
    const end = await session.inTime(work);
    if (ports.guard !== undefined) await ports.guard.settle();
    if (session.cut !== null) return toCutOff(session, run, session.cut);
    return end === null ? toTimedOut(session, run) : toResult(session, run, end);
  } catch (bug) {
    session.abort(bug); // others of the wave may still be at it
    throw bug;
  } finally {
    session.close();
  }
};

const toResult = (session: Session, run: Run, { output, response, failure }: RunEnd): ExecutionResult => {
  const nodes = run.collect();
  if (failure === null) return { status: 'succeeded', nodes, output, response, failure };
  return session.isLate(failure)
    ? { status: 'timedOut', nodes, output, response, failure: session.timeoutAt(failure.nodeId) }
    : { status: 'failed', nodes, output, response, failure };
};

/** Nodes may still be running: their signals are aborted, and nothing waits for them. */
const toTimedOut = (session: Session, run: Run): ExecutionResult => {
  const failure = session.timeoutAt(run.openNodeId());
  const nodes = closeNodes(run.collect(), session.tick(), failure);
  return { status: 'timedOut', nodes, ...run.standing(), failure };
};

/** The same, at a run of a node that failed in a way that the run could not see: it may have succeeded before. */
const toCutOff = (session: Session, run: Run, cut: Cut): ExecutionResult => {
  const { runName, failure } = cut;
  const nodes = closeNodes(run.collect(), session.tick(), new CutOffError(cut)).map(
    (record): NodeRecord =>
      nodeKeyOf(record) === runName ? { ...record, status: 'failed', failure } : record,
  );
  return { status: 'failed', nodes, ...run.standing(), failure };
};
