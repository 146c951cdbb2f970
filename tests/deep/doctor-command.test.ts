import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { SCHEMA_VERSION } from '../../lib/adapters/dynamodb/schema/schema.ts';
import { createSdk, createSdkClient } from '../../lib/adapters/dynamodb/sdk-client.ts';
import { TABLE_KEYS } from '../../lib/adapters/dynamodb/stored-data/check-stored-data.ts';
import { writeStageVersions } from '../../lib/adapters/dynamodb/stored-data/stage-versions.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { isPong } from '../../lib/health/ping.ts';
import { TABLES, type TableShape } from '../../lib/health/tables.ts';
import { askJson } from '../../packages/cli/doctor/ask-aws.ts';
import { readFunctionKeys } from '../../packages/cli/doctor/check-functions.ts';
import { useCommandLine } from '../support/a-command-line.ts';
import { useDenials, useDoctors } from '../support/a-doctor.ts';
import { anExecutionStart } from '../support/a-start.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { functionKeys } from '../support/function-environment.ts';
import { removeIndex } from '../support/remove-index.ts';
import { projectRoot } from '../support/run-command.ts';

const openDoctor = useDoctors();
const openCommandLine = useCommandLine();
const aDenial = useDenials();

test('names the variable that a function lacks', async () => {
  const { findings } = await openDoctor({ missing: { runExpress: ['BLOB_BUCKET'] } });
  expect(await findings('--no-probes')).toEqual({
    code: 1,
    lines: [
      {
        check: 'functions',
        status: 'wrong',
        message: 'runExpress does not start: The configuration is invalid: BLOB_BUCKET is not set.',
        remedy: expect.stringContaining('serverless.yml'),
      },
    ],
  });
});

test('names a clock that is two minutes off', async () => {
  const late = async (_event: unknown, answer: () => Promise<unknown>) => {
    const pong = await answer();
    return isPong(pong) ? { ...pong, time: pong.time + 120_000 } : pong;
  };
  const { findings } = await openDoctor({ answers: { dispatch: late } });
  expect(await findings('--no-probes')).toMatchObject({
    code: 1,
    lines: [
      {
        check: 'clocks',
        status: 'wrong',
        message: 'the clock of dispatch is 120 s ahead of the clock of this machine',
      },
    ],
  });
});

test('detects data of a version that this release does not read', async () => {
  const { findings, dynamodbEndpoint } = await openDoctor();
  const sdk = createSdk(dynamodbEndpoint);
  const versions = { oldest: SCHEMA_VERSION, newest: SCHEMA_VERSION + 1 };
  await writeStageVersions(createSdkClient(sdk), { executions: 'test-executions' }, versions);
  sdk.destroy();
  expect(await findings('--no-probes')).toEqual({
    code: 1,
    lines: [
      {
        check: 'stored data',
        status: 'wrong',
        message:
          'A later release has stored data in version 5 of the schema; this release reads the versions 2 to 4.',
        remedy: 'Continue with that release.',
      },
    ],
  });
});

test('reports a dead letter, a stuck execution and a missing index, each with what to do', async () => {
  const { findings, target, stores, dynamodbEndpoint } = await openDoctor();
  const call = target().doctor.open('sqs');
  const { QueueUrl } = await askJson(call, 'AmazonSQS.GetQueueUrl', {
    QueueName: 'test-trigger-dead-letters',
  });
  await askJson(call, 'AmazonSQS.SendMessage', { QueueUrl, MessageBody: '{}' });
  const startedAt = Date.now() - 600_000;
  await stores.executions.start(
    anExecutionStart({
      executionId: 'stuck',
      workflowId: 'orders',
      status: 'accepted',
      mode: 'express',
      startedAt,
    }),
  );
  const sdk = new DynamoDBClient({
    endpoint: dynamodbEndpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  await removeIndex(sdk, 'test-registrations', 'byNodeType');
  sdk.destroy();
  expect(await findings('--no-probes')).toEqual({
    code: 1,
    lines: [
      {
        check: 'tables',
        status: 'wrong',
        message: 'test-registrations lacks the index byNodeType',
        remedy: expect.stringContaining('serverless.yml'),
      },
      {
        check: 'accepted executions',
        status: 'wrong',
        message: 'stuck of orders was accepted 10 minutes ago and has not started',
        remedy: expect.stringContaining('runExpress'),
      },
      {
        check: 'dead letters',
        status: 'wrong',
        message: 'test-trigger-dead-letters has 1 message',
        remedy: expect.stringContaining('docs/operating.md'),
      },
    ],
  });
});

test('distinguishes its own missing permissions from faults of the service', async () => {
  const denied = await aDenial(
    'arn:aws:iam::123456789012:user/ann',
    'dynamodb:DescribeTable',
    'arn:aws:dynamodb:eu-west-1:123456789012:table/test-workflows',
  );
  const { findings } = await openDoctor({}, { dynamodbEndpoint: denied });
  const { code, lines } = await findings('--no-probes');
  expect([code, lines.map(({ check, status }) => [check, status])]).toEqual([2, [['tables', 'unknown']]]);
  expect(lines[0]?.message).toContain('dynamodb:DescribeTable');
});

test('its ids are refused for any other workflow', async () => {
  const { call, file } = await openCommandLine();
  const definition = aWorkflow({ id: 'hookloom-doctor-mine' });
  expect(await call(['workflow', 'put', file('mine.json', definition)])).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      '/id must not begin with hookloom-doctor-, which is reserved for the doctor',
    ),
  });
});

test('knows the same functions and tables as serverless.yml', () => {
  expect(readFunctionKeys().toSorted()).toEqual([...functionKeys].sort());
  const { resources } = parse(readFileSync(join(projectRoot, 'serverless.yml'), 'utf8'), {
    logLevel: 'silent',
  });
  const all = Object.values(resources.Resources) as { Type: string; Properties: Record<string, never> }[];
  const keyOf = (schema: { AttributeName: string }[]) => schema.map((one) => one.AttributeName).join(' ');
  const expected = all
    .filter(({ Type }) => Type === 'AWS::DynamoDB::Table')
    .map(({ Properties }) => {
      const { TableName, KeySchema, GlobalSecondaryIndexes, TimeToLiveSpecification, ...others } =
        Properties as unknown as {
          TableName: string;
          KeySchema: { AttributeName: string }[];
          GlobalSecondaryIndexes?: { IndexName: string; KeySchema: { AttributeName: string }[] }[];
          TimeToLiveSpecification?: { AttributeName: string };
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: boolean };
        };
      const { PointInTimeRecoveryEnabled } = others.PointInTimeRecoverySpecification;
      const indexes = GlobalSecondaryIndexes?.map((index) => [index.IndexName, keyOf(index.KeySchema)]);
      return [
        TableName.replace(/^.*\}/, 'test'),
        {
          key: keyOf(KeySchema),
          ...(indexes === undefined ? {} : { indexes: Object.fromEntries(indexes) }),
          ...(TimeToLiveSpecification === undefined ? {} : { expiry: TimeToLiveSpecification.AttributeName }),
          ...(PointInTimeRecoveryEnabled ? {} : { isPassing: true }),
        },
      ];
    });
  const names = tableNames('test');
  const known = TABLE_KEYS.map((key) => {
    const { added: _, name, ...shape }: TableShape = TABLES[key];
    expect(`test-${name}`).toBe(names[key]);
    return [names[key], shape];
  });
  expect(Object.fromEntries(known)).toEqual(Object.fromEntries(expected));
});
