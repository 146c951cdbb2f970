import {
  type NoticeStore,
  noticeIdOf,
  type ReceiverState,
  type StoredNotice,
} from '../../lib/health/notices/notice.ts';

/** Notices, for tests whose race is elsewhere. */
export const inMemoryNotices = (): NoticeStore => {
  const items = new Map<string, StoredNotice>();
  const receivers = new Map<string, ReceiverState>();
  const put = (notice: StoredNotice) => {
    items.set(notice.id, notice);
    return notice;
  };
  return {
    raise: async ({ at, ...notice }) => {
      const id = noticeIdOf(notice);
      const known = items.get(id);
      if (known === undefined)
        return put({ ...notice, id, count: 1, firstAt: at, lastAt: at, settledAt: null, sent: {} });
      if (notice.executionId !== undefined && notice.executionId === known.executionId) return known;
      if (known.settledAt === null) return put({ ...known, ...notice, count: known.count + 1, lastAt: at });
      if (at <= known.settledAt) return known;
      return put({ ...known, ...notice, count: 1, firstAt: at, lastAt: at, settledAt: null });
    },
    settle: async (id, at) => {
      const known = items.get(id);
      if (known === undefined || known.settledAt !== null || known.lastAt > at) return false;
      put({ ...known, settledAt: at });
      return true;
    },
    list: async () => [...items.values()],
    hasAny: async () => items.size > 0,
    remove: async ({ id, lastAt, count }) => {
      const known = items.get(id);
      return known?.lastAt === lastAt && known.count === count && items.delete(id);
    },
    markSent: async (id, receiver, sent) => {
      const known = items.get(id);
      if (known !== undefined) put({ ...known, sent: { ...known.sent, [receiver]: sent } });
    },
    findReceiver: async (name) => receivers.get(name) ?? null,
    putReceiver: async (name, state, before) => {
      if ((receivers.get(name)?.number ?? 0) !== before) return false;
      receivers.set(name, state);
      return true;
    },
  };
};
