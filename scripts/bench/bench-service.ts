import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowNode } from '@hookloom/plugin-kit';
import { createLogger } from '../../lib/adapters/runtime/logger.ts';
import { openDurableRuns, openSweep } from '../../lib/app/compose/background.ts';
import { openWebhook } from '../../lib/app/compose/webhook.ts';
import { readConfig } from '../../lib/app/config.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import type { WebhookFeatures } from '../../lib/workflows/definition/path-config.ts';
import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { openSampleStores } from '../../packages/local/samples/sample-stores.ts';
import { environmentOf } from '../../tests/support/function-environment.ts';

/** A node of a chain. */
export type Link = Pick<WorkflowNode, 'type' | 'parameters'>;

export const tablePrefix = 'bench';

/** The environment of a function; its credentials are accepted by a database on this machine. */
export const createEnvironment = (functionKey: string, dynamodbEndpoint: string): Record<string, string> =>
  environmentOf(
    functionKey,
    {
      DYNAMODB_ENDPOINT: dynamodbEndpoint,
      BLOB_FOLDER: join(tmpdir(), 'hookloom-bench-blobs'),
      OUTBOUND_ALLOW: '127.0.0.1',
    },
    tablePrefix,
  );

/** The parts of the functions, composed as in AWS, on a DynamoDB at an endpoint. Their log lines are formatted but not written. */
export const openService = (dynamodbEndpoint: string) => {
  const configOf = (functionKey: string) => {
    const environment = createEnvironment(functionKey, dynamodbEndpoint);
    Object.assign(process.env, environment); // where AWS clients read credentials
    return readConfig(environment);
  };
  const logger = createLogger({ write: () => {} });
  const log = { logger, loggerFor: () => logger };
  return {
    webhook: { ...openWebhook(installedPlugins, configOf('webhook')), ...log },
    runs: { ...openDurableRuns(installedPlugins, configOf('runDurable')), ...log },
    sweep: { ...openSweep(configOf('sweep')), ...log },
  };
};

export const storeWorkflow = async (
  dynamodbEndpoint: string,
  definition: WorkflowDefinition,
): Promise<void> => {
  const { workflows } = openSampleStores({ dynamodbEndpoint, tablePrefix });
  await workflows.put(definition, toPathConfigs(definition));
};

/** A webhook followed by a chain of nodes. */
export const toChain = (
  id: string,
  responseMode: string,
  chain: readonly Link[],
  features: WebhookFeatures = {},
): WorkflowDefinition => {
  const nodes = chain.map((node, at) => ({ id: `n${at}`, ...node }));
  return {
    id,
    name: id,
    enabled: true,
    nodes: [{ id: 'request', type: 'webhookTrigger', parameters: { responseMode, ...features } }, ...nodes],
    connections: nodes.map((node, at) => ({
      sourceNodeId: nodes[at - 1]?.id ?? 'request',
      targetNodeId: node.id,
    })),
  };
};

const sample = JSON.parse(readFileSync(new URL('../../events/webhook.json', import.meta.url), 'utf8'));

/** A request to a webhook with a JSON body, as the gateway passes it on now, with a unique id as long as the gateway's. */
export const createEvent = (
  workflowId: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
) => ({
  ...sample,
  rawPath: `/api/webhook/${workflowId}/webhook`,
  headers: { ...sample.headers, 'content-length': String(Buffer.byteLength(body)), ...headers },
  requestContext: {
    ...sample.requestContext,
    requestId: randomBytes(12).toString('base64'),
    timeEpoch: Date.now(),
  },
  pathParameters: { workflowId, path: 'webhook' },
  body,
});

/** An order of about 1 kB as JSON. */
export const order = {
  name: 'Ada',
  id: 'A-1042',
  customer: { name: 'Ada Lovelace', email: 'ada@example.com', address: '12 St James Square, London' },
  items: Array.from({ length: 9 }, (_, at) => ({
    sku: `S-${at}`,
    name: 'Teapot, cast iron',
    price: 49.9,
    quantity: at,
    tags: ['tea'],
  })),
};
