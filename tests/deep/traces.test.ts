import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { aCollector } from '../support/a-collector.ts';
import { checkTemplate, type Template } from '../support/check-template.ts';
import { openPackagedFunction } from '../support/packaged-function.ts';
import { grantsOf } from '../support/role-grants.ts';
import { projectRoot } from '../support/run-command.ts';
import { runFramework } from '../support/run-framework.ts';

const TRACES = 'https://collector.example.com/v1/traces';

let folder: string;
let template: Template;
const resourceOf = (id: string) => template.Resources[id]?.Properties ?? {};
const variablesOf = (id: string): Readonly<Record<string, unknown>> =>
  (resourceOf(id).Environment as { readonly Variables: Readonly<Record<string, unknown>> }).Variables;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-traces-'));
  const params = [`traces=${TRACES}`, 'traceRatio=0.25', 'traceHeaders=grafana'];
  const options = params.flatMap((param) => ['--param', param]);
  const { code, stdout, stderr } = await runFramework(['package', '--package', folder, ...options]);
  if (code !== 0) throw new Error(`serverless package failed\n${stdout}\n${stderr}`);
  template = JSON.parse(readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a stage with a collector', () => {
  test('has one function more, behind the ends of the stream of executions', () => {
    expect(checkTemplate(template)).toEqual([]);
    expect(readdirSync(folder)).toContain('exportTraces.zip');
    const id = 'ExportTracesEventSourceMappingDynamodbExecutionsTable';
    const { FilterCriteria, ...mapping } = resourceOf(id);
    expect(mapping).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': ['ExecutionsTable', 'StreamArn'] },
      FunctionName: { 'Fn::GetAtt': ['ExportTracesLambdaFunction', 'Arn'] },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRecordAgeInSeconds: 21_600,
    });
    const { Filters } = FilterCriteria as { readonly Filters: readonly { readonly Pattern: string }[] };
    const ends = ['succeeded', 'failed', 'timedOut', 'cancelled'];
    expect(Filters.map(({ Pattern }) => JSON.parse(Pattern).dynamodb.NewImage.status.S)).toEqual([
      ends,
      ends,
    ]);
    const readers = Object.entries(template.Resources).filter(
      ([name, { Type }]) => Type === 'AWS::Lambda::EventSourceMapping' && /ExecutionsTable$/.test(name),
    );
    expect(readers).toHaveLength(2); // DynamoDB supports no more
  });

  test('gives its function what it needs and no more', () => {
    expect(grantsOf(resourceOf('ExportTracesRole'))).toEqual([
      'logs:CreateLogStream ExportTracesLogGroup',
      'logs:PutLogEvents ExportTracesLogGroup',
      'dynamodb:DescribeStream ExecutionsTable/stream/*',
      'dynamodb:GetRecords ExecutionsTable/stream/*',
      'dynamodb:GetShardIterator ExecutionsTable/stream/*',
      'dynamodb:ListStreams *',
      'ssm:GetParameters parameter/STAGE/traces/*',
    ]);
    expect(variablesOf('ExportTracesLambdaFunction')).toMatchObject({
      TRACES,
      TRACE_RATIO: '0.25',
      TRACE_HEADERS: 'grafana',
    });
  });

  test('says so to the functions whose runs send requests, and to the one that pings', () => {
    for (const name of ['Webhook', 'RunDurable', 'RunExpress', 'AdminHealth'])
      expect(variablesOf(`${name}LambdaFunction`)).toMatchObject({ TRACES, TRACE_RATIO: '0.25' });
    expect(grantsOf(resourceOf('AdminHealthRole')).join('\n')).toContain('ExportTracesLambdaFunction');
  });

  test('sends from the zip, unzipped on its own, what a collector can decode', async () => {
    const collector = await aCollector();
    const zip = join(folder, 'exportTraces.zip');
    const packaged = openPackagedFunction(zip, {
      ...(variablesOf('ExportTracesLambdaFunction') as Readonly<Record<string, string>>),
      TRACE_HEADERS: 'none', // there is no Systems Manager here
    });
    const event = readFileSync(join(projectRoot, 'events/exportTraces.json'), 'utf8');
    const answer = await packaged.answer(event, { TRACES: collector.url });
    await collector.close();
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(collector.received[0]?.spans).toMatchObject([
      {
        name: 'workflow hello',
        traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
        parentSpanId: '00f067aa0ba902b7',
      },
      { name: 'set greet' },
    ]);
    expect(packaged.bundle.content.byteLength).toBeLessThan(45_000);
    expect(statSync(zip).size).toBeLessThan(40_000);
  });
});
