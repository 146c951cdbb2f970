import { describe, expect, test } from '@jest/globals';
import type {
  RegistrationStore,
  StoredRegistration,
} from '../../../lib/triggers/registrations/registration-store.ts';
import { reconcileAll } from '../../../lib/triggers/registrations/sweep-registrations.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { aBell, aRegistrar, aTap, aWorkflowOf } from '../../support/a-registrar.ts';
import { inMemoryRegistrations } from '../../support/in-memory-registrations.ts';
import { inMemoryWorkflowStore } from '../../support/in-memory-stores.ts';
import { namePoints } from '../../support/named-points.ts';

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
    expect(service.entries.filter(({ level }) => level === 'warn')).toEqual([]);
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

  test('even while the list of its registrations lags a second behind', async () => {
    const service = aRegistrar({ stores: { registrations: { namesOf: async () => [] } } });
    const refused = aWorkflowOf([aBell('new'), aBell('refused', { id: 'b' }), aBell('third', { id: 'c' })]);
    await expect(service.put(refused)).rejects.toThrow('there is no such tone');
    expect(tones(service)).toEqual([]);
    expect(service.entries.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('or its surplus registrations are logged, and remain until the next sweep', async () => {
    const service = aRegistrar();
    const cause = new Error('down');
    service.registrations.namesOf = () => Promise.reject(cause);
    const refused = aWorkflowOf([aBell('new'), aBell('refused', { id: 'b' })]);
    await expect(service.put(refused)).rejects.toThrow('there is no such tone');
    expect(tones(service)).toEqual(['new']);
    expect(service.entries).toContainEqual({
      level: 'warn',
      message: 'Surplus registrations remain until the next sweep.',
      fields: { workflowId: 'orders', cause },
    });
  });

  test('when a trigger of the same name and parameters has the resource', async () => {
    const service = aRegistrar();
    await service.put(before);
    const other = aWorkflowOf([aTap({ queue: 'q', size: 1 })], { id: 'other' });
    await expect(service.put(other)).rejects.toThrow('trigger tap of orders already uses it');
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
    expect(service.entries).toContainEqual({
      level: 'warn',
      message: 'The workflow could not be rolled back.',
      fields: { workflowId: 'second', cause: new Error('full') },
    });
  });

  test('and a version that was stored in the meantime is not overwritten', async () => {
    const service = aRegistrar();
    await service.put(first);
    const { put } = service.workflows;
    const newer = aWorkflowOf([aBell('newer')], { id: 'first' });
    service.workflows.put = async (definition, ...rest) => {
      if (definition.id !== 'second') return put(definition, ...rest);
      await put(newer, []);
      throw new Error('full');
    };
    const changed = aWorkflowOf([aBell('low')], { id: 'first' });
    await expect(service.putAll([changed, second])).rejects.toThrow('have their new version: first.');
    expect(await versionsOf(service, ['first', 'second'])).toEqual([newer, null]);
  });

  test('and one that the put left unchanged is not restored', async () => {
    const service = aRegistrar();
    await service.put(first);
    const { put } = service.workflows;
    let puts = 0;
    service.workflows.put = (...args) => (++puts > 1 ? Promise.reject(new Error('full')) : put(...args));
    await expect(service.putAll([first, second])).rejects.toThrow('full');
    expect(puts).toBe(2);
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

  const mended: [string, (service: ReturnType<typeof aRegistrar>) => Promise<unknown>][] = [
    ['is missing', async ({ registrations }) => registrations.remove(await tapOf(registrations))],
    ['is pending', async ({ registrations }) => registrations.change(await tapOf(registrations), 'pending')],
    ...[{ parameters: { queue: 'q', size: 2 } }, { nodeType: 'pump' }, { triggerNodeId: 'former' }].map(
      (change): (typeof mended)[number] => [
        `had ${Object.keys(change)}`,
        async ({ registrations }) => {
          const { state, changedAt, revision, ...registration } = await tapOf(registrations);
          const claimed = await registrations.claim({ ...registration, ...change });
          return registrations.change(claimed, 'registered');
        },
      ],
    ),
  ];
  const tapOf = async ({ list }: RegistrationStore): Promise<StoredRegistration> => {
    const tap = (await list()).find(({ triggerNodeId }) => triggerNodeId === 'tap');
    if (tap === undefined) throw new Error('no tap');
    return tap;
  };

  test.each(mended)('registers a trigger whose registration %s', async (_what, spoil) => {
    const service = aRegistrar();
    await service.put(aWorkflowOf([aBell('high'), aTap({ queue: 'q', size: 1 })]));
    const { name, parameters } = await tapOf(service.registrations);
    await spoil(service);
    service.outside.clear();
    service.clock.advance(HALF_AN_HOUR_MS);
    await service.sweep();
    expect(tones(service)).toEqual(['q 1']); // the bell is not touched
    const registered = { name, triggerNodeId: 'tap', nodeType: 'tap', parameters, state: 'registered' };
    expect(await service.registrations.list()).toEqual([
      expect.objectContaining({ triggerNodeId: 'bell' }),
      expect.objectContaining(registered),
    ]);
  });

  test('registers a trigger at once when only a registration of another name is there', async () => {
    const service = aRegistrar();
    await service.put(aWorkflowOf([aTap({ queue: 'q' })]));
    const tap = await tapOf(service.registrations);
    await service.registrations.remove(tap);
    const former = await service.registrations.claim({ ...tap, name: 'former' });
    await service.registrations.change(former, 'registered');
    await service.sweep();
    expect(await service.registrations.find(tap.name)).toMatchObject({ state: 'registered' });
  });

  test('only reads the two lists when nothing is wrong, or too young to be', async () => {
    const service = aRegistrar();
    await service.put(aWorkflowOf([aBell('high'), aTap({ queue: 'q' })]));
    for (const workflowId of ['orders', 'new']) {
      const young = { name: workflowId, workflowId, triggerNodeId: 'bell', nodeType: 'bell', parameters: {} };
      await service.registrations.change(await service.registrations.claim(young), 'registered');
    }
    expect(await service.killAfter(100, service.sweep)).toBe(2);
    expect(await service.registrations.list()).toHaveLength(4);
  });

  test('removes the registrations of a workflow that no longer exists, beside younger ones', async () => {
    const service = aRegistrar();
    await service.put(aWorkflowOf([aBell('high'), aBell('low', { id: 'b' })]));
    await service.workflows.remove('orders');
    service.clock.advance(HALF_AN_HOUR_MS);
    const [first] = await service.registrations.list();
    if (first === undefined) throw new Error('none');
    await service.registrations.change(first, 'registered');
    await service.sweep();
    expect(await service.registrations.list()).toEqual([expect.objectContaining({ name: first.name })]);
  });

  test('reads all pages of workflows', async () => {
    const service = aRegistrar();
    const ids = ['a', 'b', 'c'];
    for (const id of ids) await service.put(aWorkflowOf([aBell(id)], { id }));
    for (const one of await service.registrations.list()) await service.registrations.remove(one);
    service.outside.clear();
    const { find } = service.workflows;
    service.workflows.readPage = async (after) => {
      const at = after === null ? 0 : ids.indexOf(after) + 1;
      const found = await find(ids[at] ?? '');
      return { workflows: found === null ? [] : [found], next: ids[at] ?? null };
    };
    await service.sweep();
    expect(tones(service)).toEqual(ids);
  });

  test('begins with a different workflow each quarter of an hour, so that each has its turn', async () => {
    const service = aRegistrar();
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const id of ids) await service.put(aWorkflowOf([aBell(id)], { id }));
    for (const one of await service.registrations.list()) await service.registrations.remove(one);
    const read: string[] = [];
    service.workflows.find = (id) => Promise.reject(new Error(`down: ${read.push(id)}`));
    for (const _sweep of ids) {
      let left = 1;
      await reconcileAll(service.parts, () => left-- > 0);
      service.clock.advance(HALF_AN_HOUR_MS / 2);
    }
    expect([...new Set(read)].sort()).toEqual(ids);
    read.length = 0;
    await service.sweep();
    expect(read.sort()).toEqual(ids);
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
    expect(service.entries).toContainEqual({
      level: 'warn',
      message: 'The registrations of a workflow could not be reconciled.',
      fields: { workflowId: 'orders', cause: new Error('down') },
    });
  });
});

describe('with concurrent processes', () => {
  const registration = {
    name: 'bell-1',
    workflowId: 'orders',
    triggerNodeId: 'bell',
    nodeType: 'bell',
    parameters: { tone: 'high' },
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

  test('a registration that changes before its removal begins stays', async () => {
    const base = inMemoryRegistrations(aManualClock());
    const change: typeof base.change = async (stored, state) => {
      if (state === 'leaving') await base.change(stored, 'registered');
      return base.change(stored, state);
    };
    const service = aRegistrar({ stores: { registrations: { ...base, change } } });
    await service.put(aWorkflowOf([aBell('high')]));
    await service.remove('orders');
    expect(tones(service)).toEqual(['high']);
    expect(await base.list()).toEqual([expect.objectContaining({ state: 'registered' })]);
  });

  test('a registration is leaving until it is removed, also when another process removes it first', async () => {
    const base = inMemoryRegistrations(aManualClock());
    const states: string[] = [];
    const remove = async (stored: StoredRegistration): Promise<boolean> => {
      states.push(stored.state);
      await base.remove(stored);
      return base.remove(stored);
    };
    const service = aRegistrar({ stores: { registrations: { ...base, remove } } });
    await service.put(aWorkflowOf([aBell('high')]));
    expect(await service.remove('orders')).toBe(true);
    expect([states, await base.list()]).toEqual([['leaving'], []]);
  });
});

describe('a put that another one overtakes', () => {
  const overtake = async (point: string) => {
    const { ports, hold } = namePoints({
      registrations: inMemoryRegistrations(aManualClock()),
      workflows: inMemoryWorkflowStore(),
    });
    const service = aRegistrar({ stores: ports });
    await service.put(aWorkflowOf([aBell('before')]));
    const held = hold(point);
    const overtaken = service.put(aWorkflowOf([aBell('first')]));
    await held.reached;
    await service.put(aWorkflowOf([aBell('second')]));
    held.release();
    await overtaken;
    return service;
  };

  test.each([
    ['workflows.find:after', 'first'],
    ['registrations.find:after', 'first'],
    ['registrations.claim:before', 'first'],
    ['registrations.claim:after', 'first'],
    ['registrations.change:before', 'first'],
    ['registrations.change:after', 'first'],
    ['workflows.put:before', 'first'],
    ['workflows.put:after', 'second'],
    ['registrations.namesOf:after', 'second'],
    ['registrations.remove:before', 'second'],
  ])('at %s leaves the triggers of the version that is stored last, after a sweep', async (point, tone) => {
    const service = await overtake(point);
    expect((await service.workflows.find('orders'))?.definition.nodes[0]?.parameters).toEqual({ tone });
    service.clock.advance(HALF_AN_HOUR_MS);
    await service.sweep();
    expect(tones(service)).toEqual([tone]);
  });
});

test('a registration whose plugin is no longer installed is removed', async () => {
  const service = aRegistrar();
  const gone = {
    name: 'gone-1',
    workflowId: 'orders',
    triggerNodeId: 'gone',
    nodeType: 'gone',
    parameters: {},
  };
  await service.registrations.change(await service.registrations.claim(gone), 'registered');
  service.clock.advance(HALF_AN_HOUR_MS);
  await service.sweep();
  expect(await service.registrations.list()).toEqual([]);
});

test('what is registered and unregistered is logged', async () => {
  const service = aRegistrar();
  await service.put(aWorkflowOf([aBell('high')]));
  const [{ name = '' } = {}] = await service.registrations.list();
  await service.remove('orders');
  const fields = { workflowId: 'orders', triggerNodeId: 'bell', nodeType: 'bell', registration: name };
  expect(service.entries).toEqual([
    { level: 'info', message: 'Trigger registered.', fields },
    { level: 'info', message: 'Trigger unregistered.', fields },
  ]);
});
