import { createRandom, type OutboundResponse } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import {
  type AppliedLimits,
  type CallLimitStore,
  intervalOf,
} from '../../../lib/credentials/limits/call-limits.ts';
import { createLimitCall, type LimitCall } from '../../../lib/credentials/limits/limit-calls.ts';
import type { CallSlot, CallTurn, Postponed } from '../../../lib/engine/call-turn.ts';
import { STORE_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { aVirtualClock } from '../../support/a-virtual-clock.ts';
import { describeCallLimitStore } from '../../support/call-limit-suite.ts';
import { inMemoryCallLimits } from '../../support/outbound-credentials.ts';

describeCallLimitStore('memory', inMemoryCallLimits);

const signal = new AbortController().signal;
const HOUR_MS = 3_600_000;

const respond = (status = 200, headers = {}): OutboundResponse => ({
  status,
  headers,
  body: new Uint8Array(),
  stream: null,
  url: '',
});

/** A server, and sandboxes that share its limits. @param storeMs - how long the store takes for its next operation */
const aServer = (
  limits: Omit<AppliedLimits, 'key'>,
  answer: () => OutboundResponse = respond,
  storeMs: () => number = () => 0,
) => {
  const { clock, run, block } = aVirtualClock();
  const counts = { writes: 0, reads: 0 };
  const memory = inMemoryCallLimits();
  const counted =
    (kind: keyof typeof counts, method: keyof CallLimitStore) =>
    async (...args: never[]) => {
      counts[kind] += 1;
      const takesMs = storeMs();
      if (takesMs > 0) await clock.sleep(takesMs / 2);
      const found = await (memory[method] as (...args: never[]) => Promise<never>)(...args);
      if (takesMs > 0) await clock.sleep(takesMs / 2);
      return found;
    };
  const store: CallLimitStore = {
    reserve: counted('writes', 'reserve'),
    enter: counted('writes', 'enter'),
    leave: counted('writes', 'leave'),
    pause: counted('writes', 'pause'),
    find: counted('reads', 'find'),
  };
  const calls: number[] = [];
  let open = 0;
  let mostOpen = 0;
  const aSandbox = (seed: string, aheadMs = 0) =>
    createLimitCall({
      limits: store,
      clock: { ...clock, now: () => clock.now() + aheadMs },
      random: createRandom(seed),
    });
  /** @param takesMs - how long the server takes */
  const call = (
    limitCall: LimitCall,
    {
      turn,
      timeoutMs = HOUR_MS,
      takesMs = 20,
    }: { turn?: CallTurn; timeoutMs?: number; takesMs?: number } = {},
  ) =>
    limitCall({ ...limits, key: 'credential:crm' }, { timeoutMs, signal }, turn, async () => {
      calls.push(clock.now());
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      await clock.sleep(takesMs);
      open -= 1;
      return answer();
    });
  return { clock, run, block, counts, calls, aSandbox, call, memory, mostOpen: () => mostOpen };
};

/** The most calls in any second. */
const densest = (calls: readonly number[]): number =>
  Math.max(...calls.map((start) => calls.filter((at) => at >= start && at < start + 1_000).length));

describe('a number of calls per second', () => {
  test.each([0.5, 1, 3, 10, 100])(
    'of %d is kept by twenty sandboxes, which lose little of it',
    async (perSecond) => {
      const { run, clock, calls, aSandbox, call, counts } = aServer({ perSecond });
      const startedAt = clock.now();
      await run(
        Promise.all(
          Array.from({ length: 20 }, async (_, at) => {
            const limitCall = aSandbox(`${at}`);
            for (let count = 0; count < 10; count++) await call(limitCall);
          }),
        ),
      );
      expect(calls).toHaveLength(200);
      expect(densest(calls)).toBeLessThanOrEqual(Math.max(1, perSecond));
      expect((calls.at(-1) ?? 0) - startedAt).toBeLessThan((200 / perSecond) * 1_000 * 1.11);
      expect(counts.writes).toBe(200);
    },
  );

  test('costs nothing to read for a call that does not wait', async () => {
    const { run, aSandbox, call, counts } = aServer({ perSecond: 10 });
    await run(call(aSandbox('a')));
    expect(counts).toEqual({ writes: 1, reads: 0 });
  });

  test('that leaves no time for a call fails it, and reserves nothing', async () => {
    const { run, aSandbox, call, memory, clock } = aServer({ perSecond: 0.1 });
    const limitCall = aSandbox('a');
    await run(call(limitCall));
    await expect(run(call(limitCall, { timeoutMs: 9_000 }))).rejects.toMatchObject({
      name: 'CallLimitReached',
      message:
        'the limit of credential "crm" is 1 call in 10 s: the next call is possible in 11 s, but this one must end in 9 s',
      isRetryable: true,
      retryAfterMs: 10_080,
    });
    expect((await memory.find('credential:crm')).nextAt - clock.now()).toBe(10_080);
  });

  test.each([60, 400, 2_000])(
    'is kept, with one write for each call, if the store takes %d ms to answer',
    async (storeMs) => {
      const { run, calls, aSandbox, call, counts, clock } = aServer(
        { perSecond: 100 },
        respond,
        () => storeMs,
      );
      const startedAt = clock.now();
      await run(Promise.all(Array.from({ length: 200 }, (_, at) => call(aSandbox(`${at}`)))));
      expect(calls).toHaveLength(200);
      expect(densest(calls)).toBeLessThanOrEqual(100);
      expect(counts.writes).toBe(200);
      expect((calls.at(-1) ?? 0) - startedAt).toBeLessThan(2_200 + 2 * storeMs);
    },
  );

  test('is nearly kept if the store takes a different time for each answer', async () => {
    const random = createRandom('store');
    const { run, calls, aSandbox, call, counts } = aServer({ perSecond: 20 }, respond, () => 400 * random());
    await run(Promise.all(Array.from({ length: 200 }, (_, at) => call(aSandbox(`${at}`)))));
    expect(counts.writes).toBe(200);
    expect(densest(calls)).toBeLessThanOrEqual(24);
  });

  test('lets a call that missed its slot have another', async () => {
    const { run, aSandbox, call, calls, block, clock } = aServer({ perSecond: 1 });
    const startedAt = clock.now();
    const limitCall = aSandbox('a');
    const turn = aTurn({ slot: { key: 'credential:crm', at: startedAt + 1_000 } });
    block(1_051);
    await run(call(aSandbox('b'), {}));
    await run(call(limitCall, { turn }));
    expect(calls.map((at) => at - startedAt)).toEqual([1_051, 1_051 + intervalOf(1)]);
  });
});

/** An attempt that can be postponed. */
const aTurn = ({ slot = null, canPostpone = true }: Partial<ReturnType<CallTurn['begin']>>) => {
  const postponed: Postponed[] = [];
  const turn: CallTurn = {
    remainingMs: () => 30_000,
    untimed: (work) => work(),
    begin: () => ({ canPostpone, slot }),
    postpone: (given) => {
      postponed.push(given);
      throw new Error('postponed');
    },
  };
  return { ...turn, postponed };
};

describe('an attempt that can be postponed', () => {
  test('is, with the slot that it then has without another write', async () => {
    const { run, aSandbox, call, clock, calls, counts, memory } = aServer({ perSecond: 0.1 });
    const limitCall = aSandbox('a');
    await run(call(limitCall));
    const turn = aTurn({});
    await expect(run(call(limitCall, { turn }))).rejects.toThrow('postponed');
    const [{ waitMs, slot, reason } = { waitMs: 0, slot: null, reason: '' }] = turn.postponed;
    expect({ waitMs, reason }).toEqual({
      waitMs: 8_080,
      reason: 'waits for the limit of credential "crm": 1 call in 10 s',
    });
    await run(clock.sleep(waitMs));
    await run(call(limitCall, { turn: aTurn({ slot }) }));
    expect(calls[1]).toBe(slot?.at);
    expect(counts.writes).toBe(2);
    expect((await memory.find('credential:crm')).nextAt).toBe((slot?.at ?? 0) + intervalOf(0.1));
  });

  test('is not late for each slot, however long its process takes to start', async () => {
    const { run, aSandbox, call, clock, calls } = aServer({ perSecond: 0.1 });
    await run(call(aSandbox('a')));
    let slot: CallSlot | null = null;
    let times = 0;
    for (; calls.length < 2 && times < 20; times++) {
      const turn = aTurn({ slot });
      await run(call(aSandbox('b'), { turn })).catch(() => {});
      const [postponed] = turn.postponed;
      if (postponed === undefined) continue;
      slot = postponed.slot;
      await run(clock.sleep(postponed.waitMs + 6_000));
    }
    expect(calls).toHaveLength(2);
    expect(times).toBeLessThanOrEqual(4);
  });

  test('waits in its process for a slot in a few seconds', async () => {
    const { run, aSandbox, call, calls } = aServer({ perSecond: 0.5 });
    const limitCall = aSandbox('a');
    const turn = aTurn({});
    await run(call(limitCall));
    await run(call(limitCall, { turn }));
    expect(turn.postponed).toEqual([]);
    expect(calls).toHaveLength(2);
  });

  test('is postponed when all places are taken for long', async () => {
    const { run, aSandbox, call, clock } = aServer({ atOnce: 1 });
    const first = call(aSandbox('a'), { takesMs: 60_000 });
    await run(clock.sleep(1));
    const turn = aTurn({});
    await expect(run(call(aSandbox('b'), { turn }))).rejects.toThrow('postponed');
    expect(turn.postponed).toMatchObject([{ slot: { key: 'credential:crm queue' } }]);
    await run(first);
  });
});

describe('a number of calls at a time', () => {
  test.each([1, 4])('of %d is kept, and all calls are made', async (atOnce) => {
    const { run, aSandbox, call, calls, mostOpen, counts } = aServer({ atOnce });
    await run(Promise.all(Array.from({ length: 30 }, (_, at) => call(aSandbox(`${at}`), { takesMs: 900 }))));
    expect(calls).toHaveLength(30);
    expect(mostOpen()).toBe(atOnce);
    expect(counts.writes).toBeGreaterThanOrEqual(60);
  });

  test('is kept together with a rate', async () => {
    const { run, aSandbox, call, calls, mostOpen } = aServer({ atOnce: 3, perSecond: 10 });
    await run(Promise.all(Array.from({ length: 40 }, (_, at) => call(aSandbox(`${at}`), { takesMs: 700 }))));
    expect(calls).toHaveLength(40);
    expect(mostOpen()).toBeLessThanOrEqual(3);
    expect(densest(calls)).toBeLessThanOrEqual(10);
  });

  test('is not used up by processes that crashed', async () => {
    const { run, aSandbox, call, memory, clock } = aServer({ atOnce: 1 });
    await memory.enter('credential:crm', { number: 0, until: clock.now() + 20_000 }, clock.now());
    const startedAt = clock.now();
    await run(call(aSandbox('a')));
    expect(clock.now() - startedAt).toBeLessThan(22_000);
  });

  test('is used until the end of a streamed response', async () => {
    const chunks = async function* () {
      yield new Uint8Array(1);
      yield new Uint8Array(1);
    };
    const { run, aSandbox, call, memory } = aServer({ atOnce: 1 }, () => ({
      ...respond(),
      stream: chunks(),
    }));
    const { stream } = await run(call(aSandbox('a')));
    const places = async () => (await memory.find('credential:crm')).places.size;
    expect(await places()).toBe(1);
    for await (const chunk of stream ?? []) expect(chunk.length).toBe(1);
    expect(await places()).toBe(0);
  });

  test('is free again after a call that failed', async () => {
    const { run, aSandbox, call, memory } = aServer({ atOnce: 1 }, () => {
      throw new Error('reset');
    });
    await expect(run(call(aSandbox('a')))).rejects.toThrow('reset');
    expect((await memory.find('credential:crm')).places.size).toBe(0);
  });
});

describe('a server that asks to wait', () => {
  test.each([{ perSecond: 10 }, { atOnce: 5 }])('makes all calls wait: %j', async (limits) => {
    let asks = 1;
    const { run, aSandbox, call, calls, clock } = aServer(limits, () =>
      asks-- > 0 ? respond(429, { 'retry-after': '30' }) : respond(),
    );
    const startedAt = clock.now();
    await run(
      Promise.all(
        Array.from({ length: 20 }, async (_, at) => {
          await clock.sleep(at * 10);
          await call(aSandbox(`${at}`));
        }),
      ),
    );
    expect(calls).toHaveLength(20);
    const afterIt = calls.filter((at) => at > startedAt + 120);
    expect(afterIt.length).toBeGreaterThan(10);
    expect(Math.min(...afterIt)).toBeGreaterThanOrEqual(startedAt + 30_000);
    expect(densest(calls)).toBeLessThanOrEqual(20);
  });

  test('for longer than a call has time fails it at once, with the time of the next one', async () => {
    const { run, aSandbox, call, memory, clock } = aServer({ atOnce: 5 });
    await memory.pause('credential:crm', clock.now() + 60_000, clock.now());
    const startedAt = clock.now();
    await expect(run(call(aSandbox('a'), { timeoutMs: 30_000 }))).rejects.toMatchObject({
      name: 'CallLimitReached',
      retryAfterMs: 60_000,
    });
    expect(clock.now()).toBe(startedAt);
  });

  test('gives the node its answer, even if the store is down', async () => {
    const { run, clock, memory } = aServer({ perSecond: 1 });
    const limits = { ...memory, pause: () => Promise.reject(new Error('the store is down')) };
    const limitCall = createLimitCall({ limits, clock, random: () => 0 });
    const busy = async () => respond(429, { 'retry-after': '9' });
    const answer = limitCall({ perSecond: 1, key: 'host:a' }, { timeoutMs: 1_000, signal }, undefined, busy);
    expect(await run(answer)).toMatchObject({ status: 429 });
  });

  test('makes them wait for an hour at most', async () => {
    const { run, aSandbox, call, memory, clock } = aServer({ perSecond: 1 }, () =>
      respond(503, { 'retry-after': '86400' }),
    );
    await run(call(aSandbox('a')));
    expect((await memory.find('credential:crm')).pausedUntil).toBe(clock.now() + HOUR_MS);
  });
});

describe.each([240_000, -240_000])('a sandbox whose clock is %d ms ahead', (aheadMs) => {
  const timeoutMs = 30_000;

  test('blocks no rate, and exceeds it by its own calls at most, which are limited among themselves', async () => {
    const { run, aSandbox, call, calls, clock } = aServer({ perSecond: 10 });
    const startedAt = clock.now();
    const wrong = aSandbox('wrong', aheadMs);
    const ofWrong: number[] = [];
    const callOften = async (limitCall: LimitCall, made: number[] = []) => {
      for (let count = 0; count < 20; count++) {
        await call(limitCall, { timeoutMs });
        made.push(clock.now());
      }
    };
    await run(call(wrong, { timeoutMs }));
    await run(
      Promise.all([
        callOften(wrong, ofWrong),
        ...Array.from({ length: 10 }, (_, at) => callOften(aSandbox(`${at}`))),
      ]),
    );
    expect(calls).toHaveLength(221);
    expect((calls.at(-1) ?? 0) - startedAt).toBeLessThan((221 / 10) * 1_000 * 1.11);
    expect(densest(ofWrong)).toBeLessThanOrEqual(10);
    expect(densest(calls)).toBeLessThanOrEqual(20);
  });

  test('blocks no number at a time', async () => {
    const { run, aSandbox, call, calls, mostOpen, clock } = aServer({ atOnce: 2 });
    const startedAt = clock.now();
    const sandboxes = [aSandbox('wrong', aheadMs), ...['a', 'b', 'c', 'd'].map((seed) => aSandbox(seed))];
    await run(
      Promise.all(
        sandboxes.map(async (limitCall) => {
          for (let count = 0; count < 4; count++) await call(limitCall, { timeoutMs, takesMs: 900 });
        }),
      ),
    );
    expect(calls).toHaveLength(20);
    expect(clock.now() - startedAt).toBeLessThan(20_000);
    if (aheadMs > 0) expect(mostOpen()).toBeLessThanOrEqual(3);
  });

  test('makes calls wait no longer than the server asks', async () => {
    let asks = 1;
    const { run, aSandbox, call, calls, clock } = aServer({ perSecond: 10 }, () =>
      asks-- > 0 ? respond(429, { 'retry-after': '20' }) : respond(),
    );
    const startedAt = clock.now();
    await run(call(aSandbox('wrong', aheadMs)));
    await run(call(aSandbox('a'), { timeoutMs }));
    expect(calls).toHaveLength(2);
    expect(clock.now() - startedAt).toBeLessThan(20_000 + 200);
  });
});

test('a call that gets no slot says when the next one is by the clocks that agree with its own', async () => {
  const { run, aSandbox, call } = aServer({ perSecond: 0.1 });
  await run(call(aSandbox('wrong', 240_000)));
  await run(call(aSandbox('a'), { timeoutMs: 9_000 }));
  await expect(run(call(aSandbox('b'), { timeoutMs: 9_000 }))).rejects.toMatchObject({
    name: 'CallLimitReached',
    retryAfterMs: 10_080,
  });
});

describe("a store that can't be used", () => {
  test.each([
    ['AccessDeniedException', 'the function lacks a permission'],
    ['ResourceNotFoundException', 'a table or the bucket does not exist'],
    ['ThrottlingException', 'it is throttling'],
    ['InternalServerError', 'it is unavailable'],
  ])('for the reason %s is named with it once a call has no time left', async (name, why) => {
    const { clock, run } = aVirtualClock();
    const refused = new AppError(
      STORE_UNAVAILABLE,
      {},
      Object.assign(new Error('DynamoDB answered'), { name }),
    );
    const limits = { ...inMemoryCallLimits(), reserve: () => Promise.reject(refused) };
    const limitCall = createLimitCall({ limits, clock, random: createRandom('a') });
    const applied = { key: 'credential:crm', perSecond: 1 };
    const call = limitCall(applied, { timeoutMs: 5_000, signal }, undefined, async () => respond());
    await expect(run(call)).rejects.toMatchObject({
      name: 'CallLimitUnavailable',
      message: `the store of the limit of credential "crm" can't be used: ${why}`,
    });
  });
});
