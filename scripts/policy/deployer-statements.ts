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
        `CreateChangeSet CreateStack DeleteChangeSet DeleteStack DescribeChangeSet DescribeStackEvents DescribeStackResource
        DescribeStackResources DescribeStacks ExecuteChangeSet GetTemplate ListStackResources UpdateStack`,
      ),
      arn('cloudformation', `stack/${PREFIX}/*`),
    ),
    allow(of('cloudformation', 'ValidateTemplate'), '*'),
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
        `CreateTable DeleteTable DescribeContinuousBackups DescribeContributorInsights
        DescribeKinesisStreamingDestination DescribeTable DescribeTimeToLive GetResourcePolicy ListTagsOfResource TagResource
        UntagResource UpdateContinuousBackups UpdateTable UpdateTimeToLive`,
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
        `CreateFunction DeleteFunction DeleteFunctionConcurrency GetFunction GetFunctionCodeSigningConfig GetFunctionConfiguration
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
        'DeleteFunctionEventInvokeConfig GetFunctionEventInvokeConfig PutFunctionEventInvokeConfig UpdateFunctionEventInvokeConfig',
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
        `AssociateKmsKey CreateLogGroup DeleteLogGroup DisassociateKmsKey ListTagsForResource PutRetentionPolicy TagResource
        UntagResource`,
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
        'DeleteRule DescribeRule ListTagsForResource PutRule PutTargets RemoveTargets TagResource UntagResource',
      ),
      arn('events', `rule/${PREFIX}-*`),
    ),
  ],
  'AWS::ApiGatewayV2::Api': [
    allow(
      of('apigateway', 'DELETE GET PATCH POST PUT TagResource UntagResource'),
      ['apis', 'apis/*', 'tags/*', 'domainnames', 'domainnames/*'].map(
        (path) => `arn:\${AWS::Partition}:apigateway:\${AWS::Region}::/${path}`,
      ),
    ),
  ],
  'AWS::ApiGatewayV2::Stage': [],
  'AWS::ApiGatewayV2::Integration': [],
  'AWS::ApiGatewayV2::Route': [],
  'AWS::ApiGatewayV2::DomainName': [],
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
        'CreatePolicy CreatePolicyVersion DeletePolicy DeletePolicyVersion GetPolicy GetPolicyVersion ListPolicyVersions',
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

/** Excludes what only the parameters `domain` with `hostedZone`, and `kmsKey`, need: docs/deploying.md lists it with them. */
export const deployerStatements: readonly Statement[] = Object.values(deployerActions).flat();
