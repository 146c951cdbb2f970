import { definePlugin } from '@hookloom/plugin-kit';
import { aggregate } from './aggregate.ts';
import { batch } from './batch.ts';
import { compareLists } from './compare-lists.ts';
import { limit } from './limit.ts';
import { noOp } from './no-op.ts';
import { pick } from './pick.ts';
import { removeDuplicates } from './remove-duplicates.ts';
import { renameKeys } from './rename-keys.ts';
import { sort } from './sort.ts';
import { splitOut } from './split-out.ts';
import { stopAndError } from './stop-and-error.ts';
import { summarize } from './summarize.ts';

/** Nodes that reshape lists and maps; all are pure. */
export default definePlugin({
  id: 'data',
  name: 'Data',
  version: '1.0.0',
  description: 'Sorts, groups, splits and compares lists, and reshapes maps',
  category: 'data',
  handles: [
    sort,
    limit,
    removeDuplicates,
    aggregate,
    summarize,
    splitOut,
    batch,
    pick,
    renameKeys,
    compareLists,
    noOp,
    stopAndError,
  ],
});
