import { randomUUID } from 'node:crypto';
import { afterEach, jest } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { openCancel } from '../../lib/app/compose/admin.ts';
import { openSweep } from '../../lib/app/compose/background.ts';
import { openWebhook } from '../../lib/app/compose/webhook.ts';
import { type Config, readConfig } from '../../lib/app/config.ts';
import { createCancelExecution } from '../../lib/app/executions.ts';
import { createSweepFunction } from '../../lib/app/sweep-handler.ts';
import { createWebhookFunction } from '../../lib/app/webhook-handler.ts';
import type { BackgroundMode, WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { startFaultProxy } from './a-fault-proxy.ts';
import { aJsonEvent } from './a-webhook-event.ts';
import { anEvent } from './an-api-event.ts';
import { sumMetrics } from './embedded-metrics.ts';
import { environmentOf, type LocalValues } from './function-environment.ts';
import { createRunExecution } from './run-execution.ts';
import { useTestDatabases } from './test-database.ts';

interface Options {
  readonly values?: LocalValues;
  /** In place of the engine of express runs. @throws to refuse the dispatch */
  readonly dispatch?: (executionId: string, mode: BackgroundMode) => Promise<void>;
  /** What becomes of a call to DynamoDB; all pass when absent. */
  readonly decide?: Parameters<typeof startFaultProxy>[1];
  /** What a deployment with other parameters has. */
  readonly config?: Partial<Config>;
}

/**
 * The functions as they are put together, on an embedded DynamoDB, with all that they write to standard output. What they
 * dispatch is run by `runAll`.
 */
export const useMeasuredServices = () => {
  const openDatabase = useTestDatabases();
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });

  return async ({ values = {}, dispatch, decide, config = {} }: Options = {}) => {
    const { client, tables, endpoint: database } = await openDatabase();
    const proxy = decide === undefined ? null : await startFaultProxy(database, decide);
    if (proxy !== null) cleanups.push(proxy.stop);
    const endpoint = proxy?.endpoint ?? database;
    const lines: string[] = [];
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
      lines.push(...String(text).trimEnd().split('\n'));
      return true;
    });
    const configOf = (functionKey: string): Config => ({
      ...readConfig(
        environmentOf(functionKey, {
          DYNAMODB_ENDPOINT: endpoint,
          AWS_ENDPOINT_URL_LAMBDA: 'http://127.0.0.1:9',
          BLOB_FOLDER: '/nonexistent',
          WORKFLOW_CACHE_SECONDS: '0',
          LOG_LEVEL: 'info',
          ...values,
        }),
      ),
      ...config,
    });
    const queue: { readonly executionId: string; readonly mode: BackgroundMode }[] = [];
    const dispatcher = {
      dispatch: async (executionId: string, mode: BackgroundMode) => {
        await dispatch?.(executionId, mode);
        queue.push({ executionId, mode });
      },
    };
    const webhook = openWebhook(installedPlugins, configOf('webhook'));
    const handleRequest = createWebhookFunction({ ...webhook, dispatcher });
    const runExecution = createRunExecution(configOf);
    const cancel = createCancelExecution(openCancel(configOf('adminCancelExecution')));
    const workflows = createWorkflowStore(client, tables, systemClock);
    const answerOf = async (answer: Promise<unknown>) =>
      ((await answer) as APIGatewayProxyStructuredResultV2).statusCode;
    return {
      client,
      tables,
      lines,
      executions: webhook.executions,
      /** The sums of all that was measured, by metric and dimensions. */
      measured: () => sumMetrics(lines),
      put: (definition: WorkflowDefinition) => workflows.put(definition, toPathConfigs(definition)),
      /** A request to the path `/go`. @returns the status of the answer */
      send: (workflowId: string, body: unknown = {}, headers: Readonly<Record<string, string>> = {}) => {
        const event = aJsonEvent(body, { workflowId, path: 'go', headers });
        // The record has not expired.
        const ofNow = { timeEpoch: Date.now(), requestId: randomUUID() };
        const requestContext = { ...event.requestContext, ...ofNow };
        return answerOf(handleRequest({ ...event, requestContext } as never, {} as Context));
      },
      cancel: (executionId: string) =>
        answerOf(
          cancel(
            {
              ...anEvent({ method: 'POST', path: '/api/admin/executions/{executionId}/cancel' }),
              pathParameters: { executionId },
            } as never,
            {} as Context,
          ),
        ),
      /** Runs what was dispatched, one execution after the other. @returns their ids */
      runAll: async (): Promise<readonly string[]> => {
        const ran: string[] = [];
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          const { executionId, mode } = next;
          ran.push(executionId);
          await runExecution(executionId, mode);
        }
        return ran;
      },
      /** @param laterMs - how long after now */
      sweep: (event: unknown, laterMs = 0) => {
        const clock = { ...systemClock, now: () => Date.now() + laterMs };
        const parts = openSweep(configOf('sweep'));
        const durableService = { ...parts.durableService, findStatus: async () => 'gone' as const };
        return createSweepFunction({ ...parts, durableService, dispatcher, clock })(event);
      },
    };
  };
};
