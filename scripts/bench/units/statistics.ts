import { createJsonClient } from '../../../lib/adapters/dynamodb/json-client.ts';
import { createStatisticsStore } from '../../../lib/adapters/dynamodb/statistics/statistics-store.ts';
import { tableNames } from '../../../lib/adapters/dynamodb/table-names.ts';
import { noUsage } from '../../../lib/executions/cost/usage.ts';
import type { Happening } from '../../../lib/executions/statistics/counts.ts';
import type { StatisticsUnits } from '../../cost/billed-run.ts';
import { tablePrefix } from '../bench-service.ts';
import { startCountingDatabase } from './count-units.ts';

const FIVE_MINUTES = 300_000;
const HOUR = Date.UTC(2026, 0, 1);

/** What an express run of three pure nodes used. */
const usage = {
  ...noUsage,
  billed: {
    ...noUsage.billed,
    requests: 1,
    invocations: 2,
    gigabyteSeconds: 0.0363,
    writeUnits: 7,
    readUnits: 3.5,
    logBytes: 2_700,
  },
};

/** How many executions of a workflow end in a shard within five minutes. */
const RATES = [1, 10, 20, 100, 1_000];
const NODES = [3, 20] as const;

/** The units of an hour's statistics for each rate: twelve batches of one workflow in one shard. Deterministic. */
export const countStatistics = async (): Promise<readonly StatisticsUnits[]> => {
  const database = await startCountingDatabase();
  const client = createJsonClient({ region: 'local', endpoint: database.endpoint });
  const store = createStatisticsStore(client, tableNames(tablePrefix), { now: () => HOUR });
  const writeUnits = async (rate: number, nodes: number): Promise<number> => {
    database.take();
    let sequence = 1n;
    for (let batch = 0; batch < 12; batch++) {
      const changes = Array.from({ length: rate }, (_, at) => {
        const run = { workflowId: `rate-${rate}-${nodes}`, at: HOUR + batch * FIVE_MINUTES };
        const durations = Array.from({ length: nodes }, (_one, node) => spread(batch * rate + at, node));
        const happenings: Happening[] = [
          { kind: 'started', ...run },
          {
            kind: 'ended',
            ...run,
            status: 'succeeded',
            durationMs: durations.reduce((sum, ms) => sum + ms, 0),
            usage,
            nodes: durations.map((durationMs, node) => ({
              nodeId: `node-${node}`,
              status: 'succeeded',
              durationMs,
            })),
          },
        ];
        sequence += 1n;
        return { sequence, happenings };
      });
      await store.add(`shard-${rate}-${nodes}`, changes);
    }
    return database.take().writeUnits / (12 * rate);
  };
  const counted: StatisticsUnits[] = [];
  for (const rate of RATES) {
    const [small = 0, large = 0] = [await writeUnits(rate, NODES[0]), await writeUnits(rate, NODES[1])];
    counted.push({ rate, writeUnits: [small, large] });
  }
  await database.stop();
  return counted;
};

/** Durations from 20 ms on; one in a hundred takes sixteen times as long. */
const spread = (run: number, node: number): number => {
  const tail = run % 100 === 99 ? 4 : 0;
  return Math.round((20 + node) * 2 ** (((run * 7 + node) % 10) / 10 + tail));
};
