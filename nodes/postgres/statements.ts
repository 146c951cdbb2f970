import {
  type JsonObject,
  type JsonValue,
  NodeError,
  type ParameterProblem,
  parseJson,
} from '@hookloom/plugin-kit';

export interface Statement {
  /** SQL with `$1`, `$2`, … in place of values. */
  readonly text: string;
  readonly values: readonly JsonValue[];
}

/** What a statement delivers: `{ rows }`, `{ row }` or `{ affected }`. */
type Mode = 'rows' | 'one' | 'affected';

export interface Limits {
  readonly mode: Mode;
  readonly maxRows: number;
  readonly maxResponseBytes: number;
}

/** The rows of one statement, and how many it changed or returned. */
export interface Answer {
  readonly rows: readonly JsonObject[];
  readonly affected: number;
}

interface GivenStatements {
  readonly query?: string;
  readonly statements?: readonly string[];
  readonly values: readonly JsonValue[];
}

/** @throws NodeError `StatementInvalid` with the wrong parameter */
export const readStatements = ({ query, statements, values }: GivenStatements): readonly Statement[] => {
  const read =
    statements === undefined
      ? [{ text: query ?? '', values }]
      : statements.map((text, index) => ({ text, values: readValues(values, index) }));
  if (values.length > read.length && statements !== undefined)
    throw invalidStatement('"values" has more lists than there are statements');
  // NUL ends a string in the protocol.
  if (read.some(({ text }) => text.includes('\0'))) throw invalidStatement('a statement has a NUL character');
  return read;
};

/** Reads the values of a statement; with several statements, `values` has a list for each. */
const readValues = (values: readonly JsonValue[], index: number): readonly JsonValue[] => {
  const own = values[index] ?? [];
  if (!Array.isArray(own))
    throw invalidStatement(
      `"values[${index}]" must be a list: with statements, there is one list of values for each`,
    );
  return own;
};

/** Finds expressions in SQL, where they are not evaluated, and placeholders and values that do not match. */
export const checkStatements = (parameters: JsonObject): readonly ParameterProblem[] => {
  const problems = findExpressions(parameters);
  return problems.length > 0 ? problems : findUnmatched(parameters);
};

const findUnmatched = ({ query, statements, values = [] }: JsonObject): readonly ParameterProblem[] => {
  if (!Array.isArray(values)) return [];
  const place = values.length === 0 ? '/query' : '/values';
  if (typeof query === 'string') return describeUnmatched(query, values, place);
  return (Array.isArray(statements) ? statements : []).flatMap((sql, index) => {
    const own = values[index] ?? [];
    return Array.isArray(own)
      ? describeUnmatched(
          String(sql),
          own,
          index < values.length ? `/values/${index}` : `/statements/${index}`,
        )
      : [];
  });
};

const describeUnmatched = (
  sql: string,
  values: readonly JsonValue[],
  path: string,
): readonly ParameterProblem[] => {
  const used = findPlaceholders(sql);
  const most = Math.max(0, ...used);
  const given = values.length === 1 ? 'one value is given' : `${values.length || 'no'} values are given`;
  if (most > values.length)
    return [{ path, message: `the statement has $${most}, but ${given}: add what is missing to "values"` }];
  const unused = values.findIndex((_, index) => !used.has(index + 1));
  return unused === -1
    ? []
    : [{ path, message: `the statement has no $${unused + 1}, but ${given}: values stand for $1, $2, …` }];
};

const findExpressions = ({ query, statements }: JsonObject): readonly ParameterProblem[] => {
  const message =
    'SQL can\'t contain expressions, so that no data becomes SQL: write $1, $2, … and put the expressions into "values"';
  const listed = Array.isArray(statements) ? statements : [];
  return [
    ...(hasExpression(query) ? [{ path: '/query', message }] : []),
    ...listed.flatMap((text, index) =>
      hasExpression(text) ? [{ path: `/statements/${index}`, message }] : [],
    ),
  ];
};

const hasExpression = (text: JsonValue | undefined): boolean =>
  typeof text === 'string' && text.includes('{{');

