import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { readFunctions, toVersion } from '../../src/stage/deployed-functions.ts';
import { resolveTemplate } from '../../src/stage/door/template.ts';
import { createFindFunction } from '../../src/stage/stage-lambda.ts';

const template = resolveTemplate(
  {
    Resources: {
      RunRole: { Type: 'AWS::IAM::Role', Properties: { RoleName: 'run' } },
      Dead: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'dead' } },
      RunLambdaFunction: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          FunctionName: 'shop-dev-run',
          Handler: 'functions/run.handler',
          Timeout: 7,
          MemorySize: 512,
          Role: { 'Fn::GetAtt': ['RunRole', 'Arn'] },
          Environment: { Variables: { QUEUE: { Ref: 'Dead' }, STAGE: 'dev' } },
          DeadLetterConfig: { TargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] } },
          DurableConfig: { ExecutionTimeout: 60 },
        },
      },
      RunAlias: {
        Type: 'AWS::Lambda::Alias',
        Properties: { FunctionName: { Ref: 'RunLambdaFunction' }, Name: 'live' },
      },
      OtherLambdaFunction: {
        Type: 'AWS::Lambda::Function',
        Properties: { FunctionName: 'shop-dev-runOther', Handler: 'functions/other.handler', Role: 'arn' },
      },
    },
  },
  { account: '000000000000', region: 'eu-west-1', stackName: 'shop-dev' },
);
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const functions = readFunctions(template);
const [run, other] = functions;
const arn = 'arn:aws:lambda:eu-west-1:000000000000:function:shop-dev-run';

test('a function is configured as in the template', () => {
  expect(run).toMatchObject({
    key: 'run',
    zip: 'run',
    name: 'shop-dev-run',
    arn,
    role: 'arn:aws:iam::000000000000:role/run',
    timeoutMs: 7_000,
    memoryMegabytes: 512,
    isDurable: true,
    deadLetters: 'arn:aws:sqs:eu-west-1:000000000000:dead',
    aliases: { live: '1' },
  });
  expect(other).toMatchObject({
    key: 'runOther',
    timeoutMs: 3_000,
    isDurable: false,
    deadLetters: null,
    aliases: {},
  });
});

test('its environment has only the variables of the template and those set by Lambda', () => {
  if (run === undefined) throw new Error('there is no function');
  const keys = { accessKeyId: 'ASIA', secretAccessKey: 'secret', sessionToken: 'token' };
  const folder = mkdtempSync(join(tmpdir(), 'zip-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  expect(() => toVersion(run, { folder, region: 'eu-west-1', keys })).toThrow(
    /none of .*run\.js, .*run\.cjs/,
  );
  mkdirSync(join(folder, 'functions'));
  for (const extension of ['mjs', 'cjs']) writeFileSync(join(folder, `functions/run.${extension}`), '');
  const { environment, file, exportName } = toVersion(run, { folder, region: 'eu-west-1', keys });
  expect([file, exportName]).toEqual([join(folder, 'functions/run.mjs'), 'handler']);
  expect(environment).toEqual({
    QUEUE: 'https://sqs.eu-west-1.amazonaws.com/000000000000/dead',
    STAGE: 'dev',
    _HANDLER: 'functions/run.handler',
    LAMBDA_TASK_ROOT: folder,
    AWS_REGION: 'eu-west-1',
    AWS_DEFAULT_REGION: 'eu-west-1',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: 'shop-dev-run',
    AWS_LAMBDA_FUNCTION_VERSION: '1',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
    AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/shop-dev-run',
    AWS_LAMBDA_LOG_STREAM_NAME: expect.any(String),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_ACCESS_KEY_ID: 'ASIA',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
  });
});

test.each([
  ['shop-dev-run:live', null],
  ['shop-dev-run', 'live'],
  [`${arn}:live`, null],
  ['000000000000:function:shop-dev-run:live', null],
])('Lambda finds the durable function as %s, qualified by %s', (name, qualifier) => {
  const found = { key: 'run', isDurable: true, invokedArn: `${arn}:live` };
  expect(createFindFunction(functions)(name, qualifier)).toEqual(found);
});

test.each([
  ['shop-dev-run', null, 'unqualified ARN'],
  ['shop-dev-run:other', null, 'Function not found'],
  ['shop-dev-ru', null, 'Function not found'],
  ['shop-dev-runOther', 'live', 'Function not found'],
])('Lambda refuses %s, qualified by %s', (name, qualifier, message) => {
  expect(() => createFindFunction(functions)(name, qualifier)).toThrow(message);
});
