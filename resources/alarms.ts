import type { Template, TemplateResource } from './cloudformation.ts';
import type { Deployment } from './parameters.ts';

/** A metric as used in an alarm or a graph. */
interface Metric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: object | string }[];
}

const PERIOD_SECONDS = 300;

/** Quota alarms fire at this share of an account quota. */
const HIGH = 0.8;

/** Functions that Lambda invokes asynchronously, from its queue. */
const ASYNCHRONOUS = ['RunDurableLambdaFunction', 'RunExpressLambdaFunction', 'DispatchLambdaFunction'];

/**
 * The alarms of a service, for problems that need a person. They cover every function and queue of the template, new ones
 * included, but not failed executions, which concern only their workflow. docs/metrics.md says what to do about each alarm.
 *
 * @param topic - the ARN of the SNS topic that they notify
 * @param quotas - of the account
 */
export const toAlarms = (
  { Resources }: Template,
  prefix: string,
  topic: string,
  quotas: Deployment['quotas'],
): Record<string, TemplateResource> => {
  const idsOf = (type: string) => Object.keys(Resources).filter((id) => Resources[id]?.Type === type);
  const toAlarm = (name: string, description: string, properties: object): TemplateResource => ({
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: `${prefix}/${name}`, // a pattern for all of them matches none of another stage
      AlarmDescription: `${description} What to do: docs/metrics.md, Alarms.`,
      AlarmActions: [topic],
      OKActions: [topic],
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 0,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
      ...properties,
    },
  });
  const sum = (metric: Metric) => ({ ...metric, Period: PERIOD_SECONDS, Statistic: 'Sum' });
  const own = (MetricName: string): Metric => ({ Namespace: prefix, MetricName, Dimensions: [] });
  const twice = { EvaluationPeriods: 3, DatapointsToAlarm: 2 };

  const alarms: Record<string, TemplateResource> = {
    ServerErrorsAlarm: toAlarm(
      'server-errors',
      'Requests got a 5xx that no workflow caused.',
      sum(own('ServerErrors')),
    ),
    NotStartedAlarm: toAlarm(
      'not-started',
      'An execution was accepted more than five minutes ago and has not started.',
      {
        ...{ ...own('OldestAcceptedAge'), Period: PERIOD_SECONDS, Statistic: 'Maximum', Threshold: 300 },
        // A sweep checks it again within an hour: the alarm lasts until then.
        ...{ EvaluationPeriods: 14, DatapointsToAlarm: 1 },
      },
    ),
    GivenUpAlarm: toAlarm(
      'given-up',
      'Executions failed because they were not started within a day.',
      sum(own('SweepGivenUp')),
    ),
    SweepFailingAlarm: toAlarm(
      'sweep-failing',
      'The sweeper could not reconcile executions or could not read stored data.',
      {
        ...sum(own('SweepFailed')),
        ...twice,
      },
    ),
    SweepMissingAlarm: toAlarm('sweep-missing', 'No sweep has completed for 15 minutes.', {
      ...sum(own('Sweeps')),
      ...{ ComparisonOperator: 'LessThanThreshold', Threshold: 1, EvaluationPeriods: 3 },
      TreatMissingData: 'breaching',
    }),
    WaitingLateAlarm: toAlarm('waiting-late', 'The sweeper does not keep up with waiting executions.', {
      ...{ ...own('OldestWaitingDueAge'), Period: PERIOD_SECONDS, Statistic: 'Maximum', Threshold: 3_600 },
      ...twice,
    }),
    ConcurrencyAlarm: toAlarm('concurrency', "Concurrent executions are close to the account's quota.", {
      ...{ Namespace: 'AWS/Lambda', MetricName: 'ConcurrentExecutions', Dimensions: [] },
      ...{ Period: PERIOD_SECONDS, Statistic: 'Maximum', Threshold: HIGH * quotas.concurrency },
    }),
    StoreThrottlesAlarm: toAlarm('store-throttles', 'DynamoDB throttles the functions.', {
      ...sum(own('StoreThrottles')),
      ...twice,
    }),
  };
  for (const id of idsOf('AWS::SQS::Queue'))
    alarms[`${id}Alarm`] = toAlarm(toName(id), 'A dead-letter queue has had messages for 15 minutes.', {
      EvaluationPeriods: 3,
      // A message that was received and failed stays hidden for the queue's visibility timeout.
      Metrics: [
        { Id: 'messages', Expression: 'visible + taken', Label: 'messages' },
        toQuery('visible', messagesOf(id, 'Visible')),
        toQuery('taken', messagesOf(id, 'NotVisible')),
      ],
    });
  for (const id of idsOf('AWS::DynamoDB::Table'))
    alarms[`${id}ThrottlesAlarm`] = toAlarm(`${toName(id)}-throttles`, 'DynamoDB throttles this table.', {
      ...twice,
      Metrics: [
        { Id: 'events', Expression: 'SUM(METRICS())', Label: 'events' },
        ...throttlesOf(id, Resources[id]).map((metric, at) => toQuery(`m${at}`, metric, 'Sum')),
      ],
    });
  for (const id of idsOf('AWS::Lambda::Function')) {
    const name = id.replace(/LambdaFunction$/, '');
    if (id === 'RunDurableLambdaFunction')
      alarms.DurableStartsAlarm = toAlarm(
        'durable-starts',
        'Starts of durable runs are close to the quota.',
        {
          ...sum(ofFunction(id, 'DurableExecutionStarted')),
          ...twice,
          Threshold: HIGH * quotas.durableStarts * PERIOD_SECONDS,
        },
      );
    if (id === 'AggregateLambdaFunction')
      alarms.AggregateIteratorAgeAlarm = toAlarm(
        'aggregate-iterator-age',
        'Changes of tables have waited for the statistics for more than an hour.',
        {
          ...{ ...ofFunction(id, 'IteratorAge'), Period: PERIOD_SECONDS, Statistic: 'Maximum' },
          ...{ ...twice, Threshold: 3_600_000 }, // milliseconds; a stream keeps a change for a day
        },
      );
    if (ASYNCHRONOUS.includes(id))
      alarms[`${name}EventAgeAlarm`] = toAlarm(
        `${toName(name)}-event-age`,
        'Events have waited for the function for more than five minutes.',
        {
          ...{ ...ofFunction(id, 'AsyncEventAge'), Period: PERIOD_SECONDS, Statistic: 'Maximum' },
          ...{ ...twice, Threshold: 300_000 }, // milliseconds
        },
      );
    alarms[`${name}ErrorsAlarm`] = toAlarm(
      `${toName(name)}-errors`,
      'The function failed, ran out of time or memory, or could not start.',
      sum(ofFunction(id, 'Errors')),
    );
    alarms[`${name}ThrottlesAlarm`] = toAlarm(
      `${toName(name)}-throttles`,
      'Lambda refused invocations of the function because a concurrency limit was reached.',
      sum(ofFunction(id, 'Throttles')),
    );
  }
  return alarms;
};

