import {
  fromAttempt,
  isNodeError,
  type JsonObject,
  type JsonValue,
  type LentCredential,
  type NodeContext,
} from '@hookloom/plugin-kit';
import { toSqlError } from './sql-error.ts';
import {
  type Answer,
  checkColumns,
  checkRowCount,
  findJsonPlaceholders,
  fromText,
  type Limits,
  nameParameters,
  type Statement,
  toOutput,
  toParameterText,
} from './statements.ts';

/** A database of Aurora behind the RDS Data API. */
interface DataApiDatabase {
  readonly resourceArn: string;
  readonly secretArn: string;
  readonly database?: string;
  /** Credential of the role; the service's own role when undefined. */
  readonly role: LentCredential | undefined;
}

type Send = (operation: string, input: JsonObject) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Runs statements through the RDS Data API: several in one transaction, a single one in its own. The output is the same
 * as over PostgreSQL's protocol.
 * @throws NodeError `SqlError` or the error of the AWS client, `TooManyRows`, `StatementInvalid`
 */
export const runOnRdsData = async (
  statements: readonly Statement[],
  limits: Limits & { readonly isList: boolean },
  target: DataApiDatabase,
  context: NodeContext,
): Promise<JsonObject> => {
  const send = createSend(target, limits, context);
  const { database } = target;
  const common: JsonObject = database === undefined ? {} : { database };
  const answers = limits.isList
    ? await runInTransaction(statements, limits, common, send)
    : [await executeStatement(statements[0] ?? { text: '', values: [] }, limits, common, send, null)];
  return toOutput(answers, limits.isList, limits.mode);
};

const createSend =
  (
    { resourceArn, secretArn, role }: DataApiDatabase,
    { maxResponseBytes }: Limits,
    context: NodeContext,
  ): Send =>
  (operation, input) =>
    context.services.aws.send({
      service: 'rds-data',
      operation,
      input: { resourceArn, secretArn, ...input },
      region: resourceArn.split(':')[3],
      ...fromAttempt(context),
      maxOutputBytes: maxResponseBytes,
      credential: role,
    });

const runInTransaction = async (
  statements: readonly Statement[],
  limits: Limits,
  common: JsonObject,
  send: Send,
): Promise<readonly Answer[]> => {
  const { transactionId } = await send('BeginTransaction', common);
  const transaction = { transactionId: String(transactionId) };
  try {
    const answers: Answer[] = [];
    for (const [index, statement] of statements.entries())
      answers.push(await executeStatement(statement, limits, { ...common, ...transaction }, send, index));
    await send('CommitTransaction', transaction);
    return answers;
  } catch (error) {
    await send('RollbackTransaction', transaction).catch(() => {}); // otherwise it ends after three minutes
    throw error;
  }
};

const executeStatement = async (
  { text, values }: Statement,
  limits: Limits,
  common: JsonObject,
  send: Send,
  index: number | null,
): Promise<Answer> => {
  const ofJson = findJsonPlaceholders(text); // the Data API does not say the types of parameters
  const output = await send('ExecuteStatement', {
    ...common,
    sql: nameParameters(text),
    parameters: values.map((value, at) => ({
      name: `p${at + 1}`,
      ...toParameter(value, ofJson.has(at + 1)),
    })),
    includeResultMetadata: true,
    resultSetOptions: { longReturnType: 'STRING', decimalReturnType: 'STRING' },
  }).catch((error: unknown) => {
    throw readSqlError(error, index);
  });
  const { columnMetadata = [], records = [], numberOfRecordsUpdated = 0 } = output as ExecuteOutput;
  checkRowCount(records.length, limits);
  const names = columnMetadata.map(({ label, name }) => label ?? name ?? '');
  checkColumns(names);
  const types = columnMetadata.map(({ typeName = '' }) => typeName);
  const rows = records.map(
    (record): JsonObject =>
      Object.fromEntries(record.map((field, at) => [names[at] ?? '', fromField(field, types[at] ?? '')])),
  );
  return { rows, affected: Math.max(numberOfRecordsUpdated, records.length) };
};

/** The part of ExecuteStatement's output that is read. */
interface ExecuteOutput {
  readonly columnMetadata?: readonly {
    readonly name?: string;
    readonly label?: string;
    readonly typeName?: string;
  }[];
  readonly records?: readonly (readonly Field[])[];
  readonly numberOfRecordsUpdated?: number;
}

/**
 * A value, of which exactly one field is set:
 * https://docs.aws.amazon.com/rdsdataservice/latest/APIReference/API_Field.html
 */
interface Field {
  readonly isNull?: boolean;
  readonly booleanValue?: boolean;
  readonly longValue?: number;
  readonly doubleValue?: number;
  readonly stringValue?: string;
  readonly blobValue?: Uint8Array;
  readonly arrayValue?: ArrayField;
}

type ArrayField = Readonly<Record<string, readonly (JsonValue | ArrayField)[]>>;

const fromField = (field: Field, type: string): JsonValue => {
  const { booleanValue, longValue, doubleValue, stringValue, blobValue, arrayValue } = field;
  if (stringValue !== undefined) return fromText(stringValue, type);
  if (blobValue !== undefined) return Buffer.from(blobValue).toString('base64');
  if (arrayValue !== undefined) return toParameterText(toList(arrayValue));
  return booleanValue ?? longValue ?? doubleValue ?? null;
};

const toList = (field: ArrayField): JsonValue[] =>
  (Object.values(field)[0] ?? []).map((item) =>
    typeof item === 'object' && item !== null ? toList(item as ArrayField) : item,
  );

const toParameter = (value: JsonValue, isJson: boolean): JsonObject => {
  if (value === null) return { value: { isNull: true } };
  if (isJson) return { value: { stringValue: JSON.stringify(value) }, typeHint: 'JSON' };
  if (typeof value === 'boolean') return { value: { booleanValue: value } };
  if (typeof value === 'number')
    return { value: Number.isSafeInteger(value) ? { longValue: value } : { doubleValue: value } };
  const text = { value: { stringValue: toParameterText(value) } };
  return typeof value === 'object' && !Array.isArray(value) ? { ...text, typeHint: 'JSON' } : text;
};

const SQL_STATE = /SQLState: ([0-9A-Z]{5})/;
const CONSTRAINT = /constraint "([^"]{1,63})"/;

/** The database's own error inside an error of the Data API, whose text quotes values. */
const readSqlError = (error: unknown, index: number | null): unknown => {
  if (!isNodeError(error)) return error;
  const text = error.cause instanceof Error ? error.cause.message : error.message; // the cause is not cut
  const [, code] = SQL_STATE.exec(text) ?? [];
  if (code === undefined) return error;
  const [, constraint] = CONSTRAINT.exec(text) ?? [];
  const [message = ''] = text.split('\n');
  return toSqlError({ code, message, constraint }, index);
};
