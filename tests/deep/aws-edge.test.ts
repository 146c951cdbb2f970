import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createAwsCaller } from '../../lib/adapters/aws/aws-caller.ts';
import { createLambdaDurableService } from '../../lib/adapters/aws/lambda-durable-service.ts';
import { createLambdaDispatcher } from '../../lib/adapters/aws/lambda-events.ts';
import { createS3BlobStore } from '../../lib/adapters/blobs/s3-blob-store.ts';
import { toCloudEvent } from '../../lib/adapters/events/completion-events.ts';
import { createEventBridgeEvents } from '../../lib/adapters/events/event-bus.chunk.ts';
import type { EndedExecution } from '../../lib/executions/record/execution-store.ts';
import { describeBlobStore } from '../support/blob-store-suite.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

type Reply = { readonly status: number; readonly type?: string; readonly body?: string | Buffer } | 'reset';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const before = { ...process.env };
beforeEach(() => {
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret-key',
    AWS_SESSION_TOKEN: 'session',
  });
});
afterEach(() => {
  process.env = { ...before };
});

/** Something that answers as AWS would, one reply after the other; the last one stays. */
const anAws = async (reply: (seen: Seen, count: number) => Reply, service = 'lambda') => {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body: Buffer.concat(chunks) };
    seen.push(one);
    const answer = reply(one, seen.length);
    if (answer === 'reset') return request.socket.destroy();
    const { status, type, body = '' } = answer;
    return response.writeHead(status, type === undefined ? {} : { 'x-amzn-errortype': type }).end(body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { seen, call: createAwsCaller({ service, region: 'eu-west-1', endpoint }) };
};

const codeOf = (work: Promise<unknown>) =>
  work.then(
    (value) => value,
    (error: { code?: string }) => error.code,
  );

describe('a call to AWS', () => {
  test('is signed, for its service and region, and names the session', async () => {
    const { seen, call } = await anAws(() => ({ status: 200, body: 'hello' }));
    const answer = await call({ method: 'POST', path: '/a/b', body: '{}' });
    expect(Buffer.from(answer.body).toString()).toBe('hello');
    expect(seen[0]?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/lambda\/aws4_request, SignedHeaders=.*, Signature=[0-9a-f]{64}$/,
    );
    expect(seen[0]?.headers['x-amz-security-token']).toBe('session');
    expect(JSON.stringify(seen)).not.toContain('secret-key');
  });

  test('reads the credentials each time, since they are renewed', async () => {
    const { seen, call } = await anAws(() => ({ status: 200 }));
    await call({ method: 'GET', path: '/' });
    process.env.AWS_ACCESS_KEY_ID = 'RENEWED';
    await call({ method: 'GET', path: '/' });
    expect(seen.map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1])).toEqual([
      'AKIDEXAMPLE',
      'RENEWED',
    ]);
  });

  test.each<[string, Reply]>([
    ['a fault', { status: 500 }],
    ['throttling', { status: 429 }],
    ['throttling by DynamoDB or EventBridge', { status: 400, body: '{"__type":"a#ThrottlingException"}' }],
    ['a broken connection', 'reset'],
  ])('is retried after %s, three times in all', async (_case, reply) => {
    const mended = await anAws((_seen, count) => (count < 3 ? reply : { status: 200, body: 'ok' }));
    expect((await mended.call({ method: 'GET', path: '/' })).status).toBe(200);
    const broken = await anAws(() => reply);
    await broken.call({ method: 'GET', path: '/' }).catch(() => null);
    expect(broken.seen).toHaveLength(3);
  });

  test('is not retried when the response is an error of the caller', async () => {
    const { seen, call } = await anAws(() => ({ status: 400 }));
    expect((await call({ method: 'GET', path: '/' })).status).toBe(400);
    expect(seen).toHaveLength(1);
  });
});

