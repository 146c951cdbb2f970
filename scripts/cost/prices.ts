interface Price {
  readonly of: string;
  readonly dollars: number;
  /** The quantity that the dollars buy. */
  readonly per: number;
  readonly page: string;
}

const gateway = 'https://aws.amazon.com/api-gateway/pricing/';
const eventbridge = 'https://aws.amazon.com/eventbridge/pricing/';
const lambda = 'https://aws.amazon.com/lambda/pricing/';
const dynamodb = 'https://aws.amazon.com/dynamodb/pricing/on-demand/';
const s3 = 'https://aws.amazon.com/s3/pricing/';
const cloudwatch = 'https://aws.amazon.com/cloudwatch/pricing/';
const stepFunctions = 'https://aws.amazon.com/step-functions/pricing/';

/** List prices of us-east-1 in November 2026, without volume discounts. */
export const prices = {
  gatewayRequest: { of: 'requests to an HTTP API', dollars: 1, per: 1e6, page: gateway },
  lambdaRequest: { of: 'invocations of a function', dollars: 0.2, per: 1e6, page: lambda },
  lambdaGigabyteSecond: { of: 'GB-seconds of a function on arm64', dollars: 13.3334, per: 1e6, page: lambda },
  durableOperation: { of: 'durable operations', dollars: 8, per: 1e6, page: lambda },
  durableGigabyte: { of: 'GB written by checkpoints', dollars: 0.25, per: 1, page: lambda },
  writeUnit: { of: 'write units of DynamoDB, on demand', dollars: 0.625, per: 1e6, page: dynamodb },
  readUnit: { of: 'read units', dollars: 0.125, per: 1e6, page: dynamodb },
  logGigabyte: { of: 'GB of logs', dollars: 0.5, per: 1, page: cloudwatch },
  event: { of: 'events on an EventBridge bus', dollars: 1, per: 1e6, page: eventbridge },
  tableGigabyte: { of: 'GB of tables and indexes, a month', dollars: 0.25, per: 1, page: dynamodb },
  recoveryGigabyte: { of: 'GB with point-in-time recovery, a month', dollars: 0.2, per: 1, page: dynamodb },
  blobGigabyte: { of: 'GB in the bucket, a month', dollars: 0.023, per: 1, page: s3 },
  blobPut: { of: 'objects written', dollars: 0.005, per: 1e3, page: s3 },
  blobGet: { of: 'objects read', dollars: 0.0004, per: 1e3, page: s3 },
  storedLogGigabyte: { of: 'GB of stored logs, a month', dollars: 0.03, per: 1, page: cloudwatch },
  alarm: { of: 'metrics of alarms, a month', dollars: 0.1, per: 1, page: cloudwatch },
  dashboard: { of: 'dashboards, a month', dollars: 3, per: 1, page: cloudwatch },
  metric: { of: 'custom metrics, a month', dollars: 0.3, per: 1, page: cloudwatch },
  transition: {
    of: 'state transitions of Step Functions Standard',
    dollars: 25,
    per: 1e6,
    page: stepFunctions,
  },
  expressRequest: { of: 'executions of Step Functions Express', dollars: 1, per: 1e6, page: stepFunctions },
  expressGigabyteSecond: {
    of: 'GB-seconds of Step Functions Express',
    dollars: 16.67,
    per: 1e6,
    page: stepFunctions,
  },
} as const satisfies Readonly<Record<string, Price>>;

/** Computes the price of an amount. @returns dollars */
export const priceOf = (name: keyof typeof prices, amount: number): number =>
  (amount * prices[name].dollars) / prices[name].per;

interface Assumption {
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
