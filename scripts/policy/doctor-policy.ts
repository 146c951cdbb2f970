import { allow, arn, mayCall, mayFindApi, PREFIX, type Statement } from './statement.ts';

const ofFunction = (name: string): string => arn('lambda', `function:${PREFIX}-${name}`);

/** What `hookloom doctor` does in AWS: pings, checks, and requests to the admin API, which stores and removes its probes. */
export const doctorStatements: readonly Statement[] = [
  allow('lambda', 'InvokeFunction', ofFunction('{function}')),
  allow(
    'lambda',
    'GetDurableExecution GetDurableExecutionHistory StopDurableExecution',
    ofFunction('runDurable:*'),
  ),
  allow('lambda', 'GetFunctionConfiguration', ofFunction('runExpress')),
  allow(
    'dynamodb',
    'DescribeTable DescribeTimeToLive DescribeContinuousBackups',
    arn('dynamodb', `table/${PREFIX}-{table}`),
  ),
  allow('sqs', 'GetQueueUrl GetQueueAttributes', [
    arn('sqs', `${PREFIX}-trigger-dead-letters`),
    arn('sqs', `${PREFIX}-DeadLetterQueue-*`),
  ]),
  allow('sqs', 'SendMessage', arn('sqs', 'QUEUE')), // with --queue
  allow('lambda', 'GetAccountSettings', '*'),
  allow('events', 'ListRules', '*'),
  allow('cloudwatch', 'GetMetricStatistics', '*'),
  allow('servicequotas', 'ListServiceQuotas', '*'),
  mayFindApi,
  mayCall(
    'GET/api/admin/stored-data',
    'GET/api/admin/workflows',
    'GET/api/admin/executions*',
    'POST/api/admin/approvals/addresses',
    'PUT/api/admin/probes',
    'DELETE/api/admin/workflows/hookloom-doctor-*',
    'DELETE/api/admin/probes/*',
  ),
  mayCall('POST/api/admin/executions/*/cancel'), // a probe that has not ended in time
];
