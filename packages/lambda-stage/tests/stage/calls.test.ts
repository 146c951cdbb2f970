import { describe, expect, test } from '@jest/globals';
import { createArns, type Permission, readHost, UnknownCall } from '../../src/stage/door/calls/call.ts';
import { readAccount } from '../../src/stage/door/identities.ts';
import { createPolicies } from '../../src/stage/door/policies.ts';
import { readCall } from '../../src/stage/door/read-call.ts';
import { resolveTemplate } from '../../src/stage/door/template.ts';

const queue = 'arn:aws:sqs:us-east-2:123456789012:orders';
const account = '123456789012';
const region = 'eu-west-1';
const arns = createArns('aws', account, region);
const lookups = {
  findMappedFunction: async () => `arn:aws:lambda:${region}:${account}:function:shop`,
  findDurableExecution: async () => null,
};

interface Sent {
  readonly host?: string;
  readonly method?: string;
  /** Path and query. */
  readonly url?: string;
  readonly target?: string;
  readonly form?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly input?: unknown;
}

const read = async (
  service: string,
  { host, method = 'POST', url = '/', target, form, headers = {}, input }: Sent,
) => {
  const [path = '', query = ''] = url.split('?');
  const destination = readHost(host ?? `${service}.${region}.amazonaws.com`);
  if (destination === null) throw new Error(`${host} is no host`);
  const body =
    form === undefined
      ? input === undefined
        ? ''
        : JSON.stringify(input)
      : String(new URLSearchParams(form));
  const request = {
    method,
    path,
    query: new URLSearchParams(query),
    headers: {
      ...headers,
      ...(target === undefined ? {} : { 'x-amz-target': target }),
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }),
    },
    body: Buffer.from(body),
  };
  return readCall(request, destination, arns, lookups);
};

const show = ({ action, resource, context = {} }: Permission): string =>
  [action, resource, ...Object.entries(context).map(([key, value]) => `${key}=${value}`)]
    .join(' ')
    .replaceAll(`:${region}:${account}:`, '::');

const ofTable = (operation: string, input: object): Sent => ({
  target: `DynamoDB_20120810.${operation}`,
  input,
});
const ofEvents = (operation: string, input: object): Sent => ({ target: `AWSEvents.${operation}`, input });
const ofQueue = (operation: string, input: object): Sent => ({ target: `AmazonSQS.${operation}`, input });
const ofLogs = (operation: string, input: object): Sent => ({ target: `Logs_20140328.${operation}`, input });
const ofBucket = (method: string, url: string, headers = {}): Sent => ({
  host: `orders.s3.${region}.amazonaws.com`,
  method,
  url,
  headers,
});
const role = `arn:aws:iam::${account}:role/timer`;

