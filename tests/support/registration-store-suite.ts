import { describe, expect, test } from '@jest/globals';
import type { Registration } from '../../lib/triggers/registrations/registration.ts';
import type { RegistrationStore } from '../../lib/triggers/registrations/registration-store.ts';
import { aManualClock } from './a-manual-clock.ts';

const registration = (changes: Partial<Registration> = {}): Registration => ({
  name: 'name-1',
  workflowId: 'orders',
  triggerNodeId: 'hourly',
  nodeType: 'scheduleTrigger',
  parameters: { rate: '1 hour' },
  ...changes,
});

type Create = (clock: ReturnType<typeof aManualClock>) => RegistrationStore | Promise<RegistrationStore>;

/** The contract of {@link RegistrationStore}. @param create - makes an empty one */
export const describeRegistrationStore = (name: string, create: Create) => {
  describe(`${name} keeps registrations`, () => {
    const open = async () => {
      const clock = aManualClock();
      return { clock, store: await create(clock) };
    };

    test('a claimed one is pending until its state changes', async () => {
      const { clock, store } = await open();
      const claimed = await store.claim(registration());
      expect(claimed).toEqual({ ...registration(), state: 'pending', changedAt: clock.now(), revision: 1 });
      clock.advance(5);
      const registered = await store.change(claimed, 'registered');
      expect(registered).toEqual({ ...claimed, state: 'registered', changedAt: clock.now(), revision: 2 });
      expect(await store.find('name-1')).toEqual(registered);
      expect(await store.find('name-2')).toBeNull();
    });

    test('the same trigger can claim it again, with other parameters', async () => {
      const { store } = await open();
      await store.claim(registration());
      const again = await store.claim(registration({ parameters: { rate: '2 hours' } }));
      expect(again).toMatchObject({ parameters: { rate: '2 hours' }, state: 'pending', revision: 2 });
    });

    test('another workflow’s claim returns the owner of the name', async () => {
      const { store } = await open();
      const first = await store.claim(registration());
      expect(await store.claim(registration({ workflowId: 'other' }))).toEqual(first);
    });

    test('another trigger of the workflow takes it over', async () => {
      const { store } = await open();
      const first = await store.claim(registration());
      const taken = await store.claim(registration({ triggerNodeId: 'other' }));
      expect(taken).toMatchObject({ triggerNodeId: 'other', state: 'pending', revision: 2 });
      expect(await store.change(first, 'registered')).toBeNull();
    });

    test('one that changed since it was read is neither changed nor removed', async () => {
      const { store } = await open();
      const first = await store.claim(registration());
      const second = await store.claim(registration());
      expect(await store.change(first, 'leaving')).toBeNull();
      expect(await store.remove(first)).toBe(false);
      expect(await store.find('name-1')).toEqual(second);
      expect(await store.remove(second)).toBe(true);
      expect(await store.remove(second)).toBe(false);
      expect(await store.find('name-1')).toBeNull();
    });

    test('all are listed', async () => {
      const { store } = await open();
      expect(await store.list()).toEqual([]);
      await store.claim(registration());
      await store.claim(registration({ name: 'name-2', workflowId: 'other' }));
      expect((await store.list()).map((one) => one.name).sort()).toEqual(['name-1', 'name-2']);
    });
  });
};
