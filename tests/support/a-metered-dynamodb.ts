import { itemSize } from '../../lib/adapters/dynamodb/item-size.ts';
import { readTableDefinitions } from '../../packages/local/database/tables.ts';
import {
  type DynamoDbAnswer,
  type DynamoDbCall,
  type Forward,
  startDynamoDbProxy,
} from './a-dynamodb-proxy.ts';
import { findInvalidExpression } from './dynamodb-expressions.ts';
import {
  computeQueryUnits,
  computeReadUnits,
  hashNameOf,
  type Item,
  type KeyUnits,
  partitionKeyOf,
  type TableDefinition,
  writeUnitsByKey,
} from './dynamodb-units.ts';
import { type Access, createUnitLimits, SCANNED, type UnitLimits } from './unit-limits.ts';

/** Units of a partition key of a table or an index. */
export interface MeteredKey {
  /** Without the prefix: `executions`, `executions/bySweep`. */
  readonly resource: string;
  readonly key: string;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** What DynamoDB bills, and where it would be hot. */
export interface Metered {
  readonly reads: number;
  readonly writes: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Refused calls, by the reason. */
  readonly throttled: Readonly<Record<string, number>>;
  /** The one with the most units first. */
  readonly keys: readonly MeteredKey[];
}

type Input = DynamoDbCall['input'];

const WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items */
const MAX_ITEM_BYTES = 400 * 1_024;

/**
 * A proxy before the embedded DynamoDB that counts units by partition key, as AWS documents them, and refuses what is beyond
 * AWS's limits. Calls pass one after the other: each write is enclosed in reads of its item, which do not count. Pages of 1 MB
 * are dynalite's own.
 *
 * @param tablePrefix - of the tables of serverless.yml
 * @param limits - absent: units are counted, and none refused
 */
export const startMeteredDynamoDb = async (endpoint: string, tablePrefix: string, limits?: UnitLimits) => {
  const tables = new Map(readTableDefinitions(tablePrefix).map((table) => [table.TableName ?? '', table]));
  const limiter = limits === undefined ? null : createUnitLimits(limits);
  const keys = new Map<string, MeteredKey>();
  let throttled: Record<string, number> = {};
  let calls = { reads: 0, writes: 0 };

  /** Throws the answer of a call that must wait. */
  const admit = (name: string, access: Access, units: readonly KeyUnits[]): void => {
    const exhausted = limiter?.findExhausted(name, access, units);
    if (exhausted === undefined) return;
    const reason = `${exhausted.index === null ? 'Table' : 'Index'}${access}KeyRangeThroughputExceeded`;
    throttled[reason] = (throttled[reason] ?? 0) + 1;
    throw new Refusal('ThrottlingException', exhausted.index === null ? TABLE_BUSY : INDEX_BUSY, {
      throttlingReasons: [{ reason, resource: arnOf(name, exhausted.index) }],
    });
  };

  const take = (name: string, access: Access, units: readonly KeyUnits[]): void => {
    limiter?.take(name, access, units);
    for (const { index, key, units: taken } of units) {
      const table = name.slice(tablePrefix.length + 1);
      const resource = index === null ? table : `${table}/${index}`;
      const known = keys.get(`${resource}/${key}`) ?? { resource, key, readUnits: 0, writeUnits: 0 };
      const field = access === 'Read' ? 'readUnits' : 'writeUnits';
      keys.set(`${resource}/${key}`, { ...known, [field]: known[field] + taken });
    }
  };

  const read = async (call: DynamoDbCall, forward: Forward): Promise<DynamoDbAnswer> => {
    const { operation, input } = call;
    const name = String(input.TableName);
    const index = typeof input.IndexName === 'string' ? input.IndexName : null;
    const key = findKey(call, tableOf(name));
    admit(name, 'Read', [{ index, key, units: 0 }]);
    const answer = await forward(call);
    if (answer.status !== 200) return answer;
    const whole = isPartial(input) ? await forward({ operation, input: wholeOf(input) }) : answer;
    const { Item: item = null, Items } = JSON.parse(whole.body);
    const isConsistent = input.ConsistentRead === true;
    const units =
      Items === undefined ? computeReadUnits(item, isConsistent) : computeQueryUnits(Items, isConsistent);
    take(name, 'Read', [{ index, key, units }]);
    return answer;
  };

  /** Each item is a read. What must wait is left to the caller, unless all of it must. */
  const readBatch = async ({ operation, input }: DynamoDbCall, forward: Forward): Promise<DynamoDbAnswer> => {
    const [request, ...others] = Object.entries(input.RequestItems as Record<string, BatchRequest>);
    if (request === undefined || others.length > 0) throw new Error('a batch is metered of one table alone');
    const [name, { Keys, ...options }] = request;
    const { KeySchema } = tableOf(name);
    const keyOf = (item: Item): KeyUnits => ({ index: null, key: partitionKeyOf(item, KeySchema), units: 0 });
    const isExhausted = (item: Item) => limiter?.findExhausted(name, 'Read', [keyOf(item)]) !== undefined;
    const admitted = Keys.filter((item) => !isExhausted(item));
    if (admitted.length === 0) admit(name, 'Read', Keys.map(keyOf));
    const batch = (given: object): DynamoDbCall => ({
      operation,
      input: { ...input, RequestItems: { [name]: { ...given, Keys: admitted } } },
    });
    const answer = await forward(batch(options));
    if (answer.status !== 200) return answer;
    const whole = isPartial(options) ? await forward(batch(wholeOf(options))) : answer;
    const found = new Map<string, Item>(
      JSON.parse(whole.body).Responses[name].map((item: Item) => [toKeyText(item, tableOf(name)), item]),
    );
    const isConsistent = options.ConsistentRead === true;
    const units = admitted.map((item) => ({
      ...keyOf(item),
      units: computeReadUnits(found.get(toKeyText(item, tableOf(name))) ?? null, isConsistent),
    }));
    take(name, 'Read', units);
    if (admitted.length === Keys.length) return answer;
    const left = { ...options, Keys: Keys.filter((item) => !admitted.includes(item)) };
    const body = { ...JSON.parse(answer.body), UnprocessedKeys: { [name]: left } };
    return { ...answer, body: JSON.stringify(body) };
  };

  const write = async (call: DynamoDbCall, forward: Forward): Promise<DynamoDbAnswer> => {
    const name = String(call.input.TableName);
    const table = tableOf(name);
    const key = pickKey((call.input.Key ?? call.input.Item) as Item, table);
    const find = async (): Promise<Item | null> => {
      const input = { TableName: name, Key: key, ConsistentRead: true };
      return JSON.parse((await forward({ operation: 'GetItem', input })).body).Item ?? null;
    };
    admit(name, 'Write', [{ index: null, key: partitionKeyOf(key, table.KeySchema), units: 0 }]);
    const before = await find();
    const answer = await forward(call);
    if (answer.body.includes('ConditionalCheckFailedException')) {
      take(name, 'Write', writeUnitsByKey(before, before, table, key));
      return answer;
    }
    if (answer.status !== 200) return answer;
    const after = await find();
    const units = writeUnitsByKey(before, after, table, key);
    try {
      if (after !== null && itemSize(after) > MAX_ITEM_BYTES)
        throw new Refusal('ValidationException', 'Item size has exceeded the maximum allowed size');
      // An index that is throttled refuses the write to its table.
      // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations
      admit(name, 'Write', units);
    } catch (error) {
      // What becomes of an index is known only afterwards: the write is taken back before any other call passes.
      if (before === null) await forward({ operation: 'DeleteItem', input: { TableName: name, Key: key } });
      else await forward({ operation: 'PutItem', input: { TableName: name, Item: before } });
      throw error;
    }
    take(name, 'Write', units);
    return answer;
  };

  const tableOf = (name: string): TableDefinition => {
    const table = tables.get(name);
    if (table === undefined) throw new Error(`there is no table ${name} in serverless.yml`);
    return table;
  };

  const meter = async (call: DynamoDbCall, forward: Forward): Promise<DynamoDbAnswer> => {
    const { operation, input } = call;
    const isWrite = WRITES.has(operation);
    if (!isWrite && !['GetItem', 'BatchGetItem', 'Query', 'Scan'].includes(operation)) {
      if (/Item|Transact|Statement/.test(operation)) throw new Error(`${operation} is not metered`);
      return forward(call);
    }
    calls = isWrite ? { ...calls, writes: calls.writes + 1 } : { ...calls, reads: calls.reads + 1 };
    const invalid = findInvalidExpression(input);
    if (invalid !== null) throw new Refusal('ValidationException', invalid);
    if (isWrite) return write(call, forward);
    return operation === 'BatchGetItem' ? readBatch(call, forward) : read(call, forward);
  };

  let last: Promise<unknown> = Promise.resolve();
  const proxy = await startDynamoDbProxy(endpoint, (call, forward) => {
    const answer = last.then(() => meter(call, forward)).catch(toAnswer);
    last = answer.catch(() => {});
    return answer;
  });

  return {
    endpoint: proxy.endpoint,
    /** Returns what was counted, and starts at zero again. */
    take: (): Metered => {
      const found = [...keys.values()].sort(
        (a, b) => b.writeUnits + b.readUnits - a.writeUnits - a.readUnits,
      );
      const sum = (field: 'readUnits' | 'writeUnits') => found.reduce((total, key) => total + key[field], 0);
      const taken = {
        ...calls,
        readUnits: sum('readUnits'),
        writeUnits: sum('writeUnits'),
        throttled,
        keys: found,
      };
      keys.clear();
      throttled = {};
      calls = { reads: 0, writes: 0 };
      return taken;
    },
    stop: proxy.stop,
  };
};

interface BatchRequest {
  readonly Keys: readonly Item[];
  readonly [option: string]: unknown;
}

/** What DynamoDB says of capacity. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html */
const TABLE_BUSY =
  'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html.';
const INDEX_BUSY =
  'Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is automatically scaling your index so please try again shortly.';

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ThrottlingReason.html */
class Refusal extends Error {
  readonly body: string;

