import { describe, expect, test } from '@jest/globals';
import pLimit from 'p-limit';

import { failOpenNodes, type NodeRecord } from '../../lib/engine/result.ts';

import type {
  ExecutionEnd,
  ExecutionPage,
  ExecutionStart,
  ExecutionStore,
} from '../../lib/executions/record/execution-store.ts';
import { aLease, anExecutionEnd, anExecutionStart, dueIn } from './a-start.ts';
import { cases } from './deep.ts';

/** What the record shows of a start. */
const shown = ({ input: _i, callbackKey: _c, retriedCheckpoints: _r, ...record }: ExecutionStart) => record;

/** An inline one, which runs from its start. */
const start = (changes: Partial<ExecutionStart> = {}) =>
  anExecutionStart({ mode: 'inline', status: 'running', input: null, callbackKey: null, ...changes });

const nodeRecord = (changes: Partial<NodeRecord> = {}): NodeRecord => ({
  nodeId: 'start',
  type: 'webhookTrigger',
  status: 'succeeded',
  iteration: 0,
  attempts: 1,
  startedAt: 1_700_000_000_000,
  durationMs: 2,
  ...changes,
});

const failure = { nodeId: 'shop', name: 'Error', message: 'The shop is closed.' };

const end = (changes: Partial<ExecutionEnd> = {}) => anExecutionEnd({ nodes: [nodeRecord()], ...changes });

/** Writes at a time: no more than a busy machine's connections take within their timeout. */
const AT_ONCE = 10;

/** What a record says beside its start. */
const untouched = {
  endedAt: null,
  nodes: [],
  nodesOmitted: 0,
  failure: null,
  leaseOwner: null,
  invocations: 0,
  journalSize: 0,
  crashes: 0,
  releasedAt: null,
  redispatches: 0,
  result: null,
  isInOutbox: false,
  leaseExpiresAt: null,
};

