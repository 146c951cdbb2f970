import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { unzipSync } from 'fflate';
import { connect } from '../../cli/target.ts';
import { ACCEPTED_LEASE_MS } from '../../lib/executions/lifecycle/limits.ts';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../local/database/embedded-dynamodb.ts';
import { putSample, seedSamples } from '../../local/samples/seed.ts';
import { findNameProblems } from '../../resources/names.ts';
import { deployerActions } from '../../scripts/policy/deployer-statements.ts';
import { anExecutionStart } from '../support/a-start.ts';
import { checkTemplate, type Template } from '../support/check-template.ts';
import { grantsOf, placesOf, type Statement, statementsOf } from '../support/role-grants.ts';
import { projectRoot, runCommand } from '../support/run-command.ts';
import { describeCheckTemplate } from './check-template.ts';
import { describeTriggerResources } from './trigger-resources.ts';

const adminFunctions = [
  'adminPlugins',
  'adminPlugin',
  'adminTriggers',
  'adminActions',
  'adminProviders',
  'adminHealth',
  'adminDebug',
];
/** What each function answers to its sample event, unzipped alone, in front of a store with the samples in it. */
const answers: Record<string, unknown> = {
  webhook: { statusCode: 200, body: '{"greeting":"Hello, Ada"}' },
  webhookCallback: { statusCode: 404 },
  runDurable: { Status: 'SUCCEEDED' },
  runExpress: null,
  sweep: { batchItemFailures: [] },
  dispatch: { batchItemFailures: [] },
  sweepRegistrations: null,
  adminExecutions: { statusCode: 200 },
  adminExecution: { statusCode: 404 },
  adminRetryExecution: { statusCode: 404 },
  adminCancelExecution: { statusCode: 404 },
  adminRunWorkflow: { statusCode: 404 },
  adminRequests: { statusCode: 200 },
  adminSendAgain: { statusCode: 404 },
  adminApprovals: { statusCode: 200 },
  ...Object.fromEntries(adminFunctions.map((name) => [name, { statusCode: 200 }])),
  adminHealth: { statusCode: 200, body: expect.stringContaining('"checks":{"store":{"status":"healthy"},') },
};
const allFunctions = Object.keys(answers);
const KILOBYTE = 1_000;

/** Of the bundles of functions that run workflows or list plugins; 59 for any other. */
const maxKilobytes: Readonly<Record<string, number>> = {
  webhook: 180,
  runExpress: 154,
  runDurable: 254,
  adminExecutions: 60,
  sweep: 62,
  adminRequests: 63,
  adminRetryExecution: 127,
  adminRunWorkflow: 129,
  dispatch: 128,
  sweepRegistrations: 128,
  adminSendAgain: 147,
  ...Object.fromEntries(adminFunctions.map((name) => [name, 79])),
};

/** The functions that load the plugins of a workflow. */
const loading = [
  'webhook',
  'runDurable',
  'runExpress',
  'adminRetryExecution',
  'adminRunWorkflow',
  'dispatch',
  'sweepRegistrations',
  'adminSendAgain',
];

/** The functions that finish executions as failed, and report it. */
const reporting = ['webhook', 'runDurable', 'runExpress', 'sweep', 'adminExecution'];

/** Its nodes are in files beside the bundle: plugins that are loaded on use, and what they need of packages. */
const workflowOnUse = {
  id: 'table',
  name: 'Table',
  enabled: true,
  nodes: [
    { id: 'request', type: 'webhookTrigger', parameters: { responseMode: 'lastNode' } },
    { id: 'sort', type: 'sort', parameters: { items: '{{ body }}', by: [{ field: 'n' }] } },
    { id: 'write', type: 'csv', parameters: { operation: 'write', items: '{{ items }}' } },
    { id: 'lines', type: 'code', parameters: { code: "return { lines: $input.text.trim().split('\\n') };" } },
  ],
  connections: [
    { sourceNodeId: 'request', targetNodeId: 'sort' },
    { sourceNodeId: 'sort', targetNodeId: 'write' },
    { sourceNodeId: 'write', targetNodeId: 'lines' },
  ],
};

/** Its node calls a service of a package that only the runtime has. */
const workflowOfSdk = {
  id: 'sale',
  name: 'Sale',
  enabled: true,
  nodes: [
    { id: 'request', type: 'webhookTrigger', parameters: { responseMode: 'lastNode' } },
    {
      id: 'sell',
      type: 'aws',
      parameters: { service: 'shop', operation: 'sell', input: { Items: '{{ body }}' } },
    },
  ],
  connections: [{ sourceNodeId: 'request', targetNodeId: 'sell' }],
};

/** A package as the SDK's clients are. */
const sdkPackage = `
exports.ShopClient = class {
  constructor(configuration) { Object.assign(this, configuration); }
  async send({ input }) { return { $metadata: {}, Sold: input.Items, Region: this.region }; }
};
exports.SellCommand = class {
  middlewareStack = { add() {} };
  constructor(input) { this.input = input; }
};`;

/** For which IAM takes no ARN. The first is allowed for mappings to one function only. */
const withoutArn = /^lambda:(CreateEventSourceMapping|ListEventSourceMappings)$/;

interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: string | readonly string[];
  readonly Properties: Record<string, unknown>;
}

