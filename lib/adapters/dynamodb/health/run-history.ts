import type { NodeRecord } from '../../../engine/result.ts';
import type { ObservedExecution, OpenRuns } from '../../../health/sample-runs.ts';
import { type Item, readLongJson, readNumber, readText, text } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { toIso, workflowPartitions } from '../executions/execution-item.ts';
import { readRecords } from '../executions/read-records.ts';
import type { TableNames } from '../table-names.ts';
import { translateErrors } from '../translate-error.ts';

/** Reads a workflow's executions from the index, latest first, and the nodes of each record. */
export const createOpenRuns =
  (client: DynamoDbClient, { executions }: Pick<TableNames, 'executions'>): OpenRuns =>
  (workflowId, from) => {
    let next: Item | undefined;
    const [first = workflowId, sample = workflowId] = workflowPartitions(workflowId);
    let partition = first;
    const query = (limit: number) =>
      translateErrors(
        client.query({
          TableName: executions,
          IndexName: 'byWorkflow',
          ScanIndexForward: false,
          Limit: limit,
          KeyConditionExpression: 'workflowId = :workflowId AND startedAt >= :from',
          ExpressionAttributeValues: { ':workflowId': text(partition), ':from': text(toIso(from)) },
          ExclusiveStartKey: next,
        }),
      );
    return {
      read: async (limit) => {
        let found = await query(limit);
        // For a high-volume workflow, one of its partitions is enough of a sample.
        if (found.Items?.length === 0 && partition !== sample) {
          partition = sample;
          found = await query(limit);
        }
        next = found.LastEvaluatedKey;
        const ids = (found.Items ?? []).map((item) => readText(item, 'executionId'));
        const records = await readRecords(client, executions, ids, ['executionId', 'nodes', 'nodesOmitted']);
        return { executions: records.map(toObserved), hasMore: next !== undefined };
      },
    };
  };

/** Reads a record without the nodes' data, which is most of it. */
const toObserved = (item: Item): ObservedExecution => ({
  nodes: readLongJson<NodeRecord[]>(item, 'nodes', []).map(({ type, status, failure }) =>
    failure === undefined ? { type, status } : { type, status, failure },
  ),
  nodesOmitted: readNumber(item, 'nodesOmitted', 0),
});
