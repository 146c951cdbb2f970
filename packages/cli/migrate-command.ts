import { createSdk, createSdkClient } from '../../lib/adapters/dynamodb/sdk-client.ts';
import { createListIndexes } from '../../lib/adapters/dynamodb/stored-data/check-stored-data.ts';
import { type MigrationReport, migrateStoredData } from '../../lib/adapters/dynamodb/stored-data/migrate.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import type { TargetContext } from './command.ts';
import { CommandError } from './command-error.ts';
import { printTable } from './table.ts';

interface MigrationOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/**
 * Rewrites the items of the tables themselves, which no function may do: the only command that opens a store.
 *
 * @throws CommandError when it is incomplete
 */
export const runMigration = async (
  { dryRun = false, json = false }: MigrationOptions,
  { io, target: { tablePrefix, dynamodbEndpoint } }: TargetContext,
): Promise<void> => {
  const sdk = createSdk(dynamodbEndpoint ?? undefined);
  try {
    const ofEngine = `${tablePrefix}-local-durable`; // only on this machine
    const hasEngine = dynamodbEndpoint !== null && (await createListIndexes(sdk)(ofEngine)) !== null;
    const report = await migrateStoredData({
      client: createSdkClient(sdk),
      tables: tableNames(tablePrefix),
      others: hasEngine ? { [ofEngine]: ['arn', 'part'] } : {},
      isDryRun: dryRun,
      sleep: io.sleep,
      onPage: (table, read) => {
        if (read >= PROGRESS_FROM) io.note(`${table}: ${read} items read`);
      },
    });
    if (json) io.print(JSON.stringify(report, null, 2));
    else printReport(report, io);
    const problem = findProblem(report);
    if (problem !== null) throw new CommandError(problem);
  } finally {
    sdk.destroy();
  }
};

/** Smaller tables are read quickly, without progress. */
const PROGRESS_FROM = 1_000;

const printReport = ({ version, isDryRun, tables }: MigrationReport, io: TargetContext['io']): void => {
  const rows = tables.map(({ table, found, migrated, unread }) => [
    table,
    Object.entries(found)
      .map(([of, count]) => `${of}: ${count}`)
      .join(', ') || '-',
    String(isDryRun ? countOthers(found, version) - unread : migrated),
  ]);
  printTable({ titles: ['TABLE', 'VERSIONS FOUND', isDryRun ? 'TO MIGRATE' : 'MIGRATED'], rows }, io);
  io.print(`The current version is ${version}.`);
};

const countOthers = (found: Readonly<Record<string, number>>, version: number): number =>
  Object.entries(found).reduce((sum, [of, count]) => (Number(of) === version ? sum : sum + count), 0);

const findProblem = ({ isDryRun, tables }: MigrationReport): string | null => {
  const sum = (name: 'unread' | 'skipped') => tables.reduce((total, table) => total + table[name], 0);
  if (sum('unread') > 0)
    return `${sum('unread')} items have versions that this release can't read and are left unchanged: see docs/stored-data.md.`;
  if (!isDryRun && sum('skipped') > 0)
    return `${sum('skipped')} items changed during the migration. Run the command again to migrate them.`;
  return null;
};
