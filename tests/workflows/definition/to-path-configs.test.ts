import { expect, test } from '@jest/globals';
import { toPathConfigs } from '../../../lib/workflows/definition/to-path-configs.ts';
import { aTrigger, aWorkflow } from '../../support/a-workflow.ts';

test('a trigger that says nothing listens for POST at /webhook, open, and answers at once', () => {
  expect(toPathConfigs(aWorkflow({ nodes: [aTrigger({})] }))).toEqual([
    {
      path: '/webhook',
      method: 'POST',
      authentication: 'none',
      credentialId: null,
      responseMode: 'onReceived',
      triggerNodeId: 'request',
      execution: 'durable',
      deduplication: null,
      features: null,
      handshakeMethod: null,
    },
  ]);
});

test('what it says counts', () => {
  const parameters = {
    path: 'a/b',
    method: 'PUT',
    authentication: 'basic',
    responseMode: 'lastNode',
    deduplication: 'github',
  };
  const settings = { execution: 'express' } as const;
  expect(
    toPathConfigs(aWorkflow({ settings, nodes: [aTrigger(parameters, { credentialId: 'key' })] })),
  ).toEqual([
    {
      path: '/a/b',
      method: 'PUT',
      authentication: 'basic',
      credentialId: 'key',
      responseMode: 'lastNode',
      triggerNodeId: 'request',
      execution: 'express',
      deduplication: 'github',
      features: null,
      handshakeMethod: null,
    },
  ]);
});

test('disabled triggers and triggers of another kind listen nowhere', () => {
  const nodes = [aTrigger({}, { disabled: true }), { id: 'manual', type: 'manualTrigger', parameters: {} }];
  expect(toPathConfigs(aWorkflow({ nodes }))).toEqual([]);
});
