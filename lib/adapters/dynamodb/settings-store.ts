import type { Setting, Settings, SettingsReader, SettingsStore } from '../../shared/settings/settings.ts';
import { longJson, readLongJson, readNumber } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { getItem, ifStill, putItem } from './items.ts';
import type { TableNames } from './table-names.ts';

type Tables = Pick<TableNames, 'settings'>;

const readSetting = async <Name extends keyof Settings>(
  client: DynamoDbClient,
  { settings: TableName }: Tables,
  name: Name,
  isConsistent: boolean,
): Promise<Setting<Settings[Name]>> => {
  const item = await getItem({ client, TableName }, { name }, isConsistent);
  if (item === null) return { content: [], revision: 0 };
  return {
    content: readLongJson<Settings[Name]>(item, 'content', []),
    revision: readNumber(item, 'revision'),
  };
};

/** Reads the settings that {@link createSettingsStore} stores. */
export const createSettingsReader = (client: DynamoDbClient, tables: Tables): SettingsReader => ({
  find: (name) => readSetting(client, tables, name, false),
});

/** One item per setting; every change is conditional on the previous revision. */
export const createSettingsStore = (client: DynamoDbClient, tables: Tables): SettingsStore => ({
  ...createSettingsReader(client, tables),

  findLatest: (name) => readSetting(client, tables, name, true),

  put: (name, { content, revision }) =>
    putItem(
      { client, TableName: tables.settings },
      { name },
      { content: longJson(content), revision },
      ifStill('revision', revision === 1 ? null : revision - 1, 'name'),
    ),
});
