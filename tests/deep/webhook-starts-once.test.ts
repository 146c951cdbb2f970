import { afterEach, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createDeliveryStore } from '../../lib/adapters/dynamodb/delivery-store.ts';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { createLogger } from '../../lib/adapters/runtime/logger.ts';
import { randomIds, systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { createExpressFunction } from '../../lib/app/express-handler.ts';
import { createWebhookFunction } from '../../lib/app/webhook-handler.ts';
import { createOpenPlan, createOtherWorkflows } from '../../lib/executions/lifecycle/plans.ts';
import { reconcileExecution } from '../../lib/executions/lifecycle/reconcile-execution.ts';
import type { BackgroundPorts } from '../../lib/executions/ports.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { withoutFeatures } from '../../lib/webhooks/webhook-feature.ts';
import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { aFlow } from '../support/a-background-service.ts';
import { type Fault, startFaultProxy } from '../support/a-fault-proxy.ts';
import { bodyOf } from '../support/a-problem.ts';
import { dueIn } from '../support/a-start.ts';
import { aJsonEvent } from '../support/a-webhook-event.ts';
import { keptEvents } from '../support/an-inline-dispatcher.ts';
import { cases } from '../support/deep.ts';
import { inMemoryBlobs } from '../support/in-memory-blobs.ts';
import { filesIn } from '../support/in-memory-files.ts';
import { inMemoryCredentialStore } from '../support/in-memory-stores.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();
const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** The webhook function on the embedded DynamoDB, behind a fault-injecting proxy; and the function that it dispatches to. */
const open = async () => {
  let decide: (operation: string, table: string, count: number) => Fault = () => 'pass';
  let calls = 0;
  const { tables, endpoint, client: direct } = await openDatabase();
  const proxy = await startFaultProxy(endpoint, (operation, table) => decide(operation, table, calls++));
  const client = createJsonClient({ region: 'local', endpoint: proxy.endpoint });
  cleanups.push(proxy.stop);
  const logger = createLogger({ write: () => {} });
  const registry = await loadRegistry(installedPlugins, { logger, clock: systemClock });
  const openPlan = createOpenPlan({
    loadNodeTypes: async () => registry.findNodeType,
    lookUpPlan: (_key, load) => load(),
  });
  const options = { retentionDays: 30, clock: systemClock };
  const services = {
    clock: systemClock,
    ids: randomIds,
    http: { request: () => Promise.reject(new Error('unused')) },
  };
  const healthy = createExecutionStore(direct, tables, options);
  const workflows = createWorkflowStore(direct, tables, systemClock);
  const blobs = inMemoryBlobs();
  const background = {
    ...keptEvents(),
    blobs,
    filesFor: filesIn(blobs),
    openPlan,
    otherWorkflows: createOtherWorkflows(workflows, openPlan),
    services,
    logger,
    loggerFor: () => logger,
  };
  const dispatched: string[] = [];
  const dispatcher = { dispatch: async (executionId: string) => void dispatched.push(executionId) };
  const handler = createWebhookFunction({
    ...background,
    workflows: createWorkflowStore(client, tables, systemClock),
    executions: createExecutionStore(client, tables, options),
    deliveries: createDeliveryStore(client, tables),
    credentials: inMemoryCredentialStore(),
    dispatcher,
    openFeatures: async () => withoutFeatures,
    recordRequest: async () => {},
    catchRequest: async () => null,
    limitCallsToSelf: async () => async () => {},
    settings: { cacheTtlMs: 0 },
  });
  const definition = aFlow({ nodes: [], edges: [] });
  await workflows.put(definition, toPathConfigs(definition, 'express'));

  const parts: BackgroundPorts = {
    ...background,
    executions: healthy,
    workflows,
  };
  let runs = 0;
  const run = createExpressFunction({
    ...parts,
    // A run has begun when its plan is asked for: what is not begun asks for none.
    openPlan: (workflow) => {
      runs++;
      return openPlan(workflow);
    },
  });
  return {
    healthy,
    misbehave: (next: typeof decide) => {
      calls = 0;
      decide = next;
    },
    /** How many calls the last misbehaviour has seen. */
    calls: () => calls,
    call: (key: string | null): Promise<APIGatewayProxyStructuredResultV2> => {
      const headers = key === null ? {} : { 'idempotency-key': key };
      const event = aJsonEvent({}, { workflowId: 'order', path: 'webhook', headers });
      const now = { ...event, requestContext: { ...event.requestContext, timeEpoch: Date.now() } };
      return handler(now as never, { awsRequestId: 'r', getRemainingTimeInMillis: () => 30_000 } as never);
    },
    /** Runs all that was dispatched, also by a later sweep. @returns the number of runs */
    runAll: async (): Promise<number> => {
      const durableService = {
        findStatus: async () => 'gone' as const,
        stop: async () => {},
        answerCallback: async () => false,
      };
      const sweep = { ...parts, dispatcher, durableService, clock: { now: () => Date.now() + 3_600_000 } };
      for (const executionId of await dueIn(healthy, Date.now() + 3_600_000))
        await reconcileExecution(executionId, sweep);
      for (const [at, executionId] of dispatched.entries())
        await run({ executionId }, { awsRequestId: `r-${at}` });
      return runs;
    },
  };
};

describe('a delivery', () => {
  // holds: one-delivery-one-run
  test('that comes ten times at once starts one run', async () => {
    const service = await open();
    const results = await Promise.all(Array.from({ length: 10 }, () => service.call('k-1')));
    expect(new Set(results.map(({ statusCode }) => statusCode))).toEqual(new Set([202]));
    expect(new Set(results.map((result) => bodyOf(result).executionId)).size).toBe(1);
    expect(results.filter((result) => bodyOf(result).duplicate !== true).length).toBeLessThanOrEqual(1);
    expect(await service.runAll()).toBe(1);
  });

  const quick: Fault[] = ['fail', 'reset', 'lose the reply'];
  const faults: Fault[] = cases(quick, [...quick, 'throttle']); // after which the client waits longer

  // holds: accepted-runs-happen, one-delivery-one-run, starts-once-or-not-at-all
  test.each(
    faults.flatMap((fault) =>
      [true, false].map((isKeyed) => [fault, isKeyed ? 'with' : 'without', isKeyed] as const),
    ),
  )(
    'whose store has the fault "%s" at any one of its calls, %s a key: no 2xx without its run, and no run twice',
    async (fault, _word, isKeyed) => {
      const service = await open();
      service.misbehave(() => 'pass');
      await service.call(isKeyed ? 'count' : null);
      const calls = service.calls();
      expect(calls).toBeGreaterThanOrEqual(isKeyed ? 4 : 2);
      let expected = await service.runAll();
      for (let at = 0; at < calls; at++) {
        const key = isKeyed ? `k-${at}` : null;
        // Three in a row: the client tries three times. Losing a reply is worst when the next try finds what was done.
        const length = fault === 'lose the reply' ? 1 : 3;
        service.misbehave((_operation, _table, count) =>
          count >= at && count < at + length ? fault : 'pass',
        );
        let result = await service.call(key);
        service.misbehave(() => 'pass');
        const accepted: unknown[] = [];
        if (result.statusCode === 202) accepted.push(bodyOf(result).executionId);
        else {
          expect(result.statusCode).toBe(503);
          result = await service.call(key); // the sender tries again
          expect(result.statusCode).toBe(202);
          accepted.push(bodyOf(result).executionId);
        }
        const runs = await service.runAll();
        // A sender without a key can't say that it comes again: what it was refused must not run, what it was promised must.
        expect(runs - expected).toBe(accepted.length);
        expected = runs;
        for (const executionId of accepted) {
          expect(await service.healthy.find(String(executionId))).toMatchObject({ status: 'succeeded' });
        }
      }
    },
  );
});
