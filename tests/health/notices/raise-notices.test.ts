import type { JsonObject } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { createNotices } from '../../../lib/health/notices/raise-notices.ts';
import { toReceiver } from '../../../lib/health/notices/receiver.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { inMemoryNotices } from '../../support/in-memory-notices.ts';
import { aNotice, NOW } from '../../support/notice-store-suite.ts';

const aRaiser = (...parameters: readonly JsonObject[]) => {
  const memory = inMemoryNotices();
  const calls: string[] = [];
  const receivers = parameters.map((given, at) =>
    toReceiver({ workflowId: `mail${at}`, triggerNodeId: 'notice', parameters: given }),
  );
  const count = <Call extends (...given: never[]) => unknown>(name: string, call: Call) =>
    ((...given) => {
      calls.push(name);
      return call(...given);
    }) as Call;
  const notices = createNotices({
    store: {
      raise: count('raise', memory.raise),
      settle: count('settle', memory.settle),
      list: count('list', memory.list),
    },
    findReceivers: async () => receivers,
    clock: aManualClock(),
  });
  return { notices, calls, listed: memory.list };
};

test('without a receiver, nothing is stored and nothing read', async () => {
  const { notices, calls } = aRaiser();
  await notices.raise(aNotice());
  await notices.settle(aNotice(), NOW);
  expect(calls).toEqual([]);
});

test.each<[string, JsonObject, ReturnType<typeof aNotice>, boolean]>([
  ['all', {}, aNotice(), true],
  ['of this kind', { kinds: ['cost', 'failure'] }, aNotice(), true],
  ['of other kinds', { kinds: ['cost'] }, aNotice(), false],
  ['about this workflow', { workflows: ['orders'] }, aNotice(), true],
  ['about other workflows', { workflows: ['shop'] }, aNotice(), false],
  [
    'about workflows, not credentials',
    { workflows: ['shop'] },
    aNotice({ subject: 'credential:shop' }),
    false,
  ],
  ['all, credentials too', {}, aNotice({ kind: 'expiry', subject: 'credential:shop' }), true],
  ['all, but about itself', {}, aNotice({ subject: 'workflow:mail0' }), false],
])('a notice is stored for a receiver that wants those %s', async (_which, parameters, notice, isStored) => {
  const { notices, listed } = aRaiser(parameters);
  await notices.raise(notice);
  expect(await listed()).toHaveLength(isStored ? 1 : 0);
});

test('settling costs one read in ten seconds, and a write only if the notice is open', async () => {
  const { notices, calls, listed } = aRaiser({});
  for (const cause of ['a', 'b', 'c']) await notices.settle(aNotice({ cause }), NOW);
  expect(calls).toEqual(['list']);
  await notices.raise(aNotice());
  await notices.settle(aNotice(), NOW + 1);
  await notices.settle(aNotice(), NOW + 2);
  expect(calls.slice(1)).toEqual(['raise', 'list', 'settle', 'settle']);
  expect(await listed()).toMatchObject([{ settledAt: NOW + 1 }]);
});

test('long texts are cut, and still settle', async () => {
  const { notices, listed } = aRaiser({});
  const long = aNotice({ cause: `${'c'.repeat(199)}😀`, message: 'm'.repeat(1_000) });
  await notices.raise(long);
  expect(await listed()).toMatchObject([{ cause: `${'c'.repeat(199)}\ufffd`, message: 'm'.repeat(300) }]);
  await notices.settle(long, NOW);
  expect(await listed()).toMatchObject([{ settledAt: NOW }]);
});
