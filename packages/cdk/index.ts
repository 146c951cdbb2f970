import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Annotations, Stack, Token, Validations } from 'aws-cdk-lib';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { Construct } from 'constructs';

/** What a launch decides: the parameters of the released template, with a small letter. */
export interface HookloomProps {
  /** Name of the stage, in the names of all its tables, functions and roles. @defaultValue `production` */
  readonly stage?: string;
  /** ARN of an SNS topic in this region: creates alarms that notify it, $0.10 a month each. */
  readonly alarmTopic?: string;
  /** A dashboard in CloudWatch, $3 a month. */
  readonly dashboard?: boolean;
  /** X-Ray traces all functions. */
  readonly tracing?: boolean;
  /** URL of a collector that takes traces of executions by OTLP over HTTP, with its path. */
  readonly traces?: string;
  /** How many of the traces that begin in the service are sent, 0 to 1. @defaultValue `1` */
  readonly traceRatio?: string;
  /** Name of the secret with the headers of the collector. */
  readonly traceHeaders?: string;
  /** ARN of an EventBridge bus in this region, for an event when an execution ends; by default, the log has them. */
  readonly eventBus?: string;
  /** ARN of a key that encrypts tables, bucket, queues and logs; by default AWS's keys. */
  readonly kmsKey?: string;
  /** Tables can be deleted only after this is turned off. */
  readonly deletionProtection?: boolean;
  /** Folder of another release, with `template.json` and `functions/`; by default the one in this package. */
  readonly release?: string;
}

interface Template {
  readonly Parameters: Readonly<Record<string, Parameter>>;
  readonly Resources: Readonly<Record<string, { readonly Properties?: { readonly Code?: Code } }>>;
}

interface Parameter {
  readonly Default?: string;
  readonly AllowedPattern?: string;
}

/** Where a function's zip is: the key ends with its name. */
interface Code {
  readonly S3Key: { readonly 'Fn::Sub': string };
}

/** Warnings about the template that are meant so. */
const MEANT: Readonly<Record<string, string>> = {
  W8003: 'conditions on what the props say',
  W9053: 'conditions on what the props say',
  W1028: 'conditions on what the props say',
  W2503: 'a resource of one condition is named only where that condition holds',
  W2512: 'a boundary of permissions, which denies',
  W3011: 'a version of a failed deployment is removed, so that the next one can publish it',
};

/** A stage of Hookloom: the resources of a release, with the zips of its functions as assets of the app. */
export class Hookloom extends Construct {
  /** Base address of every webhook, such as `https://ID.execute-api.REGION.amazonaws.com/api/webhook`. */
  readonly webhookUrl: string;
  /** Of the HTTP API, without a path. */
  readonly apiUrl: string;
  /** Id of the HTTP API, as policies name it. */
  readonly apiId: string;
  /** What is included, for anything else that the template has. */
  readonly template: CfnInclude;

  constructor(scope: Construct, id: string, props: HookloomProps = {}) {
    super(scope, id);
    const { release = join(import.meta.dirname, 'release'), ...given } = props;
    const templateFile = join(release, 'template.json');
    const { Parameters, Resources }: Template = JSON.parse(readFileSync(templateFile, 'utf8'));
    const zips = this.#addAssets(join(release, 'functions'));
    const values = toValues(Parameters, given);
    const hash = createHash('sha256').update([...zips.values()].map(({ assetHash }) => assetHash).join());
    const parameters = {
      ...values,
      AssetsBucket: 'assets', // each function gets its own below
      // Other code makes another version of the function whose runs wait.
      AssetsPrefix: `${hash.digest('hex').slice(0, 16)}/`,
    };
    this.template = new CfnInclude(this, 'Template', { templateFile, parameters });
    for (const [name, { Properties }] of Object.entries(Resources)) {
      if (Properties?.Code === undefined) continue;
      const zip = zips.get(Properties.Code.S3Key['Fn::Sub'].replace(/^[^}]*\}/, ''));
      if (zip === undefined) throw new Error(`${release} has no zip for ${name}`);
      (this.template.getResource(name) as CfnFunction).code = {
        s3Bucket: zip.s3BucketName,
        s3Key: zip.s3ObjectKey,
      };
    }
    const outputOf = (name: string): string => this.template.getOutput(name).value;
    this.webhookUrl = outputOf('WebhookUrl');
    this.apiUrl = outputOf('HttpApiUrl');
    this.apiId = outputOf('HttpApiId');
    this.#annotate(`hookloom-${values.Stage}`);
  }

  /** The assets of a folder, by the names of their files. */
  #addAssets(folder: string): ReadonlyMap<string, Asset> {
    const names = readdirSync(folder).sort();
    return new Map(names.map((name) => [name, new Asset(this, name, { path: join(folder, name) })]));
  }

  #annotate(stackName: string): void {
    const stack = Stack.of(this);
    for (const [rule, reason] of Object.entries(MEANT))
      Validations.of(stack).acknowledge({ id: `CloudFormation-Validate::${rule}`, reason });
    if (stack.stackName === stackName) return;
    const advice = `Name the stack "${stackName}", by which the command line finds the stage`;
    Annotations.of(this).addWarningV2('hookloom:stack-name', advice);
  }
}

/** Values of the template's parameters. @throws Error for one that the template refuses */
const toValues = (declared: Template['Parameters'], given: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(declared).map(([name, { Default, AllowedPattern = '.*' }]) => {
      const prop = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
      const value = String(given[prop] ?? Default);
      if (!Token.isUnresolved(value) && !new RegExp(`^(?:${AllowedPattern})$`).test(value))
        throw new Error(`${prop} "${value}" must match ${AllowedPattern}`);
      return [name, value];
    }),
  );
