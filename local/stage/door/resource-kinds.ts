import { createHash } from 'node:crypto';

/** Where a stack is. */
export interface Place {
  readonly account: string;
  readonly region: string;
  readonly partition: string;
  readonly stackName: string;
}

/** A resource, to the extent that its name and its attributes follow from it. */
interface Details extends Place {
  readonly logicalId: string;
  /** Its own, or the one that CloudFormation makes up. */
  readonly name: string;
  /** A property that is text; null when the resource does not have it. */
  readonly property: (name: string) => string | null;
}

type Read = (resource: Details) => string;

/** What a type of resource returns, by the AWS resource and property types reference. */
export interface Kind {
  /** The property with the name; without one the name is made up. */
  readonly nameProperty?: string;
  readonly generateName: (logicalId: string, place: Place) => string;
  readonly ref: Read;
  readonly arn?: Read;
  readonly attributes?: Readonly<Record<string, Read>>;
}

/** Text that follows from the stack and the logical id, in place of the random one of CloudFormation. */
const suffixOf = (logicalId: string, { stackName }: Place, alphabet: string, length: number): string => {
  const bytes = createHash('sha256').update(`${stackName}/${logicalId}`).digest();
  return [...bytes.subarray(0, length)].map((byte) => alphabet[byte % alphabet.length]).join('');
};

const DIGITS = '0123456789';
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const SMALL = CAPITALS.toLowerCase();

/** `STACK-LOGICALID-RANDOM`, of which the first two are cut to what fits. */
const generated =
  (maxLength: number, toCase: (text: string) => string = (text) => text) =>
  (logicalId: string, place: Place): string => {
    const suffix = suffixOf(logicalId, place, CAPITALS + DIGITS, 12);
    const room = Math.floor((maxLength - suffix.length - 2) / 2);
    return toCase([place.stackName.slice(0, room), logicalId.slice(0, room), suffix].join('-'));
  };

const shortId = (logicalId: string, place: Place): string => suffixOf(logicalId, place, SMALL + DIGITS, 10);

const uuid = (logicalId: string, place: Place): string => {
  const hex = suffixOf(logicalId, place, '0123456789abcdef', 32);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join('-');
};

const arnOf =
  (service: string, toResource: Read): Read =>
  (resource) => {
    const { partition, region, account } = resource;
    return `arn:${partition}:${service}:${region}:${account}:${toResource(resource)}`;
  };

const iamArn =
  (type: string): Read =>
  ({ partition, account, name, property }) =>
    `arn:${partition}:iam::${account}:${type}${property('Path') ?? '/'}${name}`;

const byName: Read = ({ name }) => name;

/** A function by its name or its ARN. */
const functionArn: Read = ({ partition, region, account, property }) => {
  const given = property('FunctionName') ?? '';
  return given.startsWith('arn:') ? given : `arn:${partition}:lambda:${region}:${account}:function:${given}`;
};

const queueUrl: Read = ({ region, account, name }) =>
  `https://sqs.${region}.amazonaws.com/${account}/${name}`;

const ruleArn = arnOf('events', ({ name, property }) => {
  const bus = property('EventBusName') ?? 'default';
  return bus === 'default' ? `rule/${name}` : `rule/${bus.slice(bus.lastIndexOf('/') + 1)}/${name}`;
});

