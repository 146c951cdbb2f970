import { allow, arn, PREFIX, type Statement } from './statement.ts';

/**
 * Stands for each function, table, or capital letter with which a role begins: scripts/policy/stage-names.ts. A pattern for all
 * names of a stage would match those of a stage whose name begins with it and a dash.
 */
const FUNCTION = `${PREFIX}-{function}`;
const TABLE = `${PREFIX}-{table}`;
const ROLE = `${PREFIX}-{Role}`;
/** Ids of APIs have ten characters, so this is no part of one. */
const ANY_API = '?'.repeat(10);
/** The bucket for large values, by either name, and the Framework's for bundles. */
const BUCKETS = ['ACCOUNT-REGION', 'blobbucket-*', 'serverlessdeploymentbucket-*'].map(
  (name) => `arn:aws:s3:::${PREFIX}-${name}`,
);
const toPath = (path: string): string => `arn:aws:apigateway:REGION::/${path}`;
const iam = (rest: string): string => `arn:aws:iam::ACCOUNT:${rest}`;

/** The rules of functions with a schedule; CloudFormation names them after the functions. */
const SCHEDULES = arn('events', `rule/${PREFIX}-{Scheduled}`);

/** Of functions and of the API, with and without their streams. */
const LOGS = [`lambda/${FUNCTION}`, `http-api/${PREFIX}`, `http-api/${PREFIX}:*`].map((name) =>
  arn('logs', `log-group:/aws/${name}`),
);

/**
 * By resource type: the actions that CloudFormation calls with the deployer's keys to create, change, tag and remove it.
 * `framework` has the Framework's own calls, `parameters` those that only some parameters need.
 * @internal
 */
