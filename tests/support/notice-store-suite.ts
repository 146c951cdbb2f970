import { describe, expect, test } from '@jest/globals';
import { type Notice, type NoticeStore, noticeIdOf } from '../../lib/health/notices/notice.ts';

export const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

export const aNotice = (changes: Partial<Notice> = {}): Notice => ({
  kind: 'failure',
  subject: 'workflow:orders',
  cause: 'pay NodeError the payment was refused',
  message: 'NodeError: the payment was refused',
  at: NOW,
  executionId: 'e-1',
  nodeId: 'pay',
  ...changes,
});

const { at: _at, ...stored } = aNotice();
const first = {
  ...stored,
  id: noticeIdOf(stored),
  count: 1,
  firstAt: NOW,
  lastAt: NOW,
  settledAt: null,
  sent: {},
};

/** The contract of {@link NoticeStore}. @param create - makes an empty one */
export const describeNoticeStore = (name: string, create: () => Promise<NoticeStore>) => {
  describe(`${name} counts notices`, () => {
    test('a notice is open once it is raised, and counted when it is raised again', async () => {
      const store = await create();
      expect(await store.list()).toEqual([]);
      expect(await store.raise(aNotice())).toEqual(first);
      const again = await store.raise(aNotice({ executionId: 'e-2', at: NOW + 5, message: 'refused' }));
      expect(again).toEqual({ ...first, count: 2, lastAt: NOW + 5, executionId: 'e-2', message: 'refused' });
      expect(await store.list()).toEqual([again]);
    });

    test('kind, subject and cause tell notices apart', async () => {
      const store = await create();
      const others = [{ kind: 'silence' }, { subject: 'workflow:mail' }, { cause: 'pay Timeout' }] as const;
      for (const other of [{}, ...others]) await store.raise(aNotice(other));
      expect((await store.list()).map(({ count }) => count)).toEqual([1, 1, 1, 1]);
    });

    test('a report that is repeated is not counted twice', async () => {
      const store = await create();
      await store.raise(aNotice());
      expect(await store.raise(aNotice())).toEqual(first);
    });

    test('a notice without an execution is counted each time', async () => {
      const store = await create();
      const { executionId: _id, nodeId: _node, ...silence } = aNotice({ kind: 'silence' });
      await store.raise(silence);
      expect(await store.raise({ ...silence, at: NOW + 1 })).toMatchObject({ count: 2, lastAt: NOW + 1 });
    });

    test('500 failures at once are all counted', async () => {
      const store = await create();
      const raised = Array.from({ length: 500 }, (_, at) => store.raise(aNotice({ executionId: `e-${at}` })));
      await Promise.all(raised);
      expect(await store.list()).toMatchObject([{ count: 500 }]);
    });

    test('is over once it is settled, and begins anew when it is raised later', async () => {
      const store = await create();
      const { id } = await store.raise(aNotice());
      expect(await store.settle(id, NOW - 1)).toBe(false);
      expect(await store.settle(id, NOW + 10)).toBe(true);
      expect(await store.settle(id, NOW + 20)).toBe(false);
      expect(await store.settle('unknown', NOW)).toBe(false);
      const late = await store.raise(aNotice({ executionId: 'e-2', at: NOW + 10 }));
      expect(late).toEqual({ ...first, settledAt: NOW + 10 });
      const reopened = await store.raise(aNotice({ executionId: 'e-3', at: NOW + 11 }));
      expect(reopened).toEqual({ ...first, executionId: 'e-3', firstAt: NOW + 11, lastAt: NOW + 11 });
      expect(await store.list()).toEqual([reopened]);
    });

    test('what each receiver was sent is kept at the notice, and lost with it', async () => {
      const store = await create();
      const { id } = await store.raise(aNotice());
      const sent = { firstAt: NOW, count: 1, isSettled: false, at: NOW + 1 };
      await store.markSent(id, 'mail/notice', sent);
      await store.markSent(id, 'chat/notice', { ...sent, count: 2 });
      await store.markSent('unknown', 'mail/notice', sent);
      const again = await store.raise(aNotice({ executionId: 'e-2' }));
      expect(again.sent).toEqual({ 'mail/notice': sent, 'chat/notice': { ...sent, count: 2 } });
      expect(await store.list()).toEqual([again]);
      expect([await store.hasAny(), await store.remove(first), await store.remove(again)]).toEqual([
        true,
        false,
        true,
      ]);
      expect([await store.list(), await store.hasAny(), await store.remove(again)]).toEqual([
        [],
        false,
        false,
      ]);
    });

    test('one of many processes stores the next message of a receiver', async () => {
      const store = await create();
      expect(await store.findReceiver('mail/notice')).toBeNull();
      const outgoing = {
        message: { text: 'm'.repeat(20_000) },
        marks: { n: { ...first, isSettled: true, at: 1 } },
      };
      const toState = (at: number) => ({ number: 1, sentAt: at, outgoing });
      const puts = [1, 2, 3, 4].map((at) => store.putReceiver('mail/notice', toState(at), 0));
      const stored = (await Promise.all(puts)).indexOf(true) + 1;
      expect((await Promise.all(puts)).filter(Boolean)).toHaveLength(1);
      expect(await store.findReceiver('mail/notice')).toEqual(toState(stored));
      const cleared = { number: 1, sentAt: stored, outgoing: null };
      expect(await store.putReceiver('mail/notice', cleared, 1)).toBe(true);
      expect(await store.findReceiver('mail/notice')).toEqual(cleared);
      expect(await store.putReceiver('mail/notice', { ...cleared, number: 3 }, 2)).toBe(false);
      expect(await store.putReceiver('mail/notice', { ...cleared, number: 2 }, 1)).toBe(true);
      expect(await store.list()).toEqual([]);
    });
  });
};
