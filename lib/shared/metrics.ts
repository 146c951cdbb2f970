/** The key of a log entry's measurements. A symbol, so that no external field can collide with it. */
export const METRICS: unique symbol = Symbol('metrics');

/** The final state of an execution, as metrics name it. */
type FinalState = 'Succeeded' | 'Failed' | 'Cancelled' | 'TimedOut';

/** The suffix determines the unit: `Duration` is milliseconds, `Age` seconds; all others are counts. */
type MetricName =
  | `Executions${'Started' | FinalState}`
  | 'ExecutionDuration'
  | 'RefusedRequests'
  | 'ServerErrors'
  | 'StoreThrottles'
  | 'Sweeps'
  | `Sweep${'Redispatched' | 'GivenUp' | 'Reconciled' | 'Republished' | 'Failed'}`
  | `Oldest${'Accepted' | 'WaitingDue'}Age`;

/** Values for the stage's metrics. */
export interface Measurement {
  readonly values: Readonly<Partial<Record<MetricName, number>>>;
  /**
   * An additional dimension: the entry's field whose values are counted separately. Each value is a billed custom
   * metric, so the field's values must be bounded, whatever callers send.
   */
  readonly by?: 'code' | 'workflowId' | undefined;
}

/** Fields of a log entry with measurements. */
export interface Measuring {
  readonly [METRICS]?: readonly Measurement[];
}

/** Measurements to spread into the fields of a log entry. */
export const measure = (...measurements: readonly Measurement[]): Measuring & Record<string, number> => {
  const fields = { [METRICS]: measurements };
  for (const { values } of measurements) Object.assign(fields, values);
  return fields;
};

// Counts executions in total, and per workflow if the workflow requests it. No other dimensions, since each metric is
// billed.

interface End {
  readonly status: Uncapitalize<FinalState>;
  readonly durationMs: number;
}

/**
 * Counts the start of an execution.
 * @param hasMetrics - whether its workflow asks for metrics of its own
 * @param ended - the end of an execution that was run at once
 */
export const countStart = (hasMetrics: boolean | undefined, ended?: End): Measurement => ({
  values: { ExecutionsStarted: 1, ...(ended === undefined ? {} : toValues(ended)) },
  by: hasMetrics === true ? 'workflowId' : undefined,
});

/** Counts the end of an execution. @param hasMetrics - whether its workflow asks for metrics of its own */
export const countEnd = (ended: End, hasMetrics: boolean | undefined): Measurement => ({
  values: toValues(ended),
  by: hasMetrics === true ? 'workflowId' : undefined,
});

const toValues = ({ status, durationMs: ExecutionDuration }: End): Measurement['values'] => {
  switch (status) {
    case 'succeeded':
      return { ExecutionsSucceeded: 1, ExecutionDuration };
    case 'failed':
      return { ExecutionsFailed: 1, ExecutionDuration };
    case 'cancelled':
      return { ExecutionsCancelled: 1, ExecutionDuration };
    case 'timedOut':
      return { ExecutionsTimedOut: 1, ExecutionDuration };
  }
};
