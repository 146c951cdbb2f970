import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@hookloom/plugin-kit';
import type { InternalServer } from '../net/listen.ts';
import type { ProcessPool } from '../pool/process-pool.ts';
import { createDeliver, type Deliver, DISPATCH } from './deliver.ts';
import { createQueues, type DeliverBatch, type Queues } from './queues.ts';
import { createRules } from './rules.ts';
import { createSchedules } from './schedules.ts';
import { startSourcesServer } from './sources-server.ts';
import { openSourcesStore, type SourcesStore } from './sources-state.ts';

interface Settings {
  /** Where the state is stored; null for in memory. */
  readonly file: string | null;
  readonly pool: Pick<ProcessPool, 'invoke'>;
  readonly log: (line: string) => void;
}

/** The trigger sources and their APIs. */
interface Sources extends InternalServer {
  readonly queues: Queues;
}

/** Starts the trigger sources on this machine: a clock for schedules, an event bus, queues, and their APIs. */
export const startSources = async ({ file, pool, log }: Settings): Promise<Sources> => {
  const store = openSourcesStore(file);
  const queues = createQueues(store, createDeliverBatch(pool), log);
  return serveSources(store, queues, createDeliver(pool, queues.bury, log));
};

/** Starts the trigger sources with the given queues and delivery. */
export const serveSources = async (
  store: SourcesStore,
  queues: Queues,
  deliver: Deliver,
): Promise<Sources> => {
  const schedules = createSchedules(store, deliver);
  const server = await startSourcesServer({ schedules, rules: createRules(store, deliver), queues });
  schedules.resume();
  queues.resume();
  return {
    endpoint: server.endpoint,
    queues,
    stop: async () => {
      schedules.stop();
      queues.stop();
      await server.stop();
    },
  };
};

const createDeliverBatch =
  (pool: Pick<ProcessPool, 'invoke'>): DeliverBatch =>
  async (event, messageIds) => {
    try {
      const answer = await pool.invoke({ functionKey: DISPATCH, event, requestId: randomUUID() });
      return readFailures(answer as JsonObject);
    } catch {
      return messageIds;
    }
  };

export const readFailures = ({ batchItemFailures }: JsonObject): readonly string[] =>
  (batchItemFailures as readonly { readonly itemIdentifier: string }[]).map(
    ({ itemIdentifier }) => itemIdentifier,
  );
