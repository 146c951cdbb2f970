import { parse, type ScalarTag } from 'yaml';
import { resolveVariables } from '../../local/functions/resolve-variables.ts';
import { allow, deployerStatements, type Statement } from './deployer-statements.ts';

/** The part of serverless.yml that is read. `!GetAtt` is a reference, and so is `!Sub` if it begins with an ARN; otherwise it is a string. */
interface ServiceFile {
  readonly resources: { readonly Resources: Readonly<Record<string, ResourceOfFile>> };
}

interface ResourceOfFile {
  readonly Properties: { readonly TableName?: string; readonly RoleName?: string };
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
    ...['validate', 'try', '*/enable', '*/disable', '*/rollback', '*/listening'].map(
      (path) => `POST/api/admin/workflows/${path}`,
    ),
  ),
];

/** The routes that change nothing. What a reader must not see has another method: a denied path has other spellings. */
const readerStatements: readonly Statement[] = [mayFindApi, mayCall('GET/api/admin/*')];

/** The routes of the commands for credentials, variables, state, plugins, executions, bulk retries, requests and approvals, and of all that only read. */
const operatorStatements: readonly Statement[] = [
  mayFindApi,
  mayCall(
    'GET/api/admin/*',
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
 * - `deployer` and `deployerData`, both: for deploying and removing the service
 *
 * @param text - of serverless.yml
 */
export const toPolicies = (
  text: string,
): Readonly<Record<'reader' | 'author' | 'operator' | 'deployer' | 'deployerData', Policy>> => {
  const file: ServiceFile = parse(text, { merge: true, customTags: tags, logLevel: 'silent' });
  const { Resources } = file.resources;
  const toText = (value: string): string => {
    const known = value.replaceAll(/\$\{AWS::(\w+)\}/g, (_whole, name: string) => placeholders[name] ?? name);
    const sources = { file, stage: 'STAGE', environment: {}, readJson: () => null };
    return resolveVariables(known, sources) ?? known;
  };
  const toArn = ({ target, rest }: Reference): string => {
    const { TableName, RoleName } = Resources[target]?.Properties ?? {};
    if (TableName !== undefined) return toText(`arn:aws:dynamodb:REGION:ACCOUNT:table/${TableName}${rest}`);
    if (RoleName !== undefined) return toText(`arn:aws:iam::ACCOUNT:role/${RoleName}`);
    const name = target.replace(/LambdaFunction$/, '').replace(/^./, (letter) => letter.toLowerCase());
    return toText(`arn:aws:lambda:REGION:ACCOUNT:function:\${self:custom.tablePrefix}-${name}${rest}`);
  };
  const resolve = (value: unknown): unknown => {
    if (value instanceof Reference) return toArn(value);
    if (typeof value === 'string') return toText(value);
    if (Array.isArray(value)) return value.map(resolve);
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
