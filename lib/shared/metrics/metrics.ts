/** Under which a log entry says what it measures. A symbol: no field from outside can be taken for it. */
export const METRICS: unique symbol = Symbol('metrics');

/** How an execution ends. */
export type FinalState = 'Succeeded' | 'Failed' | 'Cancelled' | 'TimedOut';

/** A name's ending says its unit: `Duration` milliseconds, `Age` seconds; any other is a count. */
type MetricName =
  | `Executions${'Started' | FinalState}`
  | 'ExecutionDuration'
  | 'RefusedRequests'
  | 'ServerErrors'
  | 'StoreThrottles'
  | 'Sweeps'
  | `Sweep${'Redispatched' | 'GivenUp' | 'Reconciled' | 'Republished' | 'Failed'}`
  | `Oldest${'Accepted' | 'WaitingDue'}Age`;

/** Values for metrics of the stage. */
export interface Measurement {
  readonly values: Readonly<Partial<Record<MetricName, number>>>;
  /**
   * A field of the entry by whose text they are counted apart as well. Each text is a custom metric, which is billed: only what
   * is bounded, whatever callers send.
   */
  readonly by?: 'code' | 'workflowId' | undefined;
}

/** Fields of a log entry that measures something. */
export interface Measuring {
  readonly [METRICS]?: readonly Measurement[];
}

/** To be spread into the fields of a log entry. */
export const measure = (...measurements: readonly Measurement[]): Measuring & Record<string, number> =>
  Object.assign({ [METRICS]: measurements }, ...measurements.map(({ values }) => values));