let folder: string;
let template: Template & { readonly Resources: Record<string, Resource> };
let resources: Record<string, Resource>;
let database: EmbeddedDynamoDb;

const ofType = (type: string): [string, Resource][] =>
  Object.entries(resources).filter(([, resource]) => resource.Type === type);

/** Of the functions. */
const functionRoles = (): [string, Resource][] =>
  ofType('AWS::IAM::Role').filter(([name]) => name !== 'WorkflowRole' && name !== 'SchedulerRole');

const unzipped = new Map<string, [string, Uint8Array][]>();
const unzip = (name: string): [string, Uint8Array][] => {
  const files = unzipped.get(name) ?? Object.entries(unzipSync(readFileSync(join(folder, `${name}.zip`))));
  unzipped.set(name, files);
  return files;
};

const bundleOf = (name: string): [string, Uint8Array] =>
  unzip(name).find(([path]) => path.endsWith('.cjs')) ?? ['', new Uint8Array()];

const entryOf = (name: string) =>
  resources[`${name[0]?.toUpperCase()}${name.slice(1)}LambdaFunction`]?.Properties;

/** What Lambda's runtime sets itself, of which the functions need no more. */
const ofLambda = { AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };

/** The environment of a function, exactly as the template has it. */
const variablesOf = (name: string): Record<string, string> => {
  const { Variables = {} } = (entryOf(name)?.Environment ?? {}) as { Variables?: Record<string, unknown> };
  // In the place of CloudFormation: one text for each value that it would compute.
  const toText = (value: unknown): string => (typeof value === 'string' ? value : 'https://of.a.deployment');
  return Object.fromEntries(Object.entries(Variables).map(([key, value]) => [key, toText(value)]));
};

/** The answer of a function whose zip, and environment in the template, is all that is there. */
const answerAlone = async (
  name: string,
  event: string,
  env: Readonly<Record<string, string>> = {},
): Promise<unknown> => {
  const empty = mkdtempSync(join(tmpdir(), 'hookloom-alone-'));
  for (const [path, contents] of unzip(name)) {
    mkdirSync(join(empty, dirname(path)), { recursive: true });
    writeFileSync(join(empty, path), contents);
  }
  const [path] = bundleOf(name);
  const chunks = unzip(name).flatMap(([file]) => (file.endsWith('.mjs') ? [`./${file}`] : []));
  const script = `Promise.all(${JSON.stringify(chunks)}.map((file) => import(file)))
    .then(() => require('./${path}').handler(${event}, { getRemainingTimeInMillis: () => 10000 }))
    .then((answer) => require('node:fs').writeFileSync('answer.json', JSON.stringify(answer ?? null)))`;
  const environment = { ...variablesOf(name), ...ofLambda, DYNAMODB_ENDPOINT: database.endpoint, ...env };
  const variables = Object.entries(environment).map(([variable, value]) => `${variable}=${value}`);
  const node = ['-i', ...variables, process.execPath, '-e', script]; // nothing of this process's own environment
  const { code, stdout, stderr } = await runCommand('env', node, { cwd: empty });
  expect({ code, stdout, stderr: stderr.trim() }).toMatchObject({ code: 0, stderr: '' });
  const answer: unknown = JSON.parse(readFileSync(join(empty, 'answer.json'), 'utf8'));
  rmSync(empty, { recursive: true });
  return answer;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-package-'));
  const { code, stdout, stderr } = await runCommand('serverless', ['package', '--package', folder]);
  if (code !== 0) throw new Error(`serverless package failed\n${stdout}\n${stderr}`);
  template = JSON.parse(readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'));
  resources = template.Resources;
  database = await startEmbeddedDynamoDb('hookloom-dev');
  const secretsFolder = join(folder, 'secrets');
  const target = connect({
    dynamodbEndpoint: database.endpoint,
    sourcesEndpoint: 'http://127.0.0.1:1', // not there: the samples that register are left out
    tablePrefix: 'hookloom-dev',
    secretsFolder,
  });
  await seedSamples(target, 'a'.repeat(43));
  for (const workflow of [workflowOnUse, workflowOfSdk]) {
    const file = join(folder, `${workflow.id}.json`);
    writeFileSync(file, JSON.stringify(workflow));
    await putSample(file, target);
  }
  target.close();
});

