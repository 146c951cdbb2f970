import { expect, test } from '@jest/globals';
import { resolveTemplate } from 'lambda-stage/door';
import {
  type PackageWith,
  toReleasedTemplate,
  withoutFormerRules,
  withPackager,
} from '../../scripts/release/released-template.ts';
import { checkTemplate } from '../support/check-template.ts';
import { projectRoot } from '../support/run-command.ts';

const region = 'eu-central-1';
const account = '123456789012';
const topic = `arn:aws:sns:${region}:${account}:pager`;
const bus = `arn:aws:events:${region}:${account}:event-bus/ends`;
const collector = 'https://collector.example.com/v1/traces';
const key = `arn:aws:kms:${region}:${account}:key/0000-1111`;

/** What a launch of the released template makes, and what `serverless package` makes with the same parameters. */
const cases: readonly (readonly [
  title: string,
  launched: Record<string, string>,
  packaged: readonly string[],
])[] = [
  ['without options', {}, []],
  ['with a collector alone', { Traces: collector }, [`traces=${collector}`]],
  ['with others alone', { AlarmTopic: topic, Tracing: 'true' }, [`alarmTopic=${topic}`, 'tracing=true']],
  [
    'with all of them',
    {
      AlarmTopic: topic,
      Dashboard: 'true',
      Tracing: 'true',
      Traces: collector,
      TraceRatio: '0.05',
      TraceHeaders: 'grafana',
      EventBus: bus,
      KmsKey: key,
      DeletionProtection: 'true',
    },
    [
      `alarmTopic=${topic}`,
      'dashboard=true',
      'tracing=true',
      `traces=${collector}`,
      'traceRatio=0.05',
      'traceHeaders=grafana',
      `eventBus=${bus}`,
      `kmsKey=${key}`,
      'deletionProtection=true',
    ],
  ],
];

type Resolved = ReturnType<typeof resolveTemplate>;

/** Without what a package has of its own: its bucket, its zips, and the names of versions. Statements in any order. */
const comparable = ({ resources, outputs }: Resolved) => {
  const { ServerlessDeploymentBucketName: _bucket, ...kept } = outputs;
  return {
    outputs: kept,
    resources: Object.fromEntries(
      Object.values(resources).flatMap(({ logicalId, type, properties: { Code: _code, ...properties } }) => {
        const kept = withoutFormerRules(properties);
        if (logicalId.startsWith('ServerlessDeploymentBucket') || kept === undefined) return [];
        const isVersion = type === 'AWS::Lambda::Version';
        const name = logicalId.replace(/(LambdaVersion)\w+$/, '$1');
        return [[name, { type, properties: isVersion ? null : sortStatements(kept) }]];
      }),
    ),
  };
};

const sortStatements = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.map(sortStatements).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]) => [name, sortStatements(inner)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
};

test('a launch of the released template makes what a deployment of the same stage makes', () => {
  withPackager(projectRoot, (packageWith: PackageWith) => {
    const released = toReleasedTemplate('1.2.3', packageWith);
    expect(checkTemplate(released as never)).toEqual([]);
    for (const [title, launched, params] of cases) {
      const place = { account, region, stackName: 'hookloom-shop' };
      const parameters = { Stage: 'shop', AssetsBucket: 'assets', ...launched };
      const direct = packageWith([
        '--stage',
        'shop',
        '--region',
        region,
        ...params.map((param) => `--param=${param}`),
      ]);
      const launch = resolveTemplate(released as never, { ...place, parameters });
      expect({ title, ...comparable(launch) }).toEqual({
        title,
        ...comparable(resolveTemplate(direct as never, place)),
      });
      const codes = Object.values(launch.resources).filter(({ type }) => type === 'AWS::Lambda::Function');
      expect(codes[0]?.properties.Code).toEqual({ S3Bucket: 'assets', S3Key: 'hookloom/1.2.3/webhook.zip' });
    }
  });
});
