import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** As the stores have it. */
type Item = Readonly<Record<string, AttributeValue>>;

/** The version of the schema that items are written in. docs/stored-data.md lists them, and says what a new one needs. */
export const SCHEMA_VERSION = 4;

/** Read besides, from this version on: what has been released before, and what was built from `main` since. */
export const OLDEST_VERSION = 2;

/** For items that do not say it: the first release to write it had version 3. */
export const UNSTATED_VERSION = 2;

/** What every item says. */
export const WRITTEN = { schema: { N: String(SCHEMA_VERSION) } };

/** In an update that may make the item: one that exists says what it said. */
export const STATES_VERSION = '#schema = if_not_exists(#schema, :schema)';

/** The attributes that {@link versionOf} reads. */
export const VERSION_ATTRIBUTES = ['schema', 'startToken', 'retentionSeconds'];

/** The version that an item was written in. Records of version 1, which have a start token, do not say how long they are kept. */
export const versionOf = ({ schema, startToken, retentionSeconds }: Item): number =>
  Number(schema?.N ?? (startToken && !retentionSeconds ? 1 : UNSTATED_VERSION));

/**
 * The door for all items that are read.
 *
 * @throws AppError `DATA_VERSION_UNSUPPORTED`
 */
export const checkVersions = async (table: string | undefined, items: readonly Item[]): Promise<void> => {
  for (const item of items) {
    const version = versionOf(item);
    if (!(version >= OLDEST_VERSION && version <= SCHEMA_VERSION))
      throw (await import('./version-error.chunk.ts')).toVersionError(table, version, [
        OLDEST_VERSION,
        SCHEMA_VERSION,
      ]);
  }
};
