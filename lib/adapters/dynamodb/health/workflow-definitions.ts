import type { StoredWorkflows } from '../../../health/stored-facts.ts';
import type { WorkflowDefinition } from '../../../workflows/definition/definition.ts';
import type { DynamoDbClient } from '../client.ts';
import type { TableNames } from '../table-names.ts';
import { scanDefinitions } from '../workflows/scan-definitions.ts';

/** Pages of 1 MB, which hold some thousand workflows. */
const MAX_PAGES = 8;
const TURN_MS = 5_000;

interface ListOptions {
  readonly maxPages?: number;
  readonly now?: () => number;
}

/**
 * Lists the current versions of all workflows, up to the limit. If there are more, half as many further pages are read
 * from a different place each time, so that every workflow is in some list.
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const createListDefinitions =
  (
    client: DynamoDbClient,
    { workflows }: Pick<TableNames, 'workflows'>,
    { maxPages = MAX_PAGES, now = Date.now }: ListOptions = {},
  ) =>
  async (): Promise<StoredWorkflows> => {
    const ids = new Set<string>();
    const definitions: WorkflowDefinition[] = [];
    const read = async (pages: number, start: string | null): Promise<boolean> => {
      let after = start;
      for (let page = 0; page < pages; page++) {
        const { next, ...found } = await scanDefinitions(client, workflows, after);
        definitions.push(...found.definitions.filter(({ id }) => !ids.has(id)));
        for (const id of found.ids) ids.add(id);
        if (next === null) return true;
        after = next;
      }
      return false;
    };
    const isComplete = await read(maxPages, null);
    // Items are ordered by a hash of their keys, so any key marks a place among them.
    if (!isComplete) await read(Math.ceil(maxPages / 2), `turn-${Math.floor(now() / TURN_MS)}`);
    return { ids: [...ids], definitions, isComplete };
  };
