import type { JsonObject } from '@hookloom/plugin-kit';
import { METHOD_NOT_ALLOWED, NOT_FOUND } from '../../shared/error-catalogue.ts';
import { AppError, Refusal } from '../../shared/errors.ts';
import type { PathConfig } from '../../workflows/definition/path-config.ts';
import type { PublishedWorkflow } from '../../workflows/definition/workflow-store.ts';
import { NO_WORKFLOW, readPreflight, type Webhook, type WebhookRequest } from '../webhook.ts';

/** Whether the trigger of a path config exists and is enabled. */
type IsFired = (config: PathConfig) => boolean;

/**
 * Finds the webhook of a request that needs more than a literal path and its method: paths with parameters; HEAD, which
 * falls back to GET (RFC 9110 §9.3.2) if no trigger listens for HEAD itself; OPTIONS; and requests that features
 * answer.
 *
 * @param request - without `receivedAt`, no trigger listens: see `Webhook.isDisabled`
 * @param workflow - null if it does not exist
 * @throws AppError `NOT_FOUND` | `METHOD_NOT_ALLOWED`
 */
export const matchWebhook = (
  request: Pick<WebhookRequest, 'path' | 'method' | 'headers'> & { readonly receivedAt?: number },
  workflow: PublishedWorkflow | null,
  isFired: IsFired,
): Webhook => {
  const { path, method, receivedAt } = request;
  const requested = readPreflight(request);
  const atPath: Webhook[] = [];
  for (const webhook of workflow === null ? [] : webhooksAt(path, workflow, isFired)) {
    if (webhook.config.method === method && requested === null) return webhook;
    atPath.push(webhook);
  }
  if (atPath.length === 0) {
    const listening = receivedAt === undefined ? null : findListening(path, method, workflow, receivedAt);
    if (listening !== null) return { ...listening, isDisabled: true };
    throw new AppError(NOT_FOUND, {}, new Refusal(explainNone(workflow)));
  }
  return findAtEdge(atPath, method, requested);
};

const findListening = (
  path: string,
  method: string,
  workflow: PublishedWorkflow | null,
  receivedAt: number,
): Webhook | null => {
  const { listening } = workflow ?? {};
  if (workflow === null || listening === undefined || listening.until <= receivedAt) return null;
  const listens = ({ triggerNodeId }: PathConfig) => triggerNodeId === listening.triggerNodeId;
  for (const webhook of webhooksAt(path, workflow, listens)) {
    if (webhook.config.method === method) return webhook;
  }
  return null;
};

/** Explains why no webhook matched, only for the log and the request record: the response does not contain it. */
const explainNone = (workflow: PublishedWorkflow | null): string => {
  if (workflow === null) return NO_WORKFLOW;
  return workflow.definition.enabled
    ? 'path: no enabled trigger of the workflow has this path'
    : 'workflow: it is disabled';
};

/** The webhooks with a matching path, the most specific first; later ones are computed only if needed. */
const webhooksAt = function* (
  path: string,
  workflow: PublishedWorkflow,
  isFired: IsFired,
): Generator<Webhook> {
  let segments: readonly string[] | undefined;
  for (const config of workflow.pathConfigs) {
    if (config.pattern === undefined) {
      if (config.path === path && isFired(config)) yield { workflow, config };
    } else {
      segments ??= path === '/' ? [] : path.slice(1).split('/');
      const pathParams = matchPattern(config.pattern, segments);
      if (pathParams !== null && isFired(config)) yield { workflow, config, pathParams };
    }
  }
};

/** The webhook of a request whose method none of them has, or of a CORS preflight for the method `requested`. */
const findAtEdge = (atPath: readonly Webhook[], method: string, requested: string | null): Webhook => {
  const withMethod = (name: string | null) => atPath.find(({ config }) => config.method === name);
  const withCors = atPath.filter(({ config }) => config.features?.cors !== undefined);
  const answering = withMethod(method === 'HEAD' ? 'GET' : method);
  const isPreflight = requested !== null && withCors.length > 0;
  if (answering !== undefined && !isPreflight) return answering;
  const methods = new Set(atPath.map(({ config }) => config.method));
  const allow = [...(methods.has('GET') ? methods.add('HEAD') : methods)];
  const refusal = new AppError(METHOD_NOT_ALLOWED, { allow });
  const own = isPreflight
    ? withCors.find(({ config }) => config.method === requested)
    : atPath.find(({ config }) => config.handshakeMethod === method);
  const webhook = own ?? withCors[0];
  if (webhook === undefined) throw refusal;
  return { ...webhook, refusal };
};

/**
 * Matches the segments of a path against a pattern, in linear time. `:name` matches one segment; `*name` at the end
 * matches all remaining ones, at least one.
 *
 * @param path - decoded, without empty segments, `.` and `..`
 * @returns the values by name; null if the path does not match
 */
export const matchPattern = (pattern: readonly string[], path: readonly string[]): JsonObject | null => {
  const takesRest = pattern.at(-1)?.startsWith('*') === true;
  if (takesRest ? path.length < pattern.length : path.length !== pattern.length) return null;
  const values: [string, string][] = [];
  for (const [at, segment] of pattern.entries()) {
    const given = path[at] ?? '';
    if (segment.startsWith(':')) values.push([segment.slice(1), given]);
    else if (segment.startsWith('*')) values.push([segment.slice(1), path.slice(at).join('/')]);
    else if (segment !== given) return null;
  }
  return Object.fromEntries(values);
};
