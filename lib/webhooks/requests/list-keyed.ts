import { toDeliveryId } from '../../executions/deliveries/claim-delivery.ts';
import { executionIdOfRequest } from '../../executions/deliveries/to-execution-id.ts';
import type { DeliveryStore } from '../../executions/delivery-store.ts';
import {
  type ListPorts,
  type ListQuery,
  listExecutions,
} from '../../executions/lifecycle/list-executions.ts';
import {
  type ExecutionRecord,
  type ExecutionStore,
  hasFailedAs,
} from '../../executions/record/execution-store.ts';
import { QUERY_INVALID } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { PublishedWorkflow, WorkflowStore } from '../../workflows/definition/workflow-store.ts';
import { toKeyInTrigger } from '../delivery-key.ts';

type KeyedListQuery = ListQuery & { readonly key: string | null };

export interface KeyedListPorts extends ListPorts {
  readonly executions: Pick<ExecutionStore, 'list' | 'find'>;
  readonly workflows: Pick<WorkflowStore, 'find'>;
  readonly deliveries: Pick<DeliveryStore, 'find'>;
}

/**
 * Lists executions. The one of a request is found by its id, with one read; the one of a delivery by its claim, with
 * one read per trigger of the current version: for as long as the claim is kept, and unless the trigger's path has
 * parameters, since keys are then scoped to each path.
 *
 * @throws AppError `QUERY_INVALID` | `STORE_UNAVAILABLE`
 */
export const listKeyed = async (
  { key, ...query }: KeyedListQuery,
  parts: KeyedListPorts,
): ReturnType<typeof listExecutions> => {
  const { workflowId, status, request, bulkRetryId, from, to } = query;
  if (key !== null && workflowId === null)
    throw new AppError(QUERY_INVALID, { reason: 'key requires workflowId' });
  if (key === null && (request === null || workflowId !== null)) return listExecutions(query, parts);
  const executionIds =
    key === null || workflowId === null
      ? [executionIdOfRequest(request ?? '')]
      : await findClaimed(workflowId, key, parts);
  const found = await Promise.all(executionIds.map((id) => parts.executions.find(id)));
  const isWanted = (record: ExecutionRecord | null): record is ExecutionRecord =>
    record !== null &&
    (status.length === 0 || status.includes(record.status)) &&
    (request === null || record.requestId === request) &&
    (bulkRetryId === null || record.retryOf?.bulkRetryId === bulkRetryId) &&
    hasFailedAs(record, query) &&
    record.startedAt >= (from ?? 0) &&
    record.startedAt <= (to ?? Number.POSITIVE_INFINITY);
  const executions = found.filter(isWanted).sort((a, b) => b.startedAt - a.startedAt);
  return { executions, nextCursor: null };
};

const findClaimed = async (
  workflowId: string,
  key: string,
  { workflows, deliveries }: KeyedListPorts,
): Promise<readonly string[]> => {
  const workflow = await workflows.find(workflowId);
  const ids = workflow === null ? [] : toDeliveryIds(workflow, key);
  const claims = await Promise.all(ids.map((id) => deliveries.find(id)));
  return claims.flatMap((claim) => (claim === null ? [] : [claim.executionId]));
};

/**
 * Returns the possible ids of a keyed delivery: webhook triggers have a key per method; triggers fired by events have
 * no path config and no predecessor.
 */
const toDeliveryIds = (workflow: PublishedWorkflow, key: string): readonly string[] => {
  const { definition, pathConfigs } = workflow;
  const ofWebhooks = pathConfigs
    .filter(({ pattern }) => pattern === undefined)
    .map((config) => [config.triggerNodeId, toKeyInTrigger(key, { workflow, config })] as const);
  const others = definition.nodes
    .filter(({ id }) => !pathConfigs.some(({ triggerNodeId }) => triggerNodeId === id))
    .filter(({ id }) => !definition.connections.some(({ targetNodeId }) => targetNodeId === id))
    .map(({ id }) => [id, key] as const);
  const ids = [...ofWebhooks, ...others].map(([nodeId, own]) => toDeliveryId(definition.id, nodeId, own));
  return [...new Set(ids)];
};
