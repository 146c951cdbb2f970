import { createNoticeStore } from '../../adapters/dynamodb/notices/notice-store.ts';
import { createRegistrationStore } from '../../adapters/dynamodb/registrations/registration-store.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import { createNotices } from '../../health/notices/raise-notices.ts';
import { type Receiver, toReceiver } from '../../health/notices/receiver.ts';
import { createCache } from '../../shared/cache.ts';
import { NOTICE_TRIGGER } from '../../shared/notice-kinds.ts';

/** How long those that raise notices cache the receivers. */
const RECEIVERS_MS = 60_000;

/** Raises and settles notices; without a receiver, at the cost of one read a minute. */
export const openNotices = ({ client, tables }: StageTables) => {
  const { listOfType } = createRegistrationStore(client, tables, systemClock);
  const lookUp = createCache<readonly Receiver[]>({ ttlMs: RECEIVERS_MS, maxEntries: 1, clock: systemClock });
  return createNotices({
    store: createNoticeStore(client, tables),
    findReceivers: () =>
      lookUp(NOTICE_TRIGGER, async () => (await listOfType(NOTICE_TRIGGER)).map(toReceiver)),
    clock: systemClock,
  });
};
