import type { FailureReports } from '../../executions/record/failure-reports.ts';
import type { FailureParts } from './open-failures.chunk.ts';

/** Reports of failures whose code is loaded for the first failure: a run that succeeds needs none of it. */
export const lateFailures = (parts: FailureParts): FailureReports => {
  let loaded: Promise<FailureReports> | undefined;
  const load = async (): Promise<FailureReports> => {
    const { openFailures } = await import('./open-failures.chunk.ts');
    return openFailures(parts);
  };
  const loadOnce = (): Promise<FailureReports> => {
    loaded ??= load();
    return loaded;
  };
  return {
    areWanted: async (workflowId) => (await loadOnce()).areWanted(workflowId),
    send: async (executionId) => (await loadOnce()).send(executionId),
  };
};
