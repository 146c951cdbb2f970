import { isId } from '@hookloom/plugin-kit/host';
import type { PathConfig } from '../../workflows/definition/path-config.ts';
import type { WorkflowStore } from '../../workflows/definition/workflow-store.ts';
import type { Webhook, WebhookRequest } from '../webhook.ts';

/**
 * Finds the webhook of a request: the workflow by its id, then the path within it, then the method. There is no index
 * of paths across workflows, so a path is useless without the id. Literal paths take precedence over patterns, so a
 * plain request neither checks nor loads anything else.
 *
 * Callers cannot probe which workflows exist: the steps are the same whatever the reason for finding nothing.
 *
 * @throws AppError `NOT_FOUND`, the same for an unknown workflow, an unknown path, and a disabled workflow or trigger;
 *   `METHOD_NOT_ALLOWED` | `STORE_UNAVAILABLE`
 */
export const findWebhook = async (
  request: Pick<WebhookRequest, 'workflowId' | 'path' | 'method' | 'headers'> & {
    readonly receivedAt?: number;
  },
  find: WorkflowStore['find'],
): Promise<Webhook> => {
  const { workflowId, path, method } = request;
  const workflow = isId(workflowId) ? await find(workflowId) : null;
  // Checked in the definition: a disabled workflow or trigger never fires, whatever the stored path configs say.
  const isFired = ({ triggerNodeId }: PathConfig): boolean =>
    workflow?.definition.enabled === true &&
    workflow.definition.nodes.some(({ id, disabled }) => id === triggerNodeId && disabled !== true);
  const config = workflow?.pathConfigs.find(
    (known) =>
      known.path === path && known.method === method && known.pattern === undefined && isFired(known),
  );
  if (workflow !== null && config !== undefined && method !== 'OPTIONS') return { workflow, config };
  const { matchWebhook } = await import('./match-webhook.chunk.ts');
  return matchWebhook(request, workflow, isFired);
};
