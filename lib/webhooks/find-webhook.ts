import { isId } from '../contract/ids.ts';
import type { JsonObject } from '../contract/json.ts';
import { AppError } from '../shared/errors.ts';
import { Refusal } from '../shared/refusal.ts';
import type { PathConfig } from '../workflows/definition/path-config.ts';
import type { PublishedWorkflow, WorkflowStore } from '../workflows/definition/workflow-store.ts';
import { matchPattern } from './match-pattern.ts';
import { readPreflight } from './preflight.ts';
import type { WebhookRequest } from './webhook-request.ts';

/** A published workflow, and the path config of the trigger that a request fires. */
export interface Webhook {
  readonly workflow: PublishedWorkflow;
  readonly config: PathConfig;
  /** Values of the path's parameters; absent for a literal path. */
  readonly pathParams?: JsonObject;
  /**
   * For a request that fires nothing, but that a feature of the trigger may answer: its error unless one does. It is a CORS
   * preflight, or its method is none of the path's: that of a handshake, or any other for `cors`, which adds headers to the
   * error and throws it before other features see the request.
   */
  readonly refusal?: AppError;
}

/**
 * Finds the webhook of a request: the workflow by its id, then the path inside it, then the method. There is no index
 * of paths across workflows, so that a path is useless without the id. HEAD is GET (RFC 9110 §9.3.2) where no trigger
 * listens to HEAD itself.
 *
 * @throws AppError `NOT_FOUND`, the same for an unknown workflow, an unknown path, and a disabled workflow or trigger;
 *   `METHOD_NOT_ALLOWED` | `STORE_UNAVAILABLE`
 */
export const findWebhook = async (
  request: Pick<WebhookRequest, 'workflowId' | 'path' | 'method' | 'headers'>,
  find: WorkflowStore['find'],
): Promise<Webhook> => {
  const { workflowId, path, method } = request;
  const workflow = isId(workflowId) ? await find(workflowId) : null;
  if (workflow === null) throw new AppError('NOT_FOUND', {});
  if (!workflow.definition.enabled) throw notFound('workflow: it is disabled');
  const requested = readPreflight(request);
  const atPath: Webhook[] = [];
  for (const webhook of webhooksAt(path, workflow)) {
    if (webhook.config.method === method && requested === null) return webhook;
    atPath.push(webhook);
  }
  return findAtEdge(atPath, method, requested);
};

/** Of an address of a known workflow, for the log: callers can't tell it from any other. */
const notFound = (reason: string): AppError => new AppError('NOT_FOUND', {}, new Refusal(reason));

/** The webhooks whose paths fit, the most specific first: each is looked at only when those before it are not enough. */
const webhooksAt = function* (path: string, workflow: PublishedWorkflow): Generator<Webhook> {
  let segments: readonly string[] | undefined;
  for (const config of workflow.pathConfigs) {
    if (config.pattern === undefined) {
      if (config.path === path && isEnabled(config, workflow)) yield { workflow, config };
    } else {
      segments ??= path === '/' ? [] : path.slice(1).split('/');
      const pathParams = matchPattern(config.pattern, segments);
      if (pathParams !== null && isEnabled(config, workflow)) yield { workflow, config, pathParams };
    }
  }
};

/** The webhook of a request whose method none of them names, or that is a CORS preflight for the method `requested`. */
const findAtEdge = (atPath: readonly Webhook[], method: string, requested: string | null): Webhook => {
  if (atPath.length === 0) throw notFound('path: no enabled trigger of the workflow has it');
  const withMethod = (name: string | null) => atPath.find(({ config }) => config.method === name);
  const withCors = atPath.filter(({ config }) => config.features?.cors !== undefined);
  const answering = withMethod(method === 'HEAD' ? 'GET' : method);
  const isPreflight = requested !== null && withCors.length > 0;
  if (answering !== undefined && !isPreflight) return answering;
  const methods = new Set(atPath.map(({ config }) => config.method));
  const allow = [...(methods.has('GET') ? methods.add('HEAD') : methods)];
  const refusal = new AppError('METHOD_NOT_ALLOWED', { allow });
  const own = isPreflight
    ? withCors.find(({ config }) => config.method === requested)
    : atPath.find(({ config }) => config.handshakeMethod === method);
  const webhook = own ?? withCors[0];
  if (webhook === undefined) throw refusal;
  return { ...webhook, refusal };
};

/** Checked in the definition: a disabled trigger never fires, whatever the stored path configs are. */
const isEnabled = ({ triggerNodeId }: PathConfig, { definition }: PublishedWorkflow): boolean =>
  definition.nodes.some(({ id, disabled }) => id === triggerNodeId && disabled !== true);
