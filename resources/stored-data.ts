import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import {
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { HeadBucketCommand, NotFound, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { findDenial } from '../lib/adapters/aws/aws-error.ts';
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
import type { Template } from './cloudformation.ts';

/** Resources that keep data when the stack is removed, by logical name. */
export interface StoredData {
  /** Names in the account according to the template. */
  readonly wanted: Readonly<Record<string, string>>;
  /** Names in the account according to the current stack. */
  readonly inStack: Readonly<Record<string, string>>;
  /** Logical names of wanted resources that exist outside the stack. */
  readonly left: readonly string[];
  /** The tables of the stack as they are, by logical name. */
  readonly tables: Readonly<Record<string, TableDescription>>;
  /** Why this release can't work with the data, if that could be checked. */
  readonly problems: readonly StoredDataProblem[];
  /** Why part of it could not be checked; null if everything was. */
  readonly unseen: string | null;
  /** Whether this deployment certainly creates all tables. */
  readonly isNew: boolean;
}

export type AwsConfig = Pick<S3ClientConfig, 'region' | 'credentials' | 'endpoint' | 'maxAttempts'>;

const STORING = new Map([
  ['AWS::DynamoDB::Table', 'TableName'],
  ['AWS::S3::Bucket', 'BucketName'],
]);

/** @returns named tables and bucket, by logical name */
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
 * Looks up existing resources that affect a deployment. Without permission it assumes that there are none; CloudFormation
 * then refuses the deployment itself.
 */
export const findStoredData = async (
  wanted: StoredData['wanted'],
  stackName: string,
  config: AwsConfig,
): Promise<StoredData> => {
  const dynamoDb = new DynamoDBClient(config);
  const s3 = new S3Client(config);
  let unseen: string | null = null;
  /** Returns AWS's response; null without permission. */
  const see = async <Seen>(look: () => Promise<Seen>): Promise<Seen | null> => {
    try {
      return await look();
    } catch (error) {
      unseen ??= explainError(error);
      return null;
    }
  };
  try {
    const inStack = await see(() => readStack(stackName, config));
    if (inStack === null)
      return { wanted, inStack: {}, left: [], tables: {}, problems: [], unseen, isNew: false };
    const entries = Object.entries(wanted);
    const look = async ([id, name]: [string, string]) => {
      if (Object.hasOwn(inStack, id)) return 'in the stack';
      return see(() => (isTable(id) ? hasTable(dynamoDb, name) : hasBucket(s3, name)));
    };
    const found = await Promise.all(entries.map(look));
    const left = entries.filter((_, at) => found[at] === true).map(([id]) => id);
    const tables = await Promise.all(
      Object.keys(wanted)
        .filter((id) => isTable(id) && Object.hasOwn(inStack, id))
        .map(async (id) => [id, await see(() => describeTable(dynamoDb, inStack[id] ?? ''))] as const),
    );
    const executions =
      inStack.ExecutionsTable ?? (left.includes('ExecutionsTable') ? wanted.ExecutionsTable : undefined);
    const problems =
      executions === undefined ? [] : await see(() => findProblems(dynamoDb, executions, inStack));
    const isNew = entries.every(([id], at) => !isTable(id) || found[at] === false);
    const described = tables.flatMap(([id, table]) => (table ? [[id, table] as const] : []));
    return {
      wanted,
      inStack,
      left,
      tables: Object.fromEntries(described),
      problems: problems ?? [],
      unseen,
      isNew,
    };
  } finally {
    dynamoDb.destroy();
    s3.destroy();
  }
};

const isTable = (id: string): boolean => id.endsWith('Table');

/** IAM's message if it is about a permission. */
const explainError = (error: unknown): string => {
  const { name, message } =
    isAppError(error) && error.cause instanceof Error ? error.cause : (error as Error);
  return findDenial(message)?.sentence ?? `${name}: ${message}`;
};

const hasTable = async (dynamoDb: DynamoDBClient, name: string): Promise<boolean> =>
  (await describeTable(dynamoDb, name)) !== null;

/** @returns null for a table that does not exist */
const describeTable = async (
  dynamoDb: DynamoDBClient,
  TableName: string,
): Promise<TableDescription | null> => {
  try {
    return (await dynamoDb.send(new DescribeTableCommand({ TableName }))).Table ?? null;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return null;
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

/** CloudFormation adds indexes only to tables of the stack. */
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

/** Records that a stage created by this deployment contains only data of this release. Never rejects. */
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
    // The sweeper records it within minutes, with the previous version as a possibility.
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

/** @returns what would go wrong and how to fix it; null if nothing would */
export const findStoredProblem = (
  { wanted, inStack, left, problems }: StoredData,
  { adopts, stage }: { readonly adopts: boolean; readonly stage: string },
): string | null => {
  const { BlobBucket: bucket } = inStack;
  if (bucket !== undefined && wanted.BlobBucket !== undefined && bucket !== wanted.BlobBucket)
    return [
      `The bucket of this stage is ${bucket}. This deployment would replace it with ${wanted.BlobBucket}, and stored data would not be found.`,
      'Keep it with --param="blobBucket=generated", or in serverless.yml in the stage\'s block under params.',
    ].join('\n');
  if (problems.length > 0)
    return [
      `This release can't work with the data of the stage "${stage}":`,
      ...problems.flatMap(({ problem, remedy }) => [`  ${problem}`, `  ${remedy}`]),
      'Nothing was changed. See docs/stored-data.md.',
    ].join('\n');
  if (left.length === 0 || adopts) return null;
  return [
    `An earlier deployment of the stage "${stage}" left resources that this one would create:`,
    ...left.map((id) => `  ${id}: ${wanted[id]}`),
    'To keep this data, deploy once from a clone with --param="adoptData=true". To start afresh, delete it first.',
    'See docs/deploying.md, "Remove, and deploy again".',
  ].join('\n');
};
