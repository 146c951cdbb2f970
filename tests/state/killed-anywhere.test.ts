import { createRandom, type JsonObject, type JsonValue, type StateOperation } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { checkValues } from '../../lib/state/check-values.ts';
import { createStateFor } from '../../lib/state/execution-state.ts';
import type { StateEntry, StateStore } from '../../lib/state/state-store.ts';
import { type AFlow, aBackgroundService, aFlow } from '../support/a-background-service.ts';
import { cases } from '../support/deep.ts';
import { inMemoryState, inMemoryValues } from '../support/in-memory-state.ts';

/** Durable runs whose nodes use state, each of whose processes may crash at any point. */
const aService = async (
  flow: Pick<AFlow, 'nodes' | 'edges'>,
  { beforeWrite = async () => {} }: { readonly beforeWrite?: () => Promise<void> } = {},
) => {
  let passedMs = 0;
  const clock = { now: () => Date.now() + passedMs, sleep: async () => {} };
  const written: StateEntry[] = [];
  /** What the node behind `state` received, by its idempotency key: a receiver takes requests of one key for one. */
  const received = new Map<string, JsonObject>();
  const memory = inMemoryState();
  const { blobs, checks, values } = inMemoryValues();
  const store: StateStore = {
    ...memory,
    put: async (entry, replaces) => {
      const isWritten = await memory.put(entry, replaces);
      // A reader finds the value at any time from now on.
      if (isWritten) written.push(await values.load(entry));
      return isWritten;
    },
  };
  const overtaken: StateStore = {
    ...store,
    put: async (entry, replaces) => {
      await beforeWrite();
      return store.put(entry, replaces);
    },
  };
  const service = await aBackgroundService({
    state: overtaken,
    values: { blobs, checks },
    clock: { now: clock.now },
    call: (node, input, { idempotencyKey }) => {
      if (node.parameters.fails === true) throw new Error('refused');
      const known = received.get(idempotencyKey);
      if (known !== undefined) expect(input).toEqual(known);
      received.set(idempotencyKey, input);
      return input;
    },
  });
  await service.put(aFlow({ ...flow, settings: { execution: 'durable' } }));
  const stateFor = createStateFor({ store, values, clock });
  return {
    written,
    received,
    memory,
    blobs,
    checks,
    advance: (ms: number) => {
      passedMs += ms;
    },
    /** Another execution, undisturbed. */
    rival: (executionId: string, operation: StateOperation) =>
      stateFor({ executionId, workflowId: 'order', retryOf: null })(
        'other/0',
        new AbortController().signal,
      ).run(operation),
    /**
     * Runs an execution to its end.
     * @param isFatal - whether the process ends at the next point
     * @param between - runs before each process but the first
     * @returns its status
     */
    run: async (
      executionId: string,
      body: JsonObject,
      isFatal: () => boolean,
      between: () => Promise<void> = async () => {},
    ) => {
      await service.accept(executionId, { input: { body } });
      let processes = 0;
      await service.run(executionId, {
        saboteur: { isFatal },
        between: async () => (processes++ === 0 ? undefined : between()),
      });
      return (await service.executions.find(executionId))?.status;
    },
  };
};

interface Case {
  readonly parameters: JsonObject;
  readonly before?: StateOperation;
  /** What each other execution does. */
  readonly rival: (value: string) => StateOperation;
  /** @param outcome - what the run received from its state, null if it failed; what was written, in order */
  readonly check: (outcome: {
    readonly output: JsonObject | null;
    readonly contents: readonly StateEntry['content'][];
    readonly rivals: readonly JsonObject[];
  }) => void;
}

const valuesOf = (contents: readonly StateEntry['content'][]): readonly unknown[] =>
  contents.map((content) => (content.kind === 'value' ? content.value : content.kind));

/** Makes a value of a text that is too large for an item of the table. */
const large = (text: string): string => text.padEnd(400_000, '.');

const put = (value: string | number): StateOperation => ({ operation: 'put', key: 'k', value });

const once = (values: readonly unknown[], value: unknown) =>
  expect(values.filter((one) => one === value)).toHaveLength(1);

const writtenOnce: Case['check'] = ({ output, contents }) => {
  const values = valuesOf(contents);
  once(values, 'mine');
  expect(output).toEqual({ version: values.indexOf('mine') + 1 });
};