const calls: readonly (readonly [string, Sent, readonly string[]])[] = [
  [
    'dynamodb',
    ofTable('Query', { TableName: 'orders', IndexName: 'byDate' }),
    ['dynamodb:Query arn:aws:dynamodb::table/orders/index/byDate'],
  ],
  [
    'dynamodb',
    ofTable('Scan', { TableName: `arn:aws:dynamodb:us-east-2:${account}:table/orders` }),
    [`dynamodb:Scan arn:aws:dynamodb:us-east-2:${account}:table/orders`],
  ],
  [
    'dynamodb',
    ofTable('BatchGetItem', { RequestItems: { a: {}, b: {} } }),
    ['dynamodb:BatchGetItem arn:aws:dynamodb::table/a', 'dynamodb:BatchGetItem arn:aws:dynamodb::table/b'],
  ],
  [
    'dynamodb',
    ofTable('TransactWriteItems', {
      TransactItems: [{ Put: { TableName: 'a' } }, { ConditionCheck: { TableName: 'b' } }],
    }),
    ['dynamodb:PutItem arn:aws:dynamodb::table/a', 'dynamodb:ConditionCheckItem arn:aws:dynamodb::table/b'],
  ],
  ['dynamodb', ofTable('ListTables', {}), ['dynamodb:ListTables *']],
  [
    'dynamodb',
    ofTable('DescribeContinuousBackups', { TableName: 'a' }),
    ['dynamodb:DescribeContinuousBackups arn:aws:dynamodb::table/a'],
  ],
  [
    'ssm',
    { target: 'AmazonSSM.GetParameter', input: { Name: '/shop/a' } },
    ['ssm:GetParameter arn:aws:ssm::parameter/shop/a'],
  ],
  [
    'ssm',
    { target: 'AmazonSSM.GetParametersByPath', input: { Path: '/shop' } },
    ['ssm:GetParametersByPath arn:aws:ssm::parameter/shop'],
  ],
  [
    'ssm',
    { target: 'AmazonSSM.GetParameters', input: { Names: ['a', '/b'] } },
    ['ssm:GetParameters arn:aws:ssm::parameter/a', 'ssm:GetParameters arn:aws:ssm::parameter/b'],
  ],
  [
    'secretsmanager',
    { target: 'secretsmanager.GetSecretValue', input: { SecretId: 'shop/db' } },
    ['secretsmanager:GetSecretValue arn:aws:secretsmanager::secret:shop/db-AbCdEf'],
  ],
  [
    'events',
    ofEvents('PutEvents', { Entries: [{}, { EventBusName: 'orders' }] }),
    [
      'events:PutEvents arn:aws:events::event-bus/default',
      'events:PutEvents arn:aws:events::event-bus/orders',
    ],
  ],
  [
    'events',
    ofEvents('PutRule', { Name: 'a', EventBusName: 'default' }),
    ['events:PutRule arn:aws:events::rule/a'],
  ],
  [
    'events',
    ofEvents('PutTargets', {
      Rule: 'a',
      EventBusName: 'orders',
      Targets: [{ Id: '1', Arn: queue, RoleArn: role }],
    }),
    [
      `events:PutTargets arn:aws:events::rule/orders/a events:TargetArn=${queue}`,
      `iam:PassRole ${role} iam:PassedToService=events.amazonaws.com`,
    ],
  ],
  [
    'events',
    ofEvents('DeleteRule', {
      Name: 'a',
      EventBusName: `arn:aws:events:us-east-2:${account}:event-bus/orders`,
    }),
    [`events:DeleteRule arn:aws:events:us-east-2:${account}:rule/orders/a`],
  ],
  ['events', ofEvents('ListRules', {}), ['events:ListRules arn:aws:events::rule/*']],
  [
    'sqs',
    ofQueue('SendMessageBatch', { QueueUrl: `https://sqs.us-east-2.amazonaws.com/${account}/orders` }),
    [`sqs:SendMessage arn:aws:sqs:us-east-2:${account}:orders`],
  ],
  [
    'sqs',
    ofQueue('GetQueueUrl', { QueueName: 'orders', QueueOwnerAWSAccountId: '210987654321' }),
    [`sqs:GetQueueUrl arn:aws:sqs:${region}:210987654321:orders`],
  ],
  [
    'logs',
    ofLogs('PutLogEvents', { logGroupName: '/aws/a', logStreamName: 'b' }),
    ['logs:PutLogEvents arn:aws:logs::log-group:/aws/a:log-stream:b'],
  ],
  [
    'logs',
    ofLogs('FilterLogEvents', { logGroupName: '/aws/a' }),
    ['logs:FilterLogEvents arn:aws:logs::log-group:/aws/a:log-stream:'],
  ],
  ['monitoring', { form: { Action: 'GetMetricStatistics' } }, ['cloudwatch:GetMetricStatistics *']],
  [
    'monitoring',
    { target: 'GraniteServiceVersion20100801.PutMetricData', input: {} },
    ['cloudwatch:PutMetricData *'],
  ],
  [
    'servicequotas',
    { target: 'ServiceQuotasV20190624.ListServiceQuotas', input: {} },
    ['servicequotas:ListServiceQuotas *'],
  ],
  [
    'servicequotas',
    { target: 'ServiceQuotasV20190624.GetServiceQuota', input: { ServiceCode: 'lambda', QuotaCode: 'L-1' } },
    ['servicequotas:GetServiceQuota arn:aws:servicequotas::lambda/L-1'],
  ],
  [
    'cloudformation',
    { form: { Action: 'DescribeStacks', StackName: 'shop' } },
    ['cloudformation:DescribeStacks arn:aws:cloudformation::stack/shop/00000000-0000-4000-8000-000000000000'],
  ],
  [
    'sts',
    { form: { Action: 'AssumeRole', RoleArn: role, RoleSessionName: 'it', ExternalId: '7' } },
    [`sts:AssumeRole ${role} sts:RoleSessionName=it sts:ExternalId=7`],
  ],
  ['sts', { form: { Action: 'GetCallerIdentity' } }, []],
  [
    'scheduler',
    { url: '/schedules/a', input: { GroupName: 'shop', Target: { RoleArn: role } } },
    [
      'scheduler:CreateSchedule arn:aws:scheduler::schedule/shop/a',
      `iam:PassRole ${role} iam:PassedToService=scheduler.amazonaws.com`,
    ],
  ],
  [
    'scheduler',
    { method: 'DELETE', url: '/schedules/a?groupName=shop' },
    ['scheduler:DeleteSchedule arn:aws:scheduler::schedule/shop/a'],
  ],
  [
    'scheduler',
    { method: 'GET', url: '/schedules/a' },
    ['scheduler:GetSchedule arn:aws:scheduler::schedule/default/a'],
  ],
  [
    'lambda',
    { method: 'GET', url: '/2015-03-31/functions/123456789012%3Afunction%3Ashop/configuration' },
    ['lambda:GetFunctionConfiguration arn:aws:lambda::function:shop'],
  ],
  ['lambda', { method: 'GET', url: '/2016-08-19/account-settings/' }, ['lambda:GetAccountSettings *']],
  [
    'lambda',
    { method: 'GET', url: '/2015-03-31/event-source-mappings/?EventSourceArn=a' },
    ['lambda:ListEventSourceMappings *'],
  ],
  [
    'lambda',
    {
      method: 'PUT',
      url: '/2015-03-31/event-source-mappings/6465db7d-8ea7-4967-8d3d-79ebf022a29b',
      input: {},
    },
    [
      'lambda:UpdateEventSourceMapping arn:aws:lambda::event-source-mapping:6465db7d-8ea7-4967-8d3d-79ebf022a29b lambda:FunctionArn=arn:aws:lambda::function:shop',
    ],
  ],
  [
    'lambda',
    { url: '/2015-03-31/functions/shop/invocations', input: { FunctionName: 'other', Qualifier: '2' } },
    ['lambda:InvokeFunction arn:aws:lambda::function:shop'],
  ],
  ['s3', ofBucket('GET', '/a%20b/c?versionId=1'), ['s3:GetObject arn:aws:s3:::orders/a b/c']],
  ['s3', ofBucket('HEAD', '/a'), ['s3:GetObject arn:aws:s3:::orders/a']],
  [
    's3',
    ofBucket('PUT', '/a', { 'x-amz-tagging': 'b=c' }),
    ['s3:PutObject arn:aws:s3:::orders/a', 's3:PutObjectTagging arn:aws:s3:::orders/a'],
  ],
  ['s3', ofBucket('DELETE', '/a?tagging='), ['s3:DeleteObjectTagging arn:aws:s3:::orders/a']],
  ['s3', ofBucket('POST', '/a?uploads'), ['s3:PutObject arn:aws:s3:::orders/a']],
  ['s3', ofBucket('PUT', '/a?partNumber=1&uploadId=b'), ['s3:PutObject arn:aws:s3:::orders/a']],
  ['s3', ofBucket('POST', '/a?uploadId=b'), ['s3:PutObject arn:aws:s3:::orders/a']],
  ['s3', ofBucket('DELETE', '/a?uploadId=b'), ['s3:AbortMultipartUpload arn:aws:s3:::orders/a']],
  ['s3', ofBucket('DELETE', '/a?x-id=DeleteObject'), ['s3:DeleteObject arn:aws:s3:::orders/a']],
  ['s3', ofBucket('GET', '/?list-type=2&prefix=a%2F'), ['s3:ListBucket arn:aws:s3:::orders s3:prefix=a/']],
  ['s3', ofBucket('HEAD', '/'), ['s3:ListBucket arn:aws:s3:::orders']],
  ['s3', ofBucket('GET', '/?lifecycle'), ['s3:GetLifecycleConfiguration arn:aws:s3:::orders']],
  [
    's3',
    { host: `s3.${region}.amazonaws.com`, method: 'GET', url: '/orders/a' },
    ['s3:GetObject arn:aws:s3:::orders/a'],
  ],
  ['s3', { host: `s3.${region}.amazonaws.com`, method: 'GET' }, ['s3:ListAllMyBuckets *']],
];

