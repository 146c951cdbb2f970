import { describe, expect, test } from '@jest/globals';
import type { StoredRegistration } from '../../lib/registrations/registration-store.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { aBell, aRegistrar, aTap, aWorkflowOf } from '../support/a-registrar.ts';
import { inMemoryRegistrations } from '../support/in-memory-registrations.ts';

const tones = ({ outside }: ReturnType<typeof aRegistrar>) =>
  [...outside.values()].map((parameters) => Object.values(JSON.parse(parameters)).join(' ')).sort();

const HALF_AN_HOUR_MS = 1_800_000;

describe('registrations follow the workflows', () => {
  test('when one is put, changed, disabled, enabled and removed', async () => {
    const service = aRegistrar();
    await service.put(aWorkflowOf([aBell('high'), aBell('off', { id: 'b', disabled: true })]));
    expect(tones(service)).toEqual(['high']);
    await service.put(aWorkflowOf([aBell('low'), aTap({ queue: 'q' })]));
    expect(tones(service)).toEqual(['low', 'q']);
    await service.put(aWorkflowOf([aBell('low'), aTap({ queue: 'q' })], { enabled: false }));
    expect(tones(service)).toEqual([]);
    await service.put(aWorkflowOf([aBell('low')]));
    expect(tones(service)).toEqual(['low']);
    expect(await service.remove('orders')).toBe(true);
    expect(tones(service)).toEqual([]);
    expect(await service.registrations.list()).toEqual([]);
  });

  test('even while the list of a workflow’s registrations lags a second behind', async () => {
    const service = aRegistrar({ stores: { registrations: { namesOf: async () => [] } } });
    await service.put(aWorkflowOf([aBell('high'), aTap({ queue: 'q' })]));
    await service.put(aWorkflowOf([aBell('low')]));
    expect(tones(service)).toEqual(['low']);
    expect(await service.remove('orders')).toBe(true);
    expect(tones(service)).toEqual([]);
  });

  test('without touching an unchanged trigger', async () => {
    const service = aRegistrar();
    await service.put(aWorkflowOf([aBell('high')]));
    service.outside.clear();
    await service.put(aWorkflowOf([aBell('high')], { name: 'Renamed' }));
    expect(tones(service)).toEqual([]); // no call was made
  });

  test('and changed parameters are updated in place', async () => {
    const service = aRegistrar();
    await service.put(aWorkflowOf([aTap({ queue: 'q', size: 1 })]));
    await service.put(aWorkflowOf([aTap({ queue: 'q', size: 2 })]));
    expect(tones(service)).toEqual(['q 2']);
  });
});

test('a trigger that is renamed keeps its resource', async () => {
  const service = aRegistrar();
  await service.put(aWorkflowOf([aTap({ queue: 'q', size: 1 }, 'before')]));
  await service.put(aWorkflowOf([aTap({ queue: 'q', size: 1 }, 'after')]));
  expect(tones(service)).toEqual(['q 1']);
  expect(await service.registrations.list()).toEqual([
    expect.objectContaining({ triggerNodeId: 'after', state: 'registered' }),
  ]);
});

describe('a workflow is not stored, and everything is as before,', () => {
  const before = aWorkflowOf([aBell('high'), aTap({ queue: 'q', size: 1 })]);

  test('when a trigger is refused, by name', async () => {
    const service = aRegistrar();
    await service.put(before);
    const next = aWorkflowOf([
      aTap({ queue: 'q', size: 2 }),
      aBell('new'),
      aBell('refused', { id: 'third' }),
    ]);
    await expect(service.put(next)).rejects.toThrow(
      "Trigger third of orders can't be registered: /tone: there is no such tone. Nothing was stored.",
    );
    expect(tones(service)).toEqual(['high', 'q 1']);
    expect((await service.workflows.find('orders'))?.version).toBe(1);
  });

  test('when a plugin throws an error of the catalogue, which stays as it is', async () => {
    const service = aRegistrar();
    await service.put(before);
    await expect(service.put(aWorkflowOf([aBell('unreachable')]))).rejects.toMatchObject({
      code: 'OUTBOUND_FAILED',
      message: 'POST bells.example failed: it is closed.',
    });
    expect(tones(service)).toEqual(['high', 'q 1']);
  });

  test('when another trigger has the resource', async () => {
    const service = aRegistrar();
    await service.put(before);
    const other = aWorkflowOf([aBell('b'), aTap({ queue: 'q' })], { id: 'other' });
    await expect(service.put(other)).rejects.toThrow(
      'Trigger tap of other can’t be registered'.replace('’', "'"),
    );
    await expect(service.put(other)).rejects.toThrow('trigger tap of orders already uses it');
    expect(tones(service)).toEqual(['high', 'q 1']);
    expect(await service.workflows.find('other')).toBeNull();
  });

  test('when two of its triggers claim one resource', async () => {
    const service = aRegistrar();
    await service.put(before);
    const twice = aWorkflowOf([aTap({ queue: 'r' }), aTap({ queue: 'r' }, 'other')]);
    await expect(service.put(twice)).rejects.toThrow('trigger tap of orders already uses it');
    expect(tones(service)).toEqual(['high', 'q 1']);
  });

  test('when the store refuses it', async () => {
    const service = aRegistrar();
    await service.put(before);
    service.workflows.put = () => Promise.reject(new Error('full'));
    await expect(service.put(aWorkflowOf([aBell('new')]))).rejects.toThrow('full');
    expect(tones(service)).toEqual(['high', 'q 1']);
  });
});

