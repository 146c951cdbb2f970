import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Context } from 'aws-lambda';
import { createWebhookFunction } from '../../../lib/app/webhook-handler.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { startEmbeddedDynamoDb } from '../../../packages/local/database/embedded-dynamodb.ts';
import { type DynamoDbCall, startDynamoDbProxy } from '../../../tests/support/a-dynamodb-proxy.ts';
import { createEvent, openService, order, storeWorkflow, tablePrefix } from '../bench-service.ts';

const SCHEMA = /,"schema":\{"N":"\d+"\}|"schema":\{"N":"\d+"\},/;

const recordRequest = async (definition: WorkflowDefinition) => {
  const database = await startEmbeddedDynamoDb(tablePrefix);
  await storeWorkflow(database.endpoint, definition);
  const answers: Record<string, string> = {};
  const writes: DynamoDbCall[] = [];
  const proxy = await startDynamoDbProxy(database.endpoint, async (call, forward) => {
    const answer = await forward(call);
    answers[call.operation] = answer.body.replace(SCHEMA, ''); // so that bundles of earlier releases can read it
    if (call.operation !== 'GetItem') writes.push(call);
    return answer;
  });
  const handler = createWebhookFunction(openService(proxy.endpoint).webhook);
  await handler(createEvent(definition.id, JSON.stringify(order)), {} as Context);
  await proxy.stop();
  await database.stop();
  return { answers, writes };
};

/** The parts of a webhook function on a stand-in that knows its workflow. */
export const openWebhookOf = async (workflow: WorkflowDefinition) => {
  const { answers, writes } = await recordRequest(workflow);
  const standIn = await startStandIn({ ...answers, PutEvents: '{"FailedEntryCount":0,"Entries":[{}]}' });
  return { ...standIn, writes, parts: openService(standIn.endpoint).webhook };
};

/**
 * A stand-in for DynamoDB and EventBridge that answers every call immediately. It is a separate process, so that its CPU
 * time does not count.
 * @param answers - JSON texts by operation; `{}` for any other
 */
const startStandIn = async (answers: Readonly<Record<string, string>>) => {
  const child = fork(new URL('stand-in-process.ts', import.meta.url), [JSON.stringify(answers)]);
  const [endpoint] = (await once(child, 'message')) as [string];
  return { endpoint, stop: () => child.disconnect() };
};
