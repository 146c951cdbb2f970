import type { JsonObject } from '@hookloom/plugin-kit';
import type { storedDataRoute } from '../../../lib/app/health.ts';
import { TABLES, type TableShape } from '../../../lib/health/tables.ts';
import type { AnswerTo } from '../../../lib/http/api-route.ts';
import { AwsRefusal, askJson, askRest, type DoctorApi, type DoctorParts } from './ask-aws.ts';
import { type Line, linesOf } from './line.ts';

const tables = linesOf('tables');
const queues = linesOf('dead letters');
const storedData = linesOf('stored data');
const executions = linesOf('accepted executions');
const workflows = linesOf('silent workflows');

const DEPLOY =
  'Deploy the stage again; a table that was restored or created by hand needs the settings from serverless.yml.';

const ADD =
  'Add it to the table as in serverless.yml. Deploying again does not add it: CloudFormation compares templates, not tables.';

/** Compares the tables, their indexes, expiry and backups with what the code requires. */
export const checkTables = async ({ prefix, open }: DoctorParts): Promise<readonly Line[]> => {
  const ask = (operation: string, TableName: string) =>
    askJson(open('dynamodb'), `DynamoDB_20120810.${operation}`, { TableName });
  const shapes: readonly TableShape[] = Object.values(TABLES);
  const checks = shapes.map((shape) => checkTable(`${prefix}-${shape.name}`, shape, ask));
  const lines = (await Promise.all(checks)).flat();
  const faults = lines.filter(({ status }) => status !== 'skipped');
  if (faults.length > 0) return faults;
  const left = lines.length === 0 ? ', expiry and backups' : '';
  return [tables.ok(`all ${shapes.length} tables have their keys and indexes${left}`), ...lines.slice(0, 1)];
};

type Ask = (operation: string, table: string) => Promise<JsonObject>;

interface KeyElement {
  readonly AttributeName: string;
}

const checkTable = async (
  name: string,
  { key, indexes = {}, expiry, isPassing }: TableShape,
  ask: Ask,
): Promise<readonly Line[]> => {
  const description = await ask('DescribeTable', name).catch((error: unknown) => {
    if (error instanceof AwsRefusal && error.type === 'ResourceNotFoundException') return null;
    throw error;
  });
  if (description === null) return [tables.wrong(`there is no table ${name}`, DEPLOY)];
  const table = description.Table as unknown as {
    readonly TableStatus?: string;
    readonly KeySchema: readonly KeyElement[];
    readonly GlobalSecondaryIndexes?: readonly {
      readonly IndexName: string;
      readonly IndexStatus?: string;
      readonly KeySchema: readonly KeyElement[];
    }[];
  };
  const lines: Line[] = [];
  if (keyNamesOf(table.KeySchema) !== key)
    lines.push(tables.wrong(`${name} has the key ${keyNamesOf(table.KeySchema)} instead of ${key}`, DEPLOY));
  for (const [index, wanted] of Object.entries(indexes)) {
    const found = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index);
    if (found === undefined) lines.push(tables.wrong(`${name} lacks the index ${index}`, ADD));
    else if (keyNamesOf(found.KeySchema) !== wanted)
      lines.push(
        tables.wrong(
          `the index ${index} of ${name} has the key ${keyNamesOf(found.KeySchema)} instead of ${wanted}`,
          DEPLOY,
        ),
      );
    else if (found.IndexStatus !== undefined && found.IndexStatus !== 'ACTIVE')
      lines.push(
        tables.warning(
          `the index ${index} of ${name} is ${found.IndexStatus}`,
          'Wait until it is built, and run the doctor again.',
        ),
      );
  }
  return [...lines, ...(await checkUpkeep(name, { expiry, isPassing }, ask))];
};

const keyNamesOf = (schema: readonly KeyElement[]): string =>
  schema.map(({ AttributeName }) => AttributeName).join(' ');

