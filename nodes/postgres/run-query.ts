import type { JsonObject } from '@hookloom/plugin-kit';
import type Client from 'pg/lib/client.js';
import { isDatabaseError, toSqlError } from './sql-error.ts';
import {
  type Answer,
  checkColumns,
  checkRowCount,
  dependsOnType,
  fromText,
  invalidStatement,
  type Limits,
  rowsToRead,
  type Statement,
  toParameterText,
} from './statements.ts';

/** Types of parameters that take JSON, and of lists of it. */
const JSON_TYPES: ReadonlyMap<number, 'json' | 'jsonList'> = new Map([
  [114, 'json'],
  [199, 'jsonList'],
  [3802, 'json'],
  [3807, 'jsonList'],
]);

/** Types whose JSON is not their text: https://www.postgresql.org/docs/current/catalog-pg-type.html */
const TYPES: ReadonlyMap<number, string> = new Map([
  [16, 'bool'],
  [17, 'bytea'],
  [21, 'int2'],
  [23, 'int4'],
  [26, 'oid'],
  [114, 'json'],
  [700, 'float4'],
  [701, 'float8'],
  [1114, 'timestamp'],
  [1184, 'timestamptz'],
  [3802, 'jsonb'],
]);

interface Column {
  readonly name: string;
  readonly type: string;
}

/**
 * Runs one statement with the extended protocol, which takes values separately from the SQL and refuses several
 * statements in one text. The server sends at most one row more than allowed. The library's own queries would keep
 * every row. If how a value is written depends on the type of its parameter, the server is asked for the types first.
 * @throws NodeError `TooManyRows` or `StatementInvalid`, or the error of the connection
 */
const runQuery = (client: Client, { text, values }: Statement, limits: Limits): Promise<Answer> =>
  new Promise((resolve, reject) => {
    let columns: readonly Column[] = [];
    const rows: JsonObject[] = [];
    let affected = 0;
    let failure: unknown = null;
    let isSynced = false;

    /** Keeps the first error and reads the answer to its end, so that the connection can be used again. */
    const attempt = (work: () => void): void => {
      if (failure !== null) return;
      try {
        work();
      } catch (error) {
        failure = error;
      }
    };
    const refuseCopy = () =>
      attempt(() => {
        throw noCopy();
      });

    const { connection } = client;
    const send = (write: () => void): void => {
      connection.stream.cork();
      write();
      connection.stream.uncork();
    };
    const sync = (): void => {
      if (isSynced) return;
      isSynced = true;
      connection.off('parameterDescription', bindByType);
      connection.sync();
    };
    const bindByType = ({ dataTypeIDs }: { readonly dataTypeIDs: readonly number[] }): void =>
      send(() => {
        connection.bind({
          values: values.map((value, at) => toParameterText(value, JSON_TYPES.get(dataTypeIDs[at] ?? 0))),
        });
        connection.describe({ type: 'P' });
        connection.execute({ rows: rowsToRead(limits) });
        sync();
      });

    client.query({
      submit: () => {
        if (!values.some(dependsOnType))
          return send(() => {
            connection.parse({ text });
            bindByType({ dataTypeIDs: [] });
          });
        connection.on('parameterDescription', bindByType);
        send(() => {
          connection.parse({ text });
          connection.describe({ type: 'S' });
          connection.flush();
        });
      },
      handleRowDescription: ({ fields }) =>
        attempt(() => {
          columns = fields.map(({ name, dataTypeID }) => ({ name, type: TYPES.get(dataTypeID) ?? 'text' }));
          checkColumns(columns.map(({ name }) => name));
        }),
      handleDataRow: ({ fields }) =>
        attempt(() => {
          if (limits.mode === 'affected') return;
          checkRowCount(rows.length + 1, limits);
          rows.push(toRow(columns, fields));
        }),
      handlePortalSuspended: () => {},
      handleCommandComplete: (message) => {
        affected = readCount(message.text);
      },
      handleEmptyQuery: () =>
        attempt(() => {
          throw invalidStatement('the statement is empty');
        }),
      handleCopyInResponse: (connection) => void connection.stream.destroy(noCopy()), // it waits for data
      handleCopyData: refuseCopy,
      handleError: (error) => {
        sync(); // the server reads nothing else after an error
        reject(failure ?? error);
      },
      handleReadyForQuery: () => (failure === null ? resolve({ rows, affected }) : reject(failure)),
    });
  });

const noCopy = (): Error =>
  invalidStatement('COPY cannot be used: it needs a stream in addition to the statement');

const toRow = (columns: readonly Column[], fields: readonly (string | null)[]): JsonObject =>
  Object.fromEntries(
    columns.map(({ name, type }, index) => {
      const text = fields[index] ?? null;
      return [name, text === null ? null : fromText(text, type)];
    }),
  );

/** Reads the number of rows from a command tag, such as `INSERT 0 3` or `SELECT 3`; 0 for commands without a count. */
const readCount = (tag: string): number => Number(/ (\d{1,15})$/.exec(tag)?.[1] ?? 0);

/**
 * Runs statements in one transaction, all or none. The server ends a statement that takes longer than the node has, and
 * a transaction that its client has left.
 * @throws NodeError `SqlError`, `TooManyRows` or `StatementInvalid`, or the error of the connection
 */
export const runTransaction = async (
  client: Client,
  statements: readonly Statement[],
  limits: Limits & { readonly timeoutMs: number; readonly isList: boolean },
): Promise<readonly Answer[]> => {
  await client.query(beginTransaction(limits.timeoutMs));
  try {
    const answers: Answer[] = [];
    for (const [index, statement] of statements.entries()) {
      answers.push(await runNamed(client, statement, limits, limits.isList ? index : null));
      if (client.getTransactionStatus() !== 'T')
        throw invalidStatement('a statement ended the transaction: leave out BEGIN, COMMIT and ROLLBACK');
    }
    await client.query('COMMIT').catch((error: unknown) => {
      throw isDatabaseError(error) ? toSqlError(error, null) : error; // a deferred constraint
    });
    return answers;
  } catch (error) {
    if (client.getTransactionStatus() !== 'I') await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
};

const runNamed = async (
  client: Client,
  statement: Statement,
  limits: Limits,
  index: number | null,
): Promise<Answer> => {
  try {
    return await runQuery(client, statement, limits);
  } catch (error) {
    throw isDatabaseError(error) ? toSqlError(error, index) : error;
  }
};

/** Sets the formats that `fromText` reads, whatever the database's own settings are. */
const beginTransaction = (timeoutMs: number): string => {
  const ms = Math.max(1, Math.ceil(timeoutMs));
  return `BEGIN; SET LOCAL statement_timeout = ${ms}; SET LOCAL idle_in_transaction_session_timeout = ${ms}; SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'iso_8601'; SET LOCAL bytea_output = 'hex'`;
};
