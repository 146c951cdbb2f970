import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ACCEPTED_LEASE_MS } from '../../lib/executions/lifecycle/limits.ts';
import { findNameProblems } from '../../resources/names.ts';
import { deployerActions } from '../../scripts/policy/deployer-statements.ts';
import { checkTemplate, type Template } from '../support/check-template.ts';
import { grantsOf, placesOf, type Statement, statementsOf } from '../support/role-grants.ts';
import { projectRoot } from '../support/run-command.ts';
import { toPlain } from '../support/summarize-template.ts';

/** Places with a `*` that roles may name, with the reason. */
const wildcards: Readonly<Record<string, string>> = {
  '{BlobBucket.Arn}/executions/*': 'blobs are named by their execution',
  '{BlobBucket.Arn}/state/*': 'each large value has a random name',
  '{ExecutionsTable.Arn}/stream/*':
    'a stream is named by the time of its start, which a restored table changes',
  '{RequestsTable.Arn}/stream/*':
    'a stream is named by the time of its start, which a restored table changes',
  'arn:PARTITION:lambda:REGION:ACCOUNT:function:hookloom-dev-runDurable:*': 'versions of the function',
  'arn:PARTITION:lambda:REGION:ACCOUNT:event-source-mapping:*':
    'Lambda chooses the name; the condition limits it',
  'arn:PARTITION:ssm:REGION:ACCOUNT:parameter/hookloom-dev/credentials/*': 'credentials are made at run time',
  'arn:PARTITION:secretsmanager:*:ACCOUNT:secret:hookloom-dev/*': 'secrets are made by their owner',
  'arn:PARTITION:iam::*:role/hookloom-dev/*': 'roles of credentials, in any account',
  'arn:PARTITION:scheduler:REGION:ACCOUNT:schedule/hookloom-dev/*': 'schedules are made at run time',
  'arn:PARTITION:events:REGION:ACCOUNT:rule/hookloom-dev.*': 'rules are made at run time',
  'arn:PARTITION:events:REGION:ACCOUNT:rule/*/hookloom-dev.*': 'rules are made at run time, on any bus',
  [`arn:PARTITION:events:REGION:ACCOUNT:rule/*/hookloom-dev-${'?'.repeat(43)}`]:
    'rules of releases before 0.3 are removed',
  'arn:PARTITION:sqs:REGION:*:*': "the names of triggers' queues are looked up",
};

/** For which IAM takes no ARN. The first is allowed for mappings to one function only. */
const withoutArn = /^(lambda:(CreateEventSourceMapping|ListEventSourceMappings)|dynamodb:ListStreams)$/;

interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: string | readonly string[];
  readonly Properties: Record<string, unknown>;
}

