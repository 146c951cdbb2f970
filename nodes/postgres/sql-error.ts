import {
  CatalogueError,
  CREDENTIAL_REJECTED,
  findCertificateProblem,
  isNodeError,
  isServiceError,
  type JsonObject,
  NodeError,
} from '@hookloom/plugin-kit';

/** Names of SQLSTATE codes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const CONDITIONS: Readonly<Record<string, string>> = {
  '22001': 'string_data_right_truncation',
  '22003': 'numeric_value_out_of_range',
  '22007': 'invalid_datetime_format',
  '22008': 'datetime_field_overflow',
  '22012': 'division_by_zero',
  '22021': 'character_not_in_repertoire',
  '22P02': 'invalid_text_representation',
  '23502': 'not_null_violation',
  '23503': 'foreign_key_violation',
  '23505': 'unique_violation',
  '23514': 'check_violation',
  '23P01': 'exclusion_violation',
  '25006': 'read_only_sql_transaction',
  '3D000': 'invalid_catalog_name',
  '40001': 'serialization_failure',
  '40P01': 'deadlock_detected',
  '42501': 'insufficient_privilege',
  '42601': 'syntax_error',
  '42703': 'undefined_column',
  '42P01': 'undefined_table',
  '53300': 'too_many_connections',
  '55P03': 'lock_not_available',
  '57014': 'query_canceled',
  '57P01': 'admin_shutdown',
  '57P03': 'cannot_connect_now',
  P0001: 'raise_exception',
};

/**
 * Classes and codes of errors that may be temporary: connection, transaction rollback, resources, locks, a statement
 * that took too long, an operator's intervention.
 */
const RETRYABLE = /^(?:08(?!P01)|40|53|55P03|57014|57P0[1-5])/;

const LOGIN_REFUSED: ReadonlySet<string> = new Set(['28P01', '28000']);

/**
 * Errors about the text of a statement, whose messages contain names from the SQL but no values: syntax errors and
 * wrong parameters.
 */
const SHOWN = /^(?:42|08P01)/;

/** What PostgreSQL says about an error. https://www.postgresql.org/docs/current/protocol-error-fields.html */
interface DatabaseError extends Error {
  readonly code: string;
  readonly position?: string | undefined;
  readonly constraint?: string | undefined;
  readonly schema?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
}

export const isDatabaseError = (error: unknown): error is DatabaseError =>
  error instanceof Error &&
  'severity' in error &&
  'code' in error &&
  /^[0-9A-Z]{5}$/.test(String(error.code));

/**
 * The error of a statement. Its message has the name of the condition but no values: PostgreSQL's own message is shown
 * only for syntax errors, since others quote values. Its details have `code`, which is the SQLSTATE, `condition`,
 * `position` in characters of the SQL from 1, `constraint`, `schema`, `table`, `column`, and, for a list of statements,
 * `statement`.
 * @param index - index of the statement in a list; null for a single one
 */
export const toSqlError = (
  { code, message, position, constraint, schema, table, column }: Omit<DatabaseError, 'name'>,
  index: number | null,
): NodeError => {
  const condition = CONDITIONS[code] ?? null;
  const where = constraint === undefined ? '' : `, constraint ${constraint}`;
  const said = SHOWN.test(code) ? `: ${message.slice(0, 300)}` : '';
  const details: JsonObject = {
    code,
    condition,
    ...(position === undefined ? {} : { position: Number(position) }),
    ...(constraint === undefined ? {} : { constraint }),
    ...(schema === undefined ? {} : { schema }),
    ...(table === undefined ? {} : { table }),
    ...(column === undefined ? {} : { column }),
    ...(index === null ? {} : { statement: index }),
  };
  const name = condition === null ? code : `${condition} (${code})`;
  const what = index === null ? 'the statement' : `statement ${index + 1}`;
  return new NodeError(`the database refused ${what}: ${name}${where}${said}`, {
    name: 'SqlError',
    isRetryable: RETRYABLE.test(code),
    details,
  });
};

interface Target {
  readonly host: string;
  readonly port: number;
  readonly sslmode: string;
}

/** The error of a connection: a failed login, a TLS problem, or a lost connection. */
export const toConnectionError = ({ host, port, sslmode }: Target, error: unknown): Error => {
  if (isNodeError(error) || isServiceError(error)) return error;
  const target = `${host}:${port}`;
  const fail = (reason: string, isRetryable: boolean) =>
    new NodeError(`${target} ${reason}`, { name: 'DatabaseConnectionError', isRetryable, cause: error });
  if (isDatabaseError(error))
    return LOGIN_REFUSED.has(error.code)
      ? new CatalogueError(CREDENTIAL_REJECTED, { target, reason: `it answered ${error.code}` }, error)
      : toSqlError(error, null);
  const problem = findCertificateProblem(error);
  if (problem !== null) {
    const hint = 'add its authority\'s certificate to the field "ca" of the credential';
    return fail(`has a certificate that is not accepted (${problem}): ${hint}`, false);
  }
  if (error instanceof Error && error.message === 'The server does not support SSL connections')
    return fail(`does not offer TLS, which the credential asks for (sslmode: ${sslmode})`, false);
  return fail('closed the connection', true);
};