describe('several workflows are stored all or none', () => {
  const [first, second] = [
    aWorkflowOf([aBell('high')], { id: 'first' }),
    aWorkflowOf([aBell('b')], { id: 'second' }),
  ];
  const versionsOf = async ({ workflows }: ReturnType<typeof aRegistrar>, ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await workflows.find(id))?.definition ?? null));

  test('when the trigger of one is refused', async () => {
    const service = aRegistrar();
    await service.put(first);
    const changed = aWorkflowOf([aBell('low')], { id: 'first' });
    const refused = aWorkflowOf([aBell('refused')], { id: 'third' });
    await expect(service.putAll([changed, second, refused])).rejects.toThrow('there is no such tone');
    expect(tones(service)).toEqual(['high']);
    expect(await versionsOf(service, ['first', 'second', 'third'])).toEqual([first, null, null]);
    expect((await service.workflows.find('first'))?.version).toBe(1);
  });

  test('when the store refuses one: the previous ones are restored as a further version', async () => {
    const service = aRegistrar();
    await service.put(first);
    const { put } = service.workflows;
    service.workflows.put = (definition, ...rest) =>
      definition.id === 'third' ? Promise.reject(new Error('full')) : put(definition, ...rest);
    const changed = aWorkflowOf([aBell('low')], { id: 'first' });
    const third = aWorkflowOf([aBell('c')], { id: 'third' });
    await expect(service.putAll([changed, second, third])).rejects.toThrow('full');
    expect(await versionsOf(service, ['first', 'second', 'third'])).toEqual([first, null, null]);
    expect(tones(service)).toEqual(['high']);
  });

  test('and those that cannot be restored are named, and stay registered', async () => {
    const service = aRegistrar();
    const { put } = service.workflows;
    service.workflows.put = (definition, ...rest) =>
      definition.id === 'third' ? Promise.reject(new Error('full')) : put(definition, ...rest);
    service.workflows.remove = () => Promise.reject(new Error('full'));
    const third = aWorkflowOf([aBell('c')], { id: 'third' });
    await expect(service.putAll([first, second, third])).rejects.toThrow(
      'these have their new version: first, second. Store all of them again.',
    );
    expect(tones(service)).toEqual(['b', 'high']);
  });
});

