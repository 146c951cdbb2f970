import { tryJson } from '../../../net/json.ts';
import {
  type ApiRequest,
  type Arns,
  arnOr,
  type Call,
  type Input,
  listInput,
  optionalText,
  type Permission,
  textInput,
  UnknownCall,
} from './call.ts';

/** A service that names its operations in a header or a form, with the permissions that each needs. */
interface JsonService {
  /** Prefix of the operation in `x-amz-target`. */
  readonly target: string;
  /** The IAM prefix of the service's actions. */
  readonly prefix: string;
  /** Action names by operation, for those that differ. */
  readonly actions?: Readonly<Record<string, string>>;
  /** Finds the permissions that an operation needs; null if its resources are not known. */
  readonly findPermissions: (operation: string, input: Input, arns: Arns) => readonly Need[] | null;
}

/** The action has the operation's name unless given. */
interface Need extends Omit<Permission, 'action'> {
  readonly action?: string;
}

const oneNeed = (resource: string, context?: Permission['context']): readonly Need[] => [
  context === undefined ? { resource } : { resource, context },
];

const anything = oneNeed('*');

const tableArnOf = (input: Input, arns: Arns): string =>
  arnOr(textInput(input, 'TableName'), (name) => arns.of('dynamodb', `table/${name}`));

const TRANSACTION_ACTIONS: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  Get: 'GetItem',
  ConditionCheck: 'ConditionCheckItem',
};

const findDynamoDb: JsonService['findPermissions'] = (operation, input, arns) => {
  switch (operation) {
    case 'BatchGetItem':
    case 'BatchWriteItem': {
      const names = Object.keys((input.RequestItems ?? {}) as object);
      if (names.length === 0) throw new UnknownCall('RequestItems is missing');
      return names.flatMap((TableName) => oneNeed(tableArnOf({ TableName }, arns)));
    }
    case 'TransactGetItems':
    case 'TransactWriteItems':
      return listInput(input, 'TransactItems').flatMap((item) =>
        Object.entries(item).map(([kind, inner]) => {
          const action = Object.hasOwn(TRANSACTION_ACTIONS, kind) ? TRANSACTION_ACTIONS[kind] : undefined;
          if (action === undefined) throw new UnknownCall(`${kind} is not a transaction item`);
          return { action, resource: tableArnOf(inner as Input, arns) };
        }),
      );
    case 'ListTables':
    case 'DescribeLimits':
    case 'DescribeEndpoints':
      return anything;
    case 'ExecuteStatement':
    case 'ExecuteTransaction':
    case 'BatchExecuteStatement':
      return null;
    default: {
      const index = optionalText(input, 'IndexName');
      return oneNeed(index === null ? tableArnOf(input, arns) : `${tableArnOf(input, arns)}/index/${index}`);
    }
  }
};

const parameterArn = (name: string, arns: Arns): string =>
  arnOr(name, (plain) => arns.of('ssm', `parameter/${plain.replace(/^\//, '')}`));

const findSystemsManager: JsonService['findPermissions'] = (operation, input, arns) => {
  if (operation === 'DescribeParameters') return anything;
  if (operation === 'GetParametersByPath') return oneNeed(parameterArn(textInput(input, 'Path'), arns));
  if (/^(GetParameters|DeleteParameters)$/.test(operation))
    return (input.Names as readonly string[]).flatMap((name) => oneNeed(parameterArn(name, arns)));
  return /Parameter/.test(operation) ? oneNeed(parameterArn(textInput(input, 'Name'), arns)) : null;
};

/** Secrets Manager appends six characters to each name in the ARN. */
export const SECRET_SUFFIX = '-AbCdEf';

const findSecretsManager: JsonService['findPermissions'] = (operation, input, arns) =>
  /^(GetSecretValue|DescribeSecret|PutSecretValue|CreateSecret|DeleteSecret)$/.test(operation)
    ? oneNeed(
        arnOr(optionalText(input, 'SecretId') ?? textInput(input, 'Name'), (name) =>
          arns.of('secretsmanager', `secret:${name}${SECRET_SUFFIX}`),
        ),
      )
    : null;

const busArn = (name: string, arns: Arns): string =>
  arnOr(name, (plain) => arns.of('events', `event-bus/${plain}`));

