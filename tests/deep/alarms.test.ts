import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { TemplateResource } from '../../resources/cloudformation.ts';
import { checkTemplate, type Template } from '../support/check-template.ts';
import { readSections } from '../support/page-commands.ts';
import { grantsOf } from '../support/role-grants.ts';
import { runFramework } from '../support/run-framework.ts';
import { alarmsOf, metricsOfAlarm } from '../support/template-metrics.ts';

const params = [
  'alarmTopic=arn:aws:sns:us-east-1:123456789012:operators',
  'dashboard=true',
  'tracing=true',
].flatMap((param) => ['--param', param]);

let folder: string;
let Resources: Record<string, TemplateResource>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-alarms-'));
  const { code, stdout, stderr } = await runFramework(['package', '--package', folder, ...params]);
  if (code !== 0) throw new Error(`serverless package failed\n${stdout}\n${stderr}`);
  ({ Resources } = JSON.parse(
    readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'),
  ));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const functions = (): [string, TemplateResource][] =>
  Object.entries(Resources).filter(([, { Type }]) => Type === 'AWS::Lambda::Function');

test('AWS would accept the template with alarms, dashboard and tracing', () => {
  expect(checkTemplate({ Resources } as Template)).toEqual([]);
});

test('each function has its alarms, and the others use the namespace that the functions write to', () => {
  const alarms = alarmsOf({ Resources });
  const named = alarms.flatMap(([, alarm]) => metricsOfAlarm(alarm));
  expect(named.filter((name) => name.startsWith('AWS/Lambda Errors '))).toHaveLength(functions().length);
  const namespaces = new Set(named.map((name) => name.split(' ')[0]));
  const prefix = JSON.stringify(Resources.SweepLambdaFunction).match(/"TABLE_PREFIX":"([^"]+)"/)?.[1];
  expect([...namespaces].sort()).toEqual(['AWS/DynamoDB', 'AWS/Lambda', 'AWS/SQS', prefix]);
});

test('each alarm links to a runbook', () => {
  const anchors = readSections('docs/runbooks.md').map(({ heading }) => heading.toLowerCase());
  for (const [id, { Properties }] of alarmsOf({ Resources })) {
    const [, anchor] = String(Properties?.AlarmDescription).split('/docs/runbooks.md#');
    expect([id, anchors]).toEqual([id, expect.arrayContaining([anchor])]);
  }
});

test('every function is traced and may send its traces', () => {
  for (const [id, { Properties }] of functions()) {
    expect([id, Properties?.TracingConfig]).toEqual([id, { Mode: 'Active' }]);
    const role = Resources[id.replace('LambdaFunction', 'Role')];
    expect(grantsOf(role?.Properties ?? {})).toEqual(
      expect.arrayContaining(['xray:PutTraceSegments *', 'xray:PutTelemetryRecords *']),
    );
  }
});
