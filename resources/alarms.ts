import about from '../package.json' with { type: 'json' };
import { idsOfType, type Template, type TemplateResource } from './cloudformation.ts';
import type { Deployment } from './parameters.ts';

/** A metric as used in an alarm or a graph. */
interface Metric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: object | string }[];
}

const PERIOD_SECONDS = 300;

/** As they are in the version that is deployed: an older stage has other functions and commands. */
const RUNBOOKS = `${about.repository.url.replace(/^git\+|\.git$/g, '')}/blob/v${about.version}/docs/runbooks.md`;

/** Quota alarms fire at this share of an account quota. */
const HIGH = 0.8;

/** Functions that Lambda invokes asynchronously, from its queue. */
const ASYNCHRONOUS = ['RunDurable', 'RunExpress', 'Dispatch'];

/** Functions that read streams of tables, with what it means when they are late. */
const STREAM_READERS: Readonly<Record<string, string>> = {
  Aggregate: 'Changes of tables have waited for the statistics',
  ExportTraces: 'Executions that have ended have waited for the collector of traces',
};

/**
 * The alarms of a service, for problems that need a person. They cover every function and queue of the template, new ones
 * included, but not failed executions, which concern only their workflow. The description of each links to its section of docs/runbooks.md.
 *
 * @param topic - the ARN of the SNS topic that they notify
 * @param quotas - of the account
 */
export const toAlarms = (
  template: Template,
  prefix: string,
  topic: string,
  quotas: Deployment['quotas'],
): Record<string, TemplateResource> => {
  const alarms: Record<string, TemplateResource> = {};
  /** @param runbook - its heading; by default the name of the alarm */
  const add = (id: string, description: string, properties: object, runbook = hyphenate(id)): void => {
    const Properties = {
      AlarmName: `${prefix}/${hyphenate(id)}`, // a pattern for all of them matches none of another stage
      AlarmDescription: `${description} What to do: ${RUNBOOKS}#${runbook}`,
      AlarmActions: [topic],
      OKActions: [topic],
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 0,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
      ...properties,
    };
    alarms[`${id}Alarm`] = { Type: 'AWS::CloudWatch::Alarm', Properties };
  };
  const sum = (metric: Metric) => ({ ...metric, Period: PERIOD_SECONDS, Statistic: 'Sum' });
  const maximum = (metric: Metric, Threshold: number) => ({
    ...metric,
    Period: PERIOD_SECONDS,
    Statistic: 'Maximum',
    Threshold,
  });
  const own = (MetricName: string): Metric => ({ Namespace: prefix, MetricName, Dimensions: [] });
  const twice = { EvaluationPeriods: 3, DatapointsToAlarm: 2 };

  add('ServerErrors', 'Requests got a 5xx that no workflow caused.', sum(own('ServerErrors')));
  add('NotStarted', 'An execution was accepted more than five minutes ago and has not started.', {
    ...maximum(own('OldestAcceptedAge'), 300),
    // A sweep checks it again within an hour: the alarm lasts until then.
    EvaluationPeriods: 14,
    DatapointsToAlarm: 1,
  });
  add('GivenUp', 'Executions failed because they were not started within a day.', sum(own('SweepGivenUp')));
  add('SweepFailing', 'The sweeper could not reconcile executions or could not read stored data.', {
    ...sum(own('SweepFailed')),
    ...twice,
  });
  add('SweepMissing', 'No sweep has completed for 15 minutes.', {
    ...sum(own('Sweeps')),
    ComparisonOperator: 'LessThanThreshold',
    Threshold: 1,
    EvaluationPeriods: 3,
    TreatMissingData: 'breaching',
  });
  add('WaitingLate', 'The sweeper does not keep up with waiting executions.', {
    ...maximum(own('OldestWaitingDueAge'), 3_600),
    ...twice,
  });
  const concurrent = { Namespace: 'AWS/Lambda', MetricName: 'ConcurrentExecutions', Dimensions: [] };
  const limit = HIGH * quotas.concurrency;
  add('Concurrency', "Concurrent executions are close to the account's quota.", maximum(concurrent, limit));
  add('StoreThrottles', 'DynamoDB throttles the functions.', { ...sum(own('StoreThrottles')), ...twice });

  for (const id of idsOfType(template, 'AWS::SQS::Queue'))
    add(id, 'A dead-letter queue has had messages for 15 minutes.', {
      EvaluationPeriods: 3,
      // A message that was received and failed stays hidden for the queue's visibility timeout.
      Metrics: [
        { Id: 'messages', Expression: 'visible + taken', Label: 'messages' },
        toQuery('visible', messagesOf(id, 'Visible')),
        toQuery('taken', messagesOf(id, 'NotVisible')),
      ],
    });
  for (const id of idsOfType(template, 'AWS::DynamoDB::Table'))
    add(
      `${id}Throttles`,
      'DynamoDB throttles this table.',
      {
        ...twice,
        Metrics: [
          { Id: 'events', Expression: 'SUM(METRICS())', Label: 'events' },
          ...throttlesOf(id, template.Resources[id]).map((metric, at) => toQuery(`m${at}`, metric, 'Sum')),
        ],
      },
      'table-throttles',
    );
  for (const id of idsOfType(template, 'AWS::Lambda::Function')) {
    const name = id.replace(/LambdaFunction$/, '');
    if (name === 'RunDurable')
      add('DurableStarts', 'Starts of durable runs are close to the quota.', {
        ...sum(ofFunction(id, 'DurableExecutionStarted')),
        ...twice,
        Threshold: HIGH * quotas.durableStarts * PERIOD_SECONDS,
      });
    const waiting = STREAM_READERS[name];
    if (waiting !== undefined)
      add(`${name}IteratorAge`, `${waiting} for more than an hour.`, {
        ...maximum(ofFunction(id, 'IteratorAge'), 3_600_000), // milliseconds; a stream keeps a change for a day
        ...twice,
      });
    if (ASYNCHRONOUS.includes(name))
      add(
        `${name}EventAge`,
        'Events have waited for the function for more than five minutes.',
        {
          ...maximum(ofFunction(id, 'AsyncEventAge'), 300_000), // milliseconds
          ...twice,
        },
        'function-event-age',
      );
    const failed = 'The function failed, ran out of time or memory, or could not start.';
    add(`${name}Errors`, failed, sum(ofFunction(id, 'Errors')), 'function-errors');
    const refused = 'Lambda refused invocations of the function because a concurrency limit was reached.';
    add(`${name}Throttles`, refused, sum(ofFunction(id, 'Throttles')), 'function-throttles');
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
const hyphenate = (id: string): string => id.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