  constructor(type: string, message: string, details: object = {}) {
    super(message);
    this.body = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message, ...details });
  }
}

const toAnswer = (error: unknown): DynamoDbAnswer => {
  if (error instanceof Refusal) return { status: 400, body: error.body };
  throw error;
};

const arnOf = (table: string, index: string | null): string =>
  `arn:aws:dynamodb:local:000000000000:table/${table}${index === null ? '' : `/index/${index}`}`;

/** Whether it returns less than it reads. */
const isPartial = ({ ProjectionExpression, AttributesToGet, FilterExpression, Select }: Input): boolean =>
  [ProjectionExpression, AttributesToGet, FilterExpression, Select].some((value) => value !== undefined);

/** The same read, with all that it reads as its answer. */
const wholeOf = (input: Input): Input => {
  const { ProjectionExpression, AttributesToGet, FilterExpression, Select, ...whole } = input;
  const { ExpressionAttributeNames, ExpressionAttributeValues, ...others } = whole;
  const used = String(input.KeyConditionExpression ?? '');
  const keep = (given: unknown) => {
    const entries = Object.entries(given ?? {}).filter(([name]) => isNamed(name, used));
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
  return {
    ...others,
    ExpressionAttributeNames: keep(ExpressionAttributeNames),
    ExpressionAttributeValues: keep(ExpressionAttributeValues),
  };
};

const isNamed = (name: string, expression: string): boolean =>
  [...expression.matchAll(/[#:]?\w+/g)].some(([used]) => used === name);

/** The partition key of a read. */
const findKey = ({ operation, input }: DynamoDbCall, table: TableDefinition): string => {
  if (operation === 'Scan') return SCANNED;
  if (operation === 'GetItem') return partitionKeyOf(input.Key as Item, table.KeySchema);
  const index = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === input.IndexName);
  const hashName = hashNameOf(index?.KeySchema ?? table.KeySchema);
  const names = (input.ExpressionAttributeNames ?? {}) as Readonly<Record<string, string>>;
  const values = (input.ExpressionAttributeValues ?? {}) as Item;
  for (const [, name = '', value = ''] of String(input.KeyConditionExpression).matchAll(
    /(#?\w+)\s*=\s*(:\w+)/g,
  )) {
    if ((names[name] ?? name) === hashName) return String(Object.values(values[value] ?? {})[0]);
  }
  throw new Error(`no partition key in ${input.KeyConditionExpression}`);
};

const pickKey = (item: Item, { KeySchema = [] }: TableDefinition): Item =>
  Object.fromEntries(
    KeySchema.flatMap(({ AttributeName = '' }) => {
      const value = item[AttributeName];
      return value === undefined ? [] : [[AttributeName, value]];
    }),
  );

const toKeyText = (item: Item, table: TableDefinition): string => JSON.stringify(pickKey(item, table));
