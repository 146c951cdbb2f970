import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Context } from 'aws-lambda';
import { createCredentialStore } from '../../lib/adapters/dynamodb/credential-store.ts';
import { createExecutionStore } from '../../lib/adapters/dynamodb/execution-store.ts';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { createLogger, forExecution } from '../../lib/adapters/runtime/logger.ts';
import { randomIds } from '../../lib/adapters/runtime/random-ids.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { createWebhookFunction } from '../../lib/app/webhook-handler.ts';
import { createOtherWorkflows } from '../../lib/executions/lifecycle/plans.ts';
import type { ExecutionStore } from '../../lib/executions/record/execution-store.ts';
import { createHandler } from '../../lib/http/create-handler.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { answerJson } from '../../lib/shared/answer.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';
import type { WorkflowStore } from '../../lib/workflows/definition/workflow-store.ts';
import { compilePlan } from '../../lib/workflows/plan/plan.ts';
import { startInternalServer } from '../../local/net/listen.ts';
import { installedPlugins } from '../../plugins/installed.ts';
import { measure, printTable } from './measure.ts';

const event = readFileSync(new URL('../../events/webhook.json', import.meta.url), 'utf8');
const context = {} as Context;

/** trigger → set → if → set; the output of the last one is the answer. */
const workflow = (condition: string): WorkflowDefinition => ({
  id: 'hello',
  name: 'Hello',
  enabled: true,
  nodes: [
    { id: 'request', type: 'webhookTrigger', parameters: { responseMode: 'lastNode' } },
    { id: 'pick', type: 'set', parameters: { values: { name: '{{ body.name }}', known: true } } },
    { id: 'check', type: 'if', parameters: { condition } },
    { id: 'greet', type: 'set', parameters: { values: { greeting: 'Hello, {{ name }}' } } },
  ],
  connections: [
    { sourceNodeId: 'request', targetNodeId: 'pick' },
    { sourceNodeId: 'pick', targetNodeId: 'check' },
    { sourceNodeId: 'check', sourceOutput: 'true', targetNodeId: 'greet' },
  ],
});

const storeOf = (definition: WorkflowDefinition): WorkflowStore => {
  const stored = { version: 1, updatedAt: '', definition, pathConfigs: toPathConfigs(definition) };
  return {
    find: async () => stored,
    findVersion: async () => stored,
    put: async () => ({ version: 1, changed: false }),
    remove: async () => false,
    list: async () => [],
  };
};

/** The part of a store that a synchronous run uses. */
const noRecords = {
  start: async () => true,
  finish: async () => true,
} as Partial<ExecutionStore> as ExecutionStore;

/** For what requests without a key do not use when they are answered synchronously. */
const unused = (): never => {
  throw new Error('unused');
};

/** A DynamoDB that accepts every call at once, so that only our side counts. */
const startFakeDynamoDb = async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{}');
    });
  });
  return startInternalServer(server);
};

export const benchRequests = async (): Promise<void> => {
  const logger = createLogger({ write: () => {} });
  const registry = await loadRegistry(installedPlugins, { logger, clock: systemClock });
  const dynamodb = await startFakeDynamoDb();
  const client = createJsonClient({ region: 'local', endpoint: dynamodb.endpoint });
  const tables = tableNames('bench');

  const webhook = (condition: string, executions: ExecutionStore) => {
    const workflows = storeOf(workflow(condition));
    const plan = compilePlan(workflow(condition), registry.findNodeType);
    const openPlan = async () => plan;
    return createWebhookFunction({
      workflows,
      openPlan,
      otherWorkflows: createOtherWorkflows(workflows, openPlan),
      credentials: createCredentialStore(client, tables),
      executions,
      services: {
        clock: systemClock,
        ids: randomIds,
        http: { request: () => Promise.reject(new Error('unused')) },
      },
      deliveries: { claim: unused },
      dispatcher: { dispatch: unused },
      blobs: { put: unused, get: unused },
      events: { publish: async () => {} },
      usesOutbox: false,
      logger,
      loggerFor: (execution) => forExecution(logger, execution),
      settings: { cacheTtlMs: 60_000 },
    });
  };

  const answer = (body: string) => ({ greeting: `Hello, ${JSON.parse(body).name}` });
  const bare = async (given: { body: string }) => ({
    statusCode: 200,
    body: JSON.stringify(answer(given.body)),
  });
  const behindMiddleware = createHandler({ logger, clock: systemClock }, async ({ event: given }) =>
    answerJson(200, answer((given as { body: string }).body)),
  );
  const inMemory = webhook('{{ known }}', noRecords);
  const withJsonata = webhook('{{ name != "" }}', noRecords);
  const store = createExecutionStore(client, tables, { retentionDays: 30, clock: systemClock });
  const recording = webhook('{{ known }}', store);

  // A new event for each call, as on Lambda.
  const calls: [string, () => unknown][] = [
    ['making the event (in every row)', () => JSON.parse(event)],
    ['a bare handler', () => bare(JSON.parse(event))],
    ['the same behind the middleware stack', () => behindMiddleware(JSON.parse(event), context)],
    ['webhook: trigger, set, if, set; records in memory', () => inMemory(JSON.parse(event), context)],
    ['the same with one JSONata expression', () => withJsonata(JSON.parse(event), context)],
    ['the same as the third, two records in DynamoDB', () => recording(JSON.parse(event), context)],
  ];
  const check = await inMemory(JSON.parse(event), context);
  if (check.body !== '{"greeting":"Hello, Ada"}') throw new Error(`the webhook answered ${check.body}`);

  const times: number[] = [];
  for (const [, call] of calls) times.push(await measure(call));
  const [, base = 1] = times;
  printTable(
    'One request, in this process',
    ['', 'µs', '× bare'],
    calls.map(([name], index) => [
      name,
      (times[index] ?? 0).toFixed(1),
      ((times[index] ?? 0) / base).toFixed(1),
    ]),
  );
  await dynamodb.stop();
};
