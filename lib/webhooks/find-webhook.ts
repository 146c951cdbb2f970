import { isId } from '../contract/ids.ts';
import { AppError } from '../shared/errors.ts';
import type { PathConfig } from '../workflows/definition/path-config.ts';
import type { PublishedWorkflow, WorkflowStore } from '../workflows/definition/workflow-store.ts';
import type { WebhookRequest } from './webhook-request.ts';

/** A published workflow, and the path config of the trigger that a request fires. */
export interface Webhook {
  readonly workflow: PublishedWorkflow;
  readonly config: PathConfig;
  /** For a request by the method of the handshake alone: its error, unless the handshake answers. */
  readonly refusal?: AppError;
}

/**
 * Finds the webhook of a request: the workflow by its id, then the path inside it, then the method. There is no index
 * of paths across workflows, so that a path is useless without the id.
 *
 * @throws AppError `NOT_FOUND`, the same for an unknown workflow, an unknown path, and a disabled workflow or trigger;
 *   `METHOD_NOT_ALLOWED` | `STORE_UNAVAILABLE`
 */
export const findWebhook = async (
  { workflowId, path, method }: Pick<WebhookRequest, 'workflowId' | 'path' | 'method'>,
  find: WorkflowStore['find'],
): Promise<Webhook> => {
  const workflow = isId(workflowId) ? await find(workflowId) : null;
  if (workflow === null || !workflow.definition.enabled) throw new AppError('NOT_FOUND', {});
  const atPath = workflow.pathConfigs.filter((config) => config.path === path && isEnabled(config, workflow));
  if (atPath.length === 0) throw new AppError('NOT_FOUND', {});
  const config = atPath.find((candidate) => candidate.method === method);
  if (config !== undefined) return { workflow, config };
  const refusal = new AppError('METHOD_NOT_ALLOWED', {
    allow: [...new Set(atPath.map((other) => other.method))],
  });
  const shaken = atPath.find(({ handshakeMethod }) => handshakeMethod === method);
  if (shaken === undefined) throw refusal;
  return { workflow, config: shaken, refusal };
};

/** Checked in the definition: a disabled trigger never fires, whatever the stored path configs are. */
const isEnabled = ({ triggerNodeId }: PathConfig, { definition }: PublishedWorkflow): boolean =>
  definition.nodes.some(({ id, disabled }) => id === triggerNodeId && disabled !== true);
