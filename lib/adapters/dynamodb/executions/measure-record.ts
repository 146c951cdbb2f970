import { itemSize } from '../item-size.ts';
import { getItem, onTable } from '../items.ts';

/** Measures the record of an execution, without its data. @returns bytes; 0 if there is none. @throws AppError `STORE_UNAVAILABLE` */
export const createMeasureRecord = onTable(
  'executions',
  (table) =>
    async (executionId: string): Promise<number> =>
      itemSize((await getItem(table, { executionId }, false)) ?? {}),
);
