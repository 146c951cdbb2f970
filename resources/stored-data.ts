import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { HeadBucketCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { SCHEMA_VERSION } from '../lib/adapters/dynamodb/schema/schema.ts';
import { createSdkClient } from '../lib/adapters/dynamodb/sdk-client.ts';
import {
  findVersionProblem,
  readStageVersions,
  writeStageVersions,
} from '../lib/adapters/dynamodb/stored-data/stage-versions.ts';
import { tableNames } from '../lib/adapters/dynamodb/table-names.ts';
import type { Template } from './template.ts';

/** What keeps data when the stack is removed, by its logical name. */
export interface StoredData {
  /** What the template wants, by its name in the account. */
  readonly wanted: Readonly<Record<string, string>>;
  /** What the stack has now, by its name in the account. */
  readonly inStack: Readonly<Record<string, string>>;
  /** Logical names of what is wanted, and exists outside of the stack. */
  readonly left: readonly string[];
  /** Null where this release can read it, and where it is not known which versions there are. */
  readonly unreadable: { readonly problem: string; readonly remedy: string } | null;
  /** Whether this deployment makes the tables. */
  readonly isNew: boolean;
}

/** What all clients of AWS take. */
export type AwsConfig = Pick<S3ClientConfig, 'region' | 'credentials' | 'endpoint' | 'maxAttempts'>;

const STORING = new Map([
  ['AWS::DynamoDB::Table', 'TableName'],
  ['AWS::S3::Bucket', 'BucketName'],
]);

/** @returns tables and bucket with a name, by their logical names */
export const namesOfStored = (
  { Resources }: Template,
  { accountId, region }: { readonly accountId: string; readonly region: string },
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(Resources).flatMap(([id, { Type, Properties = {} }]) => {
      const value = Properties[STORING.get(Type) ?? ''];
      const text = (value as { 'Fn::Sub'?: unknown } | undefined)?.['Fn::Sub'] ?? value;
      if (typeof text !== 'string') return [];
      const name = text.replaceAll(/\$\{AWS::(AccountId|Region)\}/g, (_whole, variable: string) =>
        variable === 'Region' ? region : accountId,
      );
      return [[id, name]];
    }),
  );

/**
 * Looks up what a deployment would meet. Without the permission to look, it is as if there were nothing: CloudFormation
 * refuses the deployment then, in its own words.
 */
export const findStoredData = async (
  wanted: StoredData['wanted'],
  stackName: string,
  config: AwsConfig,
): Promise<StoredData> => {
  const inStack = await readStack(stackName, config);
  if (inStack === null) return { wanted, inStack: {}, left: [], unreadable: null, isNew: false };
  const dynamoDb = new DynamoDBClient(config);
  const s3 = new S3Client(config);
  const isThere = async ([id, name]: [string, string]): Promise<boolean> => {
    if (Object.hasOwn(inStack, id)) return false;
    try {
      if (id.endsWith('Table')) await dynamoDb.send(new DescribeTableCommand({ TableName: name }));
      else await s3.send(new HeadBucketCommand({ Bucket: name }));
      return true;
    } catch {
      return false;
    }
  };
  const entries = Object.entries(wanted);
  const there = await Promise.all(entries.map(isThere));
  const left = entries.filter((_, at) => there[at]).map(([id]) => id);
  const executions =
    inStack.ExecutionsTable ?? (left.includes('ExecutionsTable') ? wanted.ExecutionsTable : undefined);
  const unreadable = executions === undefined ? null : await findUnreadable(dynamoDb, executions);
  dynamoDb.destroy();
  s3.destroy();
  return { wanted, inStack, left, unreadable, isNew: executions === undefined };
};

const findUnreadable = async (
  dynamoDb: DynamoDBClient,
  executions: string,
): Promise<StoredData['unreadable']> => {
  try {
    const versions = await readStageVersions(createSdkClient(dynamoDb), toTables(executions));
    return versions === null ? null : findVersionProblem(versions);
  } catch {
    return null;
  }
};

const toTables = (executions = '') => tableNames(executions.replace(/-executions$/, ''));

/** Notes that a stage which this deployment has made holds what this release writes, and nothing older. Never rejects. */
export const noteNewStage = async ({ wanted }: StoredData, config: AwsConfig): Promise<void> => {
  const dynamoDb = new DynamoDBClient(config);
  const client = createSdkClient(dynamoDb);
  const versions = { oldest: SCHEMA_VERSION, newest: SCHEMA_VERSION };
  try {
    await writeStageVersions(client, toTables(wanted.ExecutionsTable), versions);
  } catch {
    // The sweeper notes it within minutes, with the version before as possible.
  } finally {
    dynamoDb.destroy();
  }
};

/** @returns null when it can't be read; nothing for a stack that does not exist */
const readStack = async (StackName: string, config: AwsConfig): Promise<StoredData['inStack'] | null> => {
  const found: Record<string, string> = {};
  const client = new CloudFormationClient(config);
  try {
    for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
      for (const { LogicalResourceId, PhysicalResourceId, ResourceStatus } of StackResourceSummaries)
        if (LogicalResourceId !== undefined && PhysicalResourceId && ResourceStatus !== 'DELETE_COMPLETE')
          found[LogicalResourceId] = PhysicalResourceId;
  } catch (error) {
    return error instanceof Error && /does not exist/.test(error.message) ? {} : null;
  } finally {
    client.destroy();
  }
  return found;
};

/** @returns what would go wrong, and what to do about it; null when nothing would */
export const findStoredProblem = (
  { wanted, inStack, left, unreadable }: StoredData,
  { adopts, stage }: { readonly adopts: boolean; readonly stage: string },
): string | null => {
  const { BlobBucket: bucket } = inStack;
  if (bucket !== undefined && wanted.BlobBucket !== undefined && bucket !== wanted.BlobBucket)
    return [
      `The bucket of this stage is ${bucket}. This deployment would put ${wanted.BlobBucket} in its place, and what is stored would not be found.`,
      'Keep it with --param="blobBucket=generated", or in serverless.yml, in the block of the stage under params.',
    ].join('\n');
  if (unreadable !== null)
    return `This release can't read what the stage "${stage}" holds. ${unreadable.problem}\n${unreadable.remedy} See docs/stored-data.md.`;
  if (left.length === 0 || adopts) return null;
  return [
    `An earlier deployment of the stage "${stage}" has left what this one would make:`,
    ...left.map((id) => `  ${id}: ${wanted[id]}`),
    'To go on with this data, deploy once with --param="adoptData=true". To begin anew, delete it first.',
    'See docs/deploying.md, "Remove, and deploy again".',
  ].join('\n');
};
