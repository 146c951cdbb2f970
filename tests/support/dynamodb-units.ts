import { isDeepStrictEqual } from 'node:util';
import type {
  AttributeValue,
  CreateTableCommandInput,
  GlobalSecondaryIndex,
  KeySchemaElement,
} from '@aws-sdk/client-dynamodb';
import { itemSize } from '../../lib/adapters/dynamodb/item-size.ts';

export type Item = Readonly<Record<string, AttributeValue>>;

/** Of a table, what its units depend on. */
export type TableDefinition = Pick<
  CreateTableCommandInput,
  'TableName' | 'KeySchema' | 'GlobalSecondaryIndexes'
>;

/** Units that one partition key takes. */
export interface KeyUnits {
  /** Null for the table itself. */
  readonly index: string | null;
  /** The value of the partition key. */
  readonly key: string;
  readonly units: number;
}

/** {@link writeUnitsByKey} together: what is billed. */
export const computeWriteUnits = (before: Item | null, after: Item | null, table: TableDefinition): number =>
  writeUnitsByKey(before, after, table).reduce((sum, { units }) => sum + units, 0);

/**
 * What one write takes: a unit per 1,024 bytes begun of the larger of the two items, at least one, also when its
 * condition fails; and the same again for each entry of an index that it puts, changes or removes.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations.Writes
 *
 * @param before - null when there was no item
 * @param after - null when there is none any more
 * @param key - of the item; needed where there is neither
 */
export const writeUnitsByKey = (
  before: Item | null,
  after: Item | null,
  { KeySchema = [], GlobalSecondaryIndexes = [] }: TableDefinition,
  key: Item = after ?? before ?? {},
): readonly KeyUnits[] => {
  const units = Math.max(toUnits(before), toUnits(after), 1);
  return [
    { index: null, key: partitionKeyOf(key, KeySchema), units },
    ...GlobalSecondaryIndexes.flatMap((index) =>
      entryUnits(toEntry(before, index, KeySchema), toEntry(after, index, KeySchema), index),
    ),
  ];
};

/** Half a unit per 4,096 bytes begun, or a whole one when the read is consistent; also where there is no item. */
export const computeReadUnits = (item: Item | null, isConsistent: boolean): number =>
  computeQueryUnits(item === null ? [] : [item], isConsistent);

/** A page of a query or a scan: its items together, before a filter or a projection leaves anything out. */
export const computeQueryUnits = (items: readonly Item[], isConsistent = false): number =>
  Math.max(1, Math.ceil(items.reduce((sum, item) => sum + itemSize(item), 0) / 4_096)) *
  (isConsistent ? 1 : 0.5);

/** The value of an item's partition key. */
export const partitionKeyOf = (item: Item, schema: readonly KeySchemaElement[] = []): string =>
  String(Object.values(item[hashNameOf(schema)] ?? {})[0]);

/** The name of a partition key. */
export const hashNameOf = (schema: readonly KeySchemaElement[] = []): string =>
  schema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName ?? '';

const toUnits = (item: Item | null): number => (item === null ? 0 : Math.ceil(itemSize(item) / 1_024));

/** An entry under another key is a new one: the old one is removed. */
const entryUnits = (
  old: Item | null,
  fresh: Item | null,
  { IndexName = '', KeySchema }: GlobalSecondaryIndex,
): readonly KeyUnits[] => {
  if (isDeepStrictEqual(old, fresh)) return [];
  const unitsOf = (entry: Item, units: number): KeyUnits => ({
    index: IndexName,
    key: partitionKeyOf(entry, KeySchema),
    units,
  });
  const isMoved = keyNames(KeySchema).some((name) => !isDeepStrictEqual(old?.[name], fresh?.[name]));
  if (!isMoved && fresh !== null) return [unitsOf(fresh, Math.max(toUnits(old), toUnits(fresh)))];
  return [old, fresh].flatMap((entry) => (entry === null ? [] : [unitsOf(entry, toUnits(entry))]));
};

/** What an index holds of an item; null for one without the attributes of the index's key. */
const toEntry = (
  item: Item | null,
  { KeySchema, Projection }: GlobalSecondaryIndex,
  tableKey: readonly KeySchemaElement[],
): Item | null => {
  const key = keyNames(KeySchema);
  if (item === null || key.some((name) => item[name] === undefined)) return null;
  if (Projection?.ProjectionType === 'ALL') return item;
  const names = new Set([...key, ...keyNames(tableKey), ...(Projection?.NonKeyAttributes ?? [])]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
};

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html */
const OVERHEAD_BYTES = 100;

/** Bytes that an item is billed for while it is stored: its own, those of its entries in indexes, and an overhead for each. */
export const storedSize = (
  item: Item,
  { KeySchema = [], GlobalSecondaryIndexes = [] }: TableDefinition,
): number => {
  const entries = GlobalSecondaryIndexes.map((index) => toEntry(item, index, KeySchema));
  return [item, ...entries].reduce(
    (sum, one) => sum + (one === null ? 0 : OVERHEAD_BYTES + itemSize(one)),
    0,
  );
};

const keyNames = (schema: readonly KeySchemaElement[] = []): string[] =>
  schema.map(({ AttributeName = '' }) => AttributeName);