describe('a request needs these permissions:', () => {
  test.each(calls)('%s %j', async (service, sent, expected) => {
    const { permissions } = await read(service, sent);
    expect(permissions.map(show)).toEqual(expected);
  });

  test('each is an existing action, on a resource that it accepts', async () => {
    const Statement = { Effect: 'Allow', Action: '*', Resource: '*' };
    const template = resolveTemplate({ Resources: {} }, { account, region, stackName: 'shop' });
    const known = readAccount(template, { admin: [{ Version: '2012-10-17', Statement }] });
    const policies = createPolicies(known, account);
    const permissions = (await Promise.all(calls.map(([service, sent]) => read(service, sent)))).flatMap(
      (call) => call.permissions,
    );
    const decisions = await Promise.all(
      permissions
        // The role, and the queue of another account, have to say so as well.
        .filter(({ action, resource }) => action !== 'sts:AssumeRole' && !resource.includes('210987654321'))
        .map(({ context = {}, ...ask }) =>
          policies.decide({ ...ask, context, caller: known.identities[0] ?? '' }),
        ),
    );
    expect(decisions.filter(({ allowed }) => !allowed)).toEqual([]);
  });
});

describe('an unknown request is refused:', () => {
  test.each<[string, Sent, string]>([
    [
      'dynamodb',
      ofTable('ExecuteStatement', { Statement: 'select' }),
      'the permissions for dynamodb:ExecuteStatement are unknown',
    ],
    ['dynamodb', ofTable('GetItem', {}), 'TableName is missing'],
    ['dynamodb', ofTable('BatchGetItem', {}), 'RequestItems is missing'],
    [
      'dynamodb',
      ofTable('TransactWriteItems', { TransactItems: [{ constructor: {} }] }),
      'constructor is not a transaction item',
    ],
    [
      'dynamodb',
      { target: 'DynamoDBStreams_20120810.GetRecords', input: {} },
      'is not an operation of DynamoDB_20120810',
    ],
    ['dynamodb', { method: 'GET' }, 'GET / is not an operation'],
    ['dynamodb', {}, 'POST / does not name an operation'],
    [
      'sqs',
      ofQueue('SendMessage', { QueueUrl: 'https://example.com/orders' }),
      'https://example.com/orders is not a queue URL',
    ],
    ['iam', { form: { Action: 'CreateUser' } }, 'unknown service iam'],
    ['constructor', {}, 'unknown service constructor'],
    ['scheduler', { url: '/tags/a' }, 'is not an operation of Scheduler'],
    ['lambda', { method: 'GET', url: '/2018-10-31/layers' }, 'the resource of lambda:ListLayers is unknown'],
    ['s3', ofBucket('POST', '/?delete'), 'the permissions for s3:DeleteObjects are unknown'],
    ['s3', ofBucket('PATCH', '/a'), 'is not an operation of S3'],
    [
      's3',
      { host: `s3.${region}.amazonaws.com`, method: 'DELETE' },
      'without a bucket is not an operation of S3',
    ],
  ])('%s %j', async (service, sent, message) => {
    await expect(read(service, sent)).rejects.toThrow(message);
    await expect(read(service, sent)).rejects.toBeInstanceOf(UnknownCall);
  });
});

