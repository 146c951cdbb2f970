import {
  type Assumption,
  assumptions as assumptionsOfUse,
  type Price,
  prices as pricesOfUse,
} from '../../lib/executions/cost/prices.ts';

const dynamodb = pricesOfUse.writeUnit.page;
const s3 = pricesOfUse.blobPut.page;
const cloudwatch = pricesOfUse.logGigabyte.page;
const stepFunctions = 'https://aws.amazon.com/step-functions/pricing/';

/** What the service prices itself, and what only the page compares: list prices of us-east-1 in November 2026. */
export const prices = {
  ...pricesOfUse,
  tableGigabyte: { of: 'GB of tables and indexes, a month', dollars: 0.25, per: 1, page: dynamodb },
  recoveryGigabyte: { of: 'GB with point-in-time recovery, a month', dollars: 0.2, per: 1, page: dynamodb },
  blobGigabyte: { of: 'GB in the bucket, a month', dollars: 0.023, per: 1, page: s3 },
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

/** What the tables depend on besides prices and counts. */
export const assumptions = {
  ...assumptionsOfUse,
  checkpointingMs: { of: 'time of an invocation that writes checkpoints', value: 50, unit: 'ms' },
  effectfulMs: { of: 'time of an effectful node, also on Step Functions Express', value: 30, unit: 'ms' },
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
