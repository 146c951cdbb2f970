import { idsOfType, type Template, type TemplateResource } from './cloudformation.ts';

type Row = readonly unknown[];

const WIDTH = 12;
const HEIGHT = 6;

/** A dashboard of the service, two graphs per row: executions, requests, the sweeper, functions, queues, the gateway. */
export const toDashboard = (template: Template, prefix: string): TemplateResource => {
  const functions = idsOfType(template, 'AWS::Lambda::Function');
  const own = (name: string): Row => [prefix, name];
  const ofFunctions = (name: string): Row[] =>
    functions.map((id) => ['AWS/Lambda', name, 'FunctionName', `\${${id}}`]);
  const gateway = (name: string): Row => ['AWS/ApiGateway', name, 'ApiId', `\${HttpApi}`];

  const percentiles = (row: Row): Row[] =>
    ['p50', 'p90', 'p99'].map((stat) => [...row, { stat, label: stat }]);
  const ends = ['Started', 'Succeeded', 'Failed', 'TimedOut', 'Cancelled'];
  const found = ['Redispatched', 'GivenUp', 'Reconciled', 'Republished', 'Failed'];

  const graphs = [
    toGraph(
      'Executions',
      ends.map((end) => own(`Executions${end}`)),
    ),
    toGraph('Duration of executions, ms', percentiles(own('ExecutionDuration'))),
    toGraph('Refused requests, by code', [
      [{ expression: `SEARCH('{"${prefix}",code} MetricName="RefusedRequests"', 'Sum', 300)`, label: '' }],
    ]),
    toGraph('Requests to the gateway', ['Count', '4xx', '5xx'].map(gateway)),
    toGraph('Time to answer, ms', percentiles(gateway('Latency'))),
    toGraph('Age of the oldest execution waiting for the sweeper, s', [
      [...own('OldestAcceptedAge'), { stat: 'Maximum' }],
      [...own('OldestWaitingDueAge'), { stat: 'Maximum' }],
    ]),
    toGraph(
      'What the sweeper found',
      found.map((name) => own(`Sweep${name}`)),
    ),
    toGraph('Service errors', [own('ServerErrors'), own('StoreThrottles')]),
    toGraph('Errors of functions', ofFunctions('Errors')),
    toGraph('Throttles of functions', ofFunctions('Throttles')),
    toGraph(
      'Messages in dead-letter queues',
      idsOfType(template, 'AWS::SQS::Queue').map((id) => [
        'AWS/SQS',
        'ApproximateNumberOfMessagesVisible',
        'QueueName',
        `\${${id}.QueueName}`,
        { stat: 'Maximum', label: id },
      ]),
    ),
    toGraph(
      'Concurrent invocations',
      ofFunctions('ConcurrentExecutions').map((row) => [...row, { stat: 'Maximum' }]),
    ),
  ];
  const widgets = graphs.map((graph, at) => ({
    ...graph,
    x: (at % 2) * WIDTH,
    y: Math.floor(at / 2) * HEIGHT,
    width: WIDTH,
    height: HEIGHT,
  }));
  return {
    Type: 'AWS::CloudWatch::Dashboard',
    Properties: { DashboardName: prefix, DashboardBody: { 'Fn::Sub': JSON.stringify({ widgets }) } },
  };
};

/** Documented at https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html */
const toGraph = (title: string, metrics: readonly Row[]) => ({
  type: 'metric',
  properties: { title, view: 'timeSeries', region: `\${AWS::Region}`, period: 300, stat: 'Sum', metrics },
});
