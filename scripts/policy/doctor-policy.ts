/** An ARN with placeholders for a deployment's STAGE, REGION and ACCOUNT. */
const arn = (service: string, rest: string): string => `arn:aws:${service}:REGION:ACCOUNT:${rest}`;
const table = (name: string): string => arn('dynamodb', `table/hookloom-STAGE-${name}`);
const fn = (name: string): string => arn('lambda', `function:hookloom-STAGE-${name}`);

interface DoctorStatement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: unknown;
}

const allow = (
  service: string,
  operations: string,
  Resource: string | readonly string[],
): DoctorStatement => ({
  Effect: 'Allow',
  Action: operations.split(' ').map((operation) => `${service}:${operation}`),
  Resource,
});

/** Routes of the admin API. */
const api = (...routes: readonly string[]): readonly string[] =>
  routes.map((route) => arn('execute-api', `API_ID/*/${route}`));

/** What `hookloom doctor` does in AWS: pings, checks, and requests to the admin API, which stores and removes its probes. */
export const doctorStatements: readonly DoctorStatement[] = [
  allow('lambda', 'InvokeFunction', fn('{function}')),
  allow('lambda', 'GetDurableExecution GetDurableExecutionHistory StopDurableExecution', fn('runDurable:*')),
  allow('lambda', 'GetFunctionConfiguration', fn('runExpress')),
  allow('dynamodb', 'DescribeTable DescribeTimeToLive DescribeContinuousBackups', table('{table}')),
  allow('sqs', 'GetQueueUrl GetQueueAttributes', [
    arn('sqs', 'hookloom-STAGE-trigger-dead-letters'),
    arn('sqs', 'hookloom-STAGE-DeadLetterQueue-*'),
  ]),
  allow('sqs', 'SendMessage', arn('sqs', 'QUEUE')), // with --queue
  allow('lambda', 'GetAccountSettings', '*'),
  allow('events', 'ListRules', '*'),
  allow('cloudwatch', 'GetMetricStatistics', '*'),
  allow('servicequotas', 'ListServiceQuotas', '*'),
  allow('cloudformation', 'DescribeStacks', arn('cloudformation', 'stack/hookloom-STAGE/*')),
  allow(
    'execute-api',
    'Invoke',
    api(
      'GET/api/admin/stored-data',
      'GET/api/admin/workflows',
      'GET/api/admin/executions*',
      'POST/api/admin/approvals/addresses',
      'PUT/api/admin/probes',
      'DELETE/api/admin/workflows/hookloom-doctor-*',
      'DELETE/api/admin/probes/*',
    ),
  ),
  // A probe that has not ended in time.
  allow('execute-api', 'Invoke', api('POST/api/admin/executions/*/cancel')),
];
