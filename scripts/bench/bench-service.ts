import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../cli/target.ts';
import { createLogger } from '../../lib/adapters/runtime/logger.ts';
import { openRuns, openSweep, openWebhook } from '../../lib/app/compose.ts';
import { readConfig } from '../../lib/app/config.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import type { WebhookFeatures } from '../../lib/workflows/definition/path-config.ts';
import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';
import type { Link } from './chains.ts';

export const TABLE_PREFIX = 'bench';

/** The environment of the functions; credentials are those that a database on this machine takes. */
export const createEnvironment = (dynamodbEndpoint: string) => ({
  STAGE: 'bench',
  TABLE_PREFIX,
  DYNAMODB_ENDPOINT: dynamodbEndpoint,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  LOG_LEVEL: 'error',
  RUN_DURABLE_FUNCTION: 'bench:durable',
  RUN_EXPRESS_FUNCTION: 'bench',
  SWEEP_FUNCTION: 'bench-sweep',
  BLOB_FOLDER: join(tmpdir(), 'hookloom-bench-blobs'),
  PUBLIC_URL: 'https://example.com',
  OUTBOUND_ALLOW: '127.0.0.1',
});

/** The parts of the functions, composed as in AWS, on a DynamoDB at an endpoint. Their log lines are made, not written. */
export const openService = (dynamodbEndpoint: string) => {
  const environment = createEnvironment(dynamodbEndpoint);
  Object.assign(process.env, environment); // where the clients of AWS read credentials
  const config = readConfig(environment);
  const logger = createLogger({ write: () => {} });
  const log = { logger, loggerFor: () => logger };
  return {
    webhook: { ...openWebhook(config), ...log },
    runs: { ...openRuns(config), ...log },
    sweep: { ...openSweep(config), ...log },
  };
};

export const storeWorkflow = async (
  dynamodbEndpoint: string,
  definition: WorkflowDefinition,
): Promise<void> => {
  const target = connect({ dynamodbEndpoint, tablePrefix: TABLE_PREFIX });
  await target.workflows.put(definition, toPathConfigs(definition));
  target.close();
};

/** A webhook and a chain of nodes behind it. */
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

/** A request to a webhook with a JSON body, as the gateway hands it over now. */
export const createEvent = (
  workflowId: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
) => ({
  ...sample,
  rawPath: `/api/webhook/${workflowId}/webhook`,
  headers: { ...sample.headers, 'content-length': String(Buffer.byteLength(body)), ...headers },
  requestContext: { ...sample.requestContext, timeEpoch: Date.now() },
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