/** Refuses more rows than allowed. @throws NodeError `TooManyRows` */
export const checkRowCount = (count: number, { mode, maxRows }: Limits): void => {
  if (mode === 'affected' || count <= (mode === 'one' ? 1 : maxRows)) return;
  const message =
    mode === 'one'
      ? 'the statement returns more than one row, but mode "one" allows only one'
      : `the statement returns more than maxRows (${maxRows}) rows: add a LIMIT, or raise it`;
  throw new NodeError(message, { name: 'TooManyRows', isRetryable: false });
};

/** How many rows to read at most: one more than allowed. 0 reads all without keeping them. */
export const rowsToRead = ({ mode, maxRows }: Limits): number => {
  if (mode === 'affected') return 0;
  return mode === 'one' ? 2 : maxRows + 1;
};

/** @returns the output of one statement, or `{ results }` of a list */
export const toOutput = (answers: readonly Answer[], isList: boolean, mode: Mode): JsonObject => {
  const results = answers.map(({ rows, affected }): JsonObject => {
    if (mode === 'affected') return { affected };
    return mode === 'one' ? { row: rows[0] ?? null } : { rows };
  });
  return isList ? { results } : (results[0] ?? {});
};

/** Refuses a column name that occurs twice, since one value would be lost. @throws NodeError `StatementInvalid` */
export const checkColumns = (names: readonly string[]): void => {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined)
    throw invalidStatement(`two columns are called ${JSON.stringify(repeated)}: rename one with AS`);
};

export const invalidStatement = (message: string): NodeError =>
  new NodeError(message, { name: 'StatementInvalid', isRetryable: false });

/** A word: a keyword, or an identifier, which may contain digits and `$`. */
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const PLACEHOLDER = /\$(\d+)/y;
const DOLLAR_QUOTE = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;

/**
 * Replaces `$1` by `:p1`, as the RDS Data API requires, outside quoted strings, quoted names and comments.
 * https://www.postgresql.org/docs/current/sql-syntax-lexical.html
 */
export const nameParameters = (sql: string): string =>
  readTokens(sql, (text, number) => (number === null ? text : `:p${number}`)).join('');

/** The numbers of the placeholders that are cast to JSON: `$1::jsonb`. */
export const findJsonPlaceholders = (sql: string): ReadonlySet<number> => {
  const tokens = readTokens(sql, (text, number) => ({ text: text.toLowerCase(), number }));
  return new Set(
    tokens.flatMap(({ number }, at) => {
      const [, one, other, type, next] = tokens.slice(at, at + 5).map(({ text }) => text);
      const isJson = one === ':' && other === ':' && (type === 'json' || type === 'jsonb') && next !== '[';
      return number !== null && isJson ? [number] : [];
    }),
  );
};

/** The numbers of the placeholders in a statement. */
const findPlaceholders = (sql: string): ReadonlySet<number> =>
  new Set(readTokens(sql, (_text, number) => number).filter((number) => number !== null));

/** @param read - gets the text of each token, and the number of a placeholder */
const readTokens = <Result>(sql: string, read: (text: string, number: number | null) => Result): Result[] => {
  const results: Result[] = [];
  for (let at = 0; at < sql.length; ) {
    const end = findTokenEnd(sql, at);
    const number = matchAt(PLACEHOLDER, sql, at)?.[1];
    results.push(read(sql.slice(at, end), number === undefined ? null : Number(number)));
    at = end;
  }
  return results;
};

const matchAt = (pattern: RegExp, sql: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(sql);
};

