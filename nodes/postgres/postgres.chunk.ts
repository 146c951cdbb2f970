import {
  fromAttempt,
  type JsonObject,
  type LentCredential,
  type NodeContext,
  toLoginOptions,
  withRotation,
} from '@hookloom/plugin-kit';
import {
  type ConnectOptions,
  createDatabases,
  type Databases,
  openDatabase,
  readPostgresServer,
} from './database.ts';
import { runTransaction } from './run-query.ts';
import { type Limits, type Statement, toOutput } from './statements.ts';

const sandboxDatabases = createDatabases();

/**
 * Runs statements over PostgreSQL's protocol.
 *
 * @throws NodeError `SqlError`, `DatabaseConnectionError`, `CredentialRejected`, …, AppError `OUTBOUND_*`
 */
export const runOnPostgres = (
  statements: readonly Statement[],
  limits: Limits & { readonly isList: boolean },
  credential: LentCredential,
  context: NodeContext,
  databases: Databases = sandboxDatabases,
): Promise<JsonObject> =>
  withRotation(credential, async (current) => {
    const server = readPostgresServer((name) => current.field(name));
    const { maxResponseBytes } = limits;
    const options = { tcp: context.services.tcp, ...fromAttempt(context), maxResponseBytes };
    const { timeoutMs } = options;
    const answers = await databases.use(server, options, (database) =>
      database.use(options, (client) => runTransaction(client, statements, { ...limits, timeoutMs })),
    );
    return toOutput(answers, limits.isList, limits.mode);
  });

/** Logs in and out again. @throws AppError `OUTBOUND_*` or `CREDENTIAL_REJECTED`, NodeError */
export const logInToPostgres = async (
  field: (name: string) => string,
  options: Pick<ConnectOptions, 'tcp' | 'signal'>,
): Promise<void> => {
  const server = readPostgresServer(field);
  const database = await openDatabase(server, { ...toLoginOptions(options), maxResponseBytes: 65_536 });
  database.close();
};
