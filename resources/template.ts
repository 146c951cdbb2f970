import { toAlarms } from './alarms.ts';
import type { Template, TemplateResource } from './cloudformation.ts';
import { toDashboard } from './dashboard.ts';
import type { Deployment, Throttle } from './parameters.ts';

/** The parts of a CloudFormation template that are used here. */
interface Statement {
  readonly Action?: string | readonly string[];
}

/** Completes the template of a deployment with what its parameters request and what the Framework omits. */
export const completeTemplate = (template: Template, deployment: Deployment): void => {
  const { Resources } = template;
  const ofType = (type: string) => Object.entries(Resources).filter(([, { Type }]) => Type === type);
  const change = (type: string, properties: (old: Record<string, unknown>) => object): void => {
    for (const [, resource] of ofType(type))
      resource.Properties = { ...resource.Properties, ...properties(resource.Properties ?? {}) };
  };

  // A version left by a failed deployment would prevent the next deployment of the same code from publishing it.
  for (const [, version] of ofType('AWS::Lambda::Version')) version.DeletionPolicy = 'RetainExceptOnCreate';

  nameBucket(Resources.BlobBucket, deployment);
  keepBlobs(Resources.BlobBucket, readRetentionDays(ofType('AWS::Lambda::Function')));
  if (deployment.hasDeletionProtection)
    change('AWS::DynamoDB::Table', () => ({ DeletionProtectionEnabled: true }));

  if (deployment.warmWrites !== null)
    for (const id of TABLES_OF_RUNS) warmUp(Resources[id], { WriteUnitsPerSecond: deployment.warmWrites });

  const routes = ofType('AWS::ApiGatewayV2::Route');
  change('AWS::ApiGatewayV2::Stage', () => toRouteSettings(routes, deployment));
  // Settings of a route that does not exist yet are refused.
  for (const [, stage] of ofType('AWS::ApiGatewayV2::Stage'))
    stage.DependsOn = [...[stage.DependsOn ?? []].flat(), ...routes.map(([id]) => id)];

  narrowRules(template);
  const { kmsKey, domain } = deployment;
  if (kmsKey !== null) {
    change('AWS::DynamoDB::Table', () => ({
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: kmsKey },
    }));
    change('AWS::SQS::Queue', () => ({ SqsManagedSseEnabled: false, KmsMasterKeyId: kmsKey }));
    change('AWS::Logs::LogGroup', () => ({ KmsKeyId: kmsKey }));
    change('AWS::Lambda::Function', ({ DurableConfig }) =>
      DurableConfig === undefined
        ? {}
        : { DurableConfig: { ...(DurableConfig as object), KMSKeyArn: kmsKey } },
    );
    const rule = {
      ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: kmsKey },
      BucketKeyEnabled: true, // one call to KMS for many objects
    };
    const bucket = Resources.BlobBucket?.Properties;
    if (bucket !== undefined) bucket.BucketEncryption = { ServerSideEncryptionConfiguration: [rule] };
    for (const [, role] of ofType('AWS::IAM::Role')) allowKey(role, kmsKey);
  }
  const { alarmTopic, hasDashboard } = deployment;
  const namespace = readNamespace(template);
  if (alarmTopic !== null)
    Object.assign(Resources, toAlarms(template, namespace, alarmTopic, deployment.quotas));
  if (hasDashboard) Resources.Dashboard = toDashboard(template, namespace);
  if (domain !== null) {
    const [stage = ''] = ofType('AWS::ApiGatewayV2::Stage').map(([id]) => id);
    Object.assign(Resources, toDomainResources(domain, stage));
    const { WebhookUrl } = template.Outputs ?? {};
    if (WebhookUrl !== undefined) Object.assign(WebhookUrl, { Value: `https://${domain.name}/api/webhook` });
  }
};

/** The dimension of the functions' metrics: the prefix of their tables. */
const readNamespace = ({ Resources }: Template): string => {
  const { Environment } = (Resources.SweepLambdaFunction?.Properties ?? {}) as {
    readonly Environment?: { readonly Variables?: { readonly TABLE_PREFIX?: unknown } };
  };
  return String(Environment?.Variables?.TABLE_PREFIX ?? '');
};

/**
 * Limits the permissions for rules that releases before 0.3 named, with a dash, to names of the length that those of this stage have:
 * otherwise they would include those of a stage whose name begins with this one and a dash.
 */
export const narrowRules = ({ Resources }: Template): void => {
  for (const [id, resource] of Object.entries(Resources)) {
    if (resource.Type === 'AWS::IAM::ManagedPolicy') continue; // denies
    const before = JSON.stringify(resource);
    const after = before.replaceAll(
      /(:rule\/(?:\*\/)?)([\w-]+-)\*/g,
      (_whole, place: string, prefix: string) => `${place}${prefix}${'?'.repeat(lengthAfter(prefix))}`,
    );
    if (after !== before) Resources[id] = JSON.parse(after);
  }
};

/** Of a hash, cut off where a rule's name is full. */
const lengthAfter = (prefix: string): number => Math.min(43, 64 - prefix.length);

const nameBucket = (bucket: TemplateResource | undefined, { blobBucket }: Deployment): void => {
  if (bucket?.Properties === undefined) return;
  if (blobBucket.kind === 'generated') delete bucket.Properties.BucketName;
  if (blobBucket.kind === 'named') bucket.Properties.BucketName = blobBucket.name;
};

interface LifecycleRule {
  readonly Id: string;
  readonly ExpirationInDays: number;
}

