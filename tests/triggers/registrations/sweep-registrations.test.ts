import { expect, test } from '@jest/globals';
import { unregisterAll } from '../../../lib/triggers/registrations/sweep-registrations.ts';
import { aBell, aRegistrar, aTap, aWorkflowOf } from '../../support/a-registrar.ts';

const aServiceWithTriggers = async () => {
  const service = aRegistrar();
  await service.put(aWorkflowOf([aBell('high'), aTap({ queue: 'q' })]));
  await service.put(aWorkflowOf([aBell('low')], { id: 'other' }));
  return service;
};

const signal = new AbortController().signal;

test('the triggers of all workflows are unregistered, and the workflows stay', async () => {
  const { parts, outside, registrations, workflows } = await aServiceWithTriggers();
  await unregisterAll(parts, signal);
  expect([outside.size, await registrations.list(), await workflows.list()]).toEqual([
    0,
    [],
    [expect.objectContaining({ id: 'orders' }), expect.objectContaining({ id: 'other' })],
  ]);
});

test('a trigger that is registered meanwhile is unregistered too', async () => {
  const { parts, outside, registrations, put } = await aServiceWithTriggers();
  const { remove } = registrations;
  registrations.remove = async (stored) => {
    registrations.remove = remove;
    await put(aWorkflowOf([aBell('late')], { id: 'late' }));
    return remove(stored);
  };
  await unregisterAll(parts, signal);
  expect(outside.size).toBe(0);
});

test('triggers that cannot be unregistered are counted and logged, and stop no others', async () => {
  const { parts, outside, registrations, entries } = await aServiceWithTriggers();
  const { change } = registrations;
  const cause = new Error('AccessDenied');
  registrations.change = (stored, state) =>
    stored.workflowId === 'orders' ? Promise.reject(cause) : change(stored, state);
  await expect(unregisterAll(parts, signal)).rejects.toMatchObject({
    message: 'Triggers still registered: 2. AccessDenied',
    cause,
  });
  expect(outside.size).toBe(2);
  expect(entries).toContainEqual({
    level: 'warn',
    message: 'The trigger could not be unregistered.',
    fields: { workflowId: 'orders', triggerNodeId: 'tap', registration: expect.any(String), cause },
  });
});

test('once it is aborted, no further trigger is unregistered', async () => {
  const { parts, outside } = await aServiceWithTriggers();
  await expect(unregisterAll(parts, AbortSignal.abort(new Error('no time')))).rejects.toThrow('no time');
  expect(outside.size).toBe(3);
});
