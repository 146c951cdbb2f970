import { expect, test } from '@jest/globals';
import type { CallAws } from '../../../lib/adapters/aws/aws-caller.ts';
import { createLambdaNudge } from '../../../lib/adapters/aws/lambda-events.ts';

const queue = { workflowId: 'shop', triggerNodeId: 'start' };
type Request = Parameters<CallAws>[0];

test('invokes the sweeper for the queue, asynchronously', async () => {
  const requests: Request[] = [];
  const call: CallAws = async (request) => {
    requests.push(request);
    return { status: 202, headers: {}, body: '' } as never;
  };
  await createLambdaNudge(call, 'hookloom-dev-sweep')(queue, 'e-1');
  expect(requests).toEqual([
    {
      method: 'POST',
      path: '/2015-03-31/functions/hookloom-dev-sweep/invocations',
      headers: { 'content-type': 'application/json', 'x-amz-invocation-type': 'Event' },
      body: '{"queue":{"workflowId":"shop","triggerNodeId":"start"},"ended":"e-1"}',
    },
  ]);
});

test.each<[string, CallAws]>([
  ['an answer that is no success', async () => ({ status: 429, headers: {}, body: '{}' }) as never],
  ['a lost connection', () => Promise.reject(new Error('reset'))],
])('%s counts as a refused dispatch', async (_case, call) => {
  await expect(createLambdaNudge(call, 'sweep')(queue)).rejects.toMatchObject({ code: 'DISPATCH_REFUSED' });
});
