/** A statement of an IAM policy, with variables of serverless.yml and of CloudFormation. */
export interface Statement {
  readonly Effect: string;
  readonly Principal?: unknown;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** An ARN in the account whose last part begins with the stage's name. */
const arn = (service: string, rest: string): string =>
  `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${rest}`;
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of serverless.yml
const PREFIX = '${self:custom.tablePrefix}';
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of serverless.yml
const STAGE = '${sls:stage}';
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
  (name) => `arn:\${AWS::Partition}:s3:::${PREFIX}-${name}`,
);
const toPath = (path: string): string => `arn:\${AWS::Partition}:apigateway:\${AWS::Region}::/${path}`;
export const allow = (Action: string | readonly string[], Resource: unknown): Statement => ({
  Effect: 'Allow',
  Action,
  Resource,
});
const of = (service: string, operations: string): string[] =>
  operations
    .trim()
    .split(/\s+/)
    .map((operation) => `${service}:${operation}`);

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
      of(
        'cloudformation',
        `CreateChangeSet CreateStack DeleteChangeSet DeleteStack DescribeChangeSet DescribeStack* DetectStack*Drift
        ExecuteChangeSet GetTemplate ListStackResources UpdateStack`,
      ),
      arn('cloudformation', `stack/${PREFIX}/*`),
    ),
    allow(of('cloudformation', 'DescribeStackDriftDetectionStatus ValidateTemplate'), '*'),
  ],
  'AWS::S3::Bucket': [
    allow(
      of(
        's3',
        `CreateBucket DeleteBucket DeleteObject DeleteObjectVersion GetBucket* Get*Configuration GetObject ListBucket ListBucketVersions PutBucketOwnershipControls PutBucketPublicAccessBlock PutBucketTagging
        PutEncryptionConfiguration PutLifecycleConfiguration PutObject`,
      ),
      BUCKETS.flatMap((bucket) => [bucket, `${bucket}/*`]),
    ),
  ],
  'AWS::S3::BucketPolicy': [allow(of('s3', 'DeleteBucketPolicy PutBucketPolicy'), BUCKETS)],
  'AWS::DynamoDB::Table': [
    allow(
      of(
        'dynamodb',
        `CreateTable DeleteTable Describe* GetResourcePolicy ListTagsOfResource TagResource UntagResource
        UpdateContinuousBackups UpdateTable UpdateTimeToLive`,
      ),
      arn('dynamodb', `table/${TABLE}`),
    ),
    // Which versions of the schema the stage holds: resources/stored-data.ts.
    allow(of('dynamodb', 'GetItem UpdateItem'), arn('dynamodb', `table/${PREFIX}-executions`)),
  ],
  'AWS::Lambda::Function': [
    allow(
      of(
        'lambda',
        `CreateFunction DeleteFunction DeleteFunctionConcurrency GetFunction* GetProvisionedConcurrencyConfig
        GetRuntimeManagementConfig ListTags PutFunctionConcurrency TagResource UntagResource UpdateFunctionCode UpdateFunctionConfiguration`,
      ),
      arn('lambda', `function:${FUNCTION}`),
    ),
    {
      ...allow(['iam:PassRole'], [`arn:\${AWS::Partition}:iam::\${AWS::AccountId}:role/${ROLE}`]),
      Condition: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
    },
  ],
  'AWS::Lambda::Version': [
    allow(of('lambda', 'ListVersionsByFunction PublishVersion'), arn('lambda', `function:${FUNCTION}`)),
  ],
  'AWS::Lambda::Alias': [
    allow(
      of('lambda', 'CreateAlias DeleteAlias GetAlias UpdateAlias'),
      arn('lambda', `function:${FUNCTION}`),
    ),
  ],
  'AWS::Lambda::EventInvokeConfig': [
    allow(
      of(
        'lambda',
        'DeleteFunctionEventInvokeConfig PutFunctionEventInvokeConfig UpdateFunctionEventInvokeConfig',
      ),
      arn('lambda', `function:${FUNCTION}`),
    ),
  ],
  'AWS::Lambda::Permission': [
    allow(of('lambda', 'AddPermission GetPolicy RemovePermission'), arn('lambda', `function:${FUNCTION}`)),
  ],
  'AWS::CloudFormation::CustomResource': [
    allow(of('lambda', 'InvokeFunction'), arn('lambda', `function:${PREFIX}-sweepRegistrations`)),
  ],
  'AWS::Lambda::EventSourceMapping': [
    // A mapping has a random id: its function identifies it.
    {
      ...allow(
        of(
          'lambda',
          'CreateEventSourceMapping DeleteEventSourceMapping GetEventSourceMapping UpdateEventSourceMapping',
        ),
        '*',
      ),
      Condition: { ArnLike: { 'lambda:FunctionArn': arn('lambda', `function:${PREFIX}-{mapped}`) } },
    },
    allow(of('lambda', 'ListTags TagResource'), '*'),
  ],
  'AWS::Logs::LogGroup': [
    allow(
      of(
        'logs',
        `AssociateKmsKey CreateLogGroup DeleteLogGroup DescribeIndexPolicies DisassociateKmsKey GetDataProtectionPolicy
        ListTagsForResource PutRetentionPolicy TagResource UntagResource`,
      ),
      LOGS,
    ),
    // For the access log of the API; these support no resource ARN.
    allow(
      of(
        'logs',
        `CreateLogDelivery DeleteLogDelivery DescribeLogGroups DescribeResourcePolicies GetLogDelivery ListLogDeliveries
        PutResourcePolicy UpdateLogDelivery`,
      ),
      '*',
    ),
  ],
  'AWS::Logs::MetricFilter': [
    allow(of('logs', 'DeleteMetricFilter DescribeMetricFilters PutMetricFilter'), LOGS),
  ],
  'AWS::Events::Rule': [
    allow(
      of(
        'events',
        'DeleteRule DescribeRule ListTagsForResource ListTargetsByRule PutRule RemoveTargets TagResource UntagResource',
      ),
      SCHEDULES,
    ),
    {
      ...allow(['events:PutTargets'], SCHEDULES),
      Condition: {
        'ForAllValues:ArnLike': { 'events:TargetArn': arn('lambda', `function:${PREFIX}-{scheduled}`) },
        Null: { 'events:TargetArn': 'false' },
      },
    },
  ],
  'AWS::ApiGatewayV2::Api': [
    allow(
      of('apigateway', 'DELETE GET PATCH POST PUT TagResource UntagResource'),
      // Parts of an API: AWS does not say that they inherit its tags, as those of a REST API do.
      ['apis', `apis/${ANY_API}/*`, 'tags/*', 'domainnames', 'domainnames/*'].map(toPath),
    ),
    {
      ...allow(of('apigateway', 'DELETE GET PATCH PUT'), toPath(`apis/${ANY_API}`)),
      // The Framework tags the stack with STAGE; keys of conditions have no case.
      Condition: { StringEquals: { 'aws:ResourceTag/stage': STAGE } },
    },
  ],
  'AWS::ApiGatewayV2::Stage': [],
  'AWS::ApiGatewayV2::Integration': [],
  'AWS::ApiGatewayV2::Route': [],
  // The first domain of an account makes this role.
  'AWS::ApiGatewayV2::DomainName': [
    {
      ...allow(
        ['iam:CreateServiceLinkedRole'],
        `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:role/aws-service-role/ops.apigateway.amazonaws.com/*`,
      ),
      Condition: { StringEquals: { 'iam:AWSServiceName': 'ops.apigateway.amazonaws.com' } },
    },
  ],
  'AWS::ApiGatewayV2::ApiMapping': [],
  'AWS::SQS::Queue': [
    allow(
      of(
        'sqs',
        'CreateQueue DeleteQueue GetQueueAttributes GetQueueUrl ListQueueTags SetQueueAttributes TagQueue UntagQueue',
      ),
      [`${PREFIX}-trigger-dead-letters`, `${PREFIX}-DeadLetterQueue-*`].map((name) => arn('sqs', name)),
    ),
  ],
  'AWS::SQS::QueuePolicy': [],
  'AWS::Scheduler::ScheduleGroup': [
    allow(
      of(
        'scheduler',
        'CreateScheduleGroup DeleteScheduleGroup GetScheduleGroup ListTagsForResource TagResource UntagResource',
      ),
      arn('scheduler', `schedule-group/${PREFIX}`),
    ),
    allow(of('scheduler', 'DeleteSchedule'), arn('scheduler', `schedule/${PREFIX}/*`)), // with their group
  ],
  'AWS::IAM::Role': [
    allow(
      of(
        'iam',
        `AttachRolePolicy CreateRole DeleteRole DeleteRolePolicy DetachRolePolicy GetRole GetRolePolicy ListAttachedRolePolicies
        ListRolePolicies PutRolePermissionsBoundary PutRolePolicy TagRole UntagRole UpdateAssumeRolePolicy UpdateRole`,
      ),
      [ROLE, `${PREFIX}-\${AWS::Region}-scheduler`, `${PREFIX}/${PREFIX}-WorkflowRole-*`].map(
        (name) => `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:role/${name}`,
      ),
    ),
  ],
  'AWS::IAM::ManagedPolicy': [
    allow(
      of(
        'iam',
        `CreatePolicy CreatePolicyVersion DeletePolicy DeletePolicyVersion GetPolicy GetPolicyVersion ListEntitiesForPolicy
        ListPolicyVersions`,
      ),
      `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:policy/${PREFIX}-WorkflowBoundary-*`,
    ),
  ],
  'AWS::CloudWatch::Alarm': [
    allow(
      of(
        'cloudwatch',
        'DeleteAlarms DescribeAlarms ListTagsForResource PutMetricAlarm TagResource UntagResource',
      ),
      arn('cloudwatch', `alarm:${PREFIX}/*`),
    ),
  ],
  'AWS::CloudWatch::CompositeAlarm': [],
  'AWS::CloudWatch::Dashboard': [
    allow(
      of('cloudwatch', 'DeleteDashboards GetDashboard PutDashboard'),
      `arn:\${AWS::Partition}:cloudwatch::\${AWS::AccountId}:dashboard/${PREFIX}`,
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
const ofService = (Service: string, Action: readonly string[], Condition: object): Statement => ({
  Effect: 'Allow',
  Principal: { Service },
  Action,
  Resource: '*',
  Condition,
});

/** What a key's policy must allow AWS services that encrypt with it on their own account. */
export const keyStatements: readonly Statement[] = [
  ofService(
    'logs.REGION.amazonaws.com',
    of('kms', 'Encrypt Decrypt ReEncrypt* GenerateDataKey* DescribeKey'),
    { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': LOGS } },
  ),
  ofService('events.amazonaws.com', of('kms', 'Decrypt GenerateDataKey'), {
    StringEquals: { 'aws:SourceAccount': 'ACCOUNT' },
  }),
  // https://docs.aws.amazon.com/lambda/latest/dg/durable-encryption.html
  ofService('lambda.amazonaws.com', of('kms', 'Decrypt GenerateDataKey'), {
    StringEquals: {
      'aws:SourceAccount': 'ACCOUNT',
      'aws:SourceArn': RUN_DURABLE,
      'kms:EncryptionContext:aws:lambda:FunctionArn': RUN_DURABLE,
    },
  }),
];