const checkUpkeep = async (
  name: string,
  { expiry, isPassing }: { readonly expiry: string | undefined; readonly isPassing: true | undefined },
  ask: Ask,
): Promise<readonly Line[]> => {
  const lines: Line[] = [];
  try {
    const { ContinuousBackupsDescription } = await ask('DescribeContinuousBackups', name);
    const { PointInTimeRecoveryDescription } = (ContinuousBackupsDescription ?? {}) as JsonObject;
    const { PointInTimeRecoveryStatus } = (PointInTimeRecoveryDescription ?? {}) as JsonObject;
    if (PointInTimeRecoveryStatus !== 'ENABLED' && isPassing !== true)
      lines.push(
        tables.wrong(`${name} has no point-in-time recovery`, 'Enable it; a restored table has none.'),
      );
    if (expiry !== undefined) {
      const { TimeToLiveDescription } = await ask('DescribeTimeToLive', name);
      const { TimeToLiveStatus, AttributeName } = (TimeToLiveDescription ?? {}) as JsonObject;
      if (!/^ENABL/.test(String(TimeToLiveStatus)) || AttributeName !== expiry)
        lines.push(
          tables.wrong(
            `${name} never deletes expired items: its time to live is disabled`,
            `Enable it with the attribute ${expiry}; a restored table has none.`,
          ),
        );
    }
  } catch (error) {
    if (!(error instanceof AwsRefusal && error.isUnsupported)) throw error;
    lines.push(tables.skipped('expiry and backups: this DynamoDB has none'));
  }
  return lines;
};

/** Counts the messages in the dead-letter queues of runs and of triggers. */
export const checkDeadLetters = async ({ prefix, open, isLocal }: DoctorParts): Promise<readonly Line[]> => {
  const names = [`${prefix}-trigger-dead-letters`];
  if (!isLocal) {
    const path = `/2015-03-31/functions/${prefix}-runExpress/configuration`;
    const { DeadLetterConfig } = await askRest(open('lambda'), path);
    const { TargetArn } = (DeadLetterConfig ?? {}) as JsonObject;
    const name =
      String(TargetArn ?? '')
        .split(':')
        .at(-1) ?? '';
    if (name === '') return [queues.wrong('runExpress has no dead-letter queue', 'Deploy the stage again.')];
    names.push(name);
  }
  const lines: Line[] = [];
  for (const QueueName of names) {
    const { QueueUrl } = await askJson(open('sqs'), 'AmazonSQS.GetQueueUrl', { QueueName });
    const { Attributes } = await askJson(open('sqs'), 'AmazonSQS.GetQueueAttributes', {
      QueueUrl: QueueUrl ?? null,
      AttributeNames: ['ApproximateNumberOfMessages'],
    });
    const count = Number((Attributes as JsonObject).ApproximateNumberOfMessages ?? 0);
    if (count > 0)
      lines.push(
        queues.wrong(
          `${QueueName} has ${count} ${count === 1 ? 'message' : 'messages'}`,
          remedyOf(QueueName),
        ),
      );
  }
  return lines.length > 0
    ? lines
    : [queues.ok(`${names.length === 1 ? 'the queue of triggers is' : 'both queues are'} empty`)];
};

const remedyOf = (queue: string): string =>
  queue.endsWith('-trigger-dead-letters')
    ? 'See "Events that were not taken" in docs/operating.md: read why, fix the cause, then invoke dispatch with them.'
    : 'sweep processes them within minutes and fails their executions. If they stay, see the log of sweep.';

type StoredData = AnswerTo<typeof storedDataRoute>;

/** Accepted executions newer than this may still be in Lambda's queue. */
const OLD_MS = 300_000;

/** Checks the versions of the stored data, the accepted executions that have not started, and what is silent. */
export const checkStoredData = async (api: DoctorApi, now: number): Promise<readonly Line[]> => {
  const {
    problem,
    accepted,
    silences = [],
  } = await api.call<Partial<StoredData> & Omit<StoredData, 'silences'>>('GET', '/api/admin/stored-data');
  return [
    problem === null
      ? storedData.ok('this release reads its schema versions')
      : storedData.wrong(problem.problem, problem.remedy),
    describeAccepted(accepted, now),
    ...silences.map(({ message }) => workflows.warning(message, 'The health report has all silences.')),
  ];
};

const describeAccepted = ({ count, oldest }: StoredData['accepted'], now: number): Line => {
  if (oldest === null) return executions.ok('none is waiting to start');
  const { executionId, workflowId, mode, since } = oldest;
  const ageMs = now - Date.parse(since);
  const age = ageMs < 120_000 ? `${Math.round(ageMs / 1_000)} s` : `${Math.round(ageMs / 60_000)} minutes`;
  if (ageMs < OLD_MS) return executions.ok(`the oldest of ${count} was accepted ${age} ago`);
  return executions.wrong(
    `${executionId} of ${workflowId} was accepted ${age} ago and has not started`,
    `Check ${mode === 'express' ? 'runExpress' : 'runDurable'} and the account's concurrency. sweep dispatches it again for up to a day.`,
  );
};