const ofFunction = (id: string, MetricName: string): Metric => ({
  Namespace: 'AWS/Lambda',
  MetricName,
  Dimensions: [{ Name: 'FunctionName', Value: { Ref: id } }],
});

/** A throttled index rejects the write to its table; reads of an index count for it alone. */
const throttlesOf = (id: string, table: TemplateResource | undefined): readonly Metric[] => {
  const { GlobalSecondaryIndexes = [] } = (table?.Properties ?? {}) as {
    readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string }[];
  };
  const ofTable = (MetricName: string, indexName?: string): Metric => ({
    Namespace: 'AWS/DynamoDB',
    MetricName,
    Dimensions: [
      { Name: 'TableName', Value: { Ref: id } },
      ...(indexName === undefined ? [] : [{ Name: 'GlobalSecondaryIndexName', Value: indexName }]),
    ],
  });
  return [
    ofTable('ReadThrottleEvents'),
    ofTable('WriteThrottleEvents'),
    ...GlobalSecondaryIndexes.flatMap(({ IndexName }) => [
      ofTable('ReadThrottleEvents', IndexName),
      ofTable('WriteThrottleEvents', IndexName),
    ]),
  ];
};

const messagesOf = (id: string, which: 'Visible' | 'NotVisible'): Metric => ({
  Namespace: 'AWS/SQS',
  MetricName: `ApproximateNumberOfMessages${which}`,
  Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [id, 'QueueName'] } }],
});

const toQuery = (Id: string, metric: Metric, Stat = 'Maximum') => ({
  Id,
  MetricStat: { Metric: metric, Period: PERIOD_SECONDS, Stat },
  ReturnData: false,
});

/** Converts an id like `TriggerDeadLetterQueue` to `trigger-dead-letter-queue`. */
const toName = (id: string): string => id.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
