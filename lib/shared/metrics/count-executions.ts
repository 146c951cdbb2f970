import type { FinalState, Measurement } from './metrics.ts';

// Counts executions in total, and per workflow if the workflow requests it. No other dimensions, since each metric is
// billed.

interface End {
  readonly status: Uncapitalize<FinalState>;
  readonly durationMs: number;
}

/**
 * @param hasMetrics - whether its workflow asks for metrics of its own
 * @param ended - the end of an execution that was run at once
 */
export const countStart = (hasMetrics: boolean | undefined, ended?: End): Measurement => ({
  values: { ExecutionsStarted: 1, ...(ended === undefined ? {} : toValues(ended)) },
  by: byWorkflow(hasMetrics),
});

/** @param hasMetrics - whether its workflow asks for metrics of its own */
export const countEnd = (ended: End, hasMetrics: boolean | undefined): Measurement => ({
  values: toValues(ended),
  by: byWorkflow(hasMetrics),
});

const toValues = ({ status, durationMs }: End): Measurement['values'] => ({
  [`Executions${capitalise(status)}`]: 1,
  ExecutionDuration: durationMs,
});

const capitalise = <Text extends string>(text: Text) =>
  (text.charAt(0).toUpperCase() + text.slice(1)) as Capitalize<Text>;

const byWorkflow = (hasMetrics: boolean | undefined) => (hasMetrics === true ? 'workflowId' : undefined);
