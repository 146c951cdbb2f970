import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import type { ExpiringTable } from './tables.ts';

/** DynamoDB keeps items that expired longer ago, in seconds: their attribute may be something else. */
const FIVE_YEARS = 5 * 365 * 86_400;

/**
 * Removes the items whose time to live is over, as DynamoDB does within days; dynalite does not. An item that has got more
 * time meanwhile stays.
 *
 * @param now - milliseconds since the epoch
 */
export const removeExpired = async (
  client: DynamoDBClient,
  tables: readonly ExpiringTable[],
  now: number,
): Promise<void> => {
  const seconds = Math.floor(now / 1_000);
  const values = { ':first': { N: String(seconds - FIVE_YEARS) }, ':now': { N: String(seconds) } };
  for (const { name: TableName, keys, attribute } of tables) {
    const expression = '#expiresAt BETWEEN :first AND :now';
    const names = {
      ExpressionAttributeNames: { '#expiresAt': attribute },
      ExpressionAttributeValues: values,
    };
    const scan = { TableName, FilterExpression: expression, ...names };
    for await (const { Items = [] } of paginateScan({ client }, scan)) {
      for (const item of Items) {
        const Key = Object.fromEntries(Object.entries(item).filter(([name]) => keys.includes(name)));
        const remove = new DeleteItemCommand({ TableName, Key, ConditionExpression: expression, ...names });
        await client.send(remove).catch((error: unknown) => {
          if (!(error instanceof ConditionalCheckFailedException)) throw error;
        });
      }
    }
  }
};

const INTERVAL_MS = 3_600_000;

/** Removes expired items each hour. A pass that fails is logged; the next one catches up. */
export const startExpiry = (remove: (now: number) => Promise<void>, log: (line: string) => void) => {
  let running = Promise.resolve();
  let isStopped = false;
  const timer = setInterval(() => {
    running = running
      .then(() => (isStopped ? undefined : remove(Date.now())))
      .catch((error: Error) => {
        if (!isStopped) log(`expired items: ${error.message}`);
      });
  }, INTERVAL_MS).unref();
  return {
    /** Resolves when nothing is being removed. */
    stop: async (): Promise<void> => {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
};
