import type { Clock } from '@hookloom/plugin-kit';
import { createCache } from '../../shared/cache.ts';
import { boundNotice, type NoticeStore, type Notices, noticeIdOf, type StoredNotice } from './notice.ts';
import { isFor, type Receiver } from './receiver.ts';

/** How long the list of open notices is cached to find those that end. */
const LISTED_MS = 10_000;

/** Raises and settles notices, for the functions that find something out. The next tick, within a minute, sends what is due. */
export const createNotices = ({
  store,
  findReceivers,
  clock,
}: {
  readonly store: Pick<NoticeStore, 'raise' | 'settle' | 'list'>;
  /** All receivers; cached. @throws AppError `STORE_UNAVAILABLE` */
  readonly findReceivers: () => Promise<readonly Receiver[]>;
  readonly clock: Pick<Clock, 'now'>;
}): Notices => {
  const lookUp = createCache<readonly StoredNotice[]>({ ttlMs: LISTED_MS, maxEntries: 1, clock });
  let hasRaised = false;
  return {
    raise: async (notice) => {
      const receivers = await findReceivers();
      if (!receivers.some((receiver) => isFor(receiver, notice))) return;
      hasRaised = true;
      await store.raise(boundNotice(notice));
    },
    settle: async (notice, at) => {
      if ((await findReceivers()).length === 0) return;
      const id = noticeIdOf(boundNotice({ ...notice, message: '', at }));
      const listed = await lookUp('all', () => store.list(), hasRaised);
      hasRaised = false;
      if (listed.some((open) => open.id === id && open.settledAt === null)) await store.settle(id, at);
    },
  };
};
