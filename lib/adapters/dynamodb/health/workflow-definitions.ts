import type { StoredWorkflows } from '../../../health/stored-facts.ts';
import type { WorkflowDefinition } from '../../../workflows/definition/definition.ts';
import { type Item, readJson, readText } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { checkVersions } from '../schema/schema.ts';
import type { TableNames } from '../table-names.ts';
import { translateErrors } from '../translate-error.ts';

/** Pages of 1 MB: some thousand workflows. */
const MAX_PAGES = 8;

/**
 * Lists the current versions of all workflows, up to the bound.
 *
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const createListDefinitions =
  (
    client: DynamoDbClient,
    { workflows }: Pick<TableNames, 'workflows'>,
    { maxPages = MAX_PAGES }: { readonly maxPages?: number } = {},
  ) =>
  async (): Promise<StoredWorkflows> => {
    const items: Item[] = [];
    let from: Item | undefined;
    for (let page = 0; page < maxPages; page++) {
      const { Items = [], LastEvaluatedKey } = await translateErrors(
        client.scan({
          TableName: workflows,
          ProjectionExpression: 'workflowId, #definition, #schema',
          ExpressionAttributeNames: { '#definition': 'definition', '#schema': 'schema' }, // reserved words
          ExclusiveStartKey: from,
        }),
      );
      await checkVersions(workflows, Items);
      items.push(...Items);
      from = LastEvaluatedKey;
      if (from === undefined) break;
    }
    return {
      ids: items.map((item) => readText(item, 'workflowId')),
      // Removed ones have none.
      definitions: items
        .filter(({ definition }) => definition !== undefined)
        .map((item) => readJson<WorkflowDefinition>(item, 'definition')),
      isComplete: from === undefined,
    };
  };
