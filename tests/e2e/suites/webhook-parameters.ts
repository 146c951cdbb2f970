import { beforeAll, describe, expect, test } from '@jest/globals';
import { set } from '../../support/a-project-file.ts';
import { json, type RunningProject } from '../../support/a-running-project.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
/** Kept for documentation (RFC 5737). */
const ELSEWHERE = ['192.0.2.0/24'];

interface Started {
  readonly executionId: string;
  readonly duplicate?: boolean;
}

/** Triggers of one workflow, by the name of their paths, and what their runs do. */
const triggers: Readonly<Record<string, readonly [parameters: object, next: string]>> = {
  put: [{ method: 'PUT', responseMode: 'lastNode' }, 'echo'],
  several: [{ methods: ['GET', 'PUT'], responseMode: 'lastNode' }, 'echo'],
  keyed: [{ authentication: 'apiKey', responseMode: 'lastNode' }, 'echo'],
  once: [{ deduplication: 'body.id' }, 'echo'],
  booked: [{ deduplication: 'body.id', onKeyReuse: 'duplicate' }, 'echo'],
  strict: [{ bigNumbers: 'refuse', responseMode: 'lastNode' }, 'echo'],
  near: [{ allowFrom: LOOPBACK, responseMode: 'lastNode' }, 'echo'],
  far: [{ allowFrom: ELSEWHERE }, 'echo'],
  shared: [{ cors: { origins: ['https://shop.example'] }, responseMode: 'lastNode' }, 'echo'],
  paused: [{ paused: true }, 'echo'],
  limited: [{ responseMode: 'lastNode', timeoutSeconds: 1 }, 'pause'],
  patient: [{ responseMode: 'lastNode', timeoutSeconds: 1, onTimeout: 'continue' }, 'rest'],
  early: [{ responseMode: 'responseNode', continueAfterResponse: true }, 'respond'],
};

const toTrigger = ([name, [parameters]]: [string, readonly [object, string]]) => ({
  id: name,
  type: 'webhookTrigger',
  ...(name === 'keyed' ? { credentialId: 'parameters-key' } : {}),
  parameters: { path: `/${name}`, ...parameters },
});

const definition = {
  id: 'parameters',
  name: 'parameters',
  enabled: true,
  nodes: [
    ...Object.entries(triggers).map(toTrigger),
    { id: 'echo', ...set({ method: '{{ requestMethod }}' }) },
    { id: 'pause', type: 'wait', parameters: { seconds: 20 } },
    { id: 'rest', type: 'wait', parameters: { seconds: 3600 } },
    { id: 'respond', type: 'respondToWebhook', parameters: { body: { early: true } } },
    { id: 'later', type: 'wait', parameters: { seconds: 3600 } },
  ],
  connections: [
    ...Object.entries(triggers).map(([name, [, next]]) => ({ sourceNodeId: name, targetNodeId: next })),
    { sourceNodeId: 'respond', targetNodeId: 'later' },
  ],
};

/** Parameters of the trigger that no other suite has, each at a path of its own. */
export const describeWebhookParameters = (project: RunningProject): void => {
  const pathOf = (name: string) => `/api/webhook/parameters/${name}`;
  const send = (name: string, method: string, headers: Record<string, string> = {}) =>
    fetch(`${project.service.baseUrl}${pathOf(name)}`, { method, headers });
  const post = <Body>(name: string, body = '{}') => project.post<Body>(pathOf(name), body, json);
  const cancel = (executionId: string) => project.cli(`execution cancel ${executionId}`);

  describe('the parameters of a webhook', () => {
    let key = '';

    beforeAll(async () => {
      key = (await project.cli('credential create parameters-key --type apiKey')).stdout.trim();
      await project.storeWorkflow(definition);
    });

    test('method and methods: any other gets 405', async () => {
      const sent = ['put', 'several'].flatMap((name) =>
        ['GET', 'PUT', 'POST'].map((method) => send(name, method)),
      );
      const answers = await Promise.all(sent);
      expect(answers.map(({ status }) => status)).toEqual([405, 200, 405, 200, 200, 405]);
    });

    test('authentication: the key is needed', async () => {
      expect((await post('keyed')).status).toBe(401);
      expect((await send('keyed', 'POST', { 'x-api-key': key })).status).toBe(200);
    });

    test('deduplication: the second delivery gets the first execution', async () => {
      const first = await post<Started>('once', '{"id":"A-1"}');
      expect(first.status).toBe(202);
      const { body } = await post<Started>('once', '{"id":"A-1"}');
      expect(body).toMatchObject({ executionId: first.body.executionId, duplicate: true });
    });

    test('onKeyReuse: another body under the same key gets the first execution', async () => {
      const first = await post<Started>('booked', '{"id":"A-1","note":"one"}');
      const { body, status } = await post<Started>('booked', '{"id":"A-1","note":"two"}');
      expect(status).toBe(202);
      expect(body).toMatchObject({ executionId: first.body.executionId, duplicate: true });
    });

    test('deduplication: ids of 64 bits that differ in the last digit are two deliveries', async () => {
      const ids = ['8202522731445525542', '8202522731445525543'];
      const answers = await Promise.all(ids.map((id) => post<Started>('once', `{"id":${id}}`)));
      expect(answers.map(({ body }) => body.duplicate)).toEqual([undefined, undefined]);
      expect(new Set(answers.map(({ body }) => body.executionId)).size).toBe(2);
    });

    test('bigNumbers: an integer that a number would round gets 400', async () => {
      expect((await post('strict', '{"id":8202522731445525542}')).status).toBe(400);
      expect((await post('strict', '{"id":"8202522731445525542"}')).status).toBe(200);
    });

    test('allowFrom: callers of other networks get 403', async () => {
      expect([(await post('near')).status, (await post('far')).status]).toEqual([200, 403]);
    });

    test('cors: scripts of the origin may read the response', async () => {
      const { headers } = await send('shared', 'POST', { origin: 'https://shop.example' });
      expect(headers.get('access-control-allow-origin')).toBe('https://shop.example');
    });

    test('paused: 503, so that senders retry', async () => {
      const { status, headers } = await send('paused', 'POST');
      expect([status, headers.has('retry-after')]).toEqual([503, true]);
    });

    test('timeoutSeconds: 504 names the execution', async () => {
      expect(await post('limited')).toMatchObject({
        status: 504,
        body: { detail: expect.stringMatching(/^Execution [\w-]+ /) },
      });
    });

    test('onTimeout: the run continues', async () => {
      const { status, body } = await post<Started>('patient');
      expect(status).toBe(202);
      expect((await cancel(body.executionId)).code).toBe(0);
    });

    test('continueAfterResponse: the run continues after the response', async () => {
      const answer = await send('early', 'POST');
      expect(await answer.json()).toEqual({ early: true });
      expect((await cancel(answer.headers.get('hookloom-execution-id') ?? '')).code).toBe(0);
    });
  });
};
