import {
  type AwsCall,
  closed,
  defineAction,
  definePlugin,
  eachOf,
  type JsonObject,
  orNull,
  requireCredential,
  Type,
  takeRole,
  when,
  wrongParameter,
} from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';
import { runOnRdsData } from './rds-data.ts';
import { checkStatements, readStatements } from './statements.ts';

/** The accepted credential types, by the parameter `via`. */
const CREDENTIALS_VIA: Readonly<Record<string, readonly string[]>> = {
  postgres: ['postgres'],
  rdsData: ['awsRole'],
};

/** What a statement delivers. */
const result = Given.by(
  'mode',
  {
    rows: closed({ rows: Type.Array(Type.Object({})) }),
    one: closed({ row: orNull(Type.Object({})) }),
    affected: closed({ affected: Type.Integer() }),
  },
  'rows',
);

export const postgres = defineAction({
  id: 'postgres',
  name: 'PostgreSQL',
  description:
    'Runs SQL with values passed separately, over the PostgreSQL protocol or the RDS Data API. Outputs { rows }, { row } or { affected }, depending on mode; with statements, { results } with one of these for each, in one transaction',
  outputs: { main: Given.ifGiven('statements', closed({ results: Type.Array(result) }), result) },
  credentials: { types: ['postgres', 'awsRole'], required: ({ via = 'postgres' }) => via === 'postgres' },
  credentialTypesFor: ({ via = 'postgres' }) => CREDENTIALS_VIA[String(via)] ?? ['postgres', 'awsRole'],
  literalParameters: ['query', 'statements'],
  checkParameters: checkStatements,
  parameters: Type.Object(
    {
      via: Type.Enum(['postgres', 'rdsData'], {
        default: 'postgres',
        description:
          'postgres: the database in a credential of the type postgres. rdsData: Aurora through the RDS Data API, with the role of the service or of a credential of the type awsRole',
      }),
      query: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100_000,
          description:
            "One SQL statement with $1, $2, … in place of values. It can't contain expressions, so that no data becomes SQL",
        }),
      ),
      statements: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 100_000, description: 'One SQL statement' }), {
          minItems: 1,
          maxItems: 50,
          description: 'Instead of query: statements that run in one transaction, all or none',
        }),
      ),
      values: Type.Array(Type.Unknown({ withoutResult: null, items: { withoutResult: null } }), {
        default: [],
        maxItems: 10_000,
        description:
          'The values of $1, $2, …; with statements, one list of values for each. A list becomes an SQL array, a map JSON, an expression without a result NULL',
      }),
      mode: Type.Enum(['rows', 'one', 'affected'], {
        default: 'rows',
        description:
          'rows: { rows }, a list of maps. one: { row }, null if there is none; more than one is an error. affected: { affected }, how many rows were inserted, updated, deleted or selected',
      }),
      maxRows: Type.Integer({
        default: 1_000,
        minimum: 1,
        maximum: 100_000,
        description: 'With more rows than this, the node fails and nothing is changed',
      }),
      maxResponseBytes: Type.Integer({
        default: 8_388_608,
        minimum: 1_024,
        maximum: 33_554_432,
        description: "If the database's answer is larger, the node fails and nothing is changed",
      }),
      resourceArn: Type.Optional(
        Type.String({
          holes: 'fail',
          pattern: '^arn:aws[a-z-]*:rds:[a-z0-9-]+:[0-9]{12}:cluster:[^\\s]+$',
          maxLength: 200,
          description: 'ARN of the cluster, for rdsData',
        }),
      ),
      secretArn: Type.Optional(
        Type.String({
          holes: 'fail',
          pattern: '^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[^\\s]+$',
          maxLength: 700,
          description: "ARN of the secret with the database's login, for rdsData",
        }),
      ),
      database: Type.Optional(
        Type.String({
          holes: 'fail',
          minLength: 1,
          maxLength: 63,
          description: 'Name of the database, for rdsData',
        }),
      ),
    },
    {
      oneOf: eachOf('query', 'statements'),
      allOf: [when('via', 'rdsData', { required: ['resourceArn', 'secretArn'] })],
    },
  ),
  awsCalls: ({ via, resourceArn = '*', secretArn = '*', statements }) =>
    via === 'rdsData' ? listCalls({ resourceArn, secretArn }, statements !== undefined) : [],
  example: {
    parameters: {
      query: 'SELECT id, total FROM orders WHERE customer = $1 ORDER BY id',
      values: ['{{ customer }}'],
    },
    input: { customer: 'ann@example.com' },
    output: { rows: [{ id: 7, total: '120.50' }] },
  },
  execute: async ({ parameters, credential, context }) => {
    const { via, mode, maxRows, maxResponseBytes, resourceArn, secretArn, database } = parameters;
    const statements = readStatements(parameters);
    const limits = { mode, maxRows, maxResponseBytes, isList: parameters.statements !== undefined };
    if (via === 'rdsData') {
      if (resourceArn === undefined) throw wrongParameter('resourceArn', 'an ARN', resourceArn);
      if (secretArn === undefined) throw wrongParameter('secretArn', 'an ARN', secretArn);
      const role = takeRole(credential, via);
      const target = { resourceArn, secretArn, role, ...(database === undefined ? {} : { database }) };
      return runOnRdsData(statements, limits, target, context);
    }
    const login = requireCredential(credential, via, 'postgres');
    const { runOnPostgres } = await import('./postgres.chunk.ts');
    return runOnPostgres(statements, limits, login, context);
  },
});

const listCalls = ({ resourceArn, secretArn }: JsonObject, isTransaction: boolean): readonly AwsCall[] => {
  const transaction = ['BeginTransaction', 'CommitTransaction', 'RollbackTransaction'];
  const operations = ['ExecuteStatement', ...(isTransaction ? transaction : [])];
  return operations.map((operation) => ({
    service: 'rds-data',
    operation,
    input: { resourceArn, secretArn },
  }));
};

/** PostgreSQL nodes. The protocols are loaded on use. */
export default definePlugin({
  id: 'postgres',
  name: 'PostgreSQL',
  version: '1.0.0',
  description: 'Runs SQL on a PostgreSQL database, over its protocol or the RDS Data API',
  category: 'database',
  handles: [postgres],
});
