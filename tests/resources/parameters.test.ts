import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ParameterError, readParameters } from '../../resources/parameters.ts';
import { projectRoot } from '../support/run-command.ts';

const file = parse(readFileSync(join(projectRoot, 'serverless.yml'), 'utf8'), { logLevel: 'silent' });
const defaults: Readonly<Record<string, unknown>> = file.params.default;

const read = (raw: Readonly<Record<string, unknown>> = {}) =>
  readParameters(
    { ...defaults, ...raw },
    { region: 'eu-central-1', functions: ['webhook', 'sweep', 'runExpress'] },
  );

const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:operators';
const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/0f1e2d3c-0000-4000-8000-000000000000';
const CERTIFICATE = 'arn:aws:acm:eu-central-1:123456789012:certificate/0f1e2d3c-0000-4000-8000-000000000000';
const COLLECTOR = 'https://collector.example.com:4318/v1/traces';
const BUS = 'arn:aws:events:eu-central-1:210987654321:event-bus/orders';

// holds: extras-off-by-default
test('the defaults of serverless.yml request nothing that costs or that a small account could not deploy', () => {
  expect(read()).toEqual({
    alarmTopic: null,
    hasDashboard: false,
    hasRouteMetrics: false,
    hasTracing: false,
    traces: null,
    eventBus: null,
    adoptsData: false,
    tableUpdates: 'all',
    blobBucket: { kind: 'stage' },
    hasDeletionProtection: false,
    kmsKey: null,
    tags: {},
    domain: null,
    throttling: {
      webhook: { requestsPerSecond: 500, burst: 1_000 },
      callback: { requestsPerSecond: 100, burst: 200 },
      admin: { requestsPerSecond: 50, burst: 100 },
    },
    reservedConcurrency: {},
    warmWrites: null,
    quotas: { concurrency: 1_000, durableStarts: 300 },
  });
});

test.each([
  ['alarmTopic', TOPIC, { alarmTopic: TOPIC }],
  ['dashboard', 'true', { hasDashboard: true }],
  ['routeMetrics', 'true', { hasRouteMetrics: true }],
  ['tracing', 'true', { hasTracing: true }],
  ['traces', COLLECTOR, { traces: COLLECTOR }],
  ['traces', 'http://localhost:4318/v1/traces', { traces: 'http://localhost:4318/v1/traces' }],
  ['traceRatio', '0.05', {}],
  ['eventBus', 'default', { eventBus: { name: 'default' } }],
  ['eventBus', 'Orders_2.eu-1', { eventBus: { name: 'Orders_2.eu-1' } }],
  ['eventBus', BUS, { eventBus: { arn: BUS } }],
  ['adoptData', 'true', { adoptsData: true }],
  ['adoptData', true, { adoptsData: true }],
  ['tableUpdates', 'first', { tableUpdates: 'first' }],
  ['blobBucket', 'generated', { blobBucket: { kind: 'generated' } }],
  [
    'blobBucket',
    'hookloom-dev-blobbucket-1a2b',
    { blobBucket: { kind: 'named', name: 'hookloom-dev-blobbucket-1a2b' } },
  ],
  ['deletionProtection', 'true', { hasDeletionProtection: true }],
  ['kmsKey', KEY, { kmsKey: KEY }],
  ['tags', 'team=payments, cost centre=4711', { tags: { team: 'payments', 'cost centre': '4711' } }],
  ['warmWrites', '40000', { warmWrites: 40_000 }],
  ['quotas', 'concurrency=5000', { quotas: { concurrency: 5_000, durableStarts: 300 } }],
  ['quotas', 'durableStarts=900, concurrency=2000', { quotas: { concurrency: 2_000, durableStarts: 900 } }],
  ['reservedConcurrency', 'sweep=5,runExpress=200', { reservedConcurrency: { sweep: 5, runExpress: 200 } }],
])('%s can be %s', (name, value, expected) => {
  expect(read({ [name]: value })).toMatchObject(expected);
});

test('a domain requires a certificate, and a hosted zone for its record', () => {
  const domain = { domain: 'hooks.example.com', certificate: CERTIFICATE };
  const parts = { name: 'hooks.example.com', certificate: CERTIFICATE };
  expect(read(domain).domain).toEqual({ ...parts, hostedZone: null });
  expect(read({ ...domain, hostedZone: `Z1${'A'.repeat(12)}` }).domain).toEqual({
    ...parts,
    hostedZone: `Z1${'A'.repeat(12)}`,
  });
});