const claimsOf = (rivals: readonly JsonObject[], index: number): number =>
  rivals.filter(({ claimed }) => (claimed as readonly boolean[])[index]).length;

const operations: Readonly<Record<string, Case>> = {
  put: {
    parameters: { operation: 'put', key: 'k', value: 'mine' },
    rival: put,
    check: writtenOnce,
  },
  'put over another value': {
    parameters: { operation: 'put', key: 'k', value: 'mine', ttlSeconds: 600 },
    before: put('old'),
    rival: put,
    check: writtenOnce,
  },
  'put of a version': {
    parameters: { operation: 'put', key: 'k', value: 'mine', ifVersion: 1 },
    before: put('old'),
    rival: put,
    check: ({ output, contents }) => {
      // Another one was faster, or it is written in place of the version, and nothing in between.
      if (output === null) expect(valuesOf(contents)).not.toContain('mine');
      else expect([output, valuesOf(contents)[1]]).toEqual([{ version: 2 }, 'mine']);
      if (output !== null) once(valuesOf(contents), 'mine');
    },
  },
  'put of a large value': {
    parameters: { operation: 'put', key: 'k', value: large('mine') },
    before: put(large('old')),
    rival: (value) => put(large(value)),
    check: ({ output, contents }) => {
      const values = valuesOf(contents);
      once(values, large('mine'));
      expect(output).toEqual({ version: values.indexOf(large('mine')) + 1 });
    },
  },
  'delete of a large value': {
    parameters: { operation: 'delete', key: 'k' },
    before: put(large('old')),
    rival: (value) => put(large(value)),
    check: ({ output, contents }) => {
      expect(output).toEqual({ deleted: true });
      once(valuesOf(contents), 'deleted');
    },
  },
  'append to a large list': {
    parameters: { operation: 'append', key: 'k', value: 'mine', maxItems: 10 },
    before: { operation: 'append', key: 'k', value: large('old'), maxItems: 10 },
    rival: (value) => ({ operation: 'append', key: 'k', value, maxItems: 10 }),
    check: ({ output, contents, rivals }) => {
      const list = valuesOf(contents).at(-1) as readonly unknown[];
      once(list, 'mine');
      expect(list).toHaveLength(2 + rivals.length);
      expect(list[0]).toBe(large('old'));
      expect(list.indexOf('mine') + 1).toBe(output?.length);
    },
  },
  'get of a large value': {
    parameters: { operation: 'get', key: 'k' },
    before: put(large('old')),
    rival: (value) => put(large(value)),
    check: ({ output, contents }) => {
      expect(valuesOf(contents)[Number(output?.version) - 1]).toBe(output?.value);
    },
  },
  delete: {
    parameters: { operation: 'delete', key: 'k' },
    before: put('old'),
    rival: put,
    check: ({ output, contents }) => {
      expect(output).toEqual({ deleted: true });
      once(valuesOf(contents), 'deleted');
    },
  },
  increment: {
    parameters: { operation: 'increment', key: 'k' },
    before: put(100),
    rival: () => ({ operation: 'increment', key: 'k', by: 10 }),
    check: ({ output, contents, rivals }) => {
      const values = valuesOf(contents);
      expect(values.at(-1)).toBe(101 + 10 * rivals.length);
      expect(values[Number(output?.version) - 1]).toBe(output?.value);
    },
  },
  append: {
    parameters: { operation: 'append', key: 'k', value: 'mine', maxItems: 10 },
    rival: (value) => ({ operation: 'append', key: 'k', value, maxItems: 10 }),
    check: ({ output, contents, rivals }) => {
      const list = valuesOf(contents).at(-1) as readonly unknown[];
      once(list, 'mine');
      expect(list).toHaveLength(1 + rivals.length);
      expect(list.indexOf('mine') + 1).toBe(output?.length);
    },
  },
  once: {
    parameters: { operation: 'once', key: 'k' },
    rival: () => ({ operation: 'claim', keys: ['k'] }),
    check: ({ output, contents, rivals }) => {
      expect(contents).toHaveLength(1);
      expect(claimsOf(rivals, 0) + (output === null ? 0 : 1)).toBe(1);
    },
  },
  newItems: {
    parameters: { operation: 'newItems', items: ['a', 'k', 'b', 'a'] },
    before: { operation: 'claim', keys: ['b'] },
    rival: () => ({ operation: 'claim', keys: ['a', 'k', 'b', 'c'] }),
    check: ({ output, rivals }) => {
      const mine = output?.items as readonly string[];
      const counts = ['a', 'k', 'b'].map(
        (key, index) => claimsOf(rivals, index) + mine.filter((item) => item === key).length,
      );
      expect(counts).toEqual([1, 1, 0]);
      expect(output?.seen).toBe(4 - mine.length);
    },
  },
  'newItems that are marked later': {
    parameters: { operation: 'newItems', items: ['a', 'k'], markAfterSeconds: 600 },
    rival: () => ({ operation: 'claim', keys: ['a', 'k'], confirmWithinSeconds: 600 }),
    check: ({ output, rivals }) => {
      const mine = output?.items as readonly string[];
      const counts = ['a', 'k'].map((key, index) => claimsOf(rivals, index) + (mine.includes(key) ? 1 : 0));
      expect(counts).toEqual([1, 1]);
    },
  },
  markSeen: {
    parameters: { operation: 'markSeen', items: ['k', 'new'] },
    before: { operation: 'claim', keys: ['k'], confirmWithinSeconds: 600 },
    rival: () => ({ operation: 'claim', keys: ['k', 'new'], confirmWithinSeconds: 600 }),
    check: ({ output, contents }) => {
      expect(output).toEqual({ marked: 2 });
      expect(contents.at(-1)).toMatchObject({ kind: 'claim', confirmBy: null });
    },
  },
  get: {
    parameters: { operation: 'get', key: 'k' },
    before: put('old'),
    rival: put,
    check: ({ output, contents }) => {
      expect(valuesOf(contents)[Number(output?.version) - 1]).toBe(output?.value);
    },
  },
  list: {
    parameters: { operation: 'list' },
    before: put('old'),
    rival: put,
    check: ({ output, contents }) => {
      const entries = output?.entries as readonly JsonObject[];
      expect(entries.map(({ version }) => valuesOf(contents)[Number(version) - 1])).toEqual(
        entries.map(({ value }) => value),
      );
    },
  },
};

