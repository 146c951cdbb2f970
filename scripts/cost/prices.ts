export interface Price {
  readonly of: string;
  readonly dollars: number;
  /** How many of it the dollars buy. */
  readonly per: number;
  readonly page: string;
}

const lambda = 'https://aws.amazon.com/lambda/pricing/';
const dynamodb = 'https://aws.amazon.com/dynamodb/pricing/on-demand/';
const stepFunctions = 'https://aws.amazon.com/step-functions/pricing/';

/** List prices of us-east-1 in 2026, without volume discounts. */
export const prices = {
  gatewayRequest: {
    of: 'requests to an HTTP API',
    dollars: 1,
    per: 1e6,
    page: 'https://aws.amazon.com/api-gateway/pricing/',
  },
  lambdaRequest: { of: 'invocations of a function', dollars: 0.2, per: 1e6, page: lambda },
  lambdaGigabyteSecond: { of: 'GB-seconds of a function on arm64', dollars: 13.3334, per: 1e6, page: lambda },
  durableOperation: { of: 'durable operations', dollars: 8, per: 1e6, page: lambda },
  durableGigabyte: { of: 'GB that checkpoints write', dollars: 0.25, per: 1, page: lambda },
  writeUnit: { of: 'write units of DynamoDB, on demand', dollars: 0.625, per: 1e6, page: dynamodb },
  readUnit: { of: 'read units', dollars: 0.125, per: 1e6, page: dynamodb },
  logGigabyte: {
    of: 'GB of logs',
    dollars: 0.5,
    per: 1,
    page: 'https://aws.amazon.com/cloudwatch/pricing/',
  },
  event: {
    of: 'events on an EventBridge bus',
    dollars: 1,
    per: 1e6,
    page: 'https://aws.amazon.com/eventbridge/pricing/',
  },
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

/** @returns dollars */
export const priceOf = (name: keyof typeof prices, amount: number): number =>
  (amount * prices[name].dollars) / prices[name].per;
