import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { toAlarms } from '../../resources/alarms.ts';
import type { Template } from '../../resources/cloudformation.ts';
import { toDashboard } from '../../resources/dashboard.ts';
import { assumptions } from '../../scripts/cost/prices.ts';
import { useMeasuredServices } from '../support/a-measured-service.ts';
import { readStageTemplate } from '../support/a-stage-template.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { readEmbeddedMetrics } from '../support/embedded-metrics.ts';
import { functionKeys } from '../support/function-environment.ts';
import { alarmsOf, metricsOfAlarm, metricsOfDashboard } from '../support/template-metrics.ts';

const openService = useMeasuredServices();

const TOPIC = 'arn:aws:sns:us-east-1:123456789012:operators';
const HOUR = 3_600_000;
const PARAMETERS = { wait: { seconds: 9 }, stopAndError: { message: 'closed' }, set: { values: { a: 1 } } };

const tables = Object.fromEntries(
  Object.entries(readStageTemplate().Resources).filter(([, { Type }]) => Type === 'AWS::DynamoDB::Table'),
) as Template['Resources'];

/** What of serverless.yml alarms are made for. */
const template: Template = {
  Resources: {
    ...Object.fromEntries(
      functionKeys.map((key) => [
        `${key.charAt(0).toUpperCase()}${key.slice(1)}LambdaFunction`,
        { Type: 'AWS::Lambda::Function' },
      ]),
    ),
    DeadLetterQueue: { Type: 'AWS::SQS::Queue' },
    TriggerDeadLetterQueue: { Type: 'AWS::SQS::Queue' },
    ...tables,
  },
};
const quotas = { concurrency: 1_000, durableStarts: 300 };
const alarms = toAlarms(template, 'test', TOPIC, quotas);
const dashboard = toDashboard(template, 'test');

/** What AWS writes at no cost: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/aws-services-cloudwatch-metrics.html */
const ofAws = [
  ...[
    'Errors',
    'Throttles',
    'ConcurrentExecutions',
    'AsyncEventAge',
    'IteratorAge',
    'DurableExecutionStarted',
  ].map((name) => `AWS/Lambda ${name} FunctionName`),
  'AWS/Lambda ConcurrentExecutions',
  ...['Read', 'Write'].map((access) => `AWS/DynamoDB ${access}ThrottleEvents TableName`),
  ...['Read', 'Write'].map(
    (access) => `AWS/DynamoDB ${access}ThrottleEvents TableName,GlobalSecondaryIndexName`,
  ),
  ...['Visible', 'NotVisible'].map((which) => `AWS/SQS ApproximateNumberOfMessages${which} QueueName`),
  ...['Count', '4xx', '5xx', 'Latency'].map((name) => `AWS/ApiGateway ${name} ApiId`),
];

/** The names of a type of template literals, as the source has them. */
const readMetricNames = (): readonly string[] => {
  const source = readFileSync(new URL('../../lib/shared/metrics.ts', import.meta.url), 'utf8');
  const optionsIn = (union: string) => [...union.matchAll(/'(\w+)'/g)].map(([, option = '']) => option);
  const states = optionsIn(/FinalState = ([^;]+);/.exec(source)?.[1] ?? '');
  const [, type = ''] = /type MetricName =([^;]+);/.exec(source) ?? [];
  return type
    .split(/^ {2}\| /m)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .flatMap((line) => {
      const [, before, union = '', after] = /^`(\w*)\$\{(.*)\}(\w*)`$/.exec(line) ?? [];
      if (before === undefined) return optionsIn(line);
      const options = [...optionsIn(union), ...(union.includes('FinalState') ? states : [])];
      return options.map((option) => `${before}${option}${after}`);
    });
};

