import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { startInternalServer } from 'lambda-stage/net';
import { createAwsCaller } from '../../lib/adapters/aws/aws-caller.ts';
import { createLambdaDurableService } from '../../lib/adapters/aws/lambda-durable-service.ts';
import { createLambdaDispatcher } from '../../lib/adapters/aws/lambda-events.ts';
import { createParameterStore } from '../../lib/adapters/secrets/aws-secret-store.ts';
import { type Quotas, startQuotaProxy } from '../support/a-quota-proxy.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Before a service that answers all with the same, when it is told to. */
const aProxy = async (quotas: Partial<Quotas>, answer = {}) => {
  let now = 1_700_000_000_000;
  const waiting: (() => void)[] = [];
  let isSlow = false;
  const server = await startInternalServer(
    createServer((_request, response) => {
      const end = () => response.writeHead(200).end(JSON.stringify(answer));
      if (isSlow) waiting.push(end);
      else end();
    }),
  );
  cleanups.push(server.stop);
  const proxy = await startQuotaProxy(server.endpoint, { clock: { now: () => now }, quotas });
  cleanups.push(proxy.stop);
  const keys = { accessKeyId: 'local', secretAccessKey: 'local' };
  const callerOf = (service: string) =>
    createAwsCaller({ service, region: 'local', endpoint: proxy.endpoint, readCredentials: () => keys });
  return {
    ...proxy,
    callerOf,
    send: (method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${proxy.endpoint}${path}`, { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) }),
    pass: (ms: number) => {
      now += ms;
    },
    hold: () => {
      isSlow = true;
    },
    waiting,
  };
};

const INVOKE = '/2015-03-31/functions/run/invocations';

describe('a proxy with quotas', () => {
  test.each([
    [
      'durableStarts',
      'POST',
      INVOKE,
      { 'x-amz-durable-execution-name': 'a' },
      429,
      'TooManyRequestsException',
    ],
    ['getDurableExecution', 'GET', '/2025-12-01/durable-executions/arn', {}, 429, 'TooManyRequestsException'],
    ['createSchedule', 'POST', '/schedules/a', {}, 429, 'ThrottlingException'],
    ['parameters', 'POST', '/', { 'x-amz-target': 'AmazonSSM.GetParameters' }, 400, null],
  ] as const)('limits calls per second: %s', async (quota, method, path, headers, status, type) => {
    const { send, pass, counts } = await aProxy({ [quota]: 3 });
    const sendSome = async () => {
      const statuses: number[] = [];
      for (let at = 0; at < 4; at++) statuses.push((await send(method, path, headers)).status);
      return statuses;
    };
    expect(await sendSome()).toEqual([200, 200, 200, status]);
    pass(1_000);
    expect(await sendSome()).toEqual([200, 200, 200, status]);
    expect(counts()).toEqual({ passed: 6, refused: { [quota]: 2 } });
    const refusal = await send(method, path, headers);
    expect(refusal.headers.get('x-amzn-errortype')).toBe(type);
    if (type === null) expect(await refusal.json()).toMatchObject({ __type: 'ThrottlingException' });
  });

  test('limits concurrent calls until one is answered', async () => {
    const { send, hold, waiting, counts } = await aProxy({ concurrency: 2 });
    hold();
    const answers = [send('POST', INVOKE), send('POST', INVOKE)];
    while (waiting.length < 2) await new Promise(setImmediate);
    const refusal = await send('POST', INVOKE);
    expect([refusal.status, await refusal.json()]).toEqual([
      429,
      { Reason: 'ConcurrentInvocationLimitExceeded', Type: 'User', message: 'Rate Exceeded.' },
    ]);
    for (const answer of waiting.splice(0)) answer();
    await Promise.all(answers.map(async (answer) => (await answer).text()));
    const third = send('POST', INVOKE);
    while (waiting.length < 1) await new Promise(setImmediate);
    waiting[0]?.();
    expect((await third).status).toBe(200);
    expect(counts()).toEqual({ passed: 3, refused: { concurrency: 1 } });
  });

  test('starts ten times as many invocations in a second as its concurrency', async () => {
    const { send, counts } = await aProxy({ concurrency: 1 });
    for (let at = 0; at < 11; at++) await (await send('POST', INVOKE)).text();
    expect(counts()).toEqual({ passed: 10, refused: { invocations: 1 } });
  });

  test('passes calls without a quota', async () => {
    const { send, counts } = await aProxy({ concurrency: 0, durableStarts: 0, parameters: 0 });
    await send('POST', INVOKE, { 'x-amz-invocation-type': 'Event' });
    await send('GET', '/2025-12-01/durable-executions/arn/state');
    await send('POST', '/', { 'x-amz-target': 'AmazonSSM.PutParameter' });
    expect(counts()).toEqual({ passed: 3, refused: {} });
  });

  test('refuses in the way that the service’s clients take for throttling and retry', async () => {
    const { callerOf, counts } = await aProxy({ durableStarts: 0, getDurableExecution: 0, parameters: 0 });
    const lambda = callerOf('lambda');
    const functions = { durable: 'run:durable', express: 'run' };
    await expect(createLambdaDispatcher(lambda, functions).dispatch('e', 'durable')).rejects.toMatchObject({
      code: 'DISPATCH_REFUSED',
    });
    expect(await createLambdaDurableService(lambda).findStatus('arn')).toBe('throttled');
    const reader = { clock: { now: Date.now, sleep: async () => {} }, random: () => 1 };
    const parameters = createParameterStore(callerOf('ssm'), '/x', reader);
    await expect(parameters.get('ssm:/x/a', 0)).rejects.toMatchObject({ code: 'SECRETS_UNAVAILABLE' });
    expect(counts().refused).toEqual({ durableStarts: 3, getDurableExecution: 3, parameters: 1 });
  });
});
