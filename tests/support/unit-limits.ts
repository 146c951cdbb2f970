import type { Clock } from '@hookloom/plugin-kit';
import type { KeyUnits } from './dynamodb-units.ts';
import { createRates } from './rates.ts';

export type Access = 'Read' | 'Write';

/**
 * Units per second.
 *
 * - of a partition, so of a partition key at most:
 *   https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
 * - of a new table or index that is billed on demand:
 *   https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html
 */
export const AWS_LIMITS = {
  key: { Read: 3_000, Write: 1_000 },
  newTable: { Read: 12_000, Write: 4_000 },
} as const;

export interface UnitLimits {
  /** By the clock that a test moves, or by that of this machine. */
  readonly clock: Pick<Clock, 'now'>;
  /** Of AWS's limits, such as 0.01: what a machine can't send in a second is slower, too. 1 when absent. */
  readonly scale?: number;
  /** Absent: those of AWS. */
  readonly limits?: Readonly<Record<'key' | 'newTable', Readonly<Record<Access, number>>>>;
}

/**
 * What is left of each second's units. As on AWS a call is let in while there are any, whatever it takes; what it takes too
 * much is missing from the next seconds.
 */
export const createUnitLimits = ({ clock, scale = 1, limits = AWS_LIMITS }: UnitLimits) => {
  const bucketOf = createRates(clock);

  /** Of the partition key, where one is named, and of its table or index. */
  const bucketsOf = (table: string, access: Access, { index, key }: Pick<KeyUnits, 'index' | 'key'>) => {
    const resource = `${access} ${table}/${index ?? ''}`;
    return [
      bucketOf(resource, limits.newTable[access] * scale),
      ...(key === SCANNED ? [] : [bucketOf(`${resource}/${key}`, limits.key[access] * scale)]),
    ];
  };

  return {
    /** The first of the keys that must wait; undefined for none. */
    findExhausted: (table: string, access: Access, keys: readonly KeyUnits[]): KeyUnits | undefined =>
      keys.find((key) => bucketsOf(table, access, key).some(({ left }) => left <= 0)),
    take: (table: string, access: Access, keys: readonly KeyUnits[]): void => {
      for (const key of keys) for (const bucket of bucketsOf(table, access, key)) bucket.left -= key.units;
    },
  };
};

/** In place of a partition key: a scan reads those of all items. */
export const SCANNED = '(scan)';