/** What holds for any template, whatever it deploys. @param read - the packaged template, once it is there */
export const describeTemplateRules = (read: () => Template): void => {
  const resources = () => read().Resources as Readonly<Record<string, Resource>>;
  const propertiesOf = (id: string): Record<string, unknown> => resources()[id]?.Properties ?? {};
  const ofType = (type: string): [string, Resource][] =>
    Object.entries(resources()).filter(([, resource]) => resource.Type === type);
  /** Each with its role. */
  const functions = () =>
    ofType('AWS::Lambda::Function').map(([id, { Properties }]) => {
      const role = id.replace(/LambdaFunction$/, 'Role');
      const { Variables = {} } = (Properties.Environment ?? {}) as { Variables?: Record<string, unknown> };
      return { id, Properties, Variables, role, grants: grantsOf(propertiesOf(role)) };
    });

  describe('the template', () => {
    test('has no resource, property, type or reference that AWS would refuse', () => {
      expect(checkTemplate(read())).toEqual([]);
    });

    // holds: extras-off-by-default
    test('has no alarm, dashboard or tracing, which cost while nothing runs', () => {
      expect([...ofType('AWS::CloudWatch::Alarm'), ...ofType('AWS::CloudWatch::Dashboard')]).toEqual([]);
      expect(JSON.stringify(resources())).not.toMatch(/"TracingConfig"|xray:/);
    });

    // holds: least-permissions
    test('every function runs on arm64 with the newest Node, under a role of its own', () => {
      for (const { id, Properties, role } of functions()) {
        const Role = { 'Fn::GetAtt': [role, 'Arn'] };
        expect([id, Properties]).toMatchObject([
          id,
          { Runtime: 'nodejs24.x', Architectures: ['arm64'], Role },
        ]);
        expect(propertiesOf(role)).not.toHaveProperty('ManagedPolicyArns');
      }
    });

    // holds: least-permissions
    test('no role allows an action with `*`, or a place with `*` that has no reason', () => {
      for (const [id, { Properties }] of ofType('AWS::IAM::Role')) {
        for (const { Action, Resource } of statementsOf(Properties)) {
          expect([id, ...[Action].flat()].join(' ')).not.toContain('*');
          if (withoutArn.test([Action].flat().join())) continue;
          const places = [toPlain(Resource)].flat().map(String);
          for (const place of places.filter((one) => one.includes('*'))) {
            expect([id, place, wildcards[place]]).toEqual([id, place, expect.any(String)]);
          }
        }
      }
    });

    test('every function has the version, with the commit if a clone was packaged', () => {
      const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
      const [built, ...others] = new Set(
        functions().map(({ Variables }) => String(Variables.SERVICE_VERSION)),
      );
      expect(others).toEqual([]);
      expect(built?.replace(/\+[0-9a-f]{7,}(?:-dirty)?$/, '')).toBe(version);
    });

    test('what is allowed names nothing of a stage whose name begins with this one and a dash', () => {
      const allowing = Object.entries(resources()).filter(
        ([, { Type }]) => Type !== 'AWS::IAM::ManagedPolicy',
      );
      expect(JSON.stringify(allowing)).not.toMatch(/hookloom-dev-?\*/);
    });

    test('one function alone writes workflows and their versions, and another one credentials', () => {
      const writers: Readonly<Record<string, readonly string[]>> = {
        AdminEditWorkflowsLambdaFunction: [
          'dynamodb:PutItem WorkflowsTable',
          'dynamodb:PutItem WorkflowVersionsTable',
          'dynamodb:UpdateItem WorkflowsTable',
          'dynamodb:DeleteItem WorkflowsTable', // probes of the doctor
          'dynamodb:DeleteItem WorkflowVersionsTable',
        ],
        AdminCredentialsLambdaFunction: [
          'dynamodb:PutItem CredentialsTable',
          'dynamodb:DeleteItem CredentialsTable',
        ],
        AggregateLambdaFunction: ['dynamodb:UpdateItem WorkflowsTable'], // only its note of what they cost
        ...Object.fromEntries(
          // Only when refresh tokens end.
          ['Webhook', 'RunDurable', 'RunExpress', 'AdminTryNode', 'AdminHealth'].map((name) => [
            `${name}LambdaFunction`,
            ['dynamodb:UpdateItem CredentialsTable'],
          ]),
        ),
      };
      const written = /^dynamodb:(?!GetItem|BatchGetItem|Query|Scan)\w+ (Workflow\w*|Credentials)Table/;
      for (const { id, grants } of functions()) {
        const found = grants.filter((grant) => written.test(grant));
        expect([id, ...found]).toEqual([id, ...(writers[id] ?? [])]);
      }
    });

    test('every function may invoke those that its variables name', () => {
      for (const { id, Variables, grants } of functions()) {
        const named = Object.entries(Variables).filter(([name]) => name.endsWith('_FUNCTION'));
        const needed = named.map(
          ([, value]) => `lambda:InvokeFunction ${String(value).replace('hookloom-dev-', '')}`,
        );
        expect([id, ...grants]).toEqual(expect.arrayContaining([id, ...needed]));
      }
    });

    test('nodes call AWS with a role of their own, which those alone take that have its name', () => {
      const role = propertiesOf('WorkflowRole');
      expect(role).not.toHaveProperty('Policies');
      expect(role).toMatchObject({
        Path: '/hookloom-dev/',
        PermissionsBoundary: { Ref: 'WorkflowBoundary' },
      });
      const running = functions().filter(({ Variables }) => Variables.WORKFLOW_ROLE !== undefined);
      const { Statement } = toPlain(role.AssumeRolePolicyDocument) as {
        Statement: [{ Principal: { AWS: string[] } }];
      };
      expect(Statement[0].Principal.AWS.sort()).toEqual(running.map(({ role }) => `${role}.Arn`).sort());
    });

    test('no list of statements for workflows reaches what belongs to the service', () => {
      const { PolicyDocument } = propertiesOf('WorkflowBoundary') as {
        PolicyDocument: { Statement: Statement[] };
      };
      const denied = JSON.stringify(PolicyDocument.Statement.at(-1)?.Resource);
      expect(PolicyDocument.Statement.at(-1)).toMatchObject({ Effect: 'Deny', Action: '*' });
      for (const [, { Properties }] of ofType('AWS::DynamoDB::Table')) {
        expect(Properties.TableName).toMatch(/^hookloom-dev-/);
      }
      expect(denied).toContain(':table/hookloom-dev-*');
      expect(denied).toContain(':function:hookloom-dev-*');
      const others = ['AWS::S3::Bucket', 'AWS::SQS::Queue', 'AWS::Scheduler::ScheduleGroup'].flatMap(ofType);
      for (const [id] of others.filter(([id]) => id !== 'ServerlessDeploymentBucket'))
        expect(denied).toContain(`"${id}"`);
    });

    test('what is dispatched again is not in Lambda’s queue any more', () => {
      const { MaximumEventAgeInSeconds } = propertiesOf('RunDurableLambdaEvConf');
      expect(MaximumEventAgeInSeconds).toBeGreaterThan(0);
      expect(ACCEPTED_LEASE_MS).toBeGreaterThan(Number(MaximumEventAgeInSeconds) * 1_000);
    });

    // holds: admin-needs-iam
    test('every route asks for IAM, but for webhooks and what has a signed address', () => {
      for (const [, { Properties }] of ofType('AWS::ApiGatewayV2::Route')) {
        const isOpen = /^ANY \/api\/webhook(-callback)?\//.test(String(Properties.RouteKey));
        expect([Properties.RouteKey, Properties.AuthorizationType]).toEqual([
          Properties.RouteKey,
          isOpen ? undefined : 'AWS_IAM',
        ]);
      }
    });

    test('the gateway throttles each route but webhooks by itself, logs no secrets, and leaves CORS to workflows', () => {
      const [[, stage]] = ofType('AWS::ApiGatewayV2::Stage') as [[string, Resource]];
      const routes = ofType('AWS::ApiGatewayV2::Route');
      const keys = routes.map(([, { Properties }]) => String(Properties.RouteKey));
      const throttled = keys.filter((key) => !key.includes(' /api/webhook/'));
      expect(Object.keys(stage.Properties.RouteSettings as object).sort()).toEqual(throttled.sort());
      // API Gateway refuses settings of a route that is made after the stage.
      expect(stage.DependsOn).toEqual(expect.arrayContaining(routes.map(([id]) => id)));
      const { Format } = stage.Properties.AccessLogSettings as { Format: string };
      expect(JSON.parse(Format)).toHaveProperty('requestId');
      expect(Format).not.toMatch(/header|authori[sz]er|querystring|\$context\.path/i);
      expect(propertiesOf('HttpApi')).not.toHaveProperty('CorsConfiguration');
    });

    // holds: data-outlives-the-stack
    test('what holds data outlives the stack, and goes when the deployment that made it fails: it can be repeated', () => {
      const data = [...ofType('AWS::DynamoDB::Table'), ...ofType('AWS::S3::Bucket')];
      // The Framework makes the bucket for bundles, and removes it with the stack.
      for (const [, resource] of data.filter(([id]) => id !== 'ServerlessDeploymentBucket')) {
        expect(resource).toMatchObject({
          DeletionPolicy: 'RetainExceptOnCreate',
          UpdateReplacePolicy: 'Retain',
        });
      }
      for (const [, { DeletionPolicy }] of Object.entries(resources())) {
        expect([undefined, 'RetainExceptOnCreate']).toContain(DeletionPolicy);
      }
      for (const [, { Properties }] of ofType('AWS::DynamoDB::Table')) {
        expect(Properties.BillingMode).toBe('PAY_PER_REQUEST'); // nothing while idle
      }
    });

    test('the bucket is private, and no blob of an execution stays for ever; those of state have no rule', () => {
      const { PublicAccessBlockConfiguration, LifecycleConfiguration } = propertiesOf('BlobBucket');
      expect(Object.values(PublicAccessBlockConfiguration as object)).toEqual([true, true, true, true]);
      const { Rules } = LifecycleConfiguration as { Rules: readonly Record<string, unknown>[] };
      const holding = (key: string) =>
        Rules.filter(
          ({ Prefix = '', TagFilters }) => key.startsWith(String(Prefix)) && TagFilters === undefined,
        );
      expect(holding('executions/e-1/input')).toMatchObject([
        { Status: 'Enabled', ExpirationInDays: expect.any(Number) },
      ]);
      expect(holding('state/8c0f')).toEqual([]); // they live as long as their entries: the sweeper removes them
    });

    test('bucket and queues answer over TLS alone', () => {
      const guarded = [...ofType('AWS::S3::BucketPolicy'), ...ofType('AWS::SQS::QueuePolicy')].flatMap(
        ([, { Properties }]) => {
          const { Statement: all } = Properties.PolicyDocument as {
            Statement: (Statement & { Effect: string })[];
          };
          const overPlain = { Principal: '*', Condition: { Bool: { 'aws:SecureTransport': false } } };
          return all.flatMap((statement) => {
            if (statement.Effect !== 'Deny') return [];
            expect(statement).toMatchObject(overPlain);
            expect(String(statement.Action)).toMatch(/^(s3|sqs):\*$/);
            return placesOf(statement.Resource);
          });
        },
      );
      const ids = [...ofType('AWS::S3::Bucket'), ...ofType('AWS::SQS::Queue')].map(([id]) => id);
      expect(guarded).toEqual(
        expect.arrayContaining(ids.filter((id) => id !== 'ServerlessDeploymentBucket')),
      );
    });

    test('names too long for AWS are found for each region', () => {
      const problemsOf = (stage: string, region: string) =>
        findNameProblems(JSON.parse(JSON.stringify(read()).replaceAll('hookloom-dev', `hookloom-${stage}`)), {
          stage,
          region,
        });
      expect(problemsOf('s'.repeat(26), 'ap-southeast-1')).toBeNull();
      expect(problemsOf('s'.repeat(32), 'us-east-1')).toMatch(
        /BlobBucket: .* 63 of a bucket\n.*at most 31 char/s,
      );
      expect(problemsOf('s'.repeat(31), 'ap-southeast-1')).toMatch(/SchedulerRole: .* 65 characters, 1 more/);
      expect(problemsOf('s'.repeat(47), 'eu-west-1')).toMatch(
        /AdminRetryExecutionLambdaFunction: .* 64 of a func/,
      );
    });

    test('who deploys may make each type of its resources, by the policy of the docs', () => {
      const types = new Set(Object.values(resources()).map(({ Type }) => Type));
      expect([...types].filter((type) => !Object.hasOwn(deployerActions, type))).toEqual([]);
    });

    test('every log has a name that the policy of the docs allows, and is kept for a limited time', () => {
      for (const [, { Properties }] of ofType('AWS::Logs::LogGroup')) {
        expect(Properties.LogGroupName).toMatch(/^\/aws\/(lambda\/hookloom-dev-|http-api\/hookloom-dev)/);
        expect(Properties.RetentionInDays).toBeGreaterThan(0);
      }
    });
  });
};
