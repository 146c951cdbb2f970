/** A statement of an IAM policy, with placeholders for a deployment's STAGE, REGION and ACCOUNT. */
export interface Statement {
  readonly Effect: 'Allow';
  readonly Principal?: unknown;
  readonly Action: readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: unknown;
}

/** What the names of the stage's resources begin with. */
export const PREFIX = 'hookloom-STAGE';

/** An ARN in the account and the region. */
export const arn = (service: string, rest: string): string => `arn:aws:${service}:REGION:ACCOUNT:${rest}`;

/** @param operations - of the service, between spaces or line breaks */
export const allow = (
  service: string,
  operations: string,
  Resource: Statement['Resource'],
  Condition?: object,
): Statement => ({
  Effect: 'Allow',
  Action: operations.split(/\s+/).map((operation) => `${service}:${operation}`),
  Resource,
  ...(Condition === undefined ? {} : { Condition }),
});

/** Requests to routes of the admin API. @param routes - `METHOD/path`, with `*` for any text */
export const mayCall = (...routes: readonly string[]): Statement =>
  allow(
    'execute-api',
    'Invoke',
    routes.map((route) => arn('execute-api', `API_ID/*/${route}`)),
  );

/** Finds the address of the API. */
export const mayFindApi = allow(
  'cloudformation',
  'DescribeStacks',
  arn('cloudformation', `stack/${PREFIX}/*`),
);