describe('a value that AWS would refuse, or that has no effect, is refused with its parameter', () => {
  test.each([
    ['eventBus', 'my bus', /^eventBus must be the name of an EventBridge bus.* but is "my bus"$/],
    ['eventBus', 'orders/eu', /^eventBus must be the name/],
    ['eventBus', 'b'.repeat(257), /^eventBus must be the name/],
    ['eventBus', '', /^eventBus must be the name/],
    ['eventBus', 'arn:aws:events:eu-central-1:1:event-bus/a', /^eventBus must be the name/],
    ['eventBus', 'arn:aws:sqs:eu-central-1:123456789012:orders', /^eventBus must be the name/],
    [
      'eventBus',
      BUS.replace('eu-central-1', 'us-east-1'),
      /^eventBus must be a bus in eu-central-1: only a rule/,
    ],
    ['traces', 'http://collector.example.com/v1/traces', /^traces must be the https URL/],
    ['traces', 'https://collector.example.com', /^traces must be .* with its path/],
    ['traces', 'https://me:key@collector.example.com/v1/traces', /^traces must be .* without credentials/],
    ['traces', 'collector', /^traces must be the https URL/],
    ['traceRatio', '5%', /^traceRatio must be a number from 0 to 1/],
    ['traceRatio', '1.5', /^traceRatio must be/],
    ['traceHeaders', 'grafana', /^traceHeaders has no effect without traces$/],
    ['traceHeaders', '/hookloom-dev/traces/a', /^traceHeaders must be the last part of the name/],
    ['adoptData', 'yes', /^adoptData must be true or false, but is "yes"$/],
    ['tableUpdates', 'second', /^tableUpdates must be all or first, but is "second"$/],
    ['blobBucket', 'My_Bucket', /^blobBucket must be stage, generated, or the name of a bucket/],
    ['alarmTopic', 'me@example.com', /^alarmTopic must be the ARN of a standard SNS topic in eu-central-1/],
    ['alarmTopic', TOPIC.replace('central', 'west'), /^alarmTopic must be/],
    ['alarmTopic', `${TOPIC}.fifo`, /^alarmTopic must be/],
    ['kmsKey', 'alias/mine', /^kmsKey must be the ARN of a KMS key in eu-central-1/],
    [
      'kmsKey',
      KEY.replace('eu-central-1', 'us-east-1'),
      /^kmsKey must be the ARN of a KMS key in eu-central-1/,
    ],
    ['tags', 'team', /^tags must be at most 45 tags/],
    ['tags', 'team=a,team=b', /^tags must be/],
    ['tags', 'aws:team=a', /^tags must be/],
    ['webhookRate', '0', /^webhookRate must be a whole number from 1/],
    ['adminBurst', 'none', /^adminBurst must be a number$/],
    ['quotas', 'concurrency', /^quotas must be name=number,name=number, of concurrency and durableStarts/],
    ['quotas', 'concurrency=0', /^quotas must be/],
    ['quotas', 'rules=300', /^quotas must be/],
    ['warmWrites', '4000', /^warmWrites must be a whole number above 4000/],
    ['warmWrites', 'many', /^warmWrites must be a whole number above 4000/],
    ['reservedConcurrency', 'sweeper=5', /^reservedConcurrency must name functions .*"sweeper"/],
    ['reservedConcurrency', 'sweep=0', /^reservedConcurrency needs a whole number of at least 1 for sweep/],
    ['reservedConcurrency', 'sweep', /^reservedConcurrency must be function=number/],
    ['domain', 'hooks.example.com', /^domain and certificate belong together/],
    ['hostedZone', 'Z123', /^domain and certificate belong together/],
    ['domain', 'https://hooks.example.com', /^domain must be a domain name/],
    [
      'certificate',
      CERTIFICATE.replace('eu-central-1', 'us-east-1'),
      /^certificate must be .* in eu-central-1/,
    ],
  ])('%s: %s', (name, value, message) => {
    expect(() => read({ [name]: value })).toThrow(ParameterError);
    expect(() => read({ [name]: value })).toThrow(message);
  });

  test('all problems are reported at once', () => {
    expect(() => read({ eventBus: 'my bus', adoptData: 'yes' })).toThrow(
      /^eventBus [^\n]+\nadoptData [^\n]+$/,
    );
  });
});