/** Builds the ARN of a rule: `rule/NAME`, or `rule/BUS/NAME` on another bus than the default one. */
const ruleArn = (name: string, bus: string | null, arns: Arns): string => {
  const plain = bus?.slice(bus.lastIndexOf('/') + 1) ?? 'default';
  const [, , , region = '', account = ''] = bus?.startsWith('arn:') ? bus.split(':') : [];
  const resource = plain === 'default' ? `rule/${name}` : `rule/${plain}/${name}`;
  return region === ''
    ? arns.of('events', resource)
    : `arn:${arns.partition}:events:${region}:${account}:${resource}`;
};

const findEvents: JsonService['findPermissions'] = (operation, input, arns) => {
  switch (operation) {
    case 'PutEvents':
      return listInput(input, 'Entries').flatMap((entry) =>
        oneNeed(busArn(optionalText(entry, 'EventBusName') ?? 'default', arns)),
      );
    case 'PutRule':
    case 'DeleteRule':
    case 'DescribeRule':
    case 'EnableRule':
    case 'DisableRule':
    case 'PutTargets':
    case 'RemoveTargets':
    case 'ListTargetsByRule': {
      const name = optionalText(input, 'Rule') ?? textInput(input, 'Name');
      const targets = operation === 'PutTargets' ? listInput(input, 'Targets') : [input];
      const roles = targets.flatMap((target) => optionalText(target, 'RoleArn') ?? []);
      const targetArns = targets.flatMap((target) => optionalText(target, 'Arn') ?? []);
      return [
        ...oneNeed(
          ruleArn(name, optionalText(input, 'EventBusName'), arns),
          operation === 'PutTargets' ? { 'events:TargetArn': targetArns } : undefined,
        ),
        ...roles.map((role) => passRole(role, 'events')),
      ];
    }
    case 'DescribeEventBus':
      return oneNeed(busArn(optionalText(input, 'Name') ?? 'default', arns));
    case 'ListRules':
      return oneNeed(ruleArn('*', optionalText(input, 'EventBusName'), arns));
    case 'ListEventBuses':
      return anything;
    default:
      return null;
  }
};

/** Returns the permission to pass a role to a service, which is a separate action. */
export const passRole = (role: string, service: string): Need & { readonly action: string } => ({
  action: 'iam:PassRole',
  resource: role,
  context: { 'iam:PassedToService': `${service}.amazonaws.com` },
});

/** Converts a URL like `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME` to the queue's ARN. */
const queueArn = (url: string, arns: Arns): string => {
  const [, host = '', account, name] = /^https?:\/\/([^/]+)\/(\d{12})\/([^/]+)$/.exec(url) ?? [];
  if (name === undefined) throw new UnknownCall(`${url} is not a queue URL`);
  const [, region = arns.region] = /^sqs\.([a-z0-9-]+)\.amazonaws\.com$/.exec(host) ?? [];
  return `arn:${arns.partition}:sqs:${region}:${account}:${name}`;
};

const findQueues: JsonService['findPermissions'] = (operation, input, arns) => {
  if (operation === 'ListQueues') return oneNeed(arns.of('sqs', '*'));
  if (operation === 'GetQueueUrl' || operation === 'CreateQueue') {
    const account = optionalText(input, 'QueueOwnerAWSAccountId') ?? arns.account;
    return oneNeed(`arn:${arns.partition}:sqs:${arns.region}:${account}:${textInput(input, 'QueueName')}`);
  }
  return oneNeed(queueArn(textInput(input, 'QueueUrl'), arns));
};

/** Actions on a log group are checked on its streams, even when none is named. */
const findLogs: JsonService['findPermissions'] = (operation, input, arns) => {
  if (/^(DescribeQueryDefinitions|GetQueryResults|StopQuery)$/.test(operation)) return anything;
  const named = optionalText(input, 'logGroupName') ?? optionalText(input, 'logGroupIdentifier');
  const several = (input.logGroupNames ?? input.logGroupIdentifiers ?? []) as readonly string[];
  const groups = named === null ? several : [named];
  const stream = optionalText(input, 'logStreamName') ?? '';
  if (groups.length === 0)
    return operation === 'DescribeLogGroups' ? oneNeed(arns.of('logs', 'log-group::log-stream:')) : null;
  return groups.flatMap((group) =>
    oneNeed(
      `${arnOr(group, (name) => arns.of('logs', `log-group:${name}`)).replace(/:\*$/, '')}:log-stream:${stream}`,
    ),
  );
};

const findQuotas: JsonService['findPermissions'] = (operation, input, arns) => {
  if (/^List/.test(operation)) return anything;
  return /^GetServiceQuota$/.test(operation)
    ? oneNeed(arns.of('servicequotas', `${textInput(input, 'ServiceCode')}/${textInput(input, 'QuotaCode')}`))
    : null;
};

