import type { Logger } from '@hookloom/plugin-kit';
import type { OtherWorkflows } from '../../engine/session.ts';
import type { FinishPorts, NodePorts, Ports } from '../ports.ts';
import type { ExecutionEnd, ExecutionStore } from '../record/execution-store.ts';
import { INLINE_START, toStart } from './new-execution.ts';
import {
  prepareTrial,
  type Trial,
  type TrialData,
  type TrialStage,
  type TriedNode,
} from './prepare-trial.ts';
import { createPrepareRun, createRunExecution, runToResult } from './run-execution.ts';

export type TrialPorts = NodePorts &
  TrialStage &
  Omit<FinishPorts, 'events' | 'usesOutbox'> &
  Pick<Ports, 'blobs'>;

/**
 * Runs one node as an execution of its own, on the engine of inline runs: with its own id, so that no delivery key or
 * idempotency key of the workflow is used, and neither published nor reported.
 *
 * @param data - with the end of the ids of trials whose files this one may open, and of its own
 * @param timeLimitMs - upper bound of the workflow's timeout
 * @throws AppError `WORKFLOW_INVALID` | `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE` if nothing was done
 */
export const tryNode = async (
  tried: TriedNode,
  { trialSuffix, ...data }: TrialData & { readonly trialSuffix: string },
  timeLimitMs: number,
  ports: TrialPorts,
): Promise<Trial> => {
  const ids = { next: () => `${ports.ids.next()}${trialSuffix}` };
  const { execution, openPlan, addLog, describe } = await prepareTrial(tried, data, { ...ports, ids });
  const run = createRunExecution({
    ...ports,
    executions: unretryable(ports.executions),
    events: { publish: async () => {} },
    usesOutbox: false,
    prepare: createPrepareRun({
      ...ports,
      openPlan,
      filesFor: (own) => ports.filesFor({ ...own, trialSuffix }),
      loggerFor: (info) => addLog(ports.loggerFor(info)),
    }),
  });
  return describe(await run(execution, timeLimitMs));
};

/** Keeps nothing for a retry. */
const unretryable = (executions: ExecutionStore): ExecutionStore => ({
  ...executions,
  startAndFinish: (start, end) => executions.startAndFinish(start, withoutRetryData(end)),
  finish: (executionId, end) => executions.finish(executionId, withoutRetryData(end)),
});

const withoutRetryData = ({ input: _input, variables: _variables, ...end }: ExecutionEnd): ExecutionEnd =>
  end;

/**
 * Runs one node that touches nothing outside. It gets no network, files, state, credentials
 * or other workflows, whatever it asks for, and nothing is stored. The same draft and data give the same outputs: its
 * random values and ids don't change from one evaluation to the next.
 *
 * @param timeLimitMs - upper bound of the workflow's timeout
 * @returns null if a node acts on the outside, or may do so: then nothing was run
 * @throws AppError `WORKFLOW_INVALID` | `STORE_UNAVAILABLE`
 */
export const evaluateNode = async (
  tried: TriedNode,
  data: Omit<TrialData, 'traceparent'>,
  timeLimitMs: number,
  { services: { clock }, guard, logger, ...stage }: TrialStage & Pick<Ports, 'services' | 'guard' | 'logger'>,
): Promise<Omit<Trial, 'executionId'> | null> => {
  const trial = await prepareTrial(tried, { ...data, traceparent: null }, { ...stage, ids });
  const prepare = createPrepareRun({
    openPlan: trial.openPlan,
    otherWorkflows: noWorkflows,
    services: { clock, ids, http: { request: refuseTouch } },
    filesFor: () => () => ({ save: refuseTouch, open: refuseTouch }),
    loggerFor: () => trial.addLog(silent),
    guard,
  });
  const { isPure, run } = await prepare(trial.execution, timeLimitMs);
  if (!isPure) return null;
  const start = toStart(trial.execution, { ...INLINE_START, startedAt: clock.now(), startToken: '' });
  const { executionId: _own, ...described } = trial.describe(
    await runToResult(() => run(start), start, logger),
  );
  return described;
};

const ids = { next: () => 'evaluation' };

const refuseTouch = () => Promise.reject(new Error('this node touches nothing outside'));

const noWorkflows: OtherWorkflows = { findVersion: refuseTouch, loadPlan: refuseTouch };

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