/** The contract of {@link ExecutionStore}. @param create - makes an empty one */
export const describeExecutionStore = (
  name: string,
  create: () => ExecutionStore | Promise<ExecutionStore>,
) => {
  describe(`${name} keeps executions`, () => {
    test.each(['unknown', '__proto__', 'constructor'])('there is no execution %s', async (id) => {
      const store = await create();
      expect(await store.find(id)).toBeNull();
      expect(await store.finish(id, end())).toBe(false);
      expect(await store.find(id)).toBeNull();
    });

    test('a started execution is running', async () => {
      const store = await create();
      expect(await store.start(start())).toBe(true);
      expect(await store.find('e-1')).toEqual({ ...shown(start()), ...untouched });
    });

    // holds: starts-once-or-not-at-all
    test('an execution starts once, and the second try changes nothing', async () => {
      const store = await create();
      await store.start(start());
      expect(await store.start(start({ workflowId: 'other', startedAt: 1, startToken: 'another' }))).toBe(
        false,
      );
      expect(await store.find('e-1')).toMatchObject(shown(start()));
    });

    // holds: starts-once-or-not-at-all
    test('one of many concurrent starts wins', async () => {
      const store = await create();
      const starts = Array.from({ length: 10 }, (_, at) => store.start(start({ startToken: `token-${at}` })));
      expect((await Promise.all(starts)).filter(Boolean)).toHaveLength(1);
    });

    test.each(['succeeded', 'failed', 'timedOut', 'cancelled'] as const)(
      'an execution that ends as %s has that status',
      async (status) => {
        const store = await create();
        await store.start(start());
        const nodes = [nodeRecord(), nodeRecord({ nodeId: 'shop', status: 'failed', failure })];
        const ended = end({ status, nodes, failure: status === 'succeeded' ? null : failure });
        expect(await store.finish('e-1', ended)).toBe(true);
        expect(await store.find('e-1')).toEqual({ ...shown(start()), ...untouched, ...ended });
      },
    );

    test('a final status never changes', async () => {
      const store = await create();
      await store.start(start());
      await store.finish('e-1', end());
      expect(await store.finish('e-1', end({ status: 'failed', failure }))).toBe(false);
      expect(await store.start(start({ startToken: 'another' }))).toBe(false);
      expect(await store.find('e-1')).toMatchObject({ status: 'succeeded', failure: null });
    });

    test('one of many concurrent ends wins', async () => {
      const store = await create();
      await store.start(start());
      const ends = Array.from({ length: 10 }, (_, at) => store.finish('e-1', end({ endedAt: at })));
      const outcomes = await Promise.all(ends);
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect((await store.find('e-1'))?.endedAt).toBe(outcomes.indexOf(true));
    });

    test('a very long node list may be cut, with a count of the rest, and keeps failed nodes', async () => {
      const store = await create();
      await store.start(start());
      const nodes = Array.from({ length: 10_000 }, (_, at) => nodeRecord({ nodeId: `node-${at}` }));
      const all = [...nodes, nodeRecord({ nodeId: 'shop', status: 'failed', failure })];
      expect(await store.finish('e-1', end({ status: 'failed', nodes: all, failure }))).toBe(true);
      const record = await store.find('e-1');
      expect((record?.nodes.length ?? 0) + (record?.nodesOmitted ?? 0)).toBe(all.length);
      expect(record?.nodes.at(0)?.nodeId).toBe('node-0');
      expect(record?.nodes.at(-1)).toEqual(all.at(-1));
    });

    describe('in the background', () => {
      const accepted = (changes: Partial<ExecutionStart> = {}) => anExecutionStart(changes);
      const begin = aLease();

      test('it begins and continues only for its leaseOwner', async () => {
        const store = await create();
        await store.start(accepted());
        expect(await store.acquireLease('e-1', begin)).toEqual({
          ...shown(accepted()),
          ...untouched,
          status: 'running',
          leaseOwner: 'arn-1',
          invocations: 1,
          leaseExpiresAt: begin.leaseExpiresAt,
          writes: 1,
        });
        await store.saveProgress('e-1', { status: 'waiting', nodes: [], leaseExpiresAt: 1 });
        expect(
          await store.acquireLease('e-1', aLease({ journalSize: 7, crashes: 2, invocations: 2 })),
        ).toMatchObject({
          status: 'running',
          invocations: 2,
          journalSize: 7,
          crashes: 2,
        });
        expect(await store.acquireLease('e-1', aLease({ ...begin, leaseOwner: 'arn-2' }))).toBeNull();
        expect(await store.find('e-1')).toMatchObject({ leaseOwner: 'arn-1', invocations: 2 });
      });

      test('one of many concurrent begins wins', async () => {
        const store = await create();
        await store.start(accepted());
        const begun = await Promise.all(
          Array.from({ length: 10 }, (_, at) =>
            store.acquireLease('e-1', { ...begin, leaseOwner: `leaseOwner-${at}` }),
          ),
        );
        expect(begun.filter((record) => record !== null)).toHaveLength(1);
      });

      test.each(['unknown', 'ended'])('one that is %s does not begin', async (which) => {
        const store = await create();
        if (which === 'ended') {
          await store.start(accepted());
          await store.finish('e-1', end({ status: 'cancelled' }));
        }
        expect(await store.acquireLease('e-1', begin)).toBeNull();
        expect(await store.redispatch('e-1', { redispatches: 1, leaseExpiresAt: 1 })).toBe(false);
        expect(await store.saveProgress('e-1', { status: 'running', nodes: [], leaseExpiresAt: 1 })).toBe(
          false,
        );
      });

      test('one that no process has begun is dispatched again, with a count, until one has', async () => {
        const store = await create();
        await store.start(accepted());
        expect(await store.redispatch('e-1', { redispatches: 1, leaseExpiresAt: 5 })).toBe(true);
        expect(await store.redispatch('e-1', { redispatches: 2, leaseExpiresAt: 6 })).toBe(true);
        expect(await store.find('e-1')).toMatchObject({
          status: 'accepted',
          redispatches: 2,
          leaseExpiresAt: 6,
        });
        await store.acquireLease('e-1', begin);
        expect(await store.redispatch('e-1', { redispatches: 3, leaseExpiresAt: 7 })).toBe(false);
        expect(await store.find('e-1')).toMatchObject({
          redispatches: 2,
          leaseExpiresAt: begin.leaseExpiresAt,
        });
      });

      test('progress without node records keeps the previous ones', async () => {
        const store = await create();
        await store.start(accepted());
        await store.acquireLease('e-1', begin);
        const nodes = [nodeRecord()];
        await store.saveProgress('e-1', { status: 'running', nodes, leaseExpiresAt: 1 });
        await store.saveProgress('e-1', { status: 'running', crashes: -1, leaseExpiresAt: 2 });
        expect(await store.find('e-1')).toMatchObject({ nodes, crashes: -1, leaseExpiresAt: 2 });
      });

      test('its progress is kept, and its checkpoints until there are more', async () => {
        const store = await create();
        await store.start(accepted({ retriedCheckpoints: 'j{}' }));
        const nodes = [nodeRecord(), nodeRecord({ nodeId: 'ask', status: 'waiting' })];
        expect(
          await store.saveProgress('e-1', { status: 'waiting', nodes, checkpoints: 'jm', leaseExpiresAt: 1 }),
        ).toBe(true);
        await store.saveProgress('e-1', { status: 'running', nodes, leaseExpiresAt: 1 });
        expect(await store.find('e-1')).toMatchObject({ status: 'running', nodes });
        expect(await store.findData('e-1')).toEqual({
          input: 'j{"body":1}',
          callbackKey: 'key-1',
          retriedCheckpoints: 'j{}',
          checkpoints: 'jm',
        });
      });

      test('a response is kept while it runs, until its end has another result', async () => {
        const store = await create();
        await store.start(accepted());
        await store.saveProgress('e-1', { status: 'running', result: 'j1', leaseExpiresAt: 1 });
        await store.saveProgress('e-1', { status: 'waiting', leaseExpiresAt: 1 });
        expect(await store.find('e-1')).toMatchObject({ status: 'waiting', result: 'j1' });
        await store.finish('e-1', end({ result: 'j2' }));
        expect(await store.find('e-1')).toMatchObject({ status: 'succeeded', result: 'j2' });
      });

      test('its input is moved to another place', async () => {
        const store = await create();
        await store.start(accepted());
        const places = { input: 'bown/input', retriedCheckpoints: 'bown/retried' };
        expect(await store.saveProgress('e-1', { status: 'running', leaseExpiresAt: 1, ...places })).toBe(
          true,
        );
        expect(await store.findData('e-1')).toMatchObject(places);
      });

      test('its result and checkpoints are kept at its end', async () => {
        const store = await create();
        await store.start(accepted());
        await store.finish('e-1', end({ status: 'failed', failure, result: 'j1', checkpoints: 'j2' }));
        expect(await store.find('e-1')).toMatchObject({ status: 'failed', failure, result: 'j1' });
        expect(await store.findData('e-1')).toMatchObject({ input: 'j{"body":1}', checkpoints: 'j2' });
      });

      test.each([undefined, null])(
        'an end with checkpoints %p keeps the previous ones',
        async (checkpoints) => {
          const store = await create();
          await store.start(accepted());
          await store.saveProgress('e-1', {
            status: 'waiting',
            nodes: [],
            checkpoints: 'jm',
            leaseExpiresAt: 1,
          });
          await store.finish('e-1', end(checkpoints === undefined ? {} : { checkpoints }));
          expect(await store.findData('e-1')).toMatchObject({ input: 'j{"body":1}', checkpoints: 'jm' });
        },
      );

      test('packed data is read back unchanged, compressed or not', async () => {
        const store = await create();
        const input = `z${Buffer.from('any bytes: \0\xff').toString('base64')}`;
        await store.start(accepted({ input, retriedCheckpoints: 'bkey' }));
        await store.finish('e-1', end({ result: input, checkpoints: input }));
        expect(await store.find('e-1')).toMatchObject({ result: input });
        expect(await store.findData('e-1')).toMatchObject({
          input,
          retriedCheckpoints: 'bkey',
          checkpoints: input,
        });
      });

      test('a second start keeps the data of the first', async () => {
        const store = await create();
        await store.start(accepted());
        await store.start(accepted({ startToken: 'another', callbackKey: 'another', input: 'j2' }));
        expect(await store.findData('e-1')).toMatchObject({ input: 'j{"body":1}', callbackKey: 'key-1' });
      });

      test('each of any number of callbacks is opened once', async () => {
        const store = await create();
        await store.start(accepted());
        const first = { callbackId: 'c-1', expiresAt: 1_900_000_000_000 };
        const long = 'each/0/1/'.repeat(300);
        await store.openCallback('e-1', 'ask/0/0', first);
        await store.openCallback('e-1', 'ask/0/0', { ...first, callbackId: 'c-2' });
        await store.openCallback('e-1', long, { ...first, callbackId: 'c-3' });
        expect(await store.findCallback('e-1', 'ask/0/0')).toEqual(first);
        expect(await store.findCallback('e-1', long)).toMatchObject({ callbackId: 'c-3' });
        expect(await store.findCallback('e-2', 'ask/0/0')).toBeNull();
        expect(await store.find('e-1')).toEqual({
          ...shown(accepted()),
          ...untouched,
          leaseExpiresAt: expect.any(Number),
        });
      });

      test('a callback that is asked again replaces the previous one, unless that is answered or newer', async () => {
        const store = await create();
        await store.start(accepted());
        const asked = (callbackId: string, openedAt: number) => ({
          callbackId,
          expiresAt: openedAt + 600_000,
          subject: {
            executionId: 'e-1',
            workflowId: 'orders',
            name: 'ask/0/0',
            openedAt,
            publicUrl: 'https://example.com',
            question: { title: callbackId },
          },
        });
        const at = 1_900_000_000_000;
        const open = (callback: ReturnType<typeof asked>) => store.openCallback('e-1', 'ask/0/0', callback);
        await open(asked('c-1', at));
        await open(asked('c-2', at + 1));
        expect(await store.findCallback('e-1', 'ask/0/0')).toEqual(asked('c-2', at + 1));
        await open(asked('c-1', at));
        expect(await store.findCallback('e-1', 'ask/0/0')).toEqual(asked('c-2', at + 1));
      });

      test('entries left out before its end stay counted', async () => {
        const store = await create();
        await store.start(accepted());
        await store.finish('e-1', end({ nodesOmitted: 5 }));
        expect(await store.find('e-1')).toMatchObject({ nodesOmitted: 5 });
      });

      test('one that has not begun can be withdrawn by its starter, and leaves nothing', async () => {
        const store = await create();
        await store.start(accepted());
        expect(await store.withdraw('e-1', 'another')).toBe(false);
        expect(await store.withdraw('e-1', 'token-1')).toBe(true);
        expect(await store.find('e-1')).toBeNull();
        expect(await store.findData('e-1')).toBeNull();
        expect(await dueIn(store, Number.MAX_SAFE_INTEGER / 2)).toEqual([]);
      });

      test('one that has begun cannot be withdrawn', async () => {
        const store = await create();
        await store.start(accepted());
        await store.acquireLease('e-1', begin);
        expect(await store.withdraw('e-1', 'token-1')).toBe(false);
      });

      test('the retry of an ended one is recorded, only in the place of the one that is named', async () => {
        const store = await create();
        await store.start(start());
        await store.finish('e-1', end());
        expect(await store.markRetried('e-1', 'r-1', null)).toBe(true);
        expect(await store.markRetried('e-1', 'r-1', null)).toBe(true); // repeated
        expect(await store.markRetried('e-1', 'r-2', null)).toBe(false);
        expect(await store.markRetried('e-1', 'r-2', 'r-0')).toBe(false);
        expect(await store.find('e-1')).toMatchObject({ retriedBy: 'r-1', status: 'succeeded' });
        expect(await store.markRetried('e-1', 'r-2', 'r-1')).toBe(true);
        expect(await store.markRetried('e-1', 'r-3')).toBe(true);
        expect(await store.find('e-1')).toMatchObject({ retriedBy: 'r-3' });
        expect(await store.markRetried('e-2', 'r-1')).toBe(false);
        expect(await store.find('e-2')).toBeNull();
      });

      test('what was edited in its input is in its record', async () => {
        const store = await create();
        const editedInput = { by: 'arn', changes: [{ path: '/body', from: 1, to: 2 }], changesOmitted: 1 };
        await store.start(start({ editedInput }));
        expect(await store.find('e-1')).toMatchObject({ editedInput });
      });

      test('it is due a quarter of an hour after its start, or later as the sweeper sets, until it has finished', async () => {
        const store = await create();
        const { startedAt } = accepted();
        for (const id of ['e-1', 'e-2', 'e-3']) await store.start(accepted({ executionId: id }));
        expect(await dueIn(store, startedAt + 899_999)).toEqual([]);
        expect([...(await dueIn(store, startedAt + 900_000))].sort()).toEqual(['e-1', 'e-2', 'e-3']);
        await store.acquireLease('e-1', aLease({ leaseOwner: 'o', leaseExpiresAt: startedAt + 1_500_000 }));
        await store.extendLease({ executionId: 'e-2', status: 'accepted' }, startedAt + 1_400_000);
        await store.finish('e-3', end());
        expect(await dueIn(store, startedAt + 1_399_999)).toEqual(['e-1']); // its lease is renewed: only the record says so
        await store.extendLease({ executionId: 'e-1', status: 'accepted' }, startedAt); // it has begun meanwhile
        expect(await store.find('e-1')).toMatchObject({ leaseExpiresAt: startedAt + 1_500_000 });
        await store.extendLease({ executionId: 'e-1', status: 'running' }, startedAt + 1_500_000);
        await store.extendLease({ executionId: 'e-3', status: 'accepted' }, startedAt + 1_500_000);
        expect(await dueIn(store, startedAt + 1_399_999)).toEqual([]);
        expect(await dueIn(store, startedAt + 1_500_000)).toEqual(['e-2', 'e-1']);
        expect(await store.find('e-2')).toMatchObject({ leaseExpiresAt: startedAt + 1_400_000 });
      });

      test.each(['inline', 'durable'] as const)(
        'the end of a run that is %s is due until it is published',
        async (mode) => {
          const store = await create();
          await store.start(accepted({ mode, status: mode === 'inline' ? 'running' : 'accepted' }));
          await store.finish('e-1', end({ isInOutbox: true }));
          expect(await store.find('e-1')).toMatchObject({ isInOutbox: true });
          expect(await dueIn(store, 1_700_001_000_000)).toEqual(['e-1']);
          await store.markPublished('e-1');
          await store.markPublished('e-1');
          expect(await dueIn(store, 1_700_001_000_000)).toEqual([]);
          expect(await store.find('e-1')).toMatchObject({ isInOutbox: false, status: 'succeeded' });
        },
      );
    });

    describe('recorded at its end', () => {
      test.each(['succeeded', 'failed'] as const)(
        'it equals one that was started and ended: %s',
        async (status) => {
          const store = await create();
          const ended = end({ status, failure: status === 'failed' ? failure : null, result: 'j1' });
          expect(await store.startAndFinish(start(), ended)).toBe(true);
          expect(await store.find('e-1')).toEqual({ ...shown(start()), ...untouched, ...ended, writes: 0 });
          expect(await dueIn(store, Number.MAX_SAFE_INTEGER / 2)).toEqual([]);
          const page = await store.list({ workflowId: 'orders', statuses: [status], limit: 1 });
          expect(page.executions).toMatchObject([{ executionId: 'e-1', status }]);
        },
      );

      test('it is recorded only once', async () => {
        const store = await create();
        await store.start(start());
        expect(await store.startAndFinish(start({ startToken: 'another' }), end())).toBe(false);
        expect(await store.find('e-1')).toMatchObject({ status: 'running' });
      });

      test('its request is kept with it, and its event in the outbox', async () => {
        const store = await create();
        await store.startAndFinish(start(), end({ status: 'failed', input: 'j7', isInOutbox: true }));
        expect(await store.findData('e-1')).toMatchObject({ input: 'j7', checkpoints: null });
        expect(await dueIn(store, 1_700_000_060_500)).toEqual(['e-1']);
        await store.markPublished('e-1');
        expect(await dueIn(store, 1_700_001_000_000)).toEqual([]);
      });
    });

    describe('lists', () => {
      const fill = async () => {
        const store = await create();
        for (let at = 0; at < 7; at++) {
          const id = `e-${at}`;
          await store.start(
            anExecutionStart({ executionId: id, startedAt: 1_700_000_000_000 + at, startToken: id }),
          );
          if (at % 2 === 0) await store.finish(id, end({ status: 'failed' }));
        }
        await store.start(anExecutionStart({ executionId: 'other', workflowId: 'shop' }));
        return store;
      };
      const ids = ({ executions }: ExecutionPage) =>
        executions.map(({ executionId }) => executionId).join(' ');

      test('of a workflow’s executions have the latest first, with the listed fields', async () => {
        const store = await fill();
        const page = await store.list({ workflowId: 'orders', limit: 100 });
        expect(ids(page)).toBe('e-6 e-5 e-4 e-3 e-2 e-1 e-0');
        expect(page.next).toBeNull();
        expect(page.executions[0]).toEqual({
          executionId: 'e-6',
          workflowId: 'orders',
          workflowVersion: 3,
          mode: 'durable',
          status: 'failed',
          startedAt: 1_700_000_000_006,
          endedAt: 1_700_000_000_500,
          held: null,
        });
      });

      test('are read page by page', async () => {
        const store = await fill();
        const first = await store.list({ workflowId: 'orders', limit: 3 });
        expect(ids(first)).toBe('e-6 e-5 e-4');
        const after = first.next ?? { part: '', at: '', executionId: '' };
        expect(after.executionId).toBe('e-4');
        const rest = await store.list({ workflowId: 'orders', limit: 100, after });
        expect([ids(rest), rest.next]).toEqual(['e-3 e-2 e-1 e-0', null]);
      });

      test('filter by status and time', async () => {
        const store = await fill();
        expect(ids(await store.list({ workflowId: 'orders', statuses: ['failed'], limit: 3 }))).toBe(
          'e-6 e-4 e-2',
        );
        const times = { from: 1_700_000_000_002, to: 1_700_000_000_004 };
        expect(ids(await store.list({ workflowId: 'orders', ...times, limit: 10 }))).toBe('e-4 e-3 e-2');
        expect(ids(await store.list({ workflowId: 'unknown', limit: 10 }))).toBe('');
      });

      test.each([
        [{ failureNode: null, failureName: 'Timeout' }, 'e-3 e-1'],
        [{ failureNode: 'pay', failureName: null }, 'e-5 e-1'],
        [{ failureNode: 'pay', failureName: 'Timeout' }, 'e-1'],
        [{ failureNode: 'pay', failureName: 'timeout' }, ''],
      ])('filter by failure, of one and of all workflows: %j', async (failure, expected) => {
        const store = await fill();
        for (const [id, nodeId, name] of [
          ['e-1', 'pay', 'Timeout'],
          ['e-3', 'ship', 'Timeout'],
          ['e-5', 'pay', 'HttpStatusError'],
        ] as const)
          await store.finish(id, end({ status: 'timedOut', failure: { nodeId, name, message: 'no' } }));
        for (const workflowId of ['orders', null])
          expect(ids(await store.list({ workflowId, failure, limit: 10 }))).toBe(expected);
        expect(
          ids(await store.list({ workflowId: null, failure, statuses: ['succeeded', 'running'], limit: 10 })),
        ).toBe('');
      });

      test('filter by the bulk retry that started them', async () => {
        const store = await fill();
        for (const [id, bulkRetryId] of [
          ['r-1', 'b-1'],
          ['r-2', 'b-2'],
          ['r-3', undefined],
        ] as const) {
          const retryOf = {
            executionId: 'e-1',
            fromNodeId: null,
            ...(bulkRetryId === undefined ? {} : { bulkRetryId }),
          };
          await store.start(anExecutionStart({ executionId: id, startToken: id, retryOf }));
        }
        for (const workflowId of ['orders', null])
          expect(ids(await store.list({ workflowId, bulkRetryId: 'b-1', limit: 10 }))).toBe('r-1');
      });
    });
  });
};

