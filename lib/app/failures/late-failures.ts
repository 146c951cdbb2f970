import { lazy } from '@hookloom/plugin-kit';
import type { FindReport } from '../../executions/record/failure-reports.ts';
import type { FailureParts } from './open-failures.chunk.ts';

/** Reports of failures, loaded for the first failure: successful runs need none of the code. */
export const lateFailures = (parts: FailureParts): FindReport => {
  const load = lazy(async () => (await import('./open-failures.chunk.ts')).openFailures(parts));
  return async (failed) => (await load())(failed);
};
