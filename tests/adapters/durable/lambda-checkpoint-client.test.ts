import { createServer } from 'node:http';
import { DurableExecutionApiClient, type DurableExecutionClient } from '@aws/durable-execution-sdk-js';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { afterEach, expect, test } from '@jest/globals';
import { startInternalServer } from 'lambda-stage/net';
import { createAwsCaller } from '../../../lib/adapters/aws/aws-caller.ts';
import { createLambdaCheckpointClient } from '../../../lib/adapters/durable/lambda-checkpoint-client.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const DurableExecutionArn = 'arn:aws:lambda:eu-west-1:1:function:run:3/durable-execution/e-1/abc';
const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
const region = 'eu-west-1';

const operation = {
  Id: '1',
  Type: 'STEP',
  Status: 'PENDING',
  StartTimestamp: 1_700_000_000.5,
  EndTimestamp: 1_700_000_001,
  StepDetails: { Attempt: 2, NextAttemptTimestamp: 1_700_000_003.25, Result: '{"StartTimestamp":1}' },
};
const wait = { Id: '2', Type: 'WAIT', StartTimestamp: 1, WaitDetails: { ScheduledEndTimestamp: 2 } };
const update = { Id: '1', Type: 'STEP', Action: 'SUCCEED', Payload: '"é"' } as const;

const requests: [string, (client: DurableExecutionClient) => Promise<unknown>][] = [
  [
    'a checkpoint',
    (client) => client.checkpoint({ DurableExecutionArn, CheckpointToken: 't+1=', Updates: [update] }),
  ],
  [
    'a checkpoint without updates',
    (client) => client.checkpoint({ DurableExecutionArn, CheckpointToken: 't' }),
  ],
  ['a state', (client) => client.getExecutionState({ DurableExecutionArn, CheckpointToken: 't+1= ' })],
  [
    'a page of a state',
    (client) =>
      client.getExecutionState({ DurableExecutionArn, CheckpointToken: 't', Marker: 'a/b', MaxItems: 9 }),
  ],
];

const replies: [string, { readonly status: number; readonly type?: string; readonly body: unknown }][] = [
  [
    'operations',
    {
      status: 200,
      body: {
        CheckpointToken: 'next',
        NewExecutionState: { Operations: [operation, wait] },
        Operations: [wait],
      },
    },
  ],
  [
    'a marker',
    { status: 200, body: { NewExecutionState: { NextMarker: 'm' }, Operations: [], NextMarker: 'm' } },
  ],
  [
    'a refusal',
    {
      status: 400,
      type: 'InvalidParameterValueException',
      body: { Type: 'User', message: 'Invalid checkpoint token' },
    },
  ],
  [
    'another',
    { status: 413, type: 'RequestTooLargeException', body: { Type: 'User', Message: 'too large' } },
  ],
];

/** What one client sends, and what it makes of the reply; without what differs each time. */
const exchangeOf = async (
  create: (endpoint: string) => DurableExecutionClient,
  ask: (client: DurableExecutionClient) => Promise<unknown>,
  { status, type, body }: (typeof replies)[number][1],
) => {
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const sent = text === '' ? null : JSON.parse(text);
    if (sent !== null) expect(sent.ClientToken).toMatch(/^[0-9a-f-]{36}$/);
    const [path, query] = request.url?.split('?') ?? [];
    const parameters = [...new URLSearchParams(query)].sort();
    seen.add(JSON.stringify([request.method, path, parameters, { ...sent, ClientToken: null }]));
    response
      .writeHead(status, { 'content-type': 'application/json', ...(type && { 'x-amzn-errortype': type }) })
      .end(JSON.stringify(body));
  });
  const { endpoint, stop } = await startInternalServer(server);
  cleanups.push(stop);
  const outcome = await ask(create(endpoint)).then(
    (value) => JSON.parse(JSON.stringify({ ...(value as object), $metadata: undefined })),
    ({ name, message, $metadata }) => ({ name, message, status: $metadata.httpStatusCode }),
  );
  return { seen: [...seen].map((request) => JSON.parse(request)), outcome };
};

const ours = (endpoint: string) =>
  createLambdaCheckpointClient(
    createAwsCaller({ service: 'lambda', region, endpoint, readCredentials: () => credentials }),
  );
const reference = (endpoint: string) =>
  new DurableExecutionApiClient(new LambdaClient({ endpoint, region, credentials }));

test.each(
  requests.flatMap(([what, ask]) => replies.map(([answer, reply]) => ({ what, answer, ask, reply }))),
)('$what that is answered with $answer is sent and read as by AWS’s client', async ({ ask, reply }) => {
  const exchange = await exchangeOf(ours, ask, reply);
  expect(exchange).toMatchObject(await exchangeOf(reference, ask, reply));
});