/** Whatever was killed, each value has a check, by which those that no entry names are removed at last, and no other. */
const expectOnlyNamedValues = async ({
  memory,
  blobs,
  checks,
}: Pick<Awaited<ReturnType<typeof aService>>, 'memory' | 'blobs' | 'checks'>) => {
  let now = Date.now();
  const clock = { now: () => now };
  for (let week = 0; week < 8; week++) {
    now += 7 * 86_400_000 + 1;
    const options = {
      mayGoOn: () => true,
      onFailure: (_check: unknown, cause: unknown) => expect(cause).toBeNull(),
    };
    await checkValues({ store: memory, checks, blobs, clock }, options);
  }
  const { entries } = await memory.list('workflow:order', { prefix: '', after: null, limit: 1_000 });
  const named = entries.flatMap(({ content }) => (content.kind === 'large' ? [content.blob] : []));
  const kept = blobs.keys().filter((key) => key.startsWith('state/'));
  expect(kept.sort()).toEqual(named.sort());
  expect(checks.all().map(({ blob }) => blob)).toEqual(expect.arrayContaining(named));
};

const nodes = (parameters: JsonObject) => [
  { id: 'state', type: 'state', parameters },
  { id: 'call', type: 'call' },
];

/** How many others write. */
const OTHERS = cases([1], [0, 1, 3]);

describe.each(['before its next process', 'before its first write'])('while others write %s', (when) => {
  // holds: state-write-once
  test.each(Object.entries(operations))(
    '%s takes effect once, at whatever point the process is killed',
    async (_name, { parameters, before, rival, check }) => {
      let kills = 0;
      for (const others of OTHERS)
        for (let point = 0, wasKilled = true; wasKilled; point++) {
          const rivals: JsonObject[] = [];
          let running: Promise<void> | undefined;
          const runRivals = () => {
            running ??= (async () => {
              for (let at = 0; at < others; at++)
                rivals.push(await service.rival(`r-${at}`, rival(`rival ${at}`)));
            })();
            return running;
          };
          const service = await aService(
            {
              nodes: nodes(parameters),
              edges: ['start -> state', `state${parameters.operation === 'once' ? '.true' : ''} -> call`],
            },
            when === 'before its first write' ? { beforeWrite: runRivals } : {},
          );
          if (before !== undefined) await service.rival('before', before);
          wasKilled = false;
          let passed = 0;
          const isFatal = () => {
            const isHere = passed++ === point;
            wasKilled ||= isHere;
            return isHere;
          };
          const status = await service.run('e-1', {}, isFatal, runRivals);
          const [output = null, ...more] = [...service.received.values()];
          expect(more).toEqual([]);
          const isRefused = parameters.ifVersion !== undefined && output === null;
          expect([point, status]).toEqual([point, isRefused ? 'failed' : 'succeeded']);
          const contents = service.written.filter(({ key }) => key === 'k').map(({ content }) => content);
          check({ output, contents, rivals });
          await expectOnlyNamedValues(service);
          if (wasKilled) kills++;
        }
      expect(kills).toBeGreaterThanOrEqual(OTHERS.length * 5);
    },
  );
});

