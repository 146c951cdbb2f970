import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';
import { aWebhookEvent } from './a-webhook-event.ts';
import { type AWorkflow, aWebhookService } from './a-webhook-service.ts';
import type { HostileInput } from './hostile-inputs.ts';
import { anOutboundService } from './outbound-credentials.ts';
import { signRequest } from './sign-request.ts';

const secret = 'secret-of-a-sender';
const signature = { scheme: 'github', credentialId: 'sender' };

/** All features that a request can pass at once. */
const everything: NonNullable<AWorkflow['webhook']> = {
  responseMode: 'onReceived',
  cors: { origins: ['https://*.example'] },
  allowFrom: ['192.0.2.0/24'],
  signature,
  handshake: { scheme: 'custom', match: 'body.type = "test"', answer: { body: '{{ body.challenge }}' } },
  maxBodyBytes: 6 * 1024 * 1024,
  rateLimit: { requests: 100_000, seconds: 60, per: 'caller' },
  schema: { propertyNames: { pattern: '^[^\\s]*$' }, not: { const: 'forbidden' } },
  onlyIf: '$exists(body)',
  concurrency: { max: 100 },
  deduplication: 'body.id',
  answer: { status: 200, body: 'received {{ body.id }}' },
};

/** As many paths with parameters as a workflow can have, which differ only in the last segments. */
const patterns = Array.from({ length: 200 }, (_, at) => {
  const depth = 1 + (at % 50);
  const segments = Array.from({ length: depth }, (_segment, place) =>
    place === at % depth ? 'a' : `:p${place}`,
  );
  return `/${[...segments, at < 100 ? '*rest' : 'z'].join('/')}`;
});

/**
 * A webhook function that stores a workflow with all features for each input.
 *
 * @returns prepares an input: the returned function sends it, and resolves to the status of the answer
 */
export const aHostileService = async () => {
  const outbound = anOutboundService();
  await outbound.put('sender', 'signingSecret', { secret });
  const service = await aWebhookService({ outboundCredentials: outbound.credentials });
  let workflows = 0;

  const put = async (webhook: NonNullable<AWorkflow['webhook']>, isManyPaths: boolean): Promise<string> => {
    const id = `workflow-${++workflows}`;
    if (!isManyPaths) {
      await service.put({ id, webhook });
      return id;
    }
    const nodes = patterns.map((path, at) => ({
      id: `trigger-${at}`,
      type: 'webhookTrigger',
      parameters: { ...webhook, path, method: 'POST' } as never,
    }));
    const definition = { id, name: id, enabled: true, nodes, connections: [] };
    await service.workflows.put(definition, toPathConfigs(definition));
    return id;
  };

  return async ({
    body = '{}',
    contentType,
    headers,
    query = '',
    path,
    webhook,
  }: HostileInput): Promise<() => Promise<number>> => {
    const workflowId = await put({ ...everything, ...webhook }, path !== undefined);
    const event = aWebhookEvent({
      workflowId,
      query,
      body,
      ...(path === undefined ? {} : { path }),
      headers: {
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
        ...signRequest(signature, secret, Buffer.from(body), 0),
        ...headers,
      },
    });
    return async () => (await service.call(event)).statusCode ?? 0;
  };
};
