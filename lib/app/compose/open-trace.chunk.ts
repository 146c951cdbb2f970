import { createTraceparents, toTraceAfter } from '../../executions/traces/trace-context.ts';

// The ids of spans, loaded by the first run or failure of a stage with traces.

type Execution = Parameters<typeof createTraceparents>[0];

/** Opens the trace contexts of what the nodes of executions send. */
export const openTrace =
  (ratio: number) =>
  (execution: Execution): ReturnType<typeof createTraceparents> =>
    createTraceparents(execution, ratio);

/** Opens those of what executions cause. */
export const openTraceAfter =
  (ratio: number) =>
  (execution: Execution): string =>
    toTraceAfter(execution, ratio);
