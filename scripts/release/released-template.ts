import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyProject } from '../../packages/local/stage/package-stage.ts';
import { BOTH, conditionsIn, mergeOptions, type Template, toLaunchable } from './launchable-template.ts';

/** What stands in packaged templates for what a launch decides. */
const STAGE = 'stage-of-a-launch';
const REGION = 'us-east-1';
const PREFIX = 'prefix-of-a-launch/';
const TOPIC = `arn:aws:sns:${REGION}:000000000000:topic-of-a-launch`;
const BUS = `arn:aws:events:${REGION}:000000000000:event-bus/bus-of-a-launch`;
const COLLECTOR = 'https://collector-of-a-launch.example/v1/traces';
const KEY = `arn:aws:kms:${REGION}:000000000000:key/key-of-a-launch`;

/** A parameter of the template that is an option of the service: `none` or `false` turns it off. */
interface Option {
  /** As in serverless.yml. */
  readonly param: string;
  readonly value: string;
  readonly off: 'none' | 'false';
  readonly description: string;
  /** Further parameters, which only matter with this one, by their names here. */
  readonly details?: Readonly<Record<string, Detail>>;
}

interface Detail {
  readonly param: string;
  /** What stands in the packaged template for the value of a launch. */
  readonly value: string;
  readonly initial: string;
  readonly pattern: string;
  readonly description: string;
}

const OPTIONS: Readonly<Record<string, Option>> = {
  AlarmTopic: {
    param: 'alarmTopic',
    value: TOPIC,
    off: 'none',
    description: 'ARN of an SNS topic in this region: creates alarms that notify it, $0.10 a month each',
  },
  Dashboard: {
    param: 'dashboard',
    value: 'true',
    off: 'false',
    description: 'A dashboard in CloudWatch, $3 a month',
  },
  Tracing: { param: 'tracing', value: 'true', off: 'false', description: 'X-Ray traces all functions' },
  Traces: {
    param: 'traces',
    value: COLLECTOR,
    off: 'none',
    description: 'URL of a collector that takes traces of executions by OTLP over HTTP, with its path',
    details: {
      TraceRatio: {
        param: 'traceRatio',
        value: '.271828182',
        initial: '1',
        pattern: '0|1|0?\\.[0-9]{1,9}',
        description: 'How many of the traces that begin in the service are sent, 0 to 1',
      },
      TraceHeaders: {
        param: 'traceHeaders',
        value: 'headers-of-a-launch',
        initial: 'none',
        pattern: '[A-Za-z0-9_-]{1,64}',
        description: 'Name of the secret with the headers of the collector: see docs/traces.md',
      },
    },
  },
  EventBus: {
    param: 'eventBus',
    value: BUS,
    off: 'none',
    description:
      'ARN of an EventBridge bus in this region, for an event when an execution ends; none writes them to the log',
  },
  KmsKey: {
    param: 'kmsKey',
    value: KEY,
    off: 'none',
    description: "ARN of a key that encrypts tables, bucket, queues and logs; none uses AWS's keys",
  },
  DeletionProtection: {
    param: 'deletionProtection',
    value: 'true',
    off: 'false',
    description: 'Tables can be deleted only after this is turned off',
  },
};

/** It makes a function, to which other options apply: they are packaged with and without it. */
const WITH_FUNCTION = 'Traces';

const paramsOf = (option: Option | undefined): readonly string[] =>
  option === undefined
    ? []
    : [option, ...Object.values(option.details ?? {})].map(({ param, value }) => `--param=${param}=${value}`);

const DETAILS = Object.values(OPTIONS).flatMap(({ details = {} }) => Object.entries(details));

/** Packages the service with options of the Serverless Framework. */
export type PackageWith = (parameters: readonly string[]) => Template;

/**
 * Lends a way to package templates. They do not depend on code, so they are packaged for functions that do nothing.
 *
 * @param project - the folder of the service
 */
