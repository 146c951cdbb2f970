import type { AwsClient, JsonObject, NodeSettings } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/runtime/system-clock.ts';
import { execute } from '../../../lib/engine/execute.ts';
import { inlineSteps } from '../../../lib/engine/steps.ts';
import { compilePlan } from '../../../lib/workflows/plan/compile-plan.ts';
import { aws } from '../../../nodes/aws/aws.plugin.ts';
import { aGraph, noOtherWorkflows, silent } from '../../support/a-run.ts';
import { answerJson, useAwsServers } from '../../support/an-aws-server.ts';
import { anExecutionInfo } from '../../support/an-execution-info.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const servers = useAwsServers();
const openDatabase = useTestDatabases();

/** Runs the node in the engine, in up to three attempts, between which no time passes. */
const run = async (client: AwsClient, parameters: JsonObject, settings: NodeSettings) => {
  const retry = { maxAttempts: 3 };
  const node = { pure: false, does: aws.execute, parameters, settings: { retry, ...settings } };
  const { definition, findNodeType } = aGraph({
    nodes: { node, after: {} },
    edges: ['start -> node', 'node.error -> after'],
  });
  const { nodes } = await execute(
    compilePlan(definition, findNodeType),
    {
      execution: anExecutionInfo(systemClock.now()),
      input: {},
      limits: { timeoutMs: 60_000, maxNodeRuns: 10, maxOutputBytes: 100_000 },
    },
    {
      services: {
        clock: systemClock,
        ids: { next: () => 'id' },
        http: { request: () => Promise.reject(new Error('no HTTP in this test')) },
        aws: client,
      },
      logger: silent,
      steps: inlineSteps({ ...systemClock, sleep: async () => {} }),
      workflows: noOtherWorkflows,
      callbacks: null,
    },
  );
  const recordOf = (id: string) => nodes.find(({ nodeId }) => nodeId === id);
  const { outputs, attempts } = recordOf('node') ?? {};
  const delivered = recordOf('after')?.outputs as { readonly main: JsonObject } | undefined;
  return { outputs, attempts, failure: delivered?.main };
};

describe('aws in a workflow:', () => {
  const putOnce = (TableName: string) => ({
    service: 'dynamodb',
    operation: 'PutItem',
    input: {
      TableName,
      Item: { deliveryId: { S: 'd-1' } },
      ConditionExpression: 'attribute_not_exists(deliveryId)',
    },
  });

  test('a conditional put that fails continues on the output `error`, by its name', async () => {
    const { endpoint, tables } = await openDatabase();
    const client = servers.pointTo(endpoint, ['DYNAMODB']);
    await run(client, putOnce(tables.deliveries), {});
    const { failure } = await run(client, putOnce(tables.deliveries), { onError: 'route' });
    expect(failure).toMatchObject({
      error: {
        name: 'ConditionalCheckFailedException',
        message: 'dynamodb PutItem failed: The conditional request failed',
        details: { status: 400, requestId: expect.any(String) },
      },
    });
  });

  test('a throttled call is retried', async () => {
    let calls = 0;
    const { client } = await servers.start(['DYNAMODB'], (request, response) => {
      calls++;
      const answer = calls < 3 ? answerJson(400, { __type: 'ThrottlingException' }) : answerJson(200, {});
      answer(request, response);
    });
    const { outputs, attempts } = await run(client, putOnce('orders'), {});
    expect({ outputs, attempts }).toEqual({ outputs: { main: {} }, attempts: 3 });
    expect(calls).toBe(3);
  });
});
