import type { FinishPorts, NodePorts, Ports } from '../ports.ts';
import type { ExecutionEnd, ExecutionStore } from '../record/execution-store.ts';
import {
  prepareTrial,
  type Trial,
  type TrialData,
  type TrialStage,
  type TriedNode,
} from './prepare-trial.ts';
import { createPrepareRun, createRunExecution } from './run-execution.ts';

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
