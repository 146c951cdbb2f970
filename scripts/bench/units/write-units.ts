import { isDeepStrictEqual } from 'node:util';
import type {
  AttributeValue,
  CreateTableCommandInput,
  GlobalSecondaryIndex,
  KeySchemaElement,
} from '@aws-sdk/client-dynamodb';

export type Item = Readonly<Record<string, AttributeValue>>;

/** Of a table, what its write units depend on. */
export type TableDefinition = Pick<
  CreateTableCommandInput,
  'TableName' | 'KeySchema' | 'GlobalSecondaryIndexes'
>;

/**
 * What one write is billed: a unit per 1,024 bytes begun of the larger of the two items, at least one, also when its
 * condition fails; and the same again for each entry of an index that it puts, changes or removes.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
 *
 * @param before - null when there was no item
 * @param after - null when there is none any more
 */
export const computeWriteUnits = (
  before: Item | null,
  after: Item | null,
  { KeySchema = [], GlobalSecondaryIndexes = [] }: TableDefinition,
): number => {
  const tableUnits = Math.max(toUnits(before), toUnits(after), 1);
  const indexUnits = GlobalSecondaryIndexes.map((index) => {
    const [old, fresh] = [before, after].map((item) => toEntry(item, index, KeySchema));
    return entryUnits(old ?? null, fresh ?? null, index);
  });
  return indexUnits.reduce((sum, units) => sum + units, tableUnits);
};

/** Half a unit per 4,096 bytes begun, or a whole one when the read is consistent. */
export const computeReadUnits = (item: Item | null, isConsistent: boolean): number =>
  Math.max(1, Math.ceil(itemSize(item ?? {}) / 4_096)) * (isConsistent ? 1 : 0.5);

/** A query of an index: half a unit per 4,096 bytes of its items together. */
export const computeQueryUnits = (items: readonly Item[]): number =>
  Math.max(1, Math.ceil(items.reduce((sum, item) => sum + itemSize(item), 0) / 4_096)) * 0.5;

const toUnits = (item: Item | null): number => (item === null ? 0 : Math.ceil(itemSize(item) / 1_024));

/** An entry under another key is a new one: the old one is removed. */
const entryUnits = (old: Item | null, fresh: Item | null, { KeySchema }: GlobalSecondaryIndex): number => {
  if (isDeepStrictEqual(old, fresh)) return 0;
  const isMoved = keyNames(KeySchema).some((name) => !isDeepStrictEqual(old?.[name], fresh?.[name]));
  return isMoved ? toUnits(old) + toUnits(fresh) : Math.max(toUnits(old), toUnits(fresh));
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

const keyNames = (schema: readonly KeySchemaElement[] = []): string[] =>
  schema.map(({ AttributeName = '' }) => AttributeName);

/**
 * Bytes of an item as DynamoDB counts them.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export const itemSize = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0);

const valueSize = ({ S, N, B, L, M, SS }: AttributeValue): number => {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return Math.ceil(N.replace(/\D/g, '').length / 2) + 1;
  // As JSON, bytes are base64.
  if (B !== undefined) return Buffer.from(B as unknown as string, 'base64').byteLength;
  if (L !== undefined) return 3 + L.reduce((sum, value) => sum + 1 + valueSize(value), 0);
  if (M !== undefined) return 3 + Object.keys(M).length + itemSize(M);
  if (SS !== undefined) return SS.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return 1; // a boolean or null
};
