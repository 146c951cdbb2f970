import { type JsonObject, type JsonValue, NodeError, type ParameterProblem } from '@hookloom/plugin-kit';
import { findPlaceholders } from './name-parameters.ts';

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

/** The rows of one statement, and how many it has changed or delivered. */
export interface Answer {
  readonly rows: readonly JsonObject[];
  readonly affected: number;
}

interface GivenStatements {
  readonly query?: string;
  readonly statements?: readonly string[];
  readonly values: readonly JsonValue[];
}

/** @throws NodeError `StatementInvalid` with the parameter that is wrong */
export const readStatements = ({ query, statements, values }: GivenStatements): readonly Statement[] => {
  const read =
    statements === undefined
      ? [{ text: query ?? '', values }]
      : statements.map((text, index) => ({ text, values: readValues(values, index) }));
  if (values.length > read.length && statements !== undefined)
    throw invalid('"values" has more lists than there are statements');
  // The end of a text in the protocol.
  if (read.some(({ text }) => text.includes('\0'))) throw invalid('a statement has a NUL character');
  return read;
};

/** With several statements, `values` has a list for each. */
const readValues = (values: readonly JsonValue[], index: number): readonly JsonValue[] => {
  const own = values[index] ?? [];
  if (!Array.isArray(own))
    throw invalid(`"values[${index}]" must be a list: with statements, it has the values of each one`);
  return own;
};

/** Finds expressions in SQL, where they are not evaluated, and placeholders and values that do not fit. */
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
    'SQL has no expressions, so that no data becomes SQL: write $1, $2, … and put the expressions into "values"';
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

/** @throws NodeError `TooManyRows` */
export const checkRowCount = (count: number, { mode, maxRows }: Limits): void => {
  if (mode === 'affected' || count <= (mode === 'one' ? 1 : maxRows)) return;
  const message =
    mode === 'one'
      ? 'the statement delivers more than one row: mode "one" takes one at most'
      : `the statement delivers more than maxRows (${maxRows}) rows: add a LIMIT, or raise it`;
  throw new NodeError(message, { name: 'TooManyRows', isRetryable: false });
};

/** The most rows that are read: one more than allowed. 0 for all of them, which are not kept. */
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

/** The name of a column that occurs twice, since one value would be lost. @throws NodeError `StatementInvalid` */
export const checkColumns = (names: readonly string[]): void => {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined)
    throw invalid(`two columns are called ${JSON.stringify(repeated)}: give one another name with AS`);
};

export const invalid = (message: string): NodeError =>
  new NodeError(message, { name: 'StatementInvalid', isRetryable: false });
