import { type ActionRule, findActions, type ServiceCall } from './actions.ts';

/** What an IAM policy must allow for a call. */
export interface Permission {
  /** The action, such as `dynamodb:PutItem`. */
  readonly action: string;
  /** An ARN with the CloudFormation variables `${AWS::Partition}`, `${AWS::Region}` and `${AWS::AccountId}`, or `*`. */
  readonly resource: string;
  /** Whether the resource matches the call exactly; false if it is wider, because the input does not fully name it. */
  readonly isExact: boolean;
}

/** The permissions that a call needs. A `*` in its input stands for any string, such as the value of an expression. */
export const toPermissions = (call: ServiceCall): Permission[] =>
  findActions(call).flatMap(({ action, input, resources }: ActionRule) => {
    const found = resources ?? findResources({ ...call, input }, action);
    const isAny = resources?.includes('*') === true;
    const named = found.length === 0 ? ['*'] : found;
    return named.map((resource) => ({ action, resource, isExact: isAny || !resource.includes('*') }));
  });

/** A policy statement, as in `iamRoleStatements` of serverless.yml. */
export interface IamStatement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: string | { readonly 'Fn::Sub': string };
}

/** One statement per resource, in the order of the permissions. */
export const toStatements = (permissions: readonly Permission[]): IamStatement[] => {
  const byResource = new Map<string, Set<string>>();
  for (const { action, resource } of permissions) {
    const actions = byResource.get(resource) ?? new Set();
    byResource.set(resource, actions.add(action));
  }
  return [...byResource].map(([resource, actions]) => ({
    Effect: 'Allow',
    Action: [...actions].sort(),
    Resource: resource.includes('${') ? { 'Fn::Sub': resource } : resource,
  }));
};

type Input = ServiceCall['input'];

/** Account and region of a resource that is not where the service runs. */
interface Place {
  readonly region?: string;
  readonly account?: string;
}

/** The ARN of a resource: `arn('dynamodb', 'table/orders')`. */
type ToArn = (service: string, resource: string, place?: Place) => string;

/** The resources that an input names; empty if it names none. */
type FindResources = (input: Input, arn: ToArn, action: string) => readonly string[];

/** The resources of a call for one of its actions. */
const findResources = (call: Pick<ServiceCall, 'input' | 'region'>, action: string): readonly string[] => {
  const [prefix = ''] = action.split(':');
  const arn: ToArn = (service, resource, place = {}) => {
    const { region = call.region ?? `\${AWS::Region}`, account = `\${AWS::AccountId}` } = place;
    return `arn:\${AWS::Partition}:${service}:${region}:${account}:${resource}`;
  };
  const find = Object.hasOwn(rules, prefix) ? rules[prefix] : undefined;
  const found = find?.(call.input, arn, action) ?? [];
  return [...new Set(found.length > 0 ? found : findArns(call.input, prefix))];
};

/** All top-level values of an input that are ARNs of the service. */
const findArns = (input: Input, prefix: string): string[] =>
  Object.values(input).filter(
    (value): value is string => isText(value) && isArn(value) && value.split(':')[2] === prefix,
  );

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isArn = (text: string): boolean => text.startsWith('arn:');

/** Returns an ARN unchanged, or builds one from a name. */
const toArns = (value: unknown, ofName: (name: string) => string): string[] => {
  if (!isText(value)) return [];
  return [isArn(value) ? value : ofName(value)];
};

/** A rule for services whose resources are named by one of these fields. */
const named =
  (fields: readonly string[], service: string, toResource: (name: string) => string): FindResources =>
  (input, arn) =>
    fields.flatMap((field) => toArns(input[field], (name) => arn(service, toResource(name))));

const tables = (input: Input, arn: ToArn): readonly string[] => {
  const { TableName, IndexName, RequestItems } = input;
  const names = RequestItems instanceof Object ? Object.keys(RequestItems) : [TableName];
  const found = names.flatMap((name) => toArns(name, (plain) => arn('dynamodb', `table/${plain}`)));
  return isText(IndexName) ? found.map((table) => `${table}/index/${IndexName}`) : found;
};

/** Actions on a bucket itself; all others are on objects in it. */
const BUCKET_ACTION = /Bucket|^s3:List(?!MultipartUploadParts)/;

const objects: FindResources = ({ Bucket, Key, Delete }, arn, action) => {
  if (!isText(Bucket)) return [];
  const bucket = isArn(Bucket) ? Bucket : arn('s3', Bucket, { region: '', account: '' });
  if (BUCKET_ACTION.test(action)) return [bucket];
  const listed = (Delete as { readonly Objects?: unknown } | null | undefined)?.Objects;
  const keys = Array.isArray(listed) ? listed.map((one) => one?.Key) : [Key];
  return keys.map((key) => `${bucket}/${isText(key) ? key : '*'}`);
};