afterAll(async () => {
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the zips', () => {
  test('there is one for each function', () => {
    const zips = readdirSync(folder).filter((name) => name.endsWith('.zip'));
    expect(zips.sort()).toEqual(allFunctions.map((name) => `${name}.zip`).sort());
  });

  test.each(allFunctions)('%s is one bundle, beside it what it loads on use', (name) => {
    const files = unzip(name).map(([path]) => path.replace(/-[A-Z\d]{8}(?=\.mjs$)/, ''));
    const entry = entryOf(name);
    const bundle = String(entry?.Handler).replace(/\.handler$/, '');
    expect(files).toContain(`${bundle}.cjs`);
    const beside = files.filter((path) => path !== `${bundle}.cjs`);
    const withPlugins = [...loading, ...adminFunctions];
    const pages = name === 'webhookCallback' ? ['pages.chunk'] : [];
    const chunks = [
      ...(withPlugins.includes(name) ? ['data.plugin', 'executor.chunk'] : pages),
      ...(reporting.includes(name) ? ['open-failures.chunk'] : []),
      ...(variablesOf(name).TABLE_PREFIX === undefined ? [] : ['version-error.chunk']),
    ];
    expect(beside).toEqual(expect.arrayContaining(chunks.map((chunk) => `${bundle}.chunks/${chunk}.mjs`)));
  });

  test.each(allFunctions)('%s is no larger than its limit, and without the AWS SDK', (name) => {
    const [, bundle] = bundleOf(name);
    expect(bundle.byteLength).toBeLessThan((maxKilobytes[name] ?? 59) * KILOBYTE);
    expect(Buffer.from(bundle).includes('smithy')).toBe(false);
  });

  test.each(allFunctions)(
    '%s, unzipped alone, loads its chunks and answers its sample event',
    async (name) => {
      const answer = await answerAlone(name, readFileSync(join(projectRoot, `events/${name}.json`), 'utf8'));
      const expected = answers[name];
      if (expected === null) expect(answer).toBeNull();
      else expect(answer).toMatchObject(expected as object);
    },
  );

  /** A request to a workflow. */
  const requestTo = (workflowId: string, body: string): string => {
    const event = JSON.parse(readFileSync(join(projectRoot, 'events/webhook.json'), 'utf8'));
    const pathParameters = { workflowId, path: 'webhook' };
    return JSON.stringify({ ...event, rawPath: `/api/webhook/${workflowId}/webhook`, pathParameters, body });
  };

  test('runExpress, unzipped alone, runs an execution to its end', async () => {
    const target = connect({ dynamodbEndpoint: database.endpoint, tablePrefix: 'hookloom-dev' });
    const executionId = 'express-1';
    const trigger = { nodeId: 'request', type: 'webhookTrigger' };
    const mode = 'express';
    const startedAt = Date.now();
    const start = { executionId, workflowId: 'table', workflowVersion: 1, trigger, mode, startedAt } as const;
    await target.executions.start(anExecutionStart({ ...start, input: 'j{"body":[{"n":2},{"n":1}]}' }));
    expect(await answerAlone('runExpress', JSON.stringify({ executionId }))).toBeNull();
    expect(await target.executions.find(executionId)).toMatchObject({ status: 'succeeded', failure: null });
    target.close();
  });

  test('webhook, unzipped alone, runs nodes whose plugins are loaded on use', async () => {
    expect(await answerAlone('webhook', requestTo('table', '[{"n":2},{"n":1}]'))).toMatchObject({
      statusCode: 200,
      body: '{"lines":["n","1","2"]}',
    });
  });

  test('webhook, unzipped alone, calls AWS by the SDK that the runtime brings, by NODE_PATH', async () => {
    const runtime = join(folder, 'runtime');
    mkdirSync(join(runtime, '@aws-sdk/client-shop'), { recursive: true });
    writeFileSync(join(runtime, '@aws-sdk/client-shop/index.js'), sdkPackage);
    expect(await answerAlone('webhook', requestTo('sale', '["a"]'), { NODE_PATH: runtime })).toMatchObject({
      statusCode: 200,
      body: '{"Sold":["a"],"Region":"local"}',
    });
  });
});

describeCheckTemplate();
describeTriggerResources(() => template);

