import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkTemplate, type Template } from '../support/check-template.ts';
import { grantsOf, statementsOf } from '../support/role-grants.ts';
import { runFramework } from '../support/run-framework.ts';

const REGION = 'eu-central-1';
const KEY = `arn:aws:kms:${REGION}:123456789012:key/0f1e2d3c-0000-4000-8000-000000000000`;
const BUS = `arn:aws:events:${REGION}:210987654321:event-bus/orders`;
const parameters = [
  `eventBus=${BUS}`,
  'adoptData=true',
  'deletionProtection=true',
  `kmsKey=${KEY}`,
  'tags=team=payments,cost-centre=4711',
  'domain=hooks.example.com',
  `certificate=arn:aws:acm:${REGION}:123456789012:certificate/0f1e2d3c`,
  'hostedZone=Z0123456789',
  'webhookRate=200',
  'reservedConcurrency=sweep=10,runExpress=300,runDurable=200',
  'warmWrites=40000',
  'quotas=concurrency=5000,durableStarts=600',
].flatMap((parameter) => ['--param', parameter]);

interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
}

let folder: string;
let template: Template & {
  readonly Resources: Record<string, Resource>;
  readonly Outputs: Record<string, object>;
};
let server: Server;
const changeSets: URLSearchParams[] = [];

/** An account without a stack: every change set is refused, which ends the deployment. */
const startAws = async (): Promise<string> => {
  server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    const action = form.get('Action') ?? '';
    const refuse = (message: string) =>
      response
        .writeHead(400)
        .end(
          `<ErrorResponse><Error><Code>ValidationError</Code><Message>${message}</Message></Error></ErrorResponse>`,
        );
    if (action === 'GetCallerIdentity')
      response.end(
        '<GetCallerIdentityResponse><GetCallerIdentityResult><Account>123456789012</Account><Arn>arn:aws:iam::123456789012:user/ada</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>',
      );
    else if (action === 'CreateChangeSet') {
      changeSets.push(form);
      refuse('enough is known');
    } else refuse('Stack with id hookloom-dev does not exist');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const ofType = (type: string): [string, Resource][] =>
  Object.entries(template.Resources).filter(([, { Type }]) => Type === type);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-parameters-'));
  const env = {
    AWS_ENDPOINT_URL: await startAws(),
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_MAX_ATTEMPTS: '1',
  };
  const run = (command: string) =>
    runFramework([command, '--package', folder, '--region', REGION, ...parameters], env);
  const { code, stdout, stderr } = await run('package');
  if (code !== 0) throw new Error(`serverless package failed\n${stdout}\n${stderr}`);
  template = JSON.parse(readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'));
  const deployed = await run('deploy');
  expect([deployed.code, deployed.stdout]).toEqual([1, expect.stringContaining('enough is known')]);
});

afterAll(() => {
  server?.close();
  server?.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

test('AWS would accept the template', () => {
  expect(checkTemplate(template)).toEqual([]);
});

test('the change set asks CloudFormation to import existing resources under names without functions, with the tags', () => {
  const [changeSet = new URLSearchParams()] = changeSets;
  expect(changeSet.get('ImportExistingResources')).toBe('true');
  expect(template.Resources.BlobBucket?.Properties.BucketName).toBe('hookloom-dev-123456789012-eu-central-1');
  for (const [, { Properties }] of ofType('AWS::DynamoDB::Table'))
    expect(typeof Properties.TableName).toBe('string');
  const tags = [...changeSet].filter(([name]) => name.startsWith('Tags.')).map(([, value]) => value);
  expect(tags).toEqual(['STAGE', 'dev', 'team', 'payments', 'cost-centre', '4711']);
});

test('tables can’t be deleted, and all stored data is encrypted with the key', () => {
  for (const [, { Properties }] of ofType('AWS::DynamoDB::Table'))
    expect(Properties).toMatchObject({
      DeletionProtectionEnabled: true,
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: KEY },
    });
  for (const [, { Properties }] of ofType('AWS::SQS::Queue'))
    expect(Properties).toMatchObject({ SqsManagedSseEnabled: false, KmsMasterKeyId: KEY });
  for (const [, { Properties }] of ofType('AWS::Logs::LogGroup')) expect(Properties.KmsKeyId).toBe(KEY);
  expect(template.Resources.RunDurableLambdaFunction?.Properties.DurableConfig).toMatchObject({
    KMSKeyArn: KEY,
  });
  expect(template.Resources.BlobBucket?.Properties.BucketEncryption).toEqual({
    ServerSideEncryptionConfiguration: [
      {
        ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: KEY },
        BucketKeyEnabled: true,
      },
    ],
  });
});

