import { describe, expect, test } from '@jest/globals';
import { checkWebhookRules } from '../../../packages/authoring/validation/check-webhooks.ts';
import { aProblem } from '../../support/a-problem.ts';
import { aJsonEvent } from '../../support/a-webhook-event.ts';
import { type AWorkflow, aWebhookService } from '../../support/a-webhook-service.ts';

const aServiceWith = async (webhook: NonNullable<AWorkflow['webhook']>) => {
  const service = await aWebhookService();
  await service.put({ webhook });
  return service;
};

describe('allowFrom', () => {
  const from = (sourceIp: string) => aJsonEvent({}, { sourceIp });

  test.each(['192.0.2.7', '198.51.100.7', '2001:db8::1', '::ffff:192.0.2.7'])(
    'accepts %s',
    async (address) => {
      const service = await aServiceWith({ allowFrom: ['192.0.2.0/24', '198.51.100.7', '2001:db8::/32'] });
      expect((await service.call(from(address))).statusCode).toBe(200);
    },
  );

  test.each(['192.0.3.7', '198.51.100.8', '2001:db9::1', '::ffff:192.0.3.7', '', '192.0.2.7, 10.0.0.1'])(
    'refuses %j before it reads credentials, and starts nothing',
    async (address) => {
      const service = await aServiceWith({
        allowFrom: ['192.0.2.0/24', '198.51.100.7', '2001:db8::/32'],
        authentication: 'apiKey',
        credentialId: 'gone',
      });
      expect(await service.call(from(address))).toEqual(aProblem(403, 'caller-not-allowed'));
      expect(service.executions.records()).toEqual([]);
    },
  );

  test.each([
    [['192.0.2.0/33'], '/nodes/0/parameters/allowFrom/0'],
    [['10.0.0.0/8', 'example.com'], '/nodes/0/parameters/allowFrom/1'],
    [[], '/nodes/0/parameters/allowFrom'],
    [['10.0.0.0/8', 7], '/nodes/0/parameters/allowFrom/1'],
  ])('%j is refused when the workflow is stored', async (allowFrom, path) => {
    const nodes = [{ id: 'start', type: 'webhookTrigger', parameters: { allowFrom } }];
    const problems = await checkWebhookRules({ id: 'x', name: 'x', enabled: true, nodes, connections: [] });
    expect(problems).toEqual([{ path, message: expect.any(String) }]);
  });
});

test('a paused webhook answers 503 with a time to retry, and starts nothing', async () => {
  const service = await aServiceWith({ paused: true });
  const answer = await service.call(aJsonEvent({}));
  expect(answer).toEqual(aProblem(503, 'webhook-paused'));
  expect(answer.headers).toMatchObject({ 'retry-after': expect.stringMatching(/^\d+$/) });
  expect(service.executions.records()).toEqual([]);
});
