import { type NoticeStore, noticeIdOf, type StoredNotice } from '../../lib/health/notices/notice.ts';

/** Notices, for tests whose race is elsewhere. */
export const inMemoryNotices = (): NoticeStore => {
  const items = new Map<string, StoredNotice>();
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
  };
};
