export interface Assumption {
  readonly of: string;
  readonly value: number;
  readonly unit: string;
}

/** What the cost of a run depends on besides prices and counts. */
export const assumptions = {
  functionMegabytes: { of: 'memory of the functions', value: 1_769, unit: 'MB' },
  requestMs: { of: 'time of a request', value: 10, unit: 'ms' },
  invocationMs: { of: 'time of an invocation in the background', value: 10, unit: 'ms' },
  checkpointingMs: { of: '… that writes checkpoints', value: 50, unit: 'ms' },
  effectfulMs: { of: 'an effectful node, on Step Functions Express too', value: 30, unit: 'ms' },
  invocationLogBytes: { of: 'log of a request, and of an invocation', value: 1_000, unit: 'bytes' },
  eventLogBytes: { of: 'a completion event in the log', value: 700, unit: 'bytes' },
  tableDays: {
    of: 'life of a record: RETENTION_DAYS, and DynamoDB removes it two days late',
    value: 32,
    unit: 'days',
  },
  deliveryDays: { of: '… of a delivery with a key', value: 3, unit: 'days' },
  blobDays: { of: '… of an object that is put for a run', value: 34, unit: 'days' },
  logDays: { of: '… of a log', value: 30, unit: 'days' },
  logShare: { of: 'size of a log that is kept, compressed', value: 15, unit: '%' },
  metrics: { of: 'metrics of the stage', value: 47, unit: 'with those of refusals by code' },
  expressMegabytes: { of: 'memory of an execution of Step Functions Express', value: 64, unit: 'MB' },
} as const satisfies Readonly<Record<string, Assumption>>;
