import { createTraceparents } from '../../executions/traces/trace-context.ts';

/** Opens the ids of spans, for requests of nodes: loaded by the first run of a stage with traces. */
export const openTrace =
  (ratio: number) =>
  (execution: Parameters<typeof createTraceparents>[0]): ReturnType<typeof createTraceparents> =>
    createTraceparents(execution, ratio);