describe('dispatch', () => {
  const functions = { durable: 'svc-dev-runDurable:durable', express: 'svc-dev-runExpress' };

  test('is an asynchronous invocation by alias, named after the execution, with nothing but its id', async () => {
    const { seen, call } = await anAws(() => ({ status: 202 }));
    const dispatcher = createLambdaDispatcher(call, functions);
    await dispatcher.dispatch('e-1', 'durable');
    await dispatcher.dispatch('e-2', 'express');
    expect(seen.map(({ method, url, body }) => [method, url, body.toString()])).toEqual([
      ['POST', '/2015-03-31/functions/svc-dev-runDurable%3Adurable/invocations', '{"executionId":"e-1"}'],
      ['POST', '/2015-03-31/functions/svc-dev-runExpress/invocations', '{"executionId":"e-2"}'],
    ]);
    expect(
      seen.map(({ headers }) => [headers['x-amz-invocation-type'], headers['x-amz-durable-execution-name']]),
    ).toEqual([
      ['Event', 'e-1'],
      ['Event', undefined],
    ]);
  });

  test('succeeds if it is already dispatched', async () => {
    const { call } = await anAws(() => ({
      status: 409,
      type: 'DurableExecutionAlreadyStartedException:http://x/',
    }));
    await expect(createLambdaDispatcher(call, functions).dispatch('e-1', 'durable')).resolves.toBeUndefined();
  });

  test.each<[string, Reply]>([
    ['throttled', { status: 429, type: 'TooManyRequestsException' }],
    ['misconfigured', { status: 404, type: 'ResourceNotFoundException' }],
    ['not allowed', { status: 403, body: '{"__type":"com.amazonaws#AccessDeniedException"}' }],
    ['out of reach', 'reset'],
  ])('is refused when it is %s', async (_case, reply) => {
    const { call } = await anAws(() => reply);
    expect(await codeOf(createLambdaDispatcher(call, functions).dispatch('e-1', 'durable'))).toBe(
      'DISPATCH_REFUSED',
    );
  });
});