/** Finds the queue of a URL like `https://sqs.eu-west-1.amazonaws.com/123456789012/orders`. */
const queues: FindResources = ({ QueueUrl }, arn) => {
  const [, , host = '', account, name] = isText(QueueUrl) ? QueueUrl.split('/') : [];
  const [, region] = host.split('.');
  return account === undefined || name === undefined || region === undefined
    ? []
    : [arn('sqs', name, { region, account })];
};

const buses: FindResources = ({ Entries, EventBusName, Name }, arn, action) => {
  const ofName = (bus: string) => arn('events', `event-bus/${bus}`);
  if (action === 'events:PutEvents') {
    const entries = Array.isArray(Entries) ? Entries : [];
    return entries.flatMap((entry) => toArns(entry?.EventBusName ?? 'default', ofName));
  }
  const bus = isText(EventBusName) && EventBusName !== 'default' ? `${EventBusName}/` : '';
  return isText(Name) ? [arn('events', `rule/${bus}${Name}`)] : [];
};

/** Bedrock models belong to AWS; inference profiles belong to the account and call models in other regions. */
const models: FindResources = ({ modelId }, arn) => {
  if (!isText(modelId)) return [];
  if (isArn(modelId)) return [modelId];
  const [, profile] = /^(?:us|us-gov|eu|apac|ca|jp|au|global)\.(.+)$/.exec(modelId) ?? [];
  if (profile === undefined) return [arn('bedrock', `foundation-model/${modelId}`, { account: '' })];
  return [
    arn('bedrock', `inference-profile/${modelId}`),
    arn('bedrock', `foundation-model/${profile}`, { region: '*', account: '' }),
  ];
};

/** Secrets Manager adds six characters to a name. */
const secrets = named(['SecretId', 'Name'], 'secretsmanager', (name) => `secret:${name}-??????`);

const parameters: FindResources = (input, arn) => {
  const { Name, Path, Names } = input;
  const ofName = (name: string) => arn('ssm', `parameter/${name.replace(/^\//, '')}`);
  if (isText(Path)) return [ofName(`${Path}/*`.replace('//', '/'))];
  return [Name, ...(Array.isArray(Names) ? Names : [])].flatMap((name) => toArns(name, ofName));
};

const functions: FindResources = ({ FunctionName, Qualifier }, arn) =>
  toArns(FunctionName, (name) => arn('lambda', `function:${name}`)).map((found) =>
    isText(Qualifier) ? `${found}:${Qualifier}` : found,
  );

/** Finds the keys that a policy must name: it can't refer to a key by its alias. */
const keys: FindResources = ({ KeyId }, arn) =>
  isText(KeyId) && !KeyId.includes('alias/') ? toArns(KeyId, (id) => arn('kms', `key/${id}`)) : [];

/** Finds the verified identity of a sender: either an e-mail address or its domain. */
const identities: FindResources = (input, arn) => {
  const { FromEmailAddress, Source, ConfigurationSetName } = input;
  const sender = isText(FromEmailAddress) ? FromEmailAddress : isText(Source) ? Source : '';
  const address = sender
    .slice(sender.lastIndexOf('<') + 1)
    .replace('>', '')
    .trim();
  if (address === '') return [];
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return [
    arn('ses', `identity/${address}`),
    arn('ses', `identity/${domain}`),
    ...(isText(ConfigurationSetName) ? [arn('ses', `configuration-set/${ConfigurationSetName}`)] : []),
  ];
};

/** Rules by IAM prefix. For services without a rule, the resource is an ARN in the input, or else `*`. */
const rules: Readonly<Record<string, FindResources>> = {
  athena: named(['WorkGroup'], 'athena', (name) => `workgroup/${name}`),
  bedrock: models,
  dynamodb: tables,
  events: buses,
  firehose: named(['DeliveryStreamName'], 'firehose', (name) => `deliverystream/${name}`),
  glue: named(['JobName'], 'glue', (name) => `job/${name}`),
  kinesis: named(['StreamARN', 'StreamName'], 'kinesis', (name) => `stream/${name}`),
  kms: keys,
  lambda: functions,
  logs: named(['logGroupName'], 'logs', (name) => `log-group:${name}:*`),
  'rds-data': named(['resourceArn'], 'rds', (name) => `cluster:${name}`),
  s3: objects,
  secretsmanager: secrets,
  ses: identities,
  sns: named(['TopicArn', 'TargetArn'], 'sns', (name) => name),
  sqs: queues,
  ssm: parameters,
  states: named(['stateMachineArn', 'executionArn'], 'states', (name) => `stateMachine:${name}`),
};
