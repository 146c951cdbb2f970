import type { ExecutionEnd, ExecutionStore } from '../record/execution-store.ts';
import {
  prepareTrial,
  type Trial,
  type TrialData,
  type TrialStage,
  type TriedNode,
} from './prepare-trial.ts';
import { createPrepareRun, createRunExecution } from './run-execution.ts';

type RunParts = Omit<Parameters<typeof createRunExecution>[0], 'prepare' | 'events' | 'usesOutbox'>;
type PrepareParts = Omit<Parameters<typeof createPrepareRun>[0], 'openPlan'>;

export type TrialParts = RunParts & PrepareParts & TrialStage;

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
  parts: TrialParts,
): Promise<Trial> => {
  const ids = { next: () => `${parts.ids.next()}${trialSuffix}` };
  const { execution, openPlan, addLog, describe } = await prepareTrial(tried, data, { ...parts, ids });
  const run = createRunExecution({
    ...parts,
    executions: unretryable(parts.executions),
    events: { publish: async () => {} },
    usesOutbox: false,
    prepare: createPrepareRun({
      ...parts,
      openPlan,
      filesFor: (own) => parts.filesFor({ ...own, trialSuffix }),
      loggerFor: (info) => addLog(parts.loggerFor(info)),
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