describe('durable executions, from outside', () => {
  const arn = 'arn:aws:lambda:eu-west-1:1:function:run:3/durable-execution/e-1/abc';

  test.each([
    ['RUNNING', 'running'],
    ['SUCCEEDED', 'succeeded'],
    ['FAILED', 'failed'],
    ['TIMED_OUT', 'timedOut'],
    ['STOPPED', 'stopped'],
  ])('%s is %s', async (Status, status) => {
    const { seen, call } = await anAws(() => ({ status: 200, body: JSON.stringify({ Status }) }));
    expect(await createLambdaDurableService(call).findStatus(arn)).toBe(status);
    expect(seen[0]?.url).toBe(`/2025-12-01/durable-executions/${encodeURIComponent(arn)}`);
  });

  test('no longer exist if Lambda does not know them', async () => {
    const { call } = await anAws(() => ({ status: 404, type: 'ResourceNotFoundException' }));
    expect(await createLambdaDurableService(call).findStatus(arn)).toBe('gone');
    await expect(createLambdaDurableService(call).stop(arn, 'why')).resolves.toBeUndefined();
  });

  test('are stopped, with the reason', async () => {
    const { seen, call } = await anAws(() => ({ status: 200 }));
    await createLambdaDurableService(call).stop(arn, 'cancelled');
    expect(seen[0]).toMatchObject({ method: 'POST', url: expect.stringMatching(/\/stop$/) });
    expect(JSON.parse(seen[0]?.body.toString() ?? '')).toMatchObject({ ErrorMessage: 'cancelled' });
  });

  // holds: one-answer-per-question
  test('accept one answer per callback', async () => {
    const { seen, call } = await anAws((_seen, count) =>
      count === 1 ? { status: 200 } : { status: 400, type: 'InvalidParameterValueException' },
    );
    const service = createLambdaDurableService(call);
    expect(
      await service.answerCallback({ callbackId: 'c/1=', durableArn: 'arn' }, { decision: 'approve' }),
    ).toBe(true);
    expect(
      await service.answerCallback({ callbackId: 'c/1=', durableArn: 'arn' }, { decision: 'reject' }),
    ).toBe(false);
    expect(seen[0]).toMatchObject({ url: '/2025-12-01/durable-execution-callbacks/c%2F1%3D/succeed' });
    expect(seen[0]?.body.toString()).toBe('{"decision":"approve"}');
  });

  describe('an answer whose response is lost and which is sent again', () => {
    const approval = { decision: 'approve', body: { by: 'Ada' } };
    const started = (Id: string, CallbackId: string) => ({
      Id,
      EventType: 'CallbackStarted',
      CallbackStartedDetails: { CallbackId },
    });
    const answered = (Id: string, value: unknown) => ({
      Id,
      EventType: 'CallbackSucceeded',
      CallbackSucceededDetails: { Result: { Payload: JSON.stringify(value) } },
    });
    /** Takes the answer and resets the connection; the second time the callback is not open. The latest event first. */
    const anEngine = (...pages: readonly (readonly object[])[]) => {
      let sent = 0;
      return anAws(({ method, url }) => {
        if (method === 'POST') {
          return sent++ === 0 ? 'reset' : { status: 400, type: 'InvalidParameterValueException' };
        }
        const page = Number(/Marker=(\d)/.exec(url)?.[1] ?? 0);
        const next = page + 1 < pages.length ? { NextMarker: String(page + 1) } : {};
        return { status: 200, body: JSON.stringify({ Events: pages[page], ...next }) };
      });
    };
    const answer = (call: Parameters<typeof createLambdaDurableService>[0]) =>
      createLambdaDurableService(call).answerCallback({ callbackId: 'c-1', durableArn: arn }, approval);

    test('is recognised if it counted', async () => {
      const { seen, call } = await anEngine(
        [answered('op-2', { decision: 'reject' })],
        [answered('op-1', approval), started('op-2', 'c-2'), started('op-1', 'c-1')],
      );
      expect(await answer(call)).toBe(true);
      expect(seen.at(-1)?.url).toBe(
        `/2025-12-01/durable-executions/${encodeURIComponent(arn)}/history?IncludeExecutionData=true&ReverseOrder=true&MaxItems=1000&Marker=1`,
      );
    });

    test.each([
      ['another answer counted', [answered('op-1', { decision: 'reject' }), started('op-1', 'c-1')]],
      ['its time was up', [{ Id: 'op-1', EventType: 'CallbackTimedOut' }, started('op-1', 'c-1')]],
      ['it was never open', []],
    ])('did not count when %s', async (_case, events) => {
      const { call } = await anEngine(events);
      expect(await answer(call)).toBe(false);
    });

    test('is unconfirmed when the engine cannot be asked', async () => {
      const { call } = await anAws(({ method }, count) => {
        if (method === 'GET') return { status: 403, type: 'AccessDeniedException' };
        return count === 1 ? 'reset' : { status: 400, type: 'InvalidParameterValueException' };
      });
      expect(await codeOf(answer(call))).toBe('ANSWER_UNCONFIRMED');
    });
  });

  test.each<[string, Reply]>([
    ['refuses', { status: 403, type: 'AccessDeniedException' }],
    ['is down', { status: 503 }],
    ['is out of reach', 'reset'],
  ])('an engine that %s changes nothing', async (_case, reply) => {
    const { call } = await anAws(() => reply);
    const service = createLambdaDurableService(call);
    const works = [
      () => service.findStatus(arn),
      () => service.stop(arn, 'why'),
      () => service.answerCallback({ callbackId: 'c', durableArn: 'arn' }, 1),
    ];
    for (const work of works) expect(await codeOf(work())).toBe('ENGINE_UNAVAILABLE');
  });
});

/** As much of S3 as is used: objects by their path, and only for who signs. */
const anS3 = () => {
  const objects = new Map<string, Buffer>();
  return anAws(({ method, url, headers, body }) => {
    if (!headers.authorization?.includes('/s3/aws4_request') || headers['x-amz-content-sha256'] === undefined)
      return { status: 403 };
    if (url.endsWith('?tagging=')) return { status: objects.has(url.replace('?tagging=', '')) ? 200 : 404 };
    if (method === 'PUT') {
      objects.set(url, body);
      return { status: 200 };
    }
    if (method === 'DELETE') {
      objects.delete(url);
      return { status: 204 };
    }
    const found = objects.get(url);
    return found === undefined ? { status: 404 } : { status: 200, body: found };
  }, 's3');
};

