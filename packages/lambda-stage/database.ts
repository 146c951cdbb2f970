// A DynamoDB in this process: its client, its tables, and the changes of their items.

export { createClient } from './src/database/client.ts';
export { ensureTable, TABLE_WAITING } from './src/database/ensure-table.ts';
export type { EmbeddedDatabase } from './src/database/open-items.ts';
export { StartError } from './src/database/start-error.ts';
export { AT_ONCE, type OnChange, watchChanges, withStore } from './src/database/watch-changes.ts';
