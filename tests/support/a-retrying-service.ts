import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@hookloom/plugin-kit';
import { afterEach, expect } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { openRetryExecutions } from '../../lib/app/compose/background.ts';
import { readConfig } from '../../lib/app/config.ts';
import { createRetryExecutions } from '../../lib/app/retry-executions.ts';
import type { FinalStatus } from '../../lib/executions/record/execution-store.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { anExecutionEnd, anExecutionStart } from './a-start.ts';
import { aTrigger, aWorkflow } from './a-workflow.ts';
import { anAdminApi } from './an-admin-api.ts';
import { environmentOf } from './function-environment.ts';
import { useTestDatabases } from './test-database.ts';

export const CALLER = 'arn:aws:sts::123456789012:assumed-role/operators/ada';
export const T0 = Date.now() - 3_600_000;

/** Services that retry executions of the workflow `greeting`, each with a database of its own. */
export const useRetryingServices = () => {
  const openDatabase = useTestDatabases();
  const servers: Server[] = [];

  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** A service whose engine ends each execution that is dispatched to it. */
  return async (endOf: (executionId: string, count: number) => FinalStatus | null = () => 'succeeded') => {
    const { client, tables, endpoint } = await openDatabase();
    const executions = createExecutionStore(client, tables, { retentionDays: 30, clock: systemClock });
    const workflows = createWorkflowStore(client, tables, systemClock);
    const dispatched: string[] = [];
    const invoked: string[] = [];
    const lambda = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const event = JSON.parse(Buffer.concat(chunks).toString());
      if (event.bulkRetryId === undefined) {
        const status = endOf(event.executionId, dispatched.push(event.executionId));
        if (status !== null)
          await executions.finish(event.executionId, anExecutionEnd({ status, endedAt: Date.now() }));
      } else invoked.push(event.bulkRetryId);
      response.writeHead(202).end('{}');
    });
    servers.push(lambda.listen(0, '127.0.0.1'));
    await new Promise((resolve) => lambda.once('listening', resolve));
    const origin = `http://127.0.0.1:${(lambda.address() as AddressInfo).port}`;
    const values = { DYNAMODB_ENDPOINT: endpoint, AWS_ENDPOINT_URL_LAMBDA: origin };

    const calls = { id: 'call', type: 'httpRequest', parameters: { url: 'https://example.com' } };
    const sets = { id: 'set', type: 'set', parameters: { values: {} } };
    const mails = { ...calls, id: 'mail' };
    const definition = aWorkflow({
      nodes: [aTrigger(), sets, calls, mails],
      connections: [
        { sourceNodeId: 'request', targetNodeId: 'set' },
        { sourceNodeId: 'set', targetNodeId: 'call' },
        { sourceNodeId: 'call', targetNodeId: 'mail' },
      ],
    });
    await workflows.put(definition, []);

    const nodeOf = (nodeId: string, type: string, status: 'succeeded' | 'failed') => ({
      nodeId,
      type,
      status,
      iteration: 0,
      attempts: 1,
      startedAt: T0,
      durationMs: 1,
    });
    const fail = async (
      executionId: string,
      changes: { name?: string; status?: FinalStatus; input?: null } = {},
    ) => {
      const { name = 'HttpStatusError', status = 'failed', input } = changes;
      const start = anExecutionStart({
        executionId,
        workflowId: 'greeting',
        workflowVersion: 1,
        startedAt: T0 + Number(executionId.slice(2)),
        trigger: { nodeId: 'request', type: 'webhookTrigger' },
        ...(input === undefined ? {} : { input, mode: 'inline' as const, callbackKey: null }),
      });
      await executions.start(start);
      const failure = { nodeId: 'call', name, message: 'no' };
      const nodes = [nodeOf('set', 'set', 'succeeded'), nodeOf('call', 'httpRequest', 'failed')];
      await executions.finish(executionId, anExecutionEnd({ status, failure, nodes, endedAt: T0 + 1 }));
    };
    const failMany = async (count: number) => {
      for (let at = 0; at < count; at++) await fail(`e-${at}`);
    };

    const call = anAdminApi(values);
    const post = (body: unknown) => call('POST', '/api/admin/executions/retry', { body, caller: CALLER });
    const start = async (more: object = {}) => {
      const { status, body } = await post({ filter: { workflowId: 'greeting' }, rate: 100, ...more });
      expect([status, body.state]).toEqual([202, 'running']);
      return String(body.bulkRetryId);
    };
    let slept = 0;
    const clock: Clock = {
      now: () => Date.now() + slept,
      sleep: async (ms) => {
        slept += ms;
      },
    };
    const openRunner = () => {
      const config = readConfig(environmentOf('retryExecutions', values));
      return { ...openRetryExecutions(installedPlugins, config), clock };
    };
    /** The function that runs bulk retries; its waits take no time. */
    const run = (
      bulkRetryId?: string,
      owner = 'request-1',
      others: Partial<ReturnType<typeof openRunner>> = {},
    ) =>
      createRetryExecutions({ ...openRunner(), ...others })(
        bulkRetryId === undefined ? {} : { bulkRetryId },
        {
          awsRequestId: owner,
        } as Context,
      );
    const show = async (id: string) => (await call('GET', `/api/admin/bulk-retries/${id}`)).body;
    return {
      values,
      executions,
      workflows,
      definition,
      fail,
      failMany,
      call,
      post,
      start,
      run,
      show,
      dispatched,
      invoked,
      openRunner,
    };
  };
};