/** Extends the life of the objects of executions by as much as their records live longer. */
const keepBlobs = (bucket: TemplateResource | undefined, retentionDays: number): void => {
  const { LifecycleConfiguration } = (bucket?.Properties ?? {}) as {
    LifecycleConfiguration?: { Rules: readonly LifecycleRule[] };
  };
  if (LifecycleConfiguration === undefined) return;
  LifecycleConfiguration.Rules = LifecycleConfiguration.Rules.map((rule) =>
    rule.Id.startsWith('kept') ? { ...rule, ExpirationInDays: rule.ExpirationInDays + retentionDays } : rule,
  );
};

/** Reads the retention as lib/app/config.ts does; the longest value if functions differ. */
const readRetentionDays = (functions: readonly (readonly [string, TemplateResource])[]): number => {
  const variables = functions.map(([, { Properties = {} }]) => {
    const { Variables = {} } = (Properties.Environment ?? {}) as { Variables?: Record<string, unknown> };
    return Number(Variables.RETENTION_DAYS ?? '') || DEFAULT_RETENTION_DAYS;
  });
  return variables.length === 0 ? DEFAULT_RETENTION_DAYS : Math.max(...variables);
};

const DEFAULT_RETENTION_DAYS = 30;

/** The tables that runs and deliveries with a key write to. */
const TABLES_OF_RUNS = ['ExecutionsTable', 'DeliveriesTable'];

/** An index has its own throughput and rejects the write to its table when that is exhausted. */
const warmUp = (table: TemplateResource | undefined, WarmThroughput: object): void => {
  const { GlobalSecondaryIndexes, ...properties } = table?.Properties ?? {};
  if (table === undefined) return;
  table.Properties = { ...properties, WarmThroughput };
  if (Array.isArray(GlobalSecondaryIndexes))
    table.Properties.GlobalSecondaryIndexes = GlobalSecondaryIndexes.map((index) => ({
      ...index,
      WarmThroughput,
    }));
};

/** The webhooks' limit is the default, so that a plugin's own trigger route also has one. */
const toRouteSettings = (
  routes: readonly [string, TemplateResource][],
  { throttling, hasRouteMetrics }: Deployment,
): object => {
  const keys = routes.map(([, { Properties = {} }]) => String(Properties.RouteKey));
  const groupOf = (key: string) =>
    / \/api\/admin\//.test(key) ? 'admin' : / \/api\/webhook-callback\//.test(key) ? 'callback' : 'webhook';
  // The default does not apply to a route with its own settings.
  const toSettings = ({ requestsPerSecond, burst }: Throttle) => ({
    DetailedMetricsEnabled: hasRouteMetrics,
    ThrottlingRateLimit: requestsPerSecond,
    ThrottlingBurstLimit: burst,
  });
  const others = keys.filter((key) => groupOf(key) !== 'webhook').sort();
  return {
    DefaultRouteSettings: toSettings(throttling.webhook),
    RouteSettings: Object.fromEntries(others.map((key) => [key, toSettings(throttling[groupOf(key)])])),
  };
};

/** Services that decrypt on behalf of their callers, by their names in `kms:ViaService`, and the actions for which they do. */
const ENCRYPTING = { dynamodb: /^dynamodb:/, s3: /^s3:/, sqs: /^sqs:/, lambda: /^lambda:.*Durable/ } as const;

/** A role that reads or writes encrypted data also needs the key, limited to use through the service that holds the data. */
const allowKey = ({ Properties = {} }: TemplateResource, kmsKey: string): void => {
  const [policy] = (Properties.Policies ?? []) as { PolicyDocument: { Statement: Statement[] } }[];
  if (policy === undefined) return;
  const { Statement } = policy.PolicyDocument;
  const actions = Statement.flatMap(({ Action = [] }) => [Action].flat());
  const services = Object.entries(ENCRYPTING)
    .filter(([, pattern]) => actions.some((action) => pattern.test(action)))
    .map(([service]) => service);
  if (services.length === 0) return;
  policy.PolicyDocument.Statement = [...Statement, toKeyStatement(kmsKey, services)];
};

/** Documented at https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html */
const toKeyStatement = (kmsKey: string, services: readonly string[]) => ({
  Effect: 'Allow',
  Action: ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'].map(
    (operation) => `kms:${operation}`,
  ),
  Resource: kmsKey,
  Condition: {
    StringEquals: {
      'kms:ViaService': services.map((service) => ({
        'Fn::Sub': `${service}.\${AWS::Region}.\${AWS::URLSuffix}`,
      })),
    },
  },
});

const toDomainResources = (
  { name, certificate, hostedZone }: NonNullable<Deployment['domain']>,
  stage: string,
): Record<string, TemplateResource> => {
  const attribute = (property: string) => ({ 'Fn::GetAtt': ['CustomDomain', property] });
  return {
    CustomDomain: {
      Type: 'AWS::ApiGatewayV2::DomainName',
      Properties: {
        DomainName: name,
        DomainNameConfigurations: [
          { CertificateArn: certificate, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' },
        ],
      },
    },
    CustomDomainMapping: {
      Type: 'AWS::ApiGatewayV2::ApiMapping',
      Properties: { DomainName: { Ref: 'CustomDomain' }, ApiId: { Ref: 'HttpApi' }, Stage: { Ref: stage } },
    },
    ...(hostedZone === null
      ? {}
      : {
          CustomDomainRecord: {
            Type: 'AWS::Route53::RecordSet',
            Properties: {
              HostedZoneId: hostedZone,
              Name: name,
              Type: 'A',
              AliasTarget: {
                DNSName: attribute('RegionalDomainName'),
                HostedZoneId: attribute('RegionalHostedZoneId'),
              },
            },
          },
        }),
  };
};