/** Resources that others refer to by a name alone, or not at all. */
const plain = (nameProperty?: string): Kind => ({
  ...(nameProperty === undefined ? {} : { nameProperty }),
  generateName: generated(64),
  ref: byName,
});

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-template-resource-type-ref.html */
const kinds: Readonly<Record<string, Kind>> = {
  'AWS::DynamoDB::Table': {
    ...plain('TableName'),
    arn: arnOf('dynamodb', ({ name }) => `table/${name}`),
  },
  'AWS::S3::Bucket': {
    nameProperty: 'BucketName',
    generateName: generated(63, (text) => text.toLowerCase()),
    ref: byName,
    arn: ({ partition, name }) => `arn:${partition}:s3:::${name}`,
    attributes: {
      DomainName: ({ name }) => `${name}.s3.amazonaws.com`,
      RegionalDomainName: ({ name, region }) => `${name}.s3.${region}.amazonaws.com`,
    },
  },
  'AWS::SQS::Queue': {
    nameProperty: 'QueueName',
    generateName: generated(80),
    ref: queueUrl,
    arn: arnOf('sqs', byName),
    attributes: { QueueName: byName, QueueUrl: queueUrl },
  },
  'AWS::SNS::Topic': {
    ...plain('TopicName'),
    ref: arnOf('sns', byName),
    attributes: { TopicArn: arnOf('sns', byName), TopicName: byName },
  },
  'AWS::Lambda::Function': {
    ...plain('FunctionName'),
    arn: arnOf('lambda', ({ name }) => `function:${name}`),
  },
  'AWS::Lambda::Version': {
    ...plain(),
    ref: (resource) => `${functionArn(resource)}:1`,
    attributes: { Version: () => '1', FunctionArn: (resource) => `${functionArn(resource)}:1` },
  },
  'AWS::Lambda::Alias': {
    ...plain(),
    ref: (resource) => `${functionArn(resource)}:${resource.property('Name')}`,
    attributes: { AliasArn: (resource) => `${functionArn(resource)}:${resource.property('Name')}` },
  },
  'AWS::Lambda::EventSourceMapping': {
    generateName: uuid,
    ref: byName,
    attributes: {
      Id: byName,
      EventSourceMappingArn: arnOf('lambda', ({ name }) => `event-source-mapping:${name}`),
    },
  },
  'AWS::Lambda::Permission': plain(),
  'AWS::IAM::Role': {
    ...plain('RoleName'),
    arn: iamArn('role'),
    attributes: {
      RoleId: ({ logicalId, ...place }) => `AROA${suffixOf(logicalId, place, CAPITALS + DIGITS, 17)}`,
    },
  },
  'AWS::IAM::ManagedPolicy': {
    nameProperty: 'ManagedPolicyName',
    generateName: generated(128),
    ref: iamArn('policy'),
    attributes: { PolicyArn: iamArn('policy') },
  },
  'AWS::Logs::LogGroup': {
    nameProperty: 'LogGroupName',
    generateName: generated(512),
    ref: byName,
    arn: arnOf('logs', ({ name }) => `log-group:${name}:*`),
  },
  'AWS::Logs::MetricFilter': plain('FilterName'),
  'AWS::Events::Rule': { ...plain('Name'), arn: ruleArn },
  'AWS::Events::EventBus': {
    ...plain('Name'),
    arn: arnOf('events', ({ name }) => `event-bus/${name}`),
    attributes: { Name: byName },
  },
  'AWS::Scheduler::ScheduleGroup': {
    ...plain('Name'),
    arn: arnOf('scheduler', ({ name }) => `schedule-group/${name}`),
  },
  'AWS::Scheduler::Schedule': {
    ...plain('Name'),
    arn: arnOf('scheduler', ({ name, property }) => `schedule/${property('GroupName') ?? 'default'}/${name}`),
  },
  'AWS::CloudWatch::Alarm': {
    ...plain('AlarmName'),
    arn: arnOf('cloudwatch', ({ name }) => `alarm:${name}`),
  },
  'AWS::CloudWatch::CompositeAlarm': {
    ...plain('AlarmName'),
    arn: arnOf('cloudwatch', ({ name }) => `alarm:${name}`),
  },
  'AWS::CloudWatch::Dashboard': plain('DashboardName'),
  'AWS::KMS::Key': {
    generateName: uuid,
    ref: byName,
    arn: arnOf('kms', ({ name }) => `key/${name}`),
    attributes: { KeyId: byName },
  },
  'AWS::KMS::Alias': plain('AliasName'),
  'AWS::ApiGatewayV2::Api': {
    generateName: shortId,
    ref: byName,
    attributes: {
      ApiId: byName,
      ApiEndpoint: ({ name, region }) => `https://${name}.execute-api.${region}.amazonaws.com`,
    },
  },
  'AWS::ApiGatewayV2::Stage': plain('StageName'),
  'AWS::ApiGatewayV2::Integration': { generateName: shortId, ref: byName },
  'AWS::ApiGatewayV2::Route': { generateName: shortId, ref: byName },
  'AWS::ApiGatewayV2::DomainName': {
    ...plain('DomainName'),
    attributes: {
      RegionalDomainName: ({ logicalId, region, ...place }) =>
        `d-${shortId(logicalId, { region, ...place })}.execute-api.${region}.amazonaws.com`,
      RegionalHostedZoneId: () => 'Z0000000000000',
    },
  },
  'AWS::CloudFormation::CustomResource': plain(),
};

/** Null for a type whose values are not known here. */
export const kindOf = (type: string): Kind | null =>
  Object.hasOwn(kinds, type) ? (kinds[type] ?? null) : type.startsWith('Custom::') ? plain() : null;
