import { expect, test } from '@jest/globals';
import { toPathConfigs } from '../../../lib/workflows/definition/to-path-configs.ts';
import { aTrigger, aWorkflow } from '../../support/a-workflow.ts';

test('a trigger without parameters listens for POST at /webhook, without authentication, and answers at once', () => {
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

test('its parameters override the defaults', () => {
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

test('several methods are a webhook each', () => {
  const configs = toPathConfigs(aWorkflow({ nodes: [aTrigger({ methods: ['GET', 'POST'], path: '/a' })] }));
  expect(configs.map(({ method, path, triggerNodeId }) => [method, path, triggerNodeId])).toEqual([
    ['GET', '/a', 'request'],
    ['POST', '/a', 'request'],
  ]);
});

test('literal paths are first, then patterns, the most specific first', () => {
  const paths = [
    '/*all',
    '/files/*rest',
    '/:a/b',
    '/x',
    '/files/:id',
    '/:a/:b/*rest',
    '/files/:id/raw',
    '/y',
  ];
  const nodes = paths.map((path, at) => aTrigger({ path }, { id: `node-${at}` }));
  expect(toPathConfigs(aWorkflow({ nodes })).map(({ path, pattern }) => [path, pattern])).toEqual([
    ['/x', undefined],
    ['/y', undefined],
    ['/files/:id/raw', ['files', ':id', 'raw']],
    ['/:a/b', [':a', 'b']],
    ['/files/:id', ['files', ':id']],
    ['/files/*rest', ['files', '*rest']],
    ['/:a/:b/*rest', [':a', ':b', '*rest']],
    ['/*all', ['*all']],
  ]);
});

test('disabled triggers and other kinds of triggers listen nowhere', () => {
  const nodes = [aTrigger({}, { disabled: true }), { id: 'manual', type: 'manualTrigger', parameters: {} }];
  expect(toPathConfigs(aWorkflow({ nodes }))).toEqual([]);
});
