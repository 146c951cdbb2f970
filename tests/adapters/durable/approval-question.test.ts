import type { JsonObject } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { aBackgroundService, aFlow } from '../../support/a-background-service.ts';

/** An approval that has begun, with the request's body for its parameters to read. */
const anApproval = async (parameters: JsonObject, body: JsonObject = {}) => {
  const service = await aBackgroundService();
  const nodes = [{ id: 'ask', type: 'approval', parameters }];
  await service.put(aFlow({ nodes, edges: ['start -> ask'] }));
  await service.accept('e-1', { input: { body } });
  await service.run('e-1', { answer: () => ({ decision: 'approve', body: {} }) });
  return service;
};

test('the question is kept as it was when the approval began', async () => {
  const fields = { type: 'object', properties: { note: { type: 'string', default: '{{ body.note }}' } } };
  const { executions } = await anApproval(
    { title: 'Order {{ body.id }}', text: '**{{ body.note }}**', askedBy: 'Ada', fields },
    { id: 7, note: '<b>' },
  );
  expect((await executions.findCallback('e-1', 'ask/0/0'))?.subject?.question).toEqual({
    title: 'Order 7',
    text: '**<b>**',
    askedBy: 'Ada',
    fields: { type: 'object', properties: { note: { type: 'string', default: '<b>' } } },
  });
});

test.each<[string, JsonObject, string]>([
  [
    'fields that no form can have',
    { fields: { type: 'object', properties: { list: { type: '{{ body.type }}' } } } },
    'Parameter "fields"/properties/list cannot be a form field',
  ],
  ['a title that is too long', { title: '{{ $pad("x", 201) }}' }, 'title'],
])('%s fail the node when an expression yields them', async (_case, parameters, message) => {
  const { executions } = await anApproval(parameters, { type: 'array' });
  expect(await executions.find('e-1')).toMatchObject({
    status: 'failed',
    failure: { nodeId: 'ask', message: expect.stringContaining(message) },
  });
  expect(await executions.findCallback('e-1', 'ask/0/0')).toBeNull();
});