describe('a host of AWS', () => {
  test.each([
    ['dynamodb.eu-west-1.amazonaws.com', 'dynamodb', 'eu-west-1', null],
    ['DynamoDB.eu-west-1.amazonaws.com:443', 'dynamodb', 'eu-west-1', null],
    ['123456789012.ddb.eu-west-1.amazonaws.com', 'dynamodb', 'eu-west-1', null],
    ['sts.amazonaws.com', 'sts', 'us-east-1', null],
    ['s3.us-gov-west-1.amazonaws.com', 's3', 'us-gov-west-1', null],
    ['orders.s3.eu-west-1.amazonaws.com', 's3', 'eu-west-1', 'orders'],
    ['orders.of.the.shop.s3.eu-west-1.amazonaws.com', 's3', 'eu-west-1', 'orders.of.the.shop'],
    ['orders.s3.amazonaws.com', 's3', 'us-east-1', 'orders'],
    ['a1b2.execute-api.eu-west-1.amazonaws.com', 'execute-api', 'eu-west-1', null],
  ])('%s', (host, service, region, bucket) => {
    expect(readHost(host)).toEqual({ service, region, bucket });
  });

  test.each([
    'localhost',
    'amazonaws.com',
    'dynamodb.mars.amazonaws.com',
    'a.b.eu-west-1.amazonaws.com',
    'dynamodb.eu-west-1.amazonaws.com.cn',
    'dynamodb.eu-west-1.amazonaws.com:8443',
    'evil.com/.amazonaws.com',
  ])('%s is not one', (host) => {
    expect(readHost(host)).toBeNull();
  });
});
