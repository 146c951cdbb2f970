import { describe, expect, test } from '@jest/globals';
import { Problem } from '../src/api/api.ts';
import { changeNode, removeNodes } from '../src/views/editor/definition/definition-edits.ts';
import { findRefusals } from '../src/views/editor/problems.ts';

const definition = {
  id: 'orders',
  name: 'Orders',
  enabled: true,
  nodes: [
    { id: 'hook', type: 'webhookTrigger' },
    { id: 'ask', type: 'httpRequest', credentialId: 'crm' },
  ],
  connections: [],
};

const refuse = (pointer: string, root = '') => ({
  error: new Problem(422, { errors: [{ pointer, detail: 'names no credential' }] }),
  definition,
  root,
});

describe('what the service refused', () => {
  test('is at its node, also after another node was removed', () => {
    const refusal = refuse('#/nodes/1/credentialId');
    const place = { nodeId: 'ask', member: 'credentialId', message: 'names no credential' };
    expect(findRefusals(refusal, definition)).toMatchObject([place]);
    expect(findRefusals(refusal, removeNodes(new Set(['hook']))(definition))).toMatchObject([place]);
  });

  test('ends once that node is edited or removed', () => {
    const refusal = refuse('#/nodes/1/credentialId');
    expect(findRefusals(refusal, changeNode('ask', { credentialId: 'erp' })(definition))).toEqual([]);
    expect(findRefusals(refusal, removeNodes(new Set(['ask']))(definition))).toEqual([]);
  });

  test('of the workflow itself ends once that member is edited', () => {
    const refusal = refuse('#/name');
    expect(findRefusals(refusal, { ...definition, enabled: false })).toHaveLength(1);
    expect(findRefusals(refusal, { ...definition, name: 'All orders' })).toEqual([]);
  });

  test('of a trial is within the definition that was sent', () => {
    expect(findRefusals(refuse('#/definition/nodes/1', '/definition'), definition)).toMatchObject([
      { nodeId: 'ask', path: '/nodes/1' },
    ]);
    expect(findRefusals(refuse('#/nodeId', '/definition'), definition)).toEqual([]);
  });

  test('has no place if the service did not answer', () => {
    const error = new Error('no answer');
    expect(findRefusals({ error, definition, root: '' }, definition)).toEqual([]);
  });
});
