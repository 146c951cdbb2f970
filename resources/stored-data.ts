import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { HeadBucketCommand, NotFound, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { findDenial } from '../lib/adapters/aws/denial.ts';
import { SCHEMA_VERSION } from '../lib/adapters/dynamodb/schema/schema.ts';
import { createSdkClient } from '../lib/adapters/dynamodb/sdk-client.ts';
import {
  checkStoredData,
  createListIndexes,
} from '../lib/adapters/dynamodb/stored-data/check-stored-data.ts';
import {
  type StoredDataProblem,
  writeStageVersions,
} from '../lib/adapters/dynamodb/stored-data/stage-versions.ts';
import { tableNames } from '../lib/adapters/dynamodb/table-names.ts';
import { isAppError } from '../lib/shared/errors.ts';
import type { Template } from './template.ts';

/** What keeps data when the stack is removed, by its logical name. */
export interface StoredData {
  /** What the template wants, by its name in the account. */
  readonly wanted: Readonly<Record<string, string>>;
  /** What the stack has now, by its name in the account. */
  readonly inStack: Readonly<Record<string, string>>;
  /** Logical names of what is wanted, and exists outside of the stack. */
  readonly left: readonly string[];
  /** What keeps this release from working on it, if it could be checked. */
  readonly problems: readonly StoredDataProblem[];
  /** Why some of it could not be looked at; null where all was seen. */
  readonly unseen: string | null;
  /** Whether it is certain that this deployment makes all tables. */
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
  const dynamoDb = new DynamoDBClient(config);
  const s3 = new S3Client(config);
  let unseen: string | null = null;
  /** What AWS answers; null where it does not say. */
  const see = async <Seen>(look: () => Promise<Seen>): Promise<Seen | null> => {
    try {
      return await look();
    } catch (error) {
      unseen ??= explain(error);
      return null;
    }
  };
  try {
    const inStack = await see(() => readStack(stackName, config));
    if (inStack === null) return { wanted, inStack: {}, left: [], problems: [], unseen, isNew: false };
    const entries = Object.entries(wanted);
    const look = async ([id, name]: [string, string]) => {
      if (Object.hasOwn(inStack, id)) return 'in the stack';
      return see(() => (isTable(id) ? hasTable(dynamoDb, name) : hasBucket(s3, name)));
    };
    const found = await Promise.all(entries.map(look));
    const left = entries.filter((_, at) => found[at] === true).map(([id]) => id);
    const executions =
      inStack.ExecutionsTable ?? (left.includes('ExecutionsTable') ? wanted.ExecutionsTable : undefined);
    const problems =
      executions === undefined ? [] : await see(() => findProblems(dynamoDb, executions, inStack));
    const isNew = entries.every(([id], at) => !isTable(id) || found[at] === false);
    return { wanted, inStack, left, problems: problems ?? [], unseen, isNew };
  } finally {
    dynamoDb.destroy();
    s3.destroy();
  }
};

const isTable = (id: string): boolean => id.endsWith('Table');

/** IAM's sentence where it is about a permission. */
const explain = (error: unknown): string => {
  const { name, message } =
    isAppError(error) && error.cause instanceof Error ? error.cause : (error as Error);
  return findDenial(message)?.sentence ?? `${name}: ${message}`;
};

const hasTable = async (dynamoDb: DynamoDBClient, TableName: string): Promise<boolean> => {
  try {
    await dynamoDb.send(new DescribeTableCommand({ TableName }));
    return true;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false;
    throw error;
  }
};

const hasBucket = async (s3: S3Client, Bucket: string): Promise<boolean> => {
  try {
    await s3.send(new HeadBucketCommand({ Bucket }));
    return true;
  } catch (error) {
    if (error instanceof NotFound) return false;
    throw error;
  }
};

/** CloudFormation adds an index to a table of the stack, and to no other. */
const findProblems = async (
  dynamoDb: DynamoDBClient,
  executions: string,
  inStack: StoredData['inStack'],
): Promise<readonly StoredDataProblem[]> => {
  const client = createSdkClient(dynamoDb);
  const tables = toTables(executions);
  const found = await checkStoredData({ client, tables, listIndexes: createListIndexes(dynamoDb) });
  const addsIndexes = Object.hasOwn(inStack, 'ExecutionsTable');
  return found.filter(({ lacks }) => lacks !== 'table' && !(lacks === 'addedIndex' && addsIndexes));
};

const toTables = (executions = '') => tableNames(executions.replace(/-executions$/, ''));

/** Notes that a stage which this deployment has made holds what this release writes, and nothing older. Never rejects. */
export const noteNewStage = async (
  { wanted }: Pick<StoredData, 'wanted'>,
  config: AwsConfig,
): Promise<void> => {
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

/** @returns nothing for a stack that does not exist */
const readStack = async (StackName: string, config: AwsConfig): Promise<StoredData['inStack']> => {
  const found: Record<string, string> = {};
  const client = new CloudFormationClient(config);
  try {
    for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
      for (const { LogicalResourceId, PhysicalResourceId, ResourceStatus } of StackResourceSummaries)
        if (LogicalResourceId !== undefined && PhysicalResourceId && ResourceStatus !== 'DELETE_COMPLETE')
          found[LogicalResourceId] = PhysicalResourceId;
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return {};
    throw error;
  } finally {
    client.destroy();
  }
  return found;
};

/** @returns what would go wrong, and what to do about it; null when nothing would */
export const findStoredProblem = (
  { wanted, inStack, left, problems }: StoredData,
  { adopts, stage }: { readonly adopts: boolean; readonly stage: string },
): string | null => {
  const { BlobBucket: bucket } = inStack;
  if (bucket !== undefined && wanted.BlobBucket !== undefined && bucket !== wanted.BlobBucket)
    return [
      `The bucket of this stage is ${bucket}. This deployment would put ${wanted.BlobBucket} in its place, and what is stored would not be found.`,
      'Keep it with --param="blobBucket=generated", or in serverless.yml, in the block of the stage under params.',
    ].join('\n');
  if (problems.length > 0)
    return [
      `This release can't work on what the stage "${stage}" holds:`,
      ...problems.flatMap(({ problem, remedy }) => [`  ${problem}`, `  ${remedy}`]),
      'Nothing was changed. See docs/stored-data.md.',
    ].join('\n');
  if (left.length === 0 || adopts) return null;
  return [
    `An earlier deployment of the stage "${stage}" has left what this one would make:`,
    ...left.map((id) => `  ${id}: ${wanted[id]}`),
    'To keep this data, deploy once with --param="adoptData=true". To begin anew, delete it first.',
    'See docs/deploying.md, "Remove, and deploy again".',
  ].join('\n');
};