describeBlobStore('S3', async () => {
  // The suite closes nothing: its servers end with the test.
  return createS3BlobStore((await anS3()).call);
});

describe('S3', () => {
  test.each<[string, Reply]>([
    ['refuses', { status: 403 }],
    ['is down', { status: 503 }],
    ['is out of reach', 'reset'],
  ])('that %s is an unavailable store', async (_case, reply) => {
    const { call } = await anAws(() => reply, 's3');
    const store = createS3BlobStore(call);
    expect(await codeOf(store.put('a', new Uint8Array(1)))).toBe('STORE_UNAVAILABLE');
    expect(await codeOf(store.get('a'))).toBe('STORE_UNAVAILABLE');
  });

  test('without the bucket stores nothing', async () => {
    const { call } = await anAws(() => ({ status: 404 }), 's3');
    expect(await codeOf(createS3BlobStore(call).put('a', new Uint8Array(1)))).toBe('STORE_UNAVAILABLE');
  });
});

const ended: EndedExecution = {
  executionId: 'e-1',
  workflowId: 'orders',
  workflowVersion: 3,
  trigger: { nodeId: 'start', type: 'webhookTrigger' },
  mode: 'durable',
  startedAt: 1_700_000_000_000,
  endedAt: 1_700_000_001_500,
  status: 'timedOut',
  failure: { nodeId: 'pause', name: 'ExecutionTimeout', message: 'its time was up' },
  retryOf: null,
  traceparent: null,
};

describe('a completion event', () => {
  test('is a CloudEvent, identical each time it is published', () => {
    expect(toCloudEvent(ended)).toEqual({
      specversion: '1.0',
      id: 'e-1:timedOut',
      source: '/workflows/orders',
      type: 'workflow.execution.timed_out',
      subject: 'e-1',
      time: '2023-11-14T22:13:21.500Z',
      datacontenttype: 'application/json',
      data: {
        executionId: 'e-1',
        workflowId: 'orders',
        workflowVersion: 3,
        status: 'timedOut',
        mode: 'durable',
        trigger: { nodeId: 'start', type: 'webhookTrigger' },
        startedAt: '2023-11-14T22:13:20.000Z',
        endedAt: '2023-11-14T22:13:21.500Z',
        durationMs: 1_500,
        failure: { nodeId: 'pause', name: 'ExecutionTimeout', message: 'its time was up' },
        retryOf: null,
      },
    });
  });

  test('goes to the bus as its detail', async () => {
    const { seen, call } = await anAws(
      () => ({ status: 200, body: '{"FailedEntryCount":0,"Entries":[{"EventId":"1"}]}' }),
      'events',
    );
    await createEventBridgeEvents(call, { busName: 'shop' }).publish(ended);
    expect(seen[0]?.headers).toMatchObject({
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AWSEvents.PutEvents',
    });
    const { Entries } = JSON.parse(seen[0]?.body.toString() ?? '');
    expect(Entries).toEqual([
      {
        EventBusName: 'shop',
        Source: 'hookloom',
        DetailType: 'workflow.execution.timed_out',
        Time: 1_700_000_001.5,
        Resources: [],
        Detail: JSON.stringify(toCloudEvent(ended)),
      },
    ]);
  });

  test.each<[string, Reply]>([
    [
      'does not take it',
      { status: 200, body: '{"FailedEntryCount":1,"Entries":[{"ErrorCode":"ThrottlingException"}]}' },
    ],
    ['refuses', { status: 400, body: '{"__type":"ResourceNotFoundException"}' }],
    ['is out of reach', 'reset'],
  ])('is not published when the bus %s', async (_case, reply) => {
    const { call } = await anAws(() => reply, 'events');
    expect(await codeOf(createEventBridgeEvents(call, { busName: 'shop' }).publish(ended))).toBe(
      'EVENT_NOT_PUBLISHED',
    );
  });
});
