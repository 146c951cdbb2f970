import { expect, test } from '@jest/globals';
import { findListeners } from '../../../lib/triggers/registrations/find-listeners.ts';
import type { StoredRegistration } from '../../../lib/triggers/registrations/registration-store.ts';

const anErrorTrigger = (
  workflowId: string,
  parameters: StoredRegistration['parameters'],
): StoredRegistration => ({
  name: `of ${workflowId}`,
  workflowId,
  triggerNodeId: 'failed',
  nodeType: 'errorTrigger',
  parameters,
  state: 'registered',
  changedAt: 0,
  revision: 1,
});

test('the failures of a workflow start the error triggers that name it or none, and never its own', () => {
  const registrations = [
    anErrorTrigger('of-all', {}),
    anErrorTrigger('of-orders', { workflows: ['shop', 'orders'] }),
    anErrorTrigger('of-shop', { workflows: ['shop'] }),
    anErrorTrigger('of-none', { workflows: [] }),
    anErrorTrigger('orders', { workflows: ['orders'] }),
  ];
  const listeners = findListeners(registrations, 'orders');
  expect(listeners.map(({ workflowId }) => workflowId)).toEqual(['of-all', 'of-orders']);
});
