/** A statement of an IAM policy, with variables of serverless.yml and of CloudFormation. */
export interface Statement {
  readonly Effect: string;
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
/** Ids of APIs have ten characters, so this is no part of one. */
const ANY_API = '?'.repeat(10);
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

/**
 * By resource type: the actions that CloudFormation calls with the deployer's keys to create, change, tag and remove it.
 * `framework` has the Framework's own calls, `parameters` those that only some parameters need.
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
      [`arn:\${AWS::Partition}:s3:::${PREFIX}-*`, `arn:\${AWS::Partition}:s3:::${PREFIX}-*/*`],
    ),
  ],
  'AWS::S3::BucketPolicy': [
    allow(of('s3', 'DeleteBucketPolicy PutBucketPolicy'), `arn:\${AWS::Partition}:s3:::${PREFIX}-*`),
  ],
  'AWS::DynamoDB::Table': [
    allow(
      of(
        'dynamodb',
        `CreateTable DeleteTable Describe* GetResourcePolicy ListTagsOfResource TagResource UntagResource
        UpdateContinuousBackups UpdateTable UpdateTimeToLive`,
      ),
      arn('dynamodb', `table/${PREFIX}-*`),
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
      arn('lambda', `function:${PREFIX}-*`),
    ),
    {
      ...allow(['iam:PassRole'], [`arn:\${AWS::Partition}:iam::\${AWS::AccountId}:role/${PREFIX}-*`]),
      Condition: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
    },
  ],
  'AWS::Lambda::Version': [
    allow(of('lambda', 'ListVersionsByFunction PublishVersion'), arn('lambda', `function:${PREFIX}-*`)),
  ],
  'AWS::Lambda::Alias': [
    allow(
      of('lambda', 'CreateAlias DeleteAlias GetAlias UpdateAlias'),
      arn('lambda', `function:${PREFIX}-*`),
    ),
  ],
  'AWS::Lambda::EventInvokeConfig': [
    allow(
      of(
        'lambda',
        'DeleteFunctionEventInvokeConfig PutFunctionEventInvokeConfig UpdateFunctionEventInvokeConfig',
      ),
      arn('lambda', `function:${PREFIX}-*`),
    ),
  ],
  'AWS::Lambda::Permission': [
    allow(of('lambda', 'AddPermission GetPolicy RemovePermission'), arn('lambda', `function:${PREFIX}-*`)),
  ],
  'AWS::CloudFormation::CustomResource': [
    allow(of('lambda', 'InvokeFunction'), arn('lambda', `function:${PREFIX}-sweepRegistrations`)),
  ],
  'AWS::Lambda::EventSourceMapping': [
    allow(
      of(
        'lambda',
        'CreateEventSourceMapping DeleteEventSourceMapping GetEventSourceMapping ListTags TagResource UpdateEventSourceMapping',
      ),
      '*',
    ),
  ],
  'AWS::Logs::LogGroup': [
    allow(
      of(
        'logs',
        `AssociateKmsKey CreateLogGroup DeleteLogGroup DescribeIndexPolicies DisassociateKmsKey GetDataProtectionPolicy
        ListTagsForResource PutRetentionPolicy TagResource UntagResource`,
      ),
      [arn('logs', `log-group:/aws/lambda/${PREFIX}-*`), arn('logs', `log-group:/aws/http-api/${PREFIX}*`)],
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
    allow(
      of('logs', 'DeleteMetricFilter DescribeMetricFilters PutMetricFilter'),
      arn('logs', `log-group:/aws/lambda/${PREFIX}-*`),
    ),
  ],
  'AWS::Events::Rule': [
    allow(
      of(
        'events',
        'DeleteRule DescribeRule ListTagsForResource ListTargetsByRule PutRule PutTargets RemoveTargets TagResource UntagResource',
      ),
      arn('events', `rule/${PREFIX}-*`),
    ),
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
      arn('sqs', `${PREFIX}-*`),
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
      ['', `${PREFIX}/`].map(
        (path) => `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:role/${path}${PREFIX}-*`,
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
      `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:policy/${PREFIX}-*`,
    ),
  ],
  'AWS::CloudWatch::Alarm': [
    allow(
      of(
        'cloudwatch',
        'DeleteAlarms DescribeAlarms ListTagsForResource PutMetricAlarm TagResource UntagResource',
      ),
      arn('cloudwatch', `alarm:${PREFIX}-*`),
    ),
  ],
  'AWS::CloudWatch::CompositeAlarm': [],
  'AWS::CloudWatch::Dashboard': [
    allow(
      of('cloudwatch', 'DeleteDashboards GetDashboard PutDashboard'),
      `arn:\${AWS::Partition}:cloudwatch::\${AWS::AccountId}:dashboard/${PREFIX}*`,
    ),
  ],
};

/** Where data is, and what watches and starts: in a policy of its own, since IAM allows 6,144 characters for one. */
const OF_DATA = /^AWS::(?:S3|DynamoDB|SQS|Scheduler|Events|CloudWatch)::/;

/** Joins the actions on the same resources. */
const join = (statements: readonly Statement[]): readonly Statement[] =>
  [
    ...Map.groupBy(statements, ({ Resource, Condition }) => JSON.stringify([Resource, Condition])).values(),
  ].map((same) => ({ ...(same[0] as Statement), Action: same.flatMap(({ Action }) => Action).sort() }));

const statementsOf = (isOfData: boolean): readonly Statement[] =>
  join(
    Object.entries(deployerActions)
      .filter(([type]) => OF_DATA.test(type) === isOfData)
      .flatMap(([, statements]) => statements),
  );

/**
 * The statements of the two policies. They exclude what only the parameters `hostedZone` and `kmsKey` need:
 * docs/deploying.md lists it with them.
 */
export const deployerStatements = { code: statementsOf(false), data: statementsOf(true) };
