import type { MigrationParts, MigrationReport } from '../lib/adapters/dynamodb/stored-data/migrate.ts';
import { toColumns } from './execution-text.ts';

export interface MigrationOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

interface Parts {
  readonly migrate: (
    options: Pick<MigrationParts, 'isDryRun' | 'sleep' | 'onPage'>,
  ) => Promise<MigrationReport>;
  readonly print: (text: string) => void;
  readonly note: (text: string) => void;
  readonly sleep: MigrationParts['sleep'];
}

/** Migrates and prints what was done. @returns a sentence on why it is incomplete; null when complete */
export const runMigration = async (
  { dryRun = false, json = false }: MigrationOptions,
  { migrate, print, note, sleep }: Parts,
): Promise<string | null> => {
  const report = await migrate({
    isDryRun: dryRun,
    sleep,
    onPage: (table, read) => {
      if (read >= PROGRESS_FROM) note(`${table}: ${read} items read`);
    },
  });
  print(json ? JSON.stringify(report, null, 2) : describe(report));
  return findProblem(report);
};

/** Smaller tables are read quickly, without progress. */
const PROGRESS_FROM = 1_000;

const describe = ({ version, isDryRun, tables }: MigrationReport): string =>
  [
    ...toColumns([
      ['TABLE', 'VERSIONS FOUND', isDryRun ? 'TO MIGRATE' : 'MIGRATED'],
      ...tables.map(({ table, found, migrated, unread }) => [
        table,
        Object.entries(found)
          .map(([of, count]) => `${of}: ${count}`)
          .join(', ') || '-',
        String(isDryRun ? countOthers(found, version) - unread : migrated),
      ]),
    ]),
    `The current version is ${version}.`,
  ].join('\n');

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