const KILLS = 200;
const WINDOW = 4;

/** An execution that is killed more often at the same point is given up. */
const KILLS_PER_EXECUTION = 10;

/** Kills processes at points of any kind, the same in each test run. */
const aKiller = (seed: string) => {
  const random = createRandom(seed);
  let kills = 0;
  return {
    random,
    kills: () => kills,
    /** For one execution. */
    next: () => {
      let own = 0;
      return () => {
        const isFatal = own < KILLS_PER_EXECUTION && random() < 0.1;
        if (isFatal) {
          own++;
          kills++;
        }
        return isFatal;
      };
    },
  };
};

/** Each item of a feed, by the executions behind whose node it arrived. */
const arrivals = (received: ReadonlyMap<string, JsonObject>): Map<unknown, string[]> => {
  const all = new Map<unknown, string[]>();
  for (const [key, { items }] of received)
    for (const item of items as readonly JsonValue[]) all.set(item, [...(all.get(item) ?? []), key]);
  return all;
};

test(`of ${KILLS} kills of newItems, each item arrives once`, async () => {
  const service = await aService({
    nodes: nodes({ operation: 'newItems', items: '{{ body.feed }}' }),
    edges: ['start -> state', 'state -> call'],
  });
  const killer = aKiller('newItems');
  let polls = 0;
  // Several at once, which read the same items, as polls of a feed do that overtake each other.
  const poller = async () => {
    while (killer.kills() < KILLS) {
      const poll = polls++;
      const feed = Array.from({ length: WINDOW }, (_, at) => poll + at);
      expect(await service.run(`e-${poll}`, { feed }, killer.next())).toBe('succeeded');
    }
  };
  await Promise.all([poller(), poller(), poller()]);
  const arrived = arrivals(service.received);
  expect([...arrived.values()].filter((keys) => keys.length !== 1)).toEqual([]);
  expect(arrived.size).toBe(polls + WINDOW - 1);
});

test(`of ${KILLS} kills of newItems and markSeen, each item arrives once, even if some branches fail`, async () => {
  const MARK_SECONDS = 600;
  const service = await aService({
    nodes: [
      ...nodes({ operation: 'newItems', items: '{{ body.feed }}', markAfterSeconds: MARK_SECONDS }),
      { id: 'mark', type: 'state', parameters: { operation: 'markSeen', items: '{{ items }}' } },
    ].map((node) =>
      node.id === 'call' ? { ...node, parameters: { fails: '{{ $trigger.body.fails }}' } } : node,
    ),
    edges: ['start -> state', 'state -> call', 'call -> mark'],
  });
  const killer = aKiller('markSeen');
  let polls = 0;
  const poll = async (feed: readonly number[], fails: boolean) =>
    expect(await service.run(`e-${polls++}`, { feed, fails }, killer.next())).toBe(
      fails ? 'failed' : 'succeeded',
    );
  let items = 0;
  for (; killer.kills() < KILLS; items += WINDOW) {
    const feed = Array.from({ length: 2 * WINDOW }, (_, at) => Math.max(items + at - WINDOW, 0));
    const unique = [...new Set(feed)];
    await Promise.all([
      poll(unique, killer.random() < 0.5),
      poll(unique, false),
      poll(unique, killer.random() < 0.5),
    ]);
    // What was claimed by a branch that failed can be claimed once its time is over.
    service.advance(MARK_SECONDS * 1_000);
    await Promise.all([poll(unique, false), poll(unique, false)]);
  }
  const arrived = arrivals(service.received);
  expect([...arrived.values()].filter((keys) => keys.length !== 1)).toEqual([]);
  expect(arrived.size).toBe(items);
});
