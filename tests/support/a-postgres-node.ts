import type { JsonObject, LentCredential, NodeContext } from '@hookloom/plugin-kit';
import { lendCredential } from '@hookloom/plugin-kit/testing';
import { createTcpClient } from '../../lib/adapters/tcp-client/tcp-client.chunk.ts';
import { postgres } from '../../nodes/postgres/postgres.plugin.ts';
import { aNodeContext, runNode } from './a-node-context.ts';

/** The login of `ann` at a server of the test. */
export const aPostgresCredential = (
  port: number,
  changes: Readonly<Record<string, string>> = {},
): LentCredential =>
  lendCredential({
    type: 'postgres',
    fields: {
      host: '127.0.0.1',
      port: String(port),
      database: 'postgres',
      username: 'ann',
      password: 'right-password',
      sslmode: 'disable',
      ca: '',
      ...changes,
    },
  });

/** A context that reaches the loopback interface. */
export const aPostgresContext = (changes: Partial<NodeContext> = {}): NodeContext => {
  const context = aNodeContext(changes);
  return { ...context, services: { ...context.services, tcp: createTcpClient({ allow: ['127.0.0.1'] }) } };
};

/** Runs the node with defaults filled in, as the engine does. */
export const runSql = async (
  parameters: JsonObject,
  credential: LentCredential | null,
  context: NodeContext = aPostgresContext(),
): Promise<JsonObject> =>
  (await runNode(postgres, 'postgres', parameters, {}, { ...context, credential })) as JsonObject;