export const withPackager = <Result>(project: string, use: (packageWith: PackageWith) => Result): Result => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-template-'));
  try {
    copyProject(project, folder);
    for (const file of globSync('functions/**/*.ts', { cwd: folder }))
      writeFileSync(join(folder, file), 'export const handler = () => null;');
    return use((parameters) => {
      execFileSync('npx', ['serverless', 'package', ...parameters], { cwd: folder, stdio: 'pipe' });
      const file = join(folder, '.serverless/cloudformation-template-update-stack.json');
      return JSON.parse(readFileSync(file, 'utf8'));
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

interface Parameter {
  readonly Type: 'String';
  readonly Default?: string;
  readonly AllowedPattern?: string;
  readonly AllowedValues?: readonly string[];
  readonly Description: string;
}

/** What a launch decides. @internal */
export const toParameters = (version: string): Readonly<Record<string, Parameter>> => {
  const own: Readonly<Record<string, Parameter>> = {
    Stage: {
      Type: 'String',
      Default: 'production',
      AllowedPattern: '[a-z][a-z0-9-]{0,19}',
      Description: 'Name of the stage, in the names of all its tables, functions and roles',
    },
    AssetsBucket: {
      Type: 'String',
      Description: 'Bucket in this region with the zips of this release',
    },
    AssetsPrefix: {
      Type: 'String',
      Default: `hookloom/${version}/`,
      Description: 'What the keys of the zips begin with',
    },
  };
  const chosen = Object.entries(OPTIONS).flatMap(
    ([name, { off, description, details = {} }]): [string, Parameter][] => [
      [
        name,
        {
          Type: 'String',
          Default: off,
          ...(off === 'false' ? { AllowedValues: ['true', 'false'] } : {}),
          Description: description,
        },
      ],
      ...Object.entries(details).map(
        ([detail, { initial, pattern, description: about }]): [string, Parameter] => [
          detail,
          { Type: 'String', Default: initial, AllowedPattern: pattern, Description: about },
        ],
      ),
    ],
  );
  return { ...own, ...Object.fromEntries(chosen) };
};

/** Makes the template of a release, which starts any stage in any account and region. */
export const toReleasedTemplate = (version: string, packageWith: PackageWith): Template => {
  const place = ['--stage', STAGE, '--region', REGION];
  const packageAll = (others: readonly string[]): Template =>
    mergeOptions(
      withoutPackage(packageWith([...place, ...others])),
      Object.entries(OPTIONS)
        .filter(([name]) => name !== WITH_FUNCTION)
        .map(([name, option]) => ({
          condition: conditionOf(name),
          template: withoutPackage(packageWith([...place, ...others, ...paramsOf(option)])),
        })),
    );
  const merged = mergeOptions(packageAll([]), [
    { condition: conditionOf(WITH_FUNCTION), template: packageAll(paramsOf(OPTIONS[WITH_FUNCTION])) },
  ]);
  const { Resources, Outputs } = toLaunchable(merged, {
    [TOPIC]: reference('AlarmTopic'),
    [BUS]: reference('EventBus'),
    [COLLECTOR]: reference('Traces'),
    ...Object.fromEntries(DETAILS.map(([name, { value }]) => [value, reference(name)])),
    [KEY]: reference('KmsKey'),
    [STAGE]: reference('Stage'),
    [REGION]: reference('AWS::Region'),
    [PREFIX]: reference('AssetsPrefix'),
  });
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: `Hookloom ${version}: workflow automation, started by webhooks, events, messages and schedules`,
    Parameters: toParameters(version),
    Conditions: {
      ...Object.fromEntries(
        Object.entries(OPTIONS).map(([name, { off }]) => [
          conditionOf(name),
          { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: name }, off] }] },
        ]),
      ),
      ...Object.fromEntries(
        conditionsIn(merged)
          .filter((name) => name.includes(BOTH))
          .map((name) => [name, { 'Fn::And': name.split(BOTH).map((Condition) => ({ Condition })) }]),
      ),
    },
    Resources,
    Outputs,
  };
};

/** In a text of `Fn::Sub`. */
const reference = (name: string): string => `\${${name}}`;

const conditionOf = (name: string): string => `Has${name}`;

type Resource = { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> };

/**
 * Leaves out what only stages of releases before 0.3 have: rules whose names a pattern as long as the name of the stage distinguishes.
 *
 * @returns undefined when nothing is left
 * @internal
 */
export const withoutFormerRules = (value: unknown): unknown => {
  if (typeof value === 'string') return value.includes('????') ? undefined : value;
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value)
    .map(([key, inner]) => [key, withoutFormerRules(inner)] as const)
    .filter(([, inner]) => inner !== undefined);
  if (Array.isArray(value))
    return kept.length === 0 && value.length > 0 ? undefined : kept.map(([, inner]) => inner);
  return kept.length < Object.keys(value).length ? undefined : Object.fromEntries(kept);
};

/** A packaged template without what differs each time that one is packaged, and without the Framework's bucket. */
const withoutPackage = (template: Template): Template => {
  const text = JSON.stringify(template).replace(
    /"S3Key":"[^"]*\/([^"/]+\.zip)"/g,
    (_all, zip: string) => `"S3Key":"${PREFIX}${zip}"`,
  );
  // The Framework puts a hash of code and settings into its name, so that each deployment publishes a version.
  const [, hash = ''] = /"\w+LambdaVersion(\w{20,})":/.exec(text) ?? [];
  const { Resources, Outputs } = JSON.parse(text.replaceAll(hash, '')) as Template & {
    readonly Outputs: Readonly<Record<string, unknown>>;
  };
  const kept = Object.entries(Resources as Readonly<Record<string, Resource>>).filter(
    ([id]) => !id.startsWith('ServerlessDeploymentBucket'),
  );
  const { ServerlessDeploymentBucketName: _bucket, ...outputs } = Outputs;
  const released = kept
    .map(([id, resource]) => [id, withoutFormerRules(fromAssets(resource)) as Resource | undefined] as const)
    .filter(([, resource]) => resource !== undefined);
  return { Resources: Object.fromEntries(released) as Template['Resources'], Outputs: outputs };
};

const fromAssets = (resource: Resource): Resource => {
  const { Type, Properties } = resource;
  if (Type === 'AWS::Lambda::Function')
    return {
      ...resource,
      Properties: {
        ...Properties,
        Code: { ...(Properties?.Code as object), S3Bucket: { Ref: 'AssetsBucket' } },
      },
    };
  // Another description makes another version: with the settings of this launch, and the code of this release.
  if (Type === 'AWS::Lambda::Version')
    return {
      ...resource,
      Properties: { FunctionName: Properties?.FunctionName, Description: SETTINGS },
    };
  return resource;
};

/** What of a launch changes the function that has versions. A description has at most 256 characters. */
const SETTINGS = {
  'Fn::Sub': [
    ['AssetsPrefix', 'Tracing', 'EventBus', 'KmsKey', 'Sampled'].map(reference).join(' '),
    { Sampled: { 'Fn::If': [conditionOf(WITH_FUNCTION), { Ref: 'TraceRatio' }, 'none'] } },
  ],
};
