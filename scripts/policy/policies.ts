import { parse, type ScalarTag } from 'yaml';
import { resolveVariables } from '../../packages/local/functions/resolve-variables.ts';
import { allow, deployerStatements, keyStatements, type Statement } from './deployer-statements.ts';
import { doctorStatements } from './doctor-policy.ts';
import { expandNames } from './stage-names.ts';

/** The part of serverless.yml that is read. `!GetAtt` is a reference, and so is `!Sub` if it begins with an ARN; otherwise it is a string. */
interface ServiceFile {
  readonly functions: Readonly<Record<string, { readonly events?: readonly object[] }>>;
  readonly resources: { readonly Resources: Readonly<Record<string, ResourceOfFile>> };
}

interface ResourceOfFile {
  readonly Properties?: {
    readonly TableName?: string;
    readonly RoleName?: string;
    readonly GlobalSecondaryIndexes?: unknown;
    readonly StreamSpecification?: unknown;
  };
}

/** The ARN of a resource in the file, with its suffix. */
class Reference {
  readonly target: string;
  readonly rest: string;

  constructor(text: string, rest = '') {
    this.target = text.replace(/\.Arn$/, '');
    this.rest = rest;
  }
}

const tags: ScalarTag[] = [
  { tag: '!GetAtt', resolve: (text) => new Reference(text) },
  {
    tag: '!Sub',
    resolve: (text) => {
      const [, target, rest] = /^\$\{(\w+\.Arn)\}(.*)$/.exec(text) ?? [];
      return target === undefined ? text : new Reference(target, rest);
    },
  },
  { tag: '!Ref', resolve: () => null },
];

/** Requests to routes of the admin API. @param routes - `METHOD/path`, with `*` for any text */
const mayCall = (...routes: readonly string[]): Statement =>
  allow(
    'execute-api:Invoke',
    routes.map((route) => `${API}${route}`),
  );

// biome-ignore lint/suspicious/noTemplateCurlyInString: variables of CloudFormation
const API = 'arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:API_ID/*/';

const mayFindApi = allow(
  'cloudformation:DescribeStacks',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of CloudFormation and of the framework
  'arn:${AWS::Partition}:cloudformation:${AWS::Region}:${AWS::AccountId}:stack/${self:custom.tablePrefix}/*',
);

/** The routes of the commands for workflows, and of `pull`, `diff`, `deploy` and `drift`, except `workflow run`. */
const authorStatements: readonly Statement[] = [
  mayFindApi,
  mayCall(
    'GET/api/admin/workflows*',
    'GET/api/admin/credentials', // `pull` and `deploy` compare their names
    'GET/api/admin/variables*',
    'PUT/api/admin/workflows*',
    'DELETE/api/admin/workflows/*',
    ...['validate', 'evaluate', 'try', '*/enable', '*/disable', '*/rollback', '*/listening'].map(
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
export const toPolicies = (
  text: string,
): Readonly<
  Record<
    'reader' | 'author' | 'operator' | 'deployer' | 'deployerData' | 'deployerRoles' | 'doctor' | 'ownKey',
    Policy
  >
> => {
  const file: ServiceFile = parse(text, { merge: true, customTags: tags, logLevel: 'silent' });
  const { Resources } = file.resources;
  const resolveText = (value: string): string => {
    const known = value.replaceAll(/\$\{AWS::(\w+)\}/g, (_whole, name: string) => placeholders[name] ?? name);
    const sources = { file, stage: 'STAGE', environment: {}, readJson: () => null };
    return resolveVariables(known, sources) ?? known;
  };
  const toArn = ({ target, rest }: Reference): string => {
    const { TableName, RoleName } = Resources[target]?.Properties ?? {};
    if (TableName !== undefined)
      return resolveText(`arn:aws:dynamodb:REGION:ACCOUNT:table/${TableName}${rest}`);
    if (RoleName !== undefined) return resolveText(`arn:aws:iam::ACCOUNT:role/${RoleName}`);
    const name = target.replace(/LambdaFunction$/, '').replace(/^./, (letter) => letter.toLowerCase());
    return resolveText(`arn:aws:lambda:REGION:ACCOUNT:function:\${self:custom.tablePrefix}-${name}${rest}`);
  };
  const expand = createExpand(file);
  const resolve = (value: unknown): unknown => {
    if (value instanceof Reference) return toArn(value);
    if (typeof value === 'string') return expand(resolveText(value));
    if (Array.isArray(value)) return value.flatMap(resolve);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
  };
  const toPolicy = (statements: readonly Statement[]): Policy => ({
    Version: '2012-10-17',
    Statement: statements.map((one) => resolve(one) as Statement),
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

/** Names of functions and tables in the place of `{function}` and the like. @returns the text, or each if they are several */
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
  return (text: string): string | readonly string[] => {
    const [whole = '', kind = ''] = /\{(\w+)\}/.exec(text) ?? [];
    return names[kind]?.map((name) => text.replace(whole, name)) ?? text;
  };
};

/** Values that replace CloudFormation's variables. */
const placeholders: Readonly<Record<string, string>> = {
  Partition: 'aws',
  Region: 'REGION',
  AccountId: 'ACCOUNT',
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
