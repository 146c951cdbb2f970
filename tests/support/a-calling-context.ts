import {
  Emission,
  isNodeError,
  type JsonObject,
  type NodeContext,
  type PluginHandle,
} from '@hookloom/plugin-kit';
import { createHttpClient } from '../../lib/adapters/http-client/http-client.chunk.ts';
import { aNode, aNodeContext } from './a-node-context.ts';
import { anOutboundService } from './outbound-credentials.ts';

interface ACredential {
  readonly type: string;
  readonly secret: Readonly<Record<string, string>>;
}

/** The context of a node that calls local servers, by the real HTTP client and with a credential of a real type. */
export const aCallingContext = async (
  credential: ACredential | null = null,
  changes: Partial<NodeContext> = {},
): Promise<NodeContext> => {
  const context = aNodeContext(changes);
  const { credentials, put } = anOutboundService({ http: createHttpClient({ allow: ['127.0.0.1'] }) });
  const calling = { ...context, services: { ...context.services, http: credentials } };
  if (credential === null) return calling;
  await put('lent', credential.type, credential.secret);
  return { ...calling, credential: await (await credentials.open()).lend('lent', [credential.type]) };
};

/** What a node delivers on `main`. */
export const callNode = async (
  handle: PluginHandle,
  parameters: JsonObject,
  context: NodeContext,
  input: JsonObject = {},
): Promise<JsonObject> => {
  const result = await handle.execute(aNode(handle.id, parameters), input, context);
  return (result instanceof Emission ? result.outputs.main : result) ?? {};
};

/** What a failure says: message, `isRetryable`, and what else it has. @throws Error when nothing was thrown */
export const failureOf = async (running: Promise<unknown>) => {
  const thrown = await running.then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  );
  if (!isNodeError(thrown)) throw thrown;
  const { name, message, isRetryable, retryAfterMs, details } = thrown;
  return { name, message, isRetryable, retryAfterMs, details };
};
