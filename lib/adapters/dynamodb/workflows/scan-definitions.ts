import type { WorkflowDefinition } from '../../../workflows/definition/definition.ts';
import { readJson, readText, text } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { checkVersions } from '../schema/schema.ts';
import { translateErrors } from '../translate-error.ts';

interface DefinitionPage {
  /** Includes removed workflows. */
  readonly ids: readonly string[];
  readonly definitions: readonly WorkflowDefinition[];
  /** Where the next page starts; null at the end. */
  readonly next: string | null;
}

/**
 * Reads a page of 1 MB of the current versions of all workflows.
 * @param after - the workflow id after which the page starts, which need not exist; null for the first page
 * @throws AppError `STORE_UNAVAILABLE` | `DATA_VERSION_UNSUPPORTED`
 */
export const scanDefinitions = async (
  client: DynamoDbClient,
  TableName: string,
  after: string | null,
): Promise<DefinitionPage> => {
  const { Items = [], LastEvaluatedKey } = await translateErrors(
    client.scan({
      TableName,
      ProjectionExpression: 'workflowId, #definition, #schema',
      ExpressionAttributeNames: { '#definition': 'definition', '#schema': 'schema' }, // reserved words
      ExclusiveStartKey: after === null ? undefined : { workflowId: text(after) },
    }),
  );
  await checkVersions(TableName, Items);
  return {
    ids: Items.map((item) => readText(item, 'workflowId')),
    // Removed workflows have none.
    definitions: Items.filter(({ definition }) => definition !== undefined).map((item) =>
      readJson<WorkflowDefinition>(item, 'definition'),
    ),
    next: LastEvaluatedKey === undefined ? null : readText(LastEvaluatedKey, 'workflowId'),
  };
};
