/** An action that a call needs permission for, and the input that names its resources. */
export interface ActionRule {
  readonly action: string;
  readonly input: ServiceCall['input'];
  /** Resources that are used instead of those that the input names. */
  readonly resources?: readonly string[];
}

/** IAM prefixes of services whose client package has a different name. https://docs.aws.amazon.com/service-authorization/ */
const PREFIXES: Readonly<Record<string, string>> = {
  'api-gateway': 'apigateway',
  apigatewaymanagementapi: 'execute-api',
  apigatewayv2: 'apigateway',
  'auto-scaling': 'autoscaling',
  'bedrock-agent': 'bedrock',
  'bedrock-agent-runtime': 'bedrock',
  'bedrock-runtime': 'bedrock',
  'cloudwatch-events': 'events',
  'cloudwatch-logs': 'logs',
  'cognito-identity-provider': 'cognito-idp',
  'cost-explorer': 'ce',
  'database-migration-service': 'dms',
  'dynamodb-streams': 'dynamodb',
  efs: 'elasticfilesystem',
  'elastic-load-balancing': 'elasticloadbalancing',
  'elastic-load-balancing-v2': 'elasticloadbalancing',
  emr: 'elasticmapreduce',
  eventbridge: 'events',
  'iot-data-plane': 'iot',
  'lex-runtime-v2': 'lex',
  location: 'geo',
  opensearch: 'es',
  'personalize-runtime': 'personalize',
  pinpoint: 'mobiletargeting',
  'pinpoint-sms-voice-v2': 'sms-voice',
  'resource-groups-tagging-api': 'tag',
  'route-53': 'route53',
  's3-control': 's3',
  'sagemaker-runtime': 'sagemaker',
  'secrets-manager': 'secretsmanager',
  'service-catalog': 'servicecatalog',
  sesv2: 'ses',
  sfn: 'states',
  'sso-admin': 'sso',
  'timestream-query': 'timestream',
  'timestream-write': 'timestream',
};

/** Actions, without prefix, of operations whose action has a different name. */
const OTHER_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  'bedrock-runtime.Converse': ['InvokeModel'],
  'bedrock-runtime.ConverseStream': ['InvokeModelWithResponseStream'],
  'dynamodb.ExecuteStatement': ['PartiQLDelete', 'PartiQLInsert', 'PartiQLSelect', 'PartiQLUpdate'],
  'lambda.Invoke': ['InvokeFunction'],
  'lambda.InvokeAsync': ['InvokeFunction'],
  'lambda.InvokeWithResponseStream': ['InvokeFunction'],
  's3.CompleteMultipartUpload': ['PutObject'],
  's3.CreateMultipartUpload': ['PutObject'],
  's3.DeleteObjects': ['DeleteObject'],
  's3.GetObjectAttributes': ['GetObject', 'GetObjectAttributes'],
  's3.HeadBucket': ['ListBucket'],
  's3.HeadObject': ['GetObject'],
  's3.ListMultipartUploads': ['ListBucketMultipartUploads'],
  's3.ListObjectVersions': ['ListBucketVersions'],
  's3.ListObjects': ['ListBucket'],
  's3.ListObjectsV2': ['ListBucket'],
  's3.ListParts': ['ListMultipartUploadParts'],
  's3.SelectObjectContent': ['GetObject'],
  's3.UploadPart': ['PutObject'],
  'sesv2.SendEmail': ['SendEmail', 'SendRawEmail'], // raw content uses the same operation
  'sns.PublishBatch': ['Publish'],
  'sqs.ChangeMessageVisibilityBatch': ['ChangeMessageVisibility'],
  'sqs.DeleteMessageBatch': ['DeleteMessage'],
  'sqs.SendMessageBatch': ['SendMessage'],
};

/** Operations that need several actions, each on its own resources. */
const SEVERAL: Readonly<Record<string, (input: ServiceCall['input']) => readonly ActionRule[]>> = {
  'dynamodb.TransactWriteItems': (input) => transactionActions(input),
  'dynamodb.TransactGetItems': (input) => transactionActions(input),
  's3.CopyObject': (input) => copyActions(input),
  's3.UploadPartCopy': (input) => copyActions(input),
  's3.ListBuckets': (input) => [{ action: 's3:ListAllMyBuckets', input, resources: ['*'] }],
  'rds-data.ExecuteStatement': (input) => dataApiActions('ExecuteStatement', input),
  'rds-data.BatchExecuteStatement': (input) => dataApiActions('BatchExecuteStatement', input),
  'rds-data.BeginTransaction': (input) => dataApiActions('BeginTransaction', input),
  'rds-data.CommitTransaction': (input) => dataApiActions('CommitTransaction', input),
  'rds-data.RollbackTransaction': (input) => dataApiActions('RollbackTransaction', input),
};

const prefixOf = (service: string): string =>
  Object.hasOwn(PREFIXES, service) ? (PREFIXES[service] ?? service) : service;

/** Returns an operation as the SDK spells it, such as `putItem`. */
export const toOperationName = (operation: string): string =>
  operation.charAt(0).toUpperCase() + operation.slice(1);

export const findActions = ({ service, operation, input }: ServiceCall): readonly ActionRule[] => {
  const name = toOperationName(operation);
  const key = `${service}.${name}`;
  const several = Object.hasOwn(SEVERAL, key) ? SEVERAL[key]?.(input) : undefined;
  if (several !== undefined) return several;
  const names = Object.hasOwn(OTHER_ACTIONS, key) ? (OTHER_ACTIONS[key] ?? []) : [name];
  return names.map((action) => ({ action: `${prefixOf(service)}:${action}`, input }));
};

const TRANSACTION_ACTIONS: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

/** Finds the actions of a transaction, which needs the permissions of its items. */
const transactionActions = ({ TransactItems }: ServiceCall['input']): ActionRule[] => {
  const items = Array.isArray(TransactItems) ? TransactItems : [];
  const known = items.flatMap((item: Readonly<Record<string, unknown>>) =>
    Object.entries(item ?? {}).flatMap(([kind, input]) =>
      Object.hasOwn(TRANSACTION_ACTIONS, kind)
        ? [{ action: `dynamodb:${TRANSACTION_ACTIONS[kind]}`, input: (input ?? {}) as ServiceCall['input'] }]
        : [],
    ),
  );
  if (known.length > 0) return known;
  return Object.values(TRANSACTION_ACTIONS).map((name) => ({ action: `dynamodb:${name}`, input: {} }));
};

const copyActions = (input: ServiceCall['input']): ActionRule[] => {
  const [, Bucket = '*', Key = '*'] = /^\/?([^/]+)\/([^?]*)/.exec(String(input.CopySource ?? '')) ?? [];
  return [
    { action: 's3:PutObject', input },
    { action: 's3:GetObject', input: { Bucket, Key } },
  ];
};

/** The Data API reads the secret with the caller's permissions. */
const dataApiActions = (name: string, input: ServiceCall['input']): ActionRule[] => [
  { action: `rds-data:${name}`, input },
  { action: 'secretsmanager:GetSecretValue', input: { SecretId: input.secretArn } },
];

/** A call to an AWS service: `AwsCall` of the contract. */
export interface ServiceCall {
  /** The SDK's client package without its prefix. */
  readonly service: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly region?: string | undefined;
}
