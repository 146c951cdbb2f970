import type Client from 'pg/lib/client.js';
import { runQuery } from './run-query.ts';
import { isDatabaseError, toSqlError } from './sql-error.ts';
import { type Answer, invalid, type Limits, type Statement } from './statements.ts';

/**
 * Runs statements in one transaction: all of them or none. A statement that takes longer than the node has, and a
 * transaction that is left by its client, are ended by the server.
 *
 * @throws NodeError `SqlError`, `TooManyRows` or `StatementInvalid`, or the error of the connection
 */
export const runTransaction = async (
  client: Client,
  statements: readonly Statement[],
  limits: Limits & { readonly timeoutMs: number; readonly isList: boolean },
): Promise<readonly Answer[]> => {
  await client.query(begin(limits.timeoutMs));
  try {
    const answers: Answer[] = [];
    for (const [index, statement] of statements.entries()) {
      answers.push(await runNamed(client, statement, limits, limits.isList ? index : null));
      if (client.getTransactionStatus() !== 'T')
        throw invalid('a statement has ended the transaction: leave out BEGIN, COMMIT and ROLLBACK');
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

/** The formats that `fromText` reads, whatever the database has set. */
const begin = (timeoutMs: number): string => {
  const ms = Math.max(1, Math.ceil(timeoutMs));
  return `BEGIN; SET LOCAL statement_timeout = ${ms}; SET LOCAL idle_in_transaction_session_timeout = ${ms}; SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'iso_8601'; SET LOCAL bytea_output = 'hex'`;
};