const findStacks: JsonService['findPermissions'] = (operation, input, arns) => {
  const stack = optionalText(input, 'StackName');
  if (!/^(DescribeStacks|DescribeStackResources?|ListStackResources|GetTemplate)$/.test(operation))
    return null;
  return oneNeed(
    arnOr(stack ?? '*', (name) =>
      arns.of('cloudformation', `stack/${name}/00000000-0000-4000-8000-000000000000`),
    ),
  );
};

const findRoles: JsonService['findPermissions'] = (operation, input) => {
  if (operation === 'GetCallerIdentity') return [];
  if (operation !== 'AssumeRole') return null;
  const externalId = optionalText(input, 'ExternalId');
  return oneNeed(textInput(input, 'RoleArn'), {
    'sts:RoleSessionName': textInput(input, 'RoleSessionName'),
    ...(externalId === null ? {} : { 'sts:ExternalId': externalId }),
  });
};

/** The services by the name in a signature's scope. */
const services: Readonly<Record<string, JsonService>> = {
  dynamodb: { target: 'DynamoDB_20120810', prefix: 'dynamodb', findPermissions: findDynamoDb },
  ssm: { target: 'AmazonSSM', prefix: 'ssm', findPermissions: findSystemsManager },
  secretsmanager: { target: 'secretsmanager', prefix: 'secretsmanager', findPermissions: findSecretsManager },
  events: { target: 'AWSEvents', prefix: 'events', findPermissions: findEvents },
  sqs: {
    target: 'AmazonSQS',
    prefix: 'sqs',
    actions: {
      SendMessageBatch: 'SendMessage',
      DeleteMessageBatch: 'DeleteMessage',
      ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
    },
    findPermissions: findQueues,
  },
  logs: { target: 'Logs_20140328', prefix: 'logs', findPermissions: findLogs },
  // Metrics have no ARN; what has one is not read here.
  monitoring: {
    target: 'GraniteServiceVersion20100801',
    prefix: 'cloudwatch',
    findPermissions: (operation) => (/Metric/.test(operation) ? anything : null),
  },
  servicequotas: { target: 'ServiceQuotasV20190624', prefix: 'servicequotas', findPermissions: findQuotas },
  sts: { target: 'AWSSecurityTokenServiceV20110615', prefix: 'sts', findPermissions: findRoles },
  cloudformation: { target: 'CloudFormation', prefix: 'cloudformation', findPermissions: findStacks },
};

/** Reads a request whose operation is named in `x-amz-target`, in a form, or in the path of Smithy's RPC protocol. */
export const readJsonCall = (service: string, request: ApiRequest, arns: Arns): Call => {
  const definition = Object.hasOwn(services, service) ? services[service] : undefined;
  if (definition === undefined) throw new UnknownCall(`unknown service ${service}`);
  const { target, prefix, actions = {}, findPermissions } = definition;
  const { operation, input } = readOperation(request, target);
  const needs = findPermissions(operation, input, arns);
  if (needs === null) throw new UnknownCall(`the permissions for ${prefix}:${operation} are unknown`);
  const own = Object.hasOwn(actions, operation) ? actions[operation] : operation;
  return {
    operation,
    input,
    permissions: needs.map(({ action = own, ...need }) => ({
      ...need,
      action: action?.includes(':') ? action : `${prefix}:${action}`,
    })),
  };
};

const readOperation = ({ method, headers, body, path }: ApiRequest, target: string) => {
  if (method !== 'POST') throw new UnknownCall(`${method} ${path} is not an operation`);
  const header = headers['x-amz-target'];
  const text = Buffer.from(body).toString();
  if (typeof header === 'string') {
    const at = header.lastIndexOf('.');
    if (header.slice(0, at) !== target) throw new UnknownCall(`${header} is not an operation of ${target}`);
    return { operation: header.slice(at + 1), input: readJson(text) };
  }
  if (!String(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded'))
    throw new UnknownCall(`${method} ${path} does not name an operation`);
  const form = Object.fromEntries(new URLSearchParams(text));
  return { operation: textInput(form, 'Action'), input: form };
};

const readJson = (text: string): Input => {
  const value = text === '' ? {} : tryJson(text);
  if (typeof value === 'object' && value !== null) return value as Input;
  throw new UnknownCall('the body is not a JSON object');
};