test('the page lists all metrics without dimensions, with their number, and the cost counts them', () => {
  const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
  const [table = ''] = page.split('### Of one workflow');
  const listed = [...table.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
  const names = readMetricNames();
  expect([...listed].sort()).toEqual([...names].sort());
  const [, count, codes] = /callers send: (\d+) without dimensions,[^,]+, about (\d+),/s.exec(page) ?? [];
  expect(Number(count)).toBe(names.length);
  expect(assumptions.metrics.value).toBe(names.length + Number(codes));
});

describe('alarms', () => {
  test('and graphs use metrics that the functions or AWS write', async () => {
    let isDown = false;
    let throttles = 0;
    const service = await openService({
      config: { hasAlarms: true },
      dispatch: async () => {
        if (isDown) throw new Error('Lambda is not there');
      },
      decide: (operation) => (operation === 'GetItem' && throttles-- > 0 ? 'throttle' : 'pass'),
    });
    const put = (id: string, type: keyof typeof PARAMETERS, settings: object, responseMode = 'onReceived') =>
      service.put(
        aWorkflow({
          id,
          nodes: [
            {
              id: 'request',
              type: 'webhookTrigger',
              parameters: { path: '/go', method: 'POST', responseMode },
            },
            { id: 'greet', type, parameters: PARAMETERS[type] },
          ],
          settings,
        }),
      );
    await put('wrong', 'stopAndError', {}, 'lastNode');
    await put('slow', 'wait', { timeoutSeconds: 0.01 }, 'lastNode');
    await put('right', 'set', {}, 'lastNode');
    await put('later', 'wait', { execution: 'durable' });
    throttles = 1;
    for (const id of ['wrong', 'slow', 'right', 'later', 'later']) await service.send(id);
    const { executions } = await service.executions.list({ workflowId: 'later', limit: 2 });
    const [first, second] = executions.map(({ executionId }) => executionId);
    await service.cancel(String(first));
    const leaseExpiresAt = Date.now();
    const lease = { leaseOwner: 'arn', leaseExpiresAt, journalSize: 0, crashes: 0, invocations: 1 };
    await service.executions.acquireLease(String(second), lease);
    await service.executions.saveProgress(String(second), { status: 'waiting', leaseExpiresAt });
    await service.executions.extendLease({ executionId: String(second), status: 'waiting' }, leaseExpiresAt);
    await service.sweep({});
    await service.send('later');
    isDown = true;
    await service.send('later');
    await service.sweep({}, HOUR);
    isDown = false;
    for (let hour = 24; hour < 40; hour++) await service.sweep({}, hour * HOUR);
    // Only a bus leaves an end in the outbox, and there is none here.
    const unseen = ['test SweepRepublished'];

    const logged = service.lines
      .flatMap(readEmbeddedMetrics)
      .map(({ namespace, name, dimensions }) => [namespace, name, ...Object.keys(dimensions)].join(' '));
    const written = new Set([...logged, ...unseen, ...ofAws]);
    const named = [...Object.values(alarms).flatMap(metricsOfAlarm), ...metricsOfDashboard(dashboard)];
    expect(named.length).toBeGreaterThan(100);
    expect([...new Set(named)].filter((metric) => !written.has(metric))).toEqual([]);
    // What the search of the dashboard finds.
    expect(written).toContain('test RefusedRequests code');
    expect(JSON.stringify(dashboard)).toContain('{\\\\\\"test\\\\\\",code}');
  });

  test('exist twice for each function, and once for each dead-letter queue', () => {
    for (const key of functionKeys) {
      const Ref = `${key.charAt(0).toUpperCase()}${key.slice(1)}LambdaFunction`;
      const own = Object.values(alarms).filter(({ Properties }) =>
        JSON.stringify(Properties).includes(JSON.stringify({ Ref })),
      );
      const isAsynchronous = ['runDurable', 'runExpress', 'dispatch'].includes(key);
      expect([key, ...own.map(({ Properties }) => Properties?.MetricName)]).toEqual([
        key,
        ...(key === 'runDurable' ? ['DurableExecutionStarted'] : []),
        ...(['aggregate', 'exportTraces'].includes(key) ? ['IteratorAge'] : []),
        ...(isAsynchronous ? ['AsyncEventAge'] : []),
        'Errors',
        'Throttles',
      ]);
    }
    expect(Object.keys(alarms).filter((id) => id.endsWith('QueueAlarm'))).toEqual([
      'DeadLetterQueueAlarm',
      'TriggerDeadLetterQueueAlarm',
    ]);
  });

  test('on a table count the throttles of it and its indexes', () => {
    for (const [id, { Properties }] of Object.entries(tables)) {
      const { GlobalSecondaryIndexes = [] } = Properties as { GlobalSecondaryIndexes?: readonly object[] };
      const alarm = alarms[`${id}ThrottlesAlarm`];
      expect([id, alarm === undefined ? [] : metricsOfAlarm(alarm)]).toEqual([
        id,
        [
          'AWS/DynamoDB ReadThrottleEvents TableName',
          'AWS/DynamoDB WriteThrottleEvents TableName',
          ...GlobalSecondaryIndexes.flatMap(() =>
            ['Read', 'Write'].map(
              (access) => `AWS/DynamoDB ${access}ThrottleEvents TableName,GlobalSecondaryIndexName`,
            ),
          ),
        ],
      ]);
    }
  });

  test('on quotas fire at four fifths of the account’s quota', () => {
    const thresholds = (of: Partial<typeof quotas>) => {
      const { ConcurrencyAlarm, DurableStartsAlarm } = toAlarms(template, 'test', TOPIC, {
        ...quotas,
        ...of,
      });
      return [ConcurrencyAlarm, DurableStartsAlarm].map((alarm) => alarm?.Properties?.Threshold);
    };
    expect(thresholds({})).toEqual([800, 72_000]); // of 300 a second, in five minutes
    expect(thresholds({ concurrency: 5_000, durableStarts: 1_000 })).toEqual([4_000, 240_000]);
  });

  test('notify the topic when they begin and end, but not about failed executions', () => {
    const all = alarmsOf({ Resources: alarms });
    expect(all.length).toBe(Object.keys(alarms).length);
    const names = all.map(([, { Properties = {} }]) => Properties.AlarmName);
    expect(new Set(names).size).toBe(all.length);
    for (const [, { Properties }] of all)
      expect(Properties).toMatchObject({ AlarmActions: [TOPIC], OKActions: [TOPIC] });
    expect(JSON.stringify(alarms)).not.toContain('ExecutionsFailed');
  });

  test('on sweeps are the only ones that missing values raise', () => {
    const raised = Object.entries(alarms).filter(
      ([, { Properties }]) => Properties?.TreatMissingData === 'breaching',
    );
    expect(raised.map(([id]) => id)).toEqual(['SweepMissingAlarm']);
  });

  test('have a row each in the docs, with their cost', () => {
    const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| \[`…\/([\w-]+)`\]\(runbooks\.md#[\w-]+\) \|/gm)].map(
      ([, name]) => name,
    );
    const kinds = Object.entries(alarms).map(([id, { Properties }]) => {
      const name = String(Properties?.AlarmName).replace('test/', '');
      if (/TableThrottlesAlarm$/.test(id)) return 'TABLE-throttles';
      const [, ofFunction] = /^(?!server|store)[\w-]+-(errors|throttles|event-age)$/.exec(name) ?? [];
      return ofFunction === undefined ? name : `FUNCTION-${ofFunction}`;
    });
    expect(rows.sort()).toEqual([...new Set(kinds)].sort());
    const { ExportTracesLambdaFunction: _optional, ...Resources } = template.Resources;
    const ofStage = toAlarms({ Resources }, 'test', TOPIC, quotas);
    const count = Object.values(ofStage).flatMap(metricsOfAlarm).length; // each metric is billed
    const cost = (count * 0.1).toFixed(2);
    expect(page).toContain(`$${cost} a month`);
    const operating = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
    expect(operating).toContain(`| alarms | ${cost} |`);
  });
});
