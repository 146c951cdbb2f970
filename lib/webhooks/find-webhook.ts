import { isId } from '../contract/ids.ts';
import { AppError } from '../shared/errors.ts';
import type { PathConfig } from '../workflows/definition/path-config.ts';
import type { PublishedWorkflow, WorkflowStore } from '../workflows/definition/workflow-store.ts';
import type { WebhookRequest } from './webhook-request.ts';

/** The trigger that a request fires. */
export interface Webhook {
  readonly workflow: PublishedWorkflow;
  readonly config: PathConfig;
}

/**
 * Finds the webhook that a request is for: the workflow by its id first, then the path inside it, then the method.
 * There is no index of paths across workflows, so that knowing a path is worth nothing without the id.
 * @throws AppError `NOT_FOUND`, the same for an unknown workflow, an unknown path, and what is disabled;
 *   `METHOD_NOT_ALLOWED` | `STORE_UNAVAILABLE`
 */
export const findWebhook = async (
  { workflowId, path, method }: Pick<WebhookRequest, 'workflowId' | 'path' | 'method'>,
  find: WorkflowStore['find'],
): Promise<Webhook> => {
  const workflow = isId(workflowId) ? await find(workflowId) : null;
  if (workflow === null || !workflow.definition.enabled) throw new AppError('NOT_FOUND', {});
  const listening = workflow.pathConfigs.filter(
    (config) => config.path === path && isListening(config, workflow),
  );
  if (listening.length === 0) throw new AppError('NOT_FOUND', {});
  const config = listening.find((candidate) => candidate.method === method);
  if (config === undefined) {
    throw new AppError('METHOD_NOT_ALLOWED', { allow: [...new Set(listening.map((other) => other.method))] });
  }
  return { workflow, config };
};

/** A disabled trigger never fires, even if the path configs that were stored beside it say otherwise. */
const isListening = ({ triggerNodeId }: PathConfig, { definition }: PublishedWorkflow): boolean =>
  definition.nodes.some(({ id, disabled }) => id === triggerNodeId && disabled !== true);