test('the tables of runs and their indexes are warmed for the requested writes, and no other table is', () => {
  const warmed = ofType('AWS::DynamoDB::Table').flatMap(([id, { Properties }]) => {
    const indexes = (Properties.GlobalSecondaryIndexes ?? []) as readonly Record<string, unknown>[];
    return [Properties, ...indexes].map((each) => [id, each.IndexName ?? '', each.WarmThroughput]);
  });
  const WarmThroughput = { WriteUnitsPerSecond: 40_000 };
  expect(warmed.filter(([, , warm]) => warm !== undefined)).toEqual([
    ...['', 'byWorkflow', 'byFailure', 'bySweep', 'byTime'].map((index) => [
      'ExecutionsTable',
      index,
      WarmThroughput,
    ]),
    ['DeliveriesTable', '', WarmThroughput],
  ]);
});

test('roles that read or write encrypted data may use the key through those services, and no other role may', () => {
  for (const [id, { Properties }] of ofType('AWS::IAM::Role')) {
    const statements = statementsOf(Properties);
    const ofService = { dynamodb: /^dynamodb:/, s3: /^s3:/, sqs: /^sqs:/, lambda: /^lambda:.*Durable/ };
    const actions = statements.flatMap(({ Action }) => Action);
    const used = Object.entries(ofService).flatMap(([service, pattern]) =>
      actions.some((action) => pattern.test(action)) ? [service] : [],
    );
    const ofKey = statements.filter(({ Resource }) => Resource === KEY);
    expect([id, ofKey.length]).toEqual([id, used.length > 0 ? 1 : 0]);
    if (used.length === 0) continue;
    const services = used.map((service) => ({ 'Fn::Sub': `${service}.\${AWS::Region}.\${AWS::URLSuffix}` }));
    expect(ofKey[0]?.Condition).toEqual({ StringEquals: { 'kms:ViaService': services } });
  }
});

test('the domain points to the API, and callback URLs begin with it', () => {
  const [[stage] = []] = ofType('AWS::ApiGatewayV2::Stage');
  expect(template.Resources.CustomDomainMapping?.Properties).toEqual({
    DomainName: { Ref: 'CustomDomain' },
    ApiId: { Ref: 'HttpApi' },
    Stage: { Ref: stage },
  });
  expect(template.Resources.CustomDomainRecord?.Properties).toMatchObject({ HostedZoneId: 'Z0123456789' });
  const urls = ofType('AWS::Lambda::Function').flatMap(([, { Properties }]) => {
    const { Variables = {} } = (Properties.Environment ?? {}) as { Variables?: Record<string, unknown> };
    return Object.hasOwn(Variables, 'PUBLIC_URL') ? [Variables.PUBLIC_URL] : [];
  });
  expect(urls.length).toBeGreaterThan(0);
  expect(new Set(urls)).toEqual(new Set(['https://hooks.example.com']));
  expect(template.Outputs.WebhookUrl).toMatchObject({ Value: 'https://hooks.example.com/api/webhook' });
});

test('events go to the bus with the ARN, and roles allow only that one', () => {
  expect(JSON.stringify(ofType('AWS::Lambda::Function'))).toContain(`"EVENT_BUS":"${BUS}"`);
  const granted = ofType('AWS::IAM::Role').flatMap(([, { Properties }]) =>
    grantsOf(Properties).filter((grant) => grant.startsWith('events:PutEvents')),
  );
  expect(granted.length).toBeGreaterThan(0);
  expect(new Set(granted)).toEqual(new Set([`events:PutEvents ${BUS}`]));
});

test('throttles and reserved concurrency are as requested', () => {
  const [[, stage] = []] = ofType('AWS::ApiGatewayV2::Stage');
  expect(stage?.Properties.DefaultRouteSettings).toMatchObject({
    ThrottlingRateLimit: 200,
    ThrottlingBurstLimit: 1_000,
  });
  const reserved = ofType('AWS::Lambda::Function').flatMap(([id, { Properties }]) => {
    const { ReservedConcurrentExecutions: count } = Properties;
    return count === undefined ? [] : [[id, count]];
  });
  expect(Object.fromEntries(reserved)).toEqual({
    SweepLambdaFunction: 10,
    RunExpressLambdaFunction: 300,
    RunDurableLambdaFunction: 200,
  });
});

test('values that AWS would refuse are refused before packaging, with the parameter and its allowed values', async () => {
  const wrong = {
    eventBus: 'my bus',
    kmsKey: 'alias/mine',
    tags: 'team',
    domain: 'https://a.example',
    adminRate: '0',
    reservedConcurrency: 'sweeper=1',
  };
  const options = Object.entries(wrong).flatMap(([name, value]) => ['--param', `${name}=${value}`]);
  const { code, stdout } = await runFramework(['package', '--package', folder, ...options]);
  expect(code).toBe(1);
  for (const [name, value] of Object.entries(wrong))
    expect(stdout).toMatch(new RegExp(`^${name} (must|needs) .*( but is "${value}"$|sweeper)`, 'm'));
});
