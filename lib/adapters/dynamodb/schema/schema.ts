import type { AttributeValue } from '@aws-sdk/client-dynamodb';

type Item = Readonly<Record<string, AttributeValue>>;

/** The version of the schema that items are written in. docs/stored-data.md lists them, and says what a new one needs. */
export const SCHEMA_VERSION = 4;

/** The oldest version that is still read. */
export const OLDEST_VERSION = 2;

/** The version of items that do not state one: the first release to write it had version 3. */
export const UNSTATED_VERSION = 2;

/** The attribute that every written item has. */
export const WRITTEN = { schema: { N: String(SCHEMA_VERSION) } };

/** The update expression for an update that may create the item; an existing item keeps its version. */
export const STATES_VERSION = '#schema = if_not_exists(#schema, :schema)';

/** The attributes that {@link versionOf} reads. */
export const VERSION_ATTRIBUTES = ['schema', 'startToken', 'retentionSeconds'];

/**
 * The version that an item was written in. Records of version 1 are recognised by having a start token but not saying
 * how long they are kept.
 */
export const versionOf = ({ schema, startToken, retentionSeconds }: Item): number =>
  Number(schema?.N ?? (startToken && !retentionSeconds ? 1 : UNSTATED_VERSION));

/**
 * Checks every item that is read.
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