describe('the template', () => {
  test('has no resource, property, type or reference that AWS would refuse', () => {
    expect(checkTemplate(template)).toEqual([]);
  });

  test('every function runs on arm64 with the newest Node, under a role of its own', () => {
    const functions = ofType('AWS::Lambda::Function');
    expect(functions).toHaveLength(allFunctions.length);
    for (const [, { Properties }] of functions) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
    }
    const roles = functions.map(([, { Properties }]) => JSON.stringify(Properties.Role));
    expect(new Set(roles).size).toBe(functions.length);
  });

  test('has no alarm, dashboard or tracing, which cost while nothing runs', () => {
    expect([...ofType('AWS::CloudWatch::Alarm'), ...ofType('AWS::CloudWatch::Dashboard')]).toEqual([]);
    expect(JSON.stringify(resources)).not.toMatch(/"TracingConfig"|xray:/);
  });

  test('no role allows everything, neither an action nor a resource', () => {
    const roles = functionRoles();
    expect(roles).toHaveLength(allFunctions.length);
    for (const [name, { Properties }] of roles) {
      for (const { Action, Resource } of statementsOf(Properties)) {
        expect([name, ...[Action].flat()].join(' ')).not.toContain('*');
        if (withoutArn.test([Action].flat().join())) continue;
        // Of what has parts that are not known beforehand: all of one bucket's folder, all versions of one function.
        const text = JSON.stringify(Resource)
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of CloudFormation
          .replace('${BlobBucket.Arn}/executions/*', '')
          .replace(':function:hookloom-dev-runDurable:*', '')
          .replace(':parameter/hookloom-dev/credentials/*', '')
          .replace(':secretsmanager:*:', ':secretsmanager::')
          .replace(':secret:hookloom-dev/*', '')
          .replace(':iam::*:role/hookloom-dev/*', '')
          .replace(':schedule/hookloom-dev/*', '')
          .replace(':rule/hookloom-dev-*', '')
          .replace(':rule/*/hookloom-dev-*', '')
          .replace(':event-source-mapping:*', '')
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of CloudFormation
          .replace(':sqs:${AWS::Region}:*:*', '');
        expect(`${name} ${text}`).not.toContain('*');
      }
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
    }
  });

  test('nodes call AWS with a role of their own, which may do nothing but what is listed', () => {
    const { Properties } = resources.WorkflowRole as Resource;
    expect(Properties).not.toHaveProperty('Policies');
    expect(Properties).toMatchObject({
      Path: '/hookloom-dev/',
      PermissionsBoundary: { Ref: 'WorkflowBoundary' },
    });
    const running = ofType('AWS::Lambda::Function').filter(([, { Properties }]) =>
      JSON.stringify(Properties.Environment).includes('WORKFLOW_ROLE'),
    );
    expect(Properties.AssumeRolePolicyDocument).toMatchObject({
      Statement: [{ Principal: { AWS: running.map(([, { Properties }]) => Properties.Role) } }],
    });
  });

  test('no list of statements for workflows reaches what belongs to the service', () => {
    const { PolicyDocument } = (resources.WorkflowBoundary as Resource).Properties as {
      PolicyDocument: { Statement: Statement[] };
    };
    const [others, , own] = PolicyDocument.Statement;
    expect(others).toMatchObject({ NotAction: ['iam:*', 'sts:*', 'organizations:*', 'account:*'] });
    expect(own).toMatchObject({ Effect: 'Deny', Action: '*' });
    for (const [, { Properties }] of ofType('AWS::DynamoDB::Table'))
      expect(Properties.TableName).toMatch(/^hookloom-dev-/);
    expect(JSON.stringify(own?.Resource)).toContain(':table/hookloom-dev-*');
    expect(placesOf(own?.Resource)).toEqual(
      expect.arrayContaining([
        'BlobBucket',
        'DeadLetterQueue',
        'TriggerDeadLetterQueue',
        'SchedulerRole',
        'ScheduleGroup',
        'schedule/STAGE/*',
        'rule/STAGE-*',
        'rule/*/STAGE-*',
        'parameter/STAGE/credentials/*',
        'secret:STAGE/*',
      ]),
    );
  });

  test('every function may do what it does, and no more', () => {
    const allowed = Object.fromEntries(
      functionRoles().map(([name, { Properties }]) => [
        name,
        grantsOf(Properties)
          .filter((grant) => !grant.startsWith('logs:'))
          .sort(),
      ]),
    );
    expect(allowed).toEqual({
      AdminActionsRole: [],
      AdminDebugRole: [],
      AdminHealthRole: [
        'dynamodb:BatchGetItem ExecutionsTable',
        'dynamodb:GetItem CredentialsTable',
        'dynamodb:Query ExecutionsTable/index/byWorkflow',
        'dynamodb:Scan WorkflowsTable',
        'lambda:GetDurableExecution runDurable:*',
        'lambda:GetDurableExecutionHistory runDurable:*',
        'lambda:InvokeFunction SweepRegistrationsLambdaFunction',
        'lambda:InvokeFunction dispatch',
        'lambda:InvokeFunction runDurable:durable',
        'lambda:InvokeFunction runExpress',
        'lambda:InvokeFunction sweep',
        'lambda:StopDurableExecution runDurable:*',
        'secretsmanager:GetSecretValue secret:STAGE/*',
        'ssm:GetParameter parameter/STAGE/credentials/*',
        'ssm:GetParameters parameter/STAGE/credentials/*',
        'ssm:PutParameter parameter/STAGE/credentials/*',
        'sts:AssumeRole role/STAGE/*',
      ],
      AdminPluginsRole: [],
      AdminPluginRole: [],
      AdminProvidersRole: [],
      AdminTriggersRole: [],
      WebhookRole: [
        'dynamodb:DeleteItem ExecutionsTable',
        'dynamodb:GetItem CredentialsTable',
        'dynamodb:GetItem DeliveriesTable',
        'dynamodb:GetItem ExecutionsTable',
        'dynamodb:GetItem RequestsTable',
        'dynamodb:GetItem WorkflowVersionsTable',
        'dynamodb:GetItem WorkflowsTable',
        'dynamodb:PutItem DeliveriesTable',
        'dynamodb:PutItem ExecutionsTable',
        'dynamodb:PutItem RequestsTable',
        'dynamodb:Query ExecutionsTable/index/bySweep',
        'dynamodb:Query RegistrationsTable/index/byNodeType',
        'dynamodb:UpdateItem DeliveriesTable',
        'dynamodb:UpdateItem ExecutionsTable',
        'lambda:InvokeFunction dispatch',
        'lambda:InvokeFunction runDurable:durable',
        'lambda:InvokeFunction runExpress',
        'lambda:StopDurableExecution runDurable:*',
        's3:AbortMultipartUpload BlobBucket',
        's3:DeleteObjectTagging BlobBucket',
        's3:GetObject BlobBucket',
        's3:ListBucket BlobBucket',
        's3:PutObject BlobBucket',
        's3:PutObjectTagging BlobBucket',
        'secretsmanager:GetSecretValue secret:STAGE/*',
        'ssm:GetParameter parameter/STAGE/credentials/*',
        'ssm:GetParameters parameter/STAGE/credentials/*',
        'ssm:PutParameter parameter/STAGE/credentials/*',
        'sts:AssumeRole role/STAGE/*',
      ],
      WebhookCallbackRole: [
        'dynamodb:GetItem ExecutionsTable',
        'dynamodb:UpdateItem ExecutionsTable',
        'lambda:GetDurableExecutionHistory runDurable:*',
        'lambda:SendDurableExecutionCallbackSuccess runDurable:*',
      ],
      DispatchRole: [
        'dynamodb:GetItem DeliveriesTable',
        'dynamodb:GetItem ExecutionsTable',
        'dynamodb:GetItem RegistrationsTable',
        'dynamodb:GetItem WorkflowsTable',
        'dynamodb:PutItem DeliveriesTable',
        'dynamodb:PutItem ExecutionsTable',
        'dynamodb:Query RegistrationsTable/index/byNodeType',
        'dynamodb:UpdateItem ExecutionsTable',
        'lambda:InvokeFunction runDurable:durable',
        'lambda:InvokeFunction runExpress',
        's3:PutObject BlobBucket',
        'sqs:SendMessage TriggerDeadLetterQueue',
      ],
      RunDurableRole: [
        'dynamodb:GetItem CredentialsTable',
        'dynamodb:GetItem ExecutionsTable',
        'dynamodb:GetItem WorkflowVersionsTable',
        'dynamodb:GetItem WorkflowsTable',
        'dynamodb:Query RegistrationsTable/index/byNodeType',
        'dynamodb:UpdateItem ExecutionsTable',
        'lambda:CheckpointDurableExecution runDurable:*',
        'lambda:GetDurableExecutionState runDurable:*',
        'lambda:InvokeFunction dispatch',
        'lambda:InvokeFunction sweep',
        's3:AbortMultipartUpload BlobBucket',
        's3:DeleteObject BlobBucket',
        's3:DeleteObjectTagging BlobBucket',
        's3:GetObject BlobBucket',
        's3:ListBucket BlobBucket',
        's3:PutObject BlobBucket',
        's3:PutObjectTagging BlobBucket',
        'secretsmanager:GetSecretValue secret:STAGE/*',
        'sqs:SendMessage DeadLetterQueue',
        'ssm:GetParameter parameter/STAGE/credentials/*',
        'ssm:GetParameters parameter/STAGE/credentials/*',
        'ssm:PutParameter parameter/STAGE/credentials/*',
        'sts:AssumeRole role/STAGE/*',
      ],
      RunExpressRole: [
        'dynamodb:GetItem CredentialsTable',
        'dynamodb:GetItem ExecutionsTable',
        'dynamodb:GetItem WorkflowVersionsTable',
        'dynamodb:GetItem WorkflowsTable',
        'dynamodb:Query RegistrationsTable/index/byNodeType',
        'dynamodb:UpdateItem ExecutionsTable',
        'lambda:InvokeFunction dispatch',
        'lambda:InvokeFunction sweep',
        's3:AbortMultipartUpload BlobBucket',
        's3:DeleteObject BlobBucket',
        's3:DeleteObjectTagging BlobBucket',
        's3:GetObject BlobBucket',
        's3:ListBucket BlobBucket',
        's3:PutObject BlobBucket',
        's3:PutObjectTagging BlobBucket',
        'secretsmanager:GetSecretValue secret:STAGE/*',
        'sqs:SendMessage DeadLetterQueue',
        'ssm:GetParameter parameter/STAGE/credentials/*',
        'ssm:GetParameters parameter/STAGE/credentials/*',
        'ssm:PutParameter parameter/STAGE/credentials/*',
        'sts:AssumeRole role/STAGE/*',
      ],
      SweepRegistrationsRole: [
        'dynamodb:DeleteItem RegistrationsTable',
        'dynamodb:GetItem RegistrationsTable',
        'dynamodb:GetItem WorkflowsTable',
        'dynamodb:PutItem RegistrationsTable',
        'dynamodb:Query RegistrationsTable/index/byWorkflow',
        'dynamodb:Scan RegistrationsTable',
        'dynamodb:Scan WorkflowsTable',
        'events:DeleteRule rule/*/STAGE-*',
        'events:DeleteRule rule/STAGE-*',
        'events:PutRule rule/*/STAGE-*',
        'events:PutRule rule/STAGE-*',
        'events:PutTargets rule/*/STAGE-*',
        'events:PutTargets rule/STAGE-*',
        'events:RemoveTargets rule/*/STAGE-*',
        'events:RemoveTargets rule/STAGE-*',
        'iam:PassRole SchedulerRole',
        'lambda:CreateEventSourceMapping *',
        'lambda:DeleteEventSourceMapping event-source-mapping:*',
        'lambda:GetFunctionConfiguration DispatchLambdaFunction',
        'lambda:ListEventSourceMappings *',
        'lambda:UpdateEventSourceMapping event-source-mapping:*',
        'scheduler:CreateSchedule schedule/STAGE/*',
        'scheduler:DeleteSchedule schedule/STAGE/*',
        'scheduler:UpdateSchedule schedule/STAGE/*',
        'sqs:GetQueueUrl *:*',
      ],
      SweepRole: [
        'dynamodb:DeleteItem ExecutionsTable',
        'dynamodb:GetItem DeliveriesTable',
        'dynamodb:GetItem ExecutionsTable',
        'dynamodb:GetItem WorkflowVersionsTable',
        'dynamodb:GetItem WorkflowsTable',
        'dynamodb:Query ExecutionsTable/index/bySweep',
        'dynamodb:Query RegistrationsTable/index/byNodeType',
        'dynamodb:UpdateItem DeliveriesTable',
        'dynamodb:UpdateItem ExecutionsTable',
        'lambda:GetDurableExecution runDurable:*',
        'lambda:InvokeFunction dispatch',
        'lambda:InvokeFunction runDurable:durable',
        'lambda:InvokeFunction runExpress',
        'lambda:StopDurableExecution runDurable:*',
        'sqs:DeleteMessage DeadLetterQueue',
        'sqs:GetQueueAttributes DeadLetterQueue',
        'sqs:ReceiveMessage DeadLetterQueue',
      ],
      AdminApprovalsRole: [
        'dynamodb:BatchGetItem ExecutionsTable',
        'dynamodb:GetItem ExecutionsTable',
        'dynamodb:Query ExecutionsTable/index/byTime',
        'dynamodb:Query ExecutionsTable/index/byWorkflow',
      ],
      AdminExecutionsRole: [
        'dynamodb:BatchGetItem ExecutionsTable',
        'dynamodb:GetItem DeliveriesTable',
        'dynamodb:GetItem ExecutionsTable',
        'dynamodb:GetItem WorkflowsTable',
        'dynamodb:Query ExecutionsTable/index/byFailure',
        'dynamodb:Query ExecutionsTable/index/bySweep',
        'dynamodb:Query ExecutionsTable/index/byTime',
        'dynamodb:Query ExecutionsTable/index/byWorkflow',
      ],
      AdminExecutionRole: [
        'dynamodb:GetItem ExecutionsTable',
        'dynamodb:Query RegistrationsTable/index/byNodeType',
        'dynamodb:UpdateItem ExecutionsTable',
        'lambda:InvokeFunction dispatch',
      ],
      AdminRequestsRole: ['dynamodb:GetItem RequestsTable', 'dynamodb:Query RequestsTable'],
      AdminSendAgainRole: [
        'dynamodb:DeleteItem ExecutionsTable',
        'dynamodb:GetItem ExecutionsTable',
        'dynamodb:GetItem RequestsTable',
        'dynamodb:GetItem WorkflowVersionsTable',
        'dynamodb:GetItem WorkflowsTable',
        'dynamodb:PutItem ExecutionsTable',
        'lambda:InvokeFunction runDurable:durable',
        'lambda:InvokeFunction runExpress',
      ],
      AdminRetryExecutionRole: [
        'dynamodb:DeleteItem ExecutionsTable',
        'dynamodb:GetItem ExecutionsTable',
        'dynamodb:GetItem WorkflowVersionsTable',
        'dynamodb:GetItem WorkflowsTable',
        'dynamodb:PutItem ExecutionsTable',
        'lambda:InvokeFunction runDurable:durable',
        'lambda:InvokeFunction runExpress',
      ],
      AdminRunWorkflowRole: [
        'dynamodb:DeleteItem ExecutionsTable',
        'dynamodb:GetItem DeliveriesTable',
        'dynamodb:GetItem ExecutionsTable',
        'dynamodb:GetItem WorkflowsTable',
        'dynamodb:PutItem DeliveriesTable',
        'dynamodb:PutItem ExecutionsTable',
        'dynamodb:UpdateItem ExecutionsTable',
        'lambda:InvokeFunction runDurable:durable',
        'lambda:InvokeFunction runExpress',
        's3:GetObject BlobBucket',
        's3:ListBucket BlobBucket',
        's3:PutObject BlobBucket',
      ],
      AdminCancelExecutionRole: [
        'dynamodb:GetItem ExecutionsTable',
        'dynamodb:UpdateItem ExecutionsTable',
        'lambda:StopDurableExecution runDurable:*',
      ],
    });
  });

  test('no function publishes on an event bus unless one is asked for', async () => {
    const functions = JSON.stringify(ofType('AWS::Lambda::Function'));
    expect(new Set(functions.match(/"EVENT_BUS":"[^"]*"/g))).toEqual(new Set(['"EVENT_BUS":"none"']));
  });

  test('what finishes executions as failed, and nothing else, reports failures to the one that takes events', () => {
    const functions = ofType('AWS::Lambda::Function').filter(([, { Properties }]) =>
      JSON.stringify(Properties.Environment ?? {}).includes('"DISPATCH_FUNCTION":"hookloom-dev-dispatch"'),
    );
    const names = functions.map(([, { Properties }]) => String(Properties.FunctionName));
    expect(names.sort()).toEqual(reporting.map((name) => `hookloom-dev-${name}`).sort());
  });

  test('the durable function is one, with its alias; what Lambda gives up reaches the sweeper', () => {
    const { RunDurableLambdaFunction, RunExpressLambdaFunction } = resources;
    expect(RunDurableLambdaFunction?.Properties.DurableConfig).toEqual({
      ExecutionTimeout: 31_622_400,
      RetentionPeriodInDays: 14,
    });
    const [[, alias]] = ofType('AWS::Lambda::Alias') as [[string, Resource]];
    expect(alias.Properties).toMatchObject({
      Name: 'durable',
      FunctionName: { Ref: 'RunDurableLambdaFunction' },
    });
    for (const run of [RunDurableLambdaFunction, RunExpressLambdaFunction]) {
      expect(run?.Properties.DeadLetterConfig).toEqual({
        TargetArn: { 'Fn::GetAtt': ['DeadLetterQueue', 'Arn'] },
      });
    }
    // Of what is invoked: the alias, and the function itself.
    const asynchronous = ofType('AWS::Lambda::EventInvokeConfig').map(([, { Properties }]) => Properties);
    expect(asynchronous).toMatchObject([
      {
        FunctionName: { Ref: 'RunExpressLambdaFunction' },
        Qualifier: '$LATEST',
        MaximumEventAgeInSeconds: 3_600,
        MaximumRetryAttempts: 2,
      },
      {
        FunctionName: { Ref: 'RunDurableLambdaFunction' },
        Qualifier: 'durable',
        MaximumEventAgeInSeconds: 600,
      },
    ]);
    const age = Number(asynchronous[1]?.MaximumEventAgeInSeconds) * 1_000;
    expect(ACCEPTED_LEASE_MS).toBeGreaterThan(age); // what is dispatched again is not in Lambda's queue any more
    const [[, source]] = ofType('AWS::Lambda::EventSourceMapping') as [[string, Resource]];
    expect(source.Properties).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': ['DeadLetterQueue', 'Arn'] },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 2 },
    });
    expect(ofType('AWS::Events::Rule').map(([, { Properties }]) => Properties.ScheduleExpression)).toEqual([
      'rate(5 minutes)',
      'rate(1 minute)',
      'rate(15 minutes)',
    ]);
  });

  test('blobs are nobody else’s business, and do not stay for ever', () => {
    expect(resources.BlobBucket?.Properties).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      LifecycleConfiguration: {
        Rules: [
          {
            Status: 'Enabled',
            ExpirationInDays: 430,
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
          },
          { Status: 'Enabled', Prefix: 'executions/brief/', ExpirationInDays: 34 },
          { Status: 'Enabled', TagFilters: [{ Key: 'life', Value: '4' }], ExpirationInDays: 34 },
          { Status: 'Enabled', TagFilters: [{ Key: 'life', Value: '34' }], ExpirationInDays: 64 },
          { Status: 'Enabled', TagFilters: [{ Key: 'life', Value: '124' }], ExpirationInDays: 154 },
          { Status: 'Enabled', TagFilters: [{ Key: 'upload', Value: 'pending' }], ExpirationInDays: 2 },
        ],
      },
    });
  });

  test('every admin route asks for IAM, and only webhooks and what has a signed address are open', () => {
    const authorization = Object.fromEntries(
      ofType('AWS::ApiGatewayV2::Route').map(([, { Properties }]) => [
        Properties.RouteKey,
        Properties.AuthorizationType ?? 'NONE',
      ]),
    );
    expect(authorization).toEqual({
      'ANY /api/webhook-callback/{token}': 'NONE',
      'GET /api/admin/approvals': 'AWS_IAM',
      'GET /api/admin/approvals/addresses': 'AWS_IAM',
      'GET /api/admin/executions': 'AWS_IAM',
      'GET /api/admin/executions/{executionId}': 'AWS_IAM',
      'POST /api/admin/executions/{executionId}/retry': 'AWS_IAM',
      'POST /api/admin/executions/{executionId}/cancel': 'AWS_IAM',
      'POST /api/admin/workflows/{workflowId}/executions': 'AWS_IAM',
      'POST /api/admin/credentials/{credentialId}/test': 'AWS_IAM',
      'GET /api/admin/requests': 'AWS_IAM',
      'GET /api/admin/requests/{id}': 'AWS_IAM',
      'POST /api/admin/requests/{id}/send-again': 'AWS_IAM',
      'ANY /api/webhook/{workflowId}': 'NONE',
      'ANY /api/webhook/{workflowId}/{path+}': 'NONE',
      'GET /api/admin/plugins': 'AWS_IAM',
      'GET /api/admin/plugins/{id}': 'AWS_IAM',
      'GET /api/admin/plugins/triggers': 'AWS_IAM',
      'GET /api/admin/plugins/actions': 'AWS_IAM',
      'GET /api/admin/plugins/providers': 'AWS_IAM',
      'GET /api/admin/plugins/health': 'AWS_IAM',
      'GET /api/admin/plugins/debug': 'AWS_IAM',
      'GET /api/admin/debug': 'AWS_IAM',
    });
  });

  test('the gateway throttles, logs without secrets, and leaves CORS to the workflows', () => {
    const [[, stage]] = ofType('AWS::ApiGatewayV2::Stage') as [[string, Resource]];
    const throttle = (ThrottlingRateLimit: number, ThrottlingBurstLimit: number) => ({
      DetailedMetricsEnabled: true,
      ThrottlingRateLimit,
      ThrottlingBurstLimit,
    });
    expect(stage.Properties.DefaultRouteSettings).toEqual(throttle(500, 1_000));
    const routes = ofType('AWS::ApiGatewayV2::Route');
    const others = routes.flatMap(([, { Properties }]) => {
      const key = String(Properties.RouteKey);
      if (key.includes(' /api/webhook/')) return [];
      return [[key, key.includes(' /api/webhook-callback/') ? throttle(100, 200) : throttle(50, 100)]];
    });
    expect(others.length).toBeGreaterThan(10);
    expect(stage.Properties.RouteSettings).toEqual(Object.fromEntries(others));
    // API Gateway refuses settings of a route that is made after the stage.
    expect(stage.DependsOn).toEqual(expect.arrayContaining(routes.map(([id]) => id)));
    const { Format } = stage.Properties.AccessLogSettings as { Format: string };
    expect(JSON.parse(Format)).toHaveProperty('requestId');
    expect(Format).not.toMatch(/header|authori[sz]er|querystring|\$context\.path/i);
    const [[, api]] = ofType('AWS::ApiGatewayV2::Api') as [[string, Resource]];
    expect(api.Properties).not.toHaveProperty('CorsConfiguration');
  });

  test('tables cost nothing while idle, can be restored, and outlive the stack', () => {
    const tables = ofType('AWS::DynamoDB::Table');
    expect(tables).toHaveLength(7);
    for (const [id, table] of tables) {
      const PointInTimeRecoveryEnabled = !['DeliveriesTable', 'RequestsTable'].includes(id);
      expect(table).toMatchObject({
        Properties: {
          BillingMode: 'PAY_PER_REQUEST',
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled },
        },
      });
    }
    expect(resources.ExecutionsTable?.Properties.TimeToLiveSpecification).toEqual({
      AttributeName: 'expiresAt',
      Enabled: true,
    });
  });

  test('what stays when the stack is removed goes when the deployment that made it fails: it can be repeated', () => {
    const kept = Object.entries(resources).filter(([, { DeletionPolicy }]) => DeletionPolicy !== undefined);
    for (const [, { DeletionPolicy }] of kept) expect(DeletionPolicy).toBe('RetainExceptOnCreate');
    const ofKind = (type: string) => kept.filter(([, { Type }]) => Type === type).length;
    expect(ofKind('AWS::DynamoDB::Table')).toBe(7);
    expect(ofKind('AWS::S3::Bucket')).toBe(1); // the Framework makes the bucket for bundles, and removes it with the stack
    expect(ofKind('AWS::Lambda::Version')).toBe(1);
    for (const [, resource] of kept.filter(([, { Type }]) => !Type.endsWith('Version')))
      expect(resource).toHaveProperty('UpdateReplacePolicy', 'Retain');
  });

  test('the bucket of a stage has the same name after it was removed and deployed again', () => {
    expect(resources.BlobBucket?.Properties.BucketName).toEqual({
      // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of CloudFormation
      'Fn::Sub': 'hookloom-dev-${AWS::AccountId}-${AWS::Region}',
    });
  });

  test('bucket and queues answer over TLS alone', () => {
    const policies = [...ofType('AWS::S3::BucketPolicy'), ...ofType('AWS::SQS::QueuePolicy')];
    const ours = policies.filter(([id]) => id !== 'ServerlessDeploymentBucketPolicy');
    const guarded = ours.flatMap(([, { Properties }]) => {
      const { PolicyDocument } = Properties as {
        PolicyDocument: { Statement: (Statement & { Effect: string })[] };
      };
      return PolicyDocument.Statement.filter(({ Effect }) => Effect === 'Deny').map((statement) => {
        expect(statement).toMatchObject({
          Principal: '*',
          Condition: { Bool: { 'aws:SecureTransport': false } },
        });
        expect(String(statement.Action)).toMatch(/^(s3|sqs):\*$/);
        return placesOf(statement.Resource);
      });
    });
    expect(guarded).toEqual([['BlobBucket', 'BlobBucket'], ['DeadLetterQueue'], ['TriggerDeadLetterQueue']]);
    expect(ofType('AWS::SQS::Queue')).toHaveLength(2);
  });

  test('names too long for AWS are found for each region', () => {
    const problemsOf = (stage: string, region: string) =>
      findNameProblems(JSON.parse(JSON.stringify(template).replaceAll('hookloom-dev', `hookloom-${stage}`)), {
        stage,
        region,
      });
    expect(problemsOf('s'.repeat(26), 'ap-southeast-1')).toBeNull();
    expect(problemsOf('s'.repeat(32), 'us-east-1')).toMatch(
      /BlobBucket: .* 63 of a bucket\n.*at most 31 char/s,
    );
    expect(problemsOf('s'.repeat(31), 'ap-southeast-1')).toMatch(/SchedulerRole: .* 65 characters, 1 more/);
    expect(problemsOf('s'.repeat(47), 'eu-west-1')).toMatch(
      /AdminRetryExecutionLambdaFunction: .* 64 of a function/,
    );
  });

  test('who deploys may make each type of its resources, by the policy of the docs', () => {
    const types = new Set(Object.values(resources).map(({ Type }) => Type));
    expect([...types].filter((type) => !Object.hasOwn(deployerActions, type))).toEqual([]);
    const groups = ofType('AWS::Logs::LogGroup').map(([, { Properties }]) => String(Properties.LogGroupName));
    for (const name of groups) expect(name).toMatch(/^\/aws\/(lambda\/hookloom-dev-|http-api\/hookloom-dev)/);
  });

  test('every log is kept for a limited time', () => {
    for (const [, { Properties }] of ofType('AWS::Logs::LogGroup')) {
      expect(Properties.RetentionInDays).toBeGreaterThan(0);
    }
  });
});
