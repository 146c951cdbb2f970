import { parse } from 'yaml';
import { deployerStatements, keyStatements } from './deployer-statements.ts';
import { doctorStatements } from './doctor-policy.ts';
import { expandNames } from './stage-names.ts';
import { mayCall, mayFindApi, type Statement } from './statement.ts';

/** The part of serverless.yml that is read. */
interface ServiceFile {
  readonly functions: Readonly<Record<string, { readonly events?: readonly object[] }>>;
  readonly resources: {
    readonly Resources: Readonly<
      Record<
        string,
        {
          readonly Properties?: {
            readonly TableName?: string;
            readonly GlobalSecondaryIndexes?: unknown;
            readonly StreamSpecification?: unknown;
          };
        }
      >
    >;
  };
}

/** The routes of the commands for workflows, and of `pull`, `diff`, `deploy` and `drift`, except `workflow run`. */
const authorStatements: readonly Statement[] = [
  mayFindApi,
  mayCall(
    'GET/api/admin/workflows*',
    'GET/api/admin/credentials', // `pull` and `deploy` compare their names
    'GET/api/admin/variables*',
    'PUT/api/admin/workflows*',
    'DELETE/api/admin/workflows/*',
    ...['validate', 'evaluate', 'try', 'options', '*/enable', '*/disable', '*/rollback', '*/listening'].map(
      (path) => `POST/api/admin/workflows/${path}`,
    ),
  ),
];

/** Runs nodes that touch nothing outside, and stores nothing. */
const EVALUATE = 'POST/api/admin/workflows/evaluate';

/** The routes that change nothing. What a reader must not see has another method: a denied path has other spellings. */
const readerStatements: readonly Statement[] = [mayFindApi, mayCall('GET/api/admin/*', EVALUATE)];

/** The routes of the commands for credentials, variables, state, plugins, executions, bulk retries, requests and approvals, and of all that only read. */
const operatorStatements: readonly Statement[] = [
  mayFindApi,
  mayCall(
    'GET/api/admin/*',
    EVALUATE,
    'POST/api/admin/executions/*',
    'POST/api/admin/bulk-retries/*',
    'POST/api/admin/requests/*',
    'POST/api/admin/approvals/addresses',
    'POST/api/admin/workflows/*/executions',
    ...['PUT', 'POST', 'DELETE'].map((method) => `${method}/api/admin/credentials/*`),
    ...['PUT', 'DELETE'].map((method) => `${method}/api/admin/variables/*`),
    ...['PUT', 'DELETE'].map((method) => `${method}/api/admin/state/entry`),
    'POST/api/admin/plugins/*',
  ),
];

export interface Policy {
  readonly Version: string;
  readonly Statement: readonly Statement[];
}

/**
 * Policies for people, with the placeholders `STAGE`, `REGION`, `ACCOUNT` and `API_ID`.
 *
 * - `reader`: for looking at everything but callback URLs
 * - `author`: for storing, enabling, rolling back and removing workflows
 * - `operator`: for managing executions, requests and approvals
 * - `deployer`, `deployerData` and `deployerRoles`, all three: for deploying and removing the service
 * - `doctor`: for `hookloom doctor`
 * - `ownKey`: what the policy of a key of one's own needs
 *
 * @param text - of serverless.yml
 */
export const toPolicies = (text: string) => {
  const expand = createExpand(parse(text, { merge: true, logLevel: 'silent' }));
  const toPolicy = (statements: readonly Statement[]): Policy => ({
    Version: '2012-10-17',
    Statement: statements.map((one) => expand(one) as Statement),
  });
  return {
    reader: toPolicy(readerStatements),
    author: toPolicy(authorStatements),
    operator: toPolicy(operatorStatements),
    deployer: toPolicy(deployerStatements.code),
    deployerData: toPolicy(deployerStatements.data),
    deployerRoles: toPolicy(deployerStatements.roles),
    doctor: toPolicy(doctorStatements),
    ownKey: toPolicy(keyStatements),
  };
};

/** Puts names of functions and tables in the place of `{function}` and the like; several names make a text a list. */
const createExpand = ({ functions, resources }: ServiceFile) => {
  const names = expandNames({
    functions: Object.entries(functions).map(([key, { events = [] }]) => ({
      key,
      startedBy: events.flatMap((event) => Object.keys(event)),
    })),
    tables: Object.values(resources.Resources).flatMap(({ Properties = {} }) => {
      const { TableName, GlobalSecondaryIndexes, StreamSpecification } = Properties;
      const hasParts = (GlobalSecondaryIndexes ?? StreamSpecification) !== undefined;
      return TableName === undefined ? [] : [{ name: TableName.replace(/^.*\}-/, ''), hasParts }];
    }),
  });
  const expand = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const [whole = '', kind = ''] = /\{(\w+)\}/.exec(value) ?? [];
      return names[kind]?.map((name) => value.replace(whole, name)) ?? value;
    }
    if (Array.isArray(value)) return value.flatMap(expand);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner)]));
  };
  return expand;
};

/** A policy as shown in the docs: one line per statement. */
export const printPolicy = ({ Version, Statement }: Policy): string => {
  const rows = Statement.map(
    (statement) => `    ${JSON.stringify(statement, null, 1).replaceAll(/\n */g, ' ')}`,
  );
  return ['```json', `{ "Version": "${Version}",`, '  "Statement": [', rows.join(',\n'), '  ] }', '```'].join(
    '\n',
  );
};
