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

const OF_DISPATCH = { ArnEquals: { 'lambda:FunctionArn': fn('dispatch') } };

/** What `hookloom doctor` does in AWS: pings, checks, and probes that it removes. */
export const doctorStatements: readonly DoctorStatement[] = [
  allow('lambda', 'InvokeFunction', fn('*')),
  allow('lambda', 'GetDurableExecution GetDurableExecutionHistory StopDurableExecution', fn('runDurable:*')),
  allow('lambda', 'GetFunctionConfiguration', [fn('runExpress'), fn('dispatch')]),
  allow('dynamodb', 'DescribeTable DescribeTimeToLive DescribeContinuousBackups', table('*')),
  allow('dynamodb', 'GetItem PutItem DeleteItem Scan', [table('workflows'), table('registrations')]),
  allow('dynamodb', 'Scan', [table('workflows/index/summaries')]),
  allow('dynamodb', 'Query', [table('registrations/index/byWorkflow')]),
  allow('dynamodb', 'GetItem PutItem DeleteItem Query', table('workflow-versions')),
  allow('dynamodb', 'GetItem BatchGetItem DeleteItem', table('executions')),
  allow('dynamodb', 'Query', [table('executions/index/byWorkflow'), table('executions/index/bySweep')]),
  allow('s3', 'DeleteObject', 'arn:aws:s3:::BUCKET/executions/*'),
  allow(
    'scheduler',
    'CreateSchedule UpdateSchedule DeleteSchedule',
    arn('scheduler', 'schedule/hookloom-STAGE/*'),
  ),
  {
    ...allow('iam', 'PassRole', 'arn:aws:iam::ACCOUNT:role/hookloom-STAGE-REGION-scheduler'),
    Condition: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
  },
  allow('sqs', 'GetQueueUrl GetQueueAttributes', [
    arn('sqs', 'hookloom-STAGE-trigger-dead-letters'),
    arn('sqs', 'hookloom-STAGE-DeadLetterQueue-*'),
  ]),
  // With --queue.
  allow('sqs', 'GetQueueUrl SendMessage', arn('sqs', 'QUEUE')),
  { ...allow('lambda', 'CreateEventSourceMapping', '*'), Condition: OF_DISPATCH },
  {
    ...allow(
      'lambda',
      'UpdateEventSourceMapping DeleteEventSourceMapping',
      arn('lambda', 'event-source-mapping:*'),
    ),
    Condition: OF_DISPATCH,
  },
  allow('lambda', 'ListEventSourceMappings GetAccountSettings', '*'),
  allow('events', 'ListRules', '*'),
  allow('cloudwatch', 'GetMetricStatistics', '*'),
  allow('servicequotas', 'ListServiceQuotas', '*'),
];

/** The policy as shown in the docs: one line per statement. */
export const printDoctorPolicy = (): string => {
  const rows = doctorStatements.map(
    (statement) => `    ${JSON.stringify(statement, null, 1).replaceAll(/\n */g, ' ')}`,
  );
  return ['```json', '{ "Version": "2012-10-17",', '  "Statement": [', rows.join(',\n'), '  ] }', '```'].join(
    '\n',
  );
};
