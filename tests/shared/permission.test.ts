import { describe, expect, test } from '@jest/globals';
import { toPermissions, toStatements } from '../../lib/shared/iam/permission.ts';

const own = (service: string, resource: string) =>
  `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${resource}`;
const bucket = (path: string) => `arn:\${AWS::Partition}:s3:::${path}`;

type Case = readonly [service: string, operation: string, input: object, permissions: readonly string[]];

const cases: readonly Case[] = [
  ['dynamodb', 'getItem', { TableName: 'a' }, [`dynamodb:GetItem ${own('dynamodb', 'table/a')}`]],
  [
    'dynamodb',
    'Query',
    { TableName: 'a', IndexName: 'i' },
    [`dynamodb:Query ${own('dynamodb', 'table/a/index/i')}`],
  ],
  [
    'dynamodb',
    'BatchWriteItem',
    { RequestItems: { a: [], b: [] } },
    ['a', 'b'].map((name) => `dynamodb:BatchWriteItem ${own('dynamodb', `table/${name}`)}`),
  ],
  [
    'dynamodb',
    'TransactWriteItems',
    { TransactItems: [{ Put: { TableName: 'a' } }, { ConditionCheck: { TableName: 'b' } }] },
    [
      `dynamodb:PutItem ${own('dynamodb', 'table/a')}`,
      `dynamodb:ConditionCheckItem ${own('dynamodb', 'table/b')}`,
    ],
  ],
  ['s3', 'HeadObject', { Bucket: 'b', Key: 'k/1' }, [`s3:GetObject ${bucket('b/k/1')}`]],
  ['s3', 'ListObjectsV2', { Bucket: 'b', Prefix: 'k' }, [`s3:ListBucket ${bucket('b')}`]],
  [
    's3',
    'DeleteObjects',
    { Bucket: 'b', Delete: { Objects: [{ Key: 'k' }] } },
    [`s3:DeleteObject ${bucket('b/k')}`],
  ],
  [
    's3',
    'CopyObject',
    { Bucket: 'b', Key: 'k', CopySource: '/from/old/k?versionId=1' },
    [`s3:PutObject ${bucket('b/k')}`, `s3:GetObject ${bucket('from/old/k')}`],
  ],
  ['s3', 'ListBuckets', {}, ['s3:ListAllMyBuckets *']],
  [
    'lambda',
    'Invoke',
    { FunctionName: 'f', Qualifier: 'live' },
    [`lambda:InvokeFunction ${own('lambda', 'function:f:live')}`],
  ],
  [
    'sns',
    'PublishBatch',
    { TopicArn: 'arn:aws:sns:eu-west-1:1:t' },
    ['sns:Publish arn:aws:sns:eu-west-1:1:t'],
  ],
  [
    'sqs',
    'SendMessageBatch',
    { QueueUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/q' },
    [`sqs:SendMessage arn:\${AWS::Partition}:sqs:eu-west-1:123456789012:q`],
  ],
  [
    'sfn',
    'StartExecution',
    { stateMachineArn: 'arn:aws:states:eu-west-1:1:stateMachine:m' },
    ['states:StartExecution arn:aws:states:eu-west-1:1:stateMachine:m'],
  ],
  [
    'eventbridge',
    'PutEvents',
    { Entries: [{ EventBusName: 'b' }, {}] },
    [
      `events:PutEvents ${own('events', 'event-bus/b')}`,
      `events:PutEvents ${own('events', 'event-bus/default')}`,
    ],
  ],
  [
    'bedrock-runtime',
    'Converse',
    { modelId: 'amazon.nova-lite-v1:0' },
    [
      `bedrock:InvokeModel arn:\${AWS::Partition}:bedrock:\${AWS::Region}::foundation-model/amazon.nova-lite-v1:0`,
    ],
  ],
  [
    'bedrock-runtime',
    'ConverseStream',
    { modelId: 'eu.amazon.nova-lite-v1:0' },
    [
      `bedrock:InvokeModelWithResponseStream ${own('bedrock', 'inference-profile/eu.amazon.nova-lite-v1:0')}`,
      `bedrock:InvokeModelWithResponseStream arn:\${AWS::Partition}:bedrock:*::foundation-model/amazon.nova-lite-v1:0`,
    ],
  ],
  [
    'secrets-manager',
    'GetSecretValue',
    { SecretId: 's' },
    [`secretsmanager:GetSecretValue ${own('secretsmanager', 'secret:s-??????')}`],
  ],
  ['ssm', 'GetParametersByPath', { Path: '/a' }, [`ssm:GetParametersByPath ${own('ssm', 'parameter/a/*')}`]],
  [
    'sesv2',
    'SendEmail',
    { FromEmailAddress: 'Shop <orders@shop.example>' },
    [
      `ses:SendEmail ${own('ses', 'identity/orders@shop.example')}`,
      `ses:SendEmail ${own('ses', 'identity/shop.example')}`,
      `ses:SendRawEmail ${own('ses', 'identity/orders@shop.example')}`,
      `ses:SendRawEmail ${own('ses', 'identity/shop.example')}`,
    ],
  ],
  [
    'rds-data',
    'ExecuteStatement',
    {
      resourceArn: 'arn:aws:rds:eu-west-1:1:cluster:c',
      secretArn: 'arn:aws:secretsmanager:eu-west-1:1:secret:s',
    },
    [
      'rds-data:ExecuteStatement arn:aws:rds:eu-west-1:1:cluster:c',
      'secretsmanager:GetSecretValue arn:aws:secretsmanager:eu-west-1:1:secret:s',
    ],
  ],
  ['kms', 'Decrypt', { KeyId: 'alias/a' }, ['kms:Decrypt *']],
  ['kms', 'Decrypt', { KeyId: 'k-1' }, [`kms:Decrypt ${own('kms', 'key/k-1')}`]],
  ['translate', 'TranslateText', { Text: 'a' }, ['translate:TranslateText *']],
  ['constructor', 'toString', {}, ['constructor:ToString *']],
];

test.each(cases)('%s %s with %j', (service, operation, input, permissions) => {
  const found = toPermissions({ service, operation, input: input as Record<string, unknown> });
  expect(found.map(({ action, resource }) => `${action} ${resource}`)).toEqual(permissions);
});

describe('a statement', () => {
  test('has the region of the call', () => {
    const call = { service: 'sns', operation: 'Publish', region: 'us-east-1', input: { TopicArn: 't' } };
    expect(toPermissions(call)[0]?.resource).toContain(':sns:us-east-1:');
  });

  test('exists for each resource, with variables left to CloudFormation', () => {
    const permissions = ['b:Two', 'a:One', 'b:Two'].map((action) => ({
      action,
      resource: '*',
      isExact: true,
    }));
    const variable = { action: 'c:Three', resource: own('c', 'd'), isExact: true };
    expect(toStatements([...permissions, variable])).toEqual([
      { Effect: 'Allow', Action: ['a:One', 'b:Two'], Resource: '*' },
      { Effect: 'Allow', Action: ['c:Three'], Resource: { 'Fn::Sub': own('c', 'd') } },
    ]);
  });
});

test('names what an input leaves open', () => {
  const isExact = (input: Record<string, unknown>) =>
    toPermissions({ service: 's3', operation: 'GetObject', input }).map((permission) => permission.isExact);
  expect(isExact({ Bucket: 'b', Key: 'k' })).toEqual([true]);
  expect(isExact({ Bucket: 'b', Key: 'reports/*.csv' })).toEqual([false]);
  expect(isExact({})).toEqual([false]);
});
