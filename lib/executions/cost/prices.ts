export interface Price {
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

/** The region of {@link prices}, whose prices stand in where those of another region are not known. */
const PRICED_REGION = 'us-east-1';

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
  blobPut: { of: 'objects written', dollars: 0.005, per: 1e3, page: s3 },
  blobGet: { of: 'objects read', dollars: 0.0004, per: 1e3, page: s3 },
} as const satisfies Readonly<Record<string, Price>>;

export type PriceName = keyof typeof prices;

/**
 * Dollars in other regions, for as much as {@link prices} says. From AWS's price lists of August 2026; a price that is
 * not here is not known.
 */
const ofRegions: Readonly<Record<string, Partial<Record<PriceName, number>>>> = {
  'eu-west-1': {
    writeUnit: 0.705,
    readUnit: 0.1415,
    logGigabyte: 0.57,
    event: 1,
    blobPut: 0.005,
    blobGet: 0.0004,
  },
  'eu-central-1': {
    writeUnit: 0.7625,
    readUnit: 0.1525,
    logGigabyte: 0.63,
    event: 1,
    blobPut: 0.0054,
    blobGet: 0.00043,
  },
};

/** Computes the price of an amount. @returns dollars */
export const priceOf = (name: PriceName, amount: number, region: string = PRICED_REGION): number =>
  (amount * (ofRegions[region]?.[name] ?? prices[name].dollars)) / prices[name].per;

/** The prices of us-east-1 that stand in for unknown ones of a region. */
export const findAssumedPrices = (region: string): readonly PriceName[] =>
  region === PRICED_REGION
    ? []
    : (Object.keys(prices) as PriceName[]).filter((name) => ofRegions[region]?.[name] === undefined);

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
  invocationLogBytes: { of: 'log of a request or of an invocation', value: 1_000, unit: 'bytes' },
  eventLogBytes: { of: 'log of a completion event', value: 700, unit: 'bytes' },
} as const satisfies Readonly<Record<string, Assumption>>;
