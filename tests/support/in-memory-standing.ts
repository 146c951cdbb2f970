import type { Expiring } from '../../lib/health/find-expiries.ts';
import type { Notice, NoticeIdentity, Notices } from '../../lib/health/notices/notice.ts';
import type { Standing, StandingStore } from '../../lib/health/standing-store.ts';

/** What sweeps have found, and the notices that they raised and settled, as `+ message` and `- subject cause`. */
export const inMemoryStanding = () => {
  let stored: Standing = { silences: [], expiries: [], historyReadAt: 0 };
  let puts = 0;
  const told: string[] = [];
  const standing: StandingStore = {
    find: async () => structuredClone(stored),
    put: async (next) => {
      stored = structuredClone(next);
      puts += 1;
    },
  };
  const notices: Notices = {
    raise: async ({ message }: Notice) => void told.push(`+ ${message}`),
    settle: async ({ subject, cause }: NoticeIdentity) => void told.push(`- ${subject} ${cause}`),
  };
  const expiring: Expiring[] = [];
  return {
    standing,
    /** What expires. */
    expiring,
    listExpiring: async () => [...expiring],
    notices,
    /** What was told since the last call. */
    told: () => told.splice(0),
    puts: () => puts,
  };
};
