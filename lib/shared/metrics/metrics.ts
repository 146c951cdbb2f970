/** The key of a log entry's measurements. A symbol, so that no external field can collide with it. */
export const METRICS: unique symbol = Symbol('metrics');

/** The final state of an execution. */
export type FinalState = 'Succeeded' | 'Failed' | 'Cancelled' | 'TimedOut';

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
export const measure = (...measurements: readonly Measurement[]): Measuring & Record<string, number> =>
  Object.assign({ [METRICS]: measurements }, ...measurements.map(({ values }) => values));