describe('a process that is killed between any two calls', () => {
  const states: Readonly<Record<string, WorkflowDefinition | null>> = {
    none: null,
    first: aWorkflowOf([aBell('high'), aTap({ queue: 'q', size: 1 })]),
    second: aWorkflowOf([aBell('low'), aTap({ queue: 'q', size: 2 }), aTap({ queue: 'r' }, 'other')]),
    renamed: aWorkflowOf([aBell('low'), aTap({ queue: 'q', size: 2 }, 'after')]),
    disabled: aWorkflowOf([aBell('high'), aTap({ queue: 'q', size: 1 })], { enabled: false }),
  };
  const expected: Readonly<Record<string, readonly string[]>> = {
    none: [],
    first: ['high', 'q 1'],
    second: ['low', 'q 2', 'r'],
    renamed: ['low', 'q 2'],
    disabled: [],
  };
  const names = Object.keys(states);
  const changes = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));

  const apply = async (service: ReturnType<typeof aRegistrar>, state: string) => {
    const definition = states[state] ?? null;
    return definition === null ? service.remove('orders') : service.put(definition);
  };

  /** The state whose definition is stored. */
  const stored = async ({ workflows }: ReturnType<typeof aRegistrar>): Promise<string> => {
    const found = (await workflows.find('orders'))?.definition ?? null;
    return names.find((name) => JSON.stringify(states[name]) === JSON.stringify(found)) ?? 'unknown';
  };

  /** Kills the process at each call of a change in turn. */
  const eachCrash = async (
    [from, to]: readonly [string, string],
    check: (service: ReturnType<typeof aRegistrar>) => Promise<void>,
  ): Promise<number> => {
    for (let calls = 0; ; calls++) {
      const service = aRegistrar();
      await apply(service, from);
      const made = await service.killAfter(calls, () => apply(service, to));
      await check(service);
      if (made !== null) return made;
    }
  };

  test.each(changes)('from %s to %s: the triggers of the stored version are registered', async (from, to) => {
    const calls = await eachCrash([from, to], async (service) => {
      const present = tones(service).map((tone) => tone.replace(/ \d$/, ''));
      const wanted = expected[await stored(service)] ?? [];
      expect(present).toEqual(expect.arrayContaining(wanted.map((tone) => tone.replace(/ \d$/, ''))));
    });
    expect(calls).toBeGreaterThan(1);
  });

  test.each(changes)('from %s to %s: the next put repairs it', async (from, to) => {
    await eachCrash([from, to], async (service) => {
      await apply(service, to);
      expect(tones(service)).toEqual(expected[to]);
    });
  });

  test.each(changes)('from %s to %s: the sweeper repairs it', async (from, to) => {
    await eachCrash([from, to], async (service) => {
      service.clock.advance(HALF_AN_HOUR_MS);
      await service.sweep();
      expect(tones(service)).toEqual(expected[await stored(service)]);
    });
  });

  test.each(changes)('from %s to %s: after a killed sweeper, the next one repairs it', async (from, to) => {
    await eachCrash([from, to], async (service) => {
      service.clock.advance(HALF_AN_HOUR_MS);
      for (let calls = 0; calls < 6; calls++) await service.killAfter(calls, () => service.sweep());
      await service.sweep();
      service.clock.advance(HALF_AN_HOUR_MS);
      await service.sweep();
      expect(tones(service)).toEqual(expected[await stored(service)]);
    });
  });
});

describe('the sweeper', () => {
  test('leaves alone what a command has just registered for a workflow that it is about to store', async () => {
    const service = aRegistrar();
    await service.put(aWorkflowOf([aBell('high')]));
    const { put } = service.workflows;
    service.workflows.put = async (...args) => {
      await service.sweep();
      return put(...args);
    };
    await service.put(aWorkflowOf([aBell('low')]));
    expect(tones(service)).toEqual(['low']);
  });

  test('registers missing triggers, and continues after a workflow that fails', async () => {
    const service = aRegistrar();
    await service.put(aWorkflowOf([aBell('high')]));
    await service.put(aWorkflowOf([aBell('low')], { id: 'other' }));
    for (const one of await service.registrations.list()) await service.registrations.remove(one);
    service.outside.clear();
    const { find } = service.workflows;
    service.workflows.find = async (id) => (id === 'orders' ? Promise.reject(new Error('down')) : find(id));
    await service.sweep();
    expect(tones(service)).toEqual(['low']);
    expect(service.entries).toContainEqual(
      expect.objectContaining({ message: 'The registrations of a workflow could not be reconciled.' }),
    );
  });
});

describe('with concurrent processes', () => {
  const registration = {
    ...{ name: 'bell-1', workflowId: 'orders', triggerNodeId: 'bell' },
    ...{ nodeType: 'bell', parameters: { tone: 'high' } },
  };

  test('a trigger that is claimed again during its removal is registered again', async () => {
    const base = inMemoryRegistrations(aManualClock());
    const remove = async (stored: StoredRegistration): Promise<boolean> => {
      const { state, changedAt, revision, ...claimed } = stored;
      await base.change(await base.claim(claimed), 'registered'); // what it has made is gone with the one that leaves
      return base.remove(stored);
    };
    const service = aRegistrar({ stores: { registrations: { ...base, remove } } });
    await service.put(aWorkflowOf([aBell('high')]));
    await service.remove('orders');
    expect(await base.list()).toEqual([expect.objectContaining({ state: 'pending' })]);
  });

  test('a sweep leaves alone what was registered within ten minutes, since its workflow may be about to be stored', async () => {
    const service = aRegistrar();
    await service.registrations.change(await service.registrations.claim(registration), 'registered');
    service.clock.advance(600_000);
    await service.sweep();
    expect(await service.registrations.list()).toHaveLength(1);
    service.clock.advance(1);
    await service.sweep();
    expect(await service.registrations.list()).toEqual([]);
  });
});
