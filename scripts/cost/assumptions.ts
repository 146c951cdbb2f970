export interface Assumption {
  readonly of: string;
  readonly value: number;
  readonly unit: string;
}

/** What the cost of a run depends on besides prices and counts. */
export const assumptions = {
  functionMegabytes: { of: 'memory of the functions', value: 1_769, unit: 'MB' },
  requestMs: { of: 'time of a request', value: 10, unit: 'ms' },
  invocationMs: { of: 'time of a background invocation', value: 10, unit: 'ms' },
  checkpointingMs: { of: '… that writes checkpoints', value: 50, unit: 'ms' },
  effectfulMs: { of: 'time of an effectful node, also on Step Functions Express', value: 30, unit: 'ms' },
  invocationLogBytes: { of: 'log of a request or of an invocation', value: 1_000, unit: 'bytes' },
  eventLogBytes: { of: 'log of a completion event', value: 700, unit: 'bytes' },
  tableDays: {
    of: 'lifetime of a record: RETENTION_DAYS, plus two until DynamoDB removes it',
    value: 32,
    unit: 'days',
  },
  deliveryDays: { of: '… of a delivery with a key', value: 3, unit: 'days' },
  blobDays: { of: '… of an object stored for a run', value: 34, unit: 'days' },
  logDays: { of: '… of a log', value: 30, unit: 'days' },
  logShare: { of: 'size of a stored log, compressed', value: 15, unit: '%' },
  metrics: { of: 'custom metrics of the stage', value: 47, unit: 'including refusals by code' },
  expressMegabytes: { of: 'memory of an execution of Step Functions Express', value: 64, unit: 'MB' },
} as const satisfies Readonly<Record<string, Assumption>>;