export const deployerActions: Readonly<Record<string, readonly Statement[]>> = {
  framework: [
    allow(
      'cloudformation',
      `CreateChangeSet CreateStack DeleteChangeSet DeleteStack DescribeChangeSet DescribeStack* DetectStack*Drift
        ExecuteChangeSet GetTemplate ListStackResources UpdateStack`,
      arn('cloudformation', `stack/${PREFIX}/*`),
    ),
    allow('cloudformation', 'DescribeStackDriftDetectionStatus ValidateTemplate', '*'),
  ],
  'AWS::S3::Bucket': [
    allow(
      's3',
      `CreateBucket DeleteBucket DeleteObject DeleteObjectVersion GetBucket* Get*Configuration GetObject ListBucket ListBucketVersions PutBucketOwnershipControls PutBucketPublicAccessBlock PutBucketTagging
        PutEncryptionConfiguration PutLifecycleConfiguration PutObject`,
      BUCKETS.flatMap((bucket) => [bucket, `${bucket}/*`]),
    ),
  ],
  'AWS::S3::BucketPolicy': [allow('s3', 'DeleteBucketPolicy PutBucketPolicy', BUCKETS)],
  'AWS::DynamoDB::Table': [
    allow(
      'dynamodb',
      `CreateTable DeleteTable Describe* GetResourcePolicy ListTagsOfResource TagResource UntagResource
        UpdateContinuousBackups UpdateTable UpdateTimeToLive`,
      arn('dynamodb', `table/${TABLE}`),
    ),
    // Which versions of the schema the stage holds: resources/stored-data.ts.
    allow('dynamodb', 'GetItem UpdateItem', arn('dynamodb', `table/${PREFIX}-executions`)),
  ],
  'AWS::Lambda::Function': [
    allow(
      'lambda',
      `CreateFunction DeleteFunction DeleteFunctionConcurrency GetFunction* GetProvisionedConcurrencyConfig
        GetRuntimeManagementConfig ListTags PutFunctionConcurrency TagResource UntagResource UpdateFunctionCode UpdateFunctionConfiguration`,
      arn('lambda', `function:${FUNCTION}`),
    ),
    allow('iam', 'PassRole', [iam(`role/${ROLE}`)], {
      StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' },
    }),
  ],
  'AWS::Lambda::Version': [
    allow('lambda', 'ListVersionsByFunction PublishVersion', arn('lambda', `function:${FUNCTION}`)),
  ],
  'AWS::Lambda::Alias': [
    allow('lambda', 'CreateAlias DeleteAlias GetAlias UpdateAlias', arn('lambda', `function:${FUNCTION}`)),
  ],
  'AWS::Lambda::EventInvokeConfig': [
    allow(
      'lambda',
      'DeleteFunctionEventInvokeConfig PutFunctionEventInvokeConfig UpdateFunctionEventInvokeConfig',
      arn('lambda', `function:${FUNCTION}`),
    ),
  ],
  'AWS::Lambda::Permission': [
    allow('lambda', 'AddPermission GetPolicy RemovePermission', arn('lambda', `function:${FUNCTION}`)),
  ],
  'AWS::CloudFormation::CustomResource': [
    allow('lambda', 'InvokeFunction', arn('lambda', `function:${PREFIX}-sweepRegistrations`)),
  ],
  'AWS::Lambda::EventSourceMapping': [
    // A mapping has a random id: its function identifies it.
    allow(
      'lambda',
      '*EventSourceMapping', // Create, Delete, Get, Update
      '*',
      { ArnLike: { 'lambda:FunctionArn': arn('lambda', `function:${PREFIX}-{mapped}`) } },
    ),
    allow('lambda', 'ListTags TagResource', '*'),
  ],
  'AWS::Logs::LogGroup': [
    allow(
      'logs',
      `AssociateKmsKey CreateLogGroup DeleteLogGroup DescribeIndexPolicies DisassociateKmsKey GetDataProtectionPolicy
        ListTagsForResource PutRetentionPolicy TagResource UntagResource`,
      LOGS,
    ),
    // For the access log of the API; these support no resource ARN.
    allow(
      'logs',
      `CreateLogDelivery DeleteLogDelivery DescribeLogGroups DescribeResourcePolicies GetLogDelivery ListLogDeliveries
        PutResourcePolicy UpdateLogDelivery`,
      '*',
    ),
  ],
  'AWS::Logs::MetricFilter': [
    allow('logs', 'DeleteMetricFilter DescribeMetricFilters PutMetricFilter', LOGS),
  ],
  'AWS::Events::Rule': [
    allow(
      'events',
      'DeleteRule DescribeRule ListTagsForResource ListTargetsByRule PutRule RemoveTargets TagResource UntagResource',
      SCHEDULES,
    ),
    allow('events', 'PutTargets', SCHEDULES, {
      'ForAllValues:ArnLike': { 'events:TargetArn': arn('lambda', `function:${PREFIX}-{scheduled}`) },
      Null: { 'events:TargetArn': 'false' },
    }),
  ],
  'AWS::ApiGatewayV2::Api': [
    allow(
      'apigateway',
      'DELETE GET PATCH POST PUT TagResource UntagResource',
      // Parts of an API: AWS does not say that they inherit its tags, as those of a REST API do.
      ['apis', `apis/${ANY_API}/*`, 'tags/*', 'domainnames', 'domainnames/*'].map(toPath),
    ),
    allow(
      'apigateway',
      'DELETE GET PATCH PUT',
      toPath(`apis/${ANY_API}`), // The Framework tags the stack with STAGE; keys of conditions have no case.
      { StringEquals: { 'aws:ResourceTag/stage': 'STAGE' } },
    ),
  ],
  'AWS::ApiGatewayV2::Stage': [],
  'AWS::ApiGatewayV2::Integration': [],
  'AWS::ApiGatewayV2::Route': [],
  // The first domain of an account makes this role.
  'AWS::ApiGatewayV2::DomainName': [
    allow('iam', 'CreateServiceLinkedRole', iam(`role/aws-service-role/ops.apigateway.amazonaws.com/*`), {
      StringEquals: { 'iam:AWSServiceName': 'ops.apigateway.amazonaws.com' },
    }),
  ],
  'AWS::ApiGatewayV2::ApiMapping': [],
  'AWS::SQS::Queue': [
    allow(
      'sqs',
      'CreateQueue DeleteQueue GetQueueAttributes GetQueueUrl ListQueueTags SetQueueAttributes TagQueue UntagQueue',
      [`${PREFIX}-trigger-dead-letters`, `${PREFIX}-DeadLetterQueue-*`].map((name) => arn('sqs', name)),
    ),
  ],
  'AWS::SQS::QueuePolicy': [],
  'AWS::Scheduler::ScheduleGroup': [
    allow(
      'scheduler',
      'CreateScheduleGroup DeleteScheduleGroup GetScheduleGroup ListTagsForResource TagResource UntagResource',
      arn('scheduler', `schedule-group/${PREFIX}`),
    ),
    allow('scheduler', 'DeleteSchedule', arn('scheduler', `schedule/${PREFIX}/*`)), // with their group
  ],
  'AWS::IAM::Role': [
    allow(
      'iam',
      `AttachRolePolicy CreateRole DeleteRole DeleteRolePolicy DetachRolePolicy GetRole GetRolePolicy ListAttachedRolePolicies
        ListRolePolicies PutRolePermissionsBoundary PutRolePolicy TagRole UntagRole UpdateAssumeRolePolicy UpdateRole`,
      [ROLE, `${PREFIX}-REGION-scheduler`, `${PREFIX}/${PREFIX}-WorkflowRole-*`].map((name) =>
        iam(`role/${name}`),
      ),
    ),
  ],
  'AWS::IAM::ManagedPolicy': [
    allow(
      'iam',
      `CreatePolicy CreatePolicyVersion DeletePolicy DeletePolicyVersion GetPolicy GetPolicyVersion ListEntitiesForPolicy
        ListPolicyVersions`,
      iam(`policy/${PREFIX}-WorkflowBoundary-*`),
    ),
  ],
  'AWS::CloudWatch::Alarm': [
    allow(
      'cloudwatch',
      'DeleteAlarms DescribeAlarms ListTagsForResource PutMetricAlarm TagResource UntagResource',
      arn('cloudwatch', `alarm:${PREFIX}/*`),
    ),
  ],
  'AWS::CloudWatch::CompositeAlarm': [],
  'AWS::CloudWatch::Dashboard': [
    allow(
      'cloudwatch',
      'DeleteDashboards GetDashboard PutDashboard',
      `arn:aws:cloudwatch::ACCOUNT:dashboard/${PREFIX}`,
    ),
  ],
};