/**
 * What holds for hundreds of executions, or of callbacks of one; takes seconds.
 * @param create - makes an empty store
 */
export const describeExecutionStoreAtScale = (
  name: string,
  create: () => ExecutionStore | Promise<ExecutionStore>,
) => {
  describe(`${name} handles many executions`, () => {
    test('an execution that waits for thousands of answers can end', async () => {
      const store = await create();
      await store.start(anExecutionStart());
      await store.acquireLease('e-1', aLease());
      const nodes = Array.from({ length: 600 }, (_, at) =>
        nodeRecord({ nodeId: 'ask', within: `each/0/${at}`, status: 'waiting', input: 'x'.repeat(400) }),
      );
      const open = (at: number) =>
        store.openCallback('e-1', `each/0/${at}/ask/0/0`, {
          callbackId: 'c'.repeat(300),
          expiresAt: 1_900_000_000_000,
        });
      const limit = pLimit(AT_ONCE);
      await Promise.all(nodes.map((_node, at) => limit(open, at)));
      expect(await store.saveProgress('e-1', { status: 'waiting', nodes, leaseExpiresAt: 1 })).toBe(true);
      const packed = `j${'p'.repeat(11_000)}`;
      const parts = { input: packed, result: packed, checkpoints: packed };
      const closed = failOpenNodes(nodes, 1_700_000_002_000, failure); // which keep what they got, unlike open ones
      const cancelled = end({ status: 'cancelled', nodes: closed, failure, ...parts });
      expect(await store.finish('e-1', cancelled)).toBe(true);
      expect(await store.find('e-1')).toMatchObject({ status: 'cancelled' });
    });

    test('held ones are found separately from the others, however many there are', async () => {
      const store = await create();
      const { startedAt } = anExecutionStart();
      const ids = Array.from({ length: cases(120, 450) }, (_, at) => `w-${at}`);
      const limit = pLimit(AT_ONCE);
      const wait = async (executionId: string) => {
        await store.start(anExecutionStart({ executionId, startToken: executionId }));
        await store.acquireLease(executionId, aLease());
        await store.saveProgress(executionId, { status: 'waiting', nodes: [], leaseExpiresAt: startedAt });
        await store.extendLease({ executionId, status: 'waiting' }, startedAt);
      };
      await Promise.all(ids.map((executionId) => limit(wait, executionId)));
      await store.start(anExecutionStart());
      const now = startedAt + 900_000;
      expect(await dueIn(store, now, ['active'])).toEqual(['e-1']);
      expect((await dueIn(store, now, ['waiting'])).sort()).toEqual(ids.sort());
      await store.acquireLease('w-7', aLease());
      await store.extendLease({ executionId: 'w-7', status: 'running' }, startedAt);
      expect((await dueIn(store, now, ['active'])).sort()).toEqual(['e-1', 'w-7']);
    });
  });
};
