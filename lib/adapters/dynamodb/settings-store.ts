import type { Setting, Settings, SettingsReader, SettingsStore } from '../../shared/settings/settings.ts';
import { type Item, longJson, number, readLongJson, readNumber, text } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { getItem, putItem, sameAs } from './items.ts';
import type { TableNames } from './table-names.ts';

type Tables = Pick<TableNames, 'settings'>;

const read = async <Name extends keyof Settings>(
  client: DynamoDbClient,
  { settings: TableName }: Tables,
  name: Name,
  ConsistentRead: boolean,
): Promise<Setting<Settings[Name]>> => {
  const item = await getItem(client, { TableName, Key: { name: text(name) }, ConsistentRead });
  if (item === null) return { content: [], revision: 0 };
  return {
    content: readLongJson<Settings[Name]>(item, 'content', []),
    revision: readNumber(item, 'revision'),
  };
};

/** Reads the settings that {@link createSettingsStore} stores. */
export const createSettingsReader = (client: DynamoDbClient, tables: Tables): SettingsReader => ({
  find: (name) => read(client, tables, name, false),
});

/** One item per setting; every change is conditional on the previous revision. */
export const createSettingsStore = (client: DynamoDbClient, tables: Tables): SettingsStore => ({
  ...createSettingsReader(client, tables),

  findLatest: (name) => read(client, tables, name, true),

  put: (name, { content, revision }) => {
    const Key = { name: text(name) };
    const Item: Item = { ...Key, content: longJson(content), revision: number(revision) };
    const condition =
      revision === 1
        ? {
            ConditionExpression: 'attribute_not_exists(#name)',
            ExpressionAttributeNames: { '#name': 'name' },
          }
        : {
            ConditionExpression: 'revision = :before',
            ExpressionAttributeValues: { ':before': number(revision - 1) },
          };
    return putItem(client, { TableName: tables.settings, Key, Item, ...condition }, sameAs(Item));
  },
});