/** Joins the actions on the same resources. */
const join = (statements: readonly Statement[]): readonly Statement[] =>
  [
    ...Map.groupBy(statements, ({ Resource, Condition }) => JSON.stringify([Resource, Condition])).values(),
  ].map((same) => ({ ...(same[0] as Statement), Action: same.flatMap(({ Action }) => Action).sort() }));

/** Several policies, since IAM allows 6,144 characters for one: where data is, and what watches and starts; roles and logs; all else. */
const policyOf = (type: string): 'data' | 'roles' | 'code' =>
  /^AWS::(?:S3|DynamoDB|SQS|Scheduler|Events|CloudWatch)::/.test(type)
    ? 'data'
    : /^AWS::(?:IAM|Logs)::/.test(type)
      ? 'roles'
      : 'code';

const statementsOf = (policy: ReturnType<typeof policyOf>): readonly Statement[] =>
  join(
    Object.entries(deployerActions)
      .filter(([type]) => policyOf(type) === policy)
      .flatMap(([, statements]) => statements),
  );

/**
 * The statements of the three policies. They exclude what only the parameters `hostedZone` and `kmsKey` need:
 * docs/deploying.md lists it with them.
 */
export const deployerStatements = {
  code: statementsOf('code'),
  data: statementsOf('data'),
  roles: statementsOf('roles'),
};

const RUN_DURABLE = arn('lambda', `function:${PREFIX}-runDurable`);
const mayEncrypt = (service: string, operations: string, condition: object): Statement => {
  const { Effect, ...others } = allow('kms', operations, '*', condition);
  return { Effect, Principal: { Service: `${service}.amazonaws.com` }, ...others };
};

/** What a key's policy must allow AWS services that encrypt with it on their own account. */
export const keyStatements: readonly Statement[] = [
  mayEncrypt('logs.REGION', 'Encrypt Decrypt ReEncrypt* GenerateDataKey* DescribeKey', {
    ArnLike: { 'kms:EncryptionContext:aws:logs:arn': LOGS },
  }),
  mayEncrypt('events', 'Decrypt GenerateDataKey', { StringEquals: { 'aws:SourceAccount': 'ACCOUNT' } }),
  // https://docs.aws.amazon.com/lambda/latest/dg/durable-encryption.html
  mayEncrypt('lambda', 'Decrypt GenerateDataKey', {
    StringEquals: {
      'aws:SourceAccount': 'ACCOUNT',
      'aws:SourceArn': RUN_DURABLE,
      'kms:EncryptionContext:aws:lambda:FunctionArn': RUN_DURABLE,
    },
  }),
];