/** Returns the end of the token that starts here, or of one character. */
const findTokenEnd = (sql: string, at: number): number => {
  switch (sql[at]) {
    case "'":
    case '"':
      return findQuoteEnd(sql, at, false);
    case '-':
      return sql[at + 1] === '-' ? endOr(sql, sql.indexOf('\n', at), 1) : at + 1;
    case '/':
      return sql[at + 1] === '*' ? findCommentEnd(sql, at) : at + 1;
    case '$': {
      const [tag] = matchAt(DOLLAR_QUOTE, sql, at) ?? [];
      if (tag !== undefined) return endOr(sql, sql.indexOf(tag, at + tag.length), tag.length);
      return at + (matchAt(PLACEHOLDER, sql, at)?.[0].length ?? 1);
    }
    default: {
      const word = matchAt(WORD, sql, at)?.[0] ?? '';
      const isEscaped = /^e$/i.test(word) && sql[at + 1] === "'";
      return isEscaped ? findQuoteEnd(sql, at + 1, true) : at + Math.max(1, word.length);
    }
  }
};

/** Returns the end of a token; one that does not end extends to the end of the statement. */
const endOr = (sql: string, found: number, length: number): number =>
  found === -1 ? sql.length : found + length;

/** Finds the end of a quoted token. A doubled quote ends one token and starts another, with the same effect. */
const findQuoteEnd = (sql: string, start: number, hasEscapes: boolean): number => {
  const quote = sql[start];
  for (let at = start + 1; at < sql.length; at++) {
    if (hasEscapes && sql[at] === '\\') at++;
    else if (hasEscapes && sql[at] === quote && sql[at + 1] === quote) at++;
    else if (sql[at] === quote) return at + 1;
  }
  return sql.length;
};

/** Finds the end of a comment, which may contain others. */
const findCommentEnd = (sql: string, start: number): number => {
  let depth = 0;
  for (let at = start; at < sql.length; at++) {
    const pair = sql.slice(at, at + 2);
    if (pair === '/*') depth++;
    else if (pair === '*/') depth--;
    else continue;
    at++;
    if (depth === 0) return at + 1;
  }
  return sql.length;
};

/** Whether a value is written differently for JSON: a text in quotes, a list in brackets. */
export const dependsOnType = (value: JsonValue): boolean => typeof value === 'string' || Array.isArray(value);

/**
 * A value as text that PostgreSQL converts to the type of its parameter: null is NULL, a map JSON, and a list an array
 * (`{1,2}`).
 *
 * @param type - `json` writes anything but null as JSON, `jsonList` so each item of a list; otherwise undefined
 */
export const toParameterText = (value: JsonValue, type?: 'json' | 'jsonList'): string | null => {
  if (value === null) return null;
  if (type === 'json') return JSON.stringify(value);
  if (Array.isArray(value))
    return toArray(type === undefined ? value : value.map((item) => toParameterText(item, 'json')));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** Documented at https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
const toArray = (items: readonly JsonValue[]): string => `{${items.map(toElement).join(',')}}`;

const toElement = (item: JsonValue): string => {
  if (Array.isArray(item)) return toArray(item);
  const text = toParameterText(item);
  return text === null ? 'NULL' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
};

/**
 * Converts a value from PostgreSQL's text format to JSON, by the name of its type. Values that a JSON number can't
 * represent exactly remain strings: int8 and numeric. So do arrays, ranges and other types.
 */
export const fromText = (text: string, type: string): JsonValue => {
  switch (type) {
    case 'bool':
      return text === 't' || text === 'true';
    case 'int2':
    case 'int4':
    case 'oid':
      return Number(text);
    case 'float4':
    case 'float8':
      return Number.isFinite(Number(text)) ? Number(text) : text; // NaN and Infinity
    case 'json':
    case 'jsonb':
      return parseJson(text);
    case 'bytea':
      return Buffer.from(text.slice('\\x'.length), 'hex').toString('base64');
    case 'timestamp':
      return toIso(text, '');
    case 'timestamptz':
      return toIso(text, 'Z');
    default:
      return text;
  }
};

const TIMESTAMP = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)(?:\+00)?$/;

/**
 * Converts the session's format, `ISO, YMD` in UTC. Infinity and years with more or less than four digits remain
 * unchanged.
 */
const toIso = (text: string, zone: string): string => {
  const [, date, time] = TIMESTAMP.exec(text) ?? [];
  return date === undefined ? text : `${date}T${time}${zone}`;
};
