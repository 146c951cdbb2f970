import { type JsonObject, type JsonValue, parseJson } from '@hookloom/plugin-kit';
import { acceptExecution } from '../../executions/lifecycle/accept-execution.ts';
import type { DispatchPorts, Ports } from '../../executions/ports.ts';
import { describeEdit } from '../../executions/record/edited-input.ts';
import { REQUEST_NOT_REPEATABLE } from '../../shared/error-catalogue.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { readTraceparent } from '../../shared/traceparent.ts';
import { toPathConfigs } from '../../workflows/definition/to-path-configs.ts';
import { findWebhook } from '../matching/find-webhook.ts';
import { parsePlainBody } from '../parse-plain-body.ts';
import { findNamedHeader } from '../redact-credential-headers.ts';
import { toRequestScope, toTriggerInput } from '../request-scope.ts';
import type { Webhook, WebhookRequest } from '../webhook.ts';
import {
  type BodyParsers,
  type OpenFeatures,
  type OpenStages,
  type ParsedBody,
  withoutFeatures,
} from '../webhook-feature.ts';
import { findRequest } from './describe-request.ts';
import { type RequestRecord, toRecordId } from './request-record.ts';
import type { RequestStore } from './request-store.ts';

export interface SendAgainParts extends DispatchPorts, Pick<Ports, 'workflows' | 'modeOf' | 'ids'> {
  readonly requests: Pick<RequestStore, 'find'>;
  readonly openFeatures: OpenFeatures;
  readonly parsersOf: (features: OpenStages) => BodyParsers;
}

/** An edited request: what is absent stays as it was received. */
interface RequestEdit {
  /** A string is the text of the body; anything else is sent as JSON. */
  readonly body?: JsonValue | undefined;
  /** Headers to replace, with lower-case names; null removes one. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
  /** The query without the question mark, encoded. */
  readonly query?: string | undefined;
}

/**
 * Sends a recorded request again to the trigger with its path and method in a version of the workflow: in the
 * background, as a new delivery that the operator vouches for. Sender verification and limits are skipped; the body is
 * parsed and tested against `schema` and `onlyIf` as usual.
 *
 * @param version - null for the current one
 * @param edit - how the request is changed, and the ARN of the caller that has changed it; null to send it unchanged
 * @returns the execution that the request started: null if the webhook skipped it, that is, answered without one
 * @throws AppError `REQUEST_NOT_FOUND` | `REQUEST_NOT_REPEATABLE`, and whatever the stages `parse` and `judge` and
 *   {@link acceptExecution} throw
 */
export const sendAgain = async (
  id: string,
  version: number | null,
  parts: SendAgainParts,
  edit: { readonly input: RequestEdit; readonly by: string | null } | null = null,
) => {
  const record = await findRequest(id, parts.requests);
  const refuse = (reason: string): never => {
    throw new AppError(REQUEST_NOT_REPEATABLE, { id: toRecordId(record), reason });
  };
  if (record.missing !== null) return refuse(record.missing);
  const sent = edit === null ? record : editRequest(record, edit.input);
  const request = toWebhookRequest(sent);
  const webhook = await openWebhook(request, version, parts, refuse);
  const { definition, version: workflowVersion } = webhook.workflow;
  const named = findNamedHeader(request.headers, definition);
  if (named !== null)
    return refuse(`the workflow reads the header ${named}, whose credential was not stored`);

  const input = await toInput(request, webhook, parts, refuse);
  const of = { workflowId: definition.id, workflowVersion, hasMetrics: definition.settings?.metrics };
  if (input === null) return { ...of, executionId: null };
  const executionId = parts.ids.next();
  const { trigger } = toRequestScope(webhook, input, request.receivedAt).execution;
  const traceparent = readTraceparent(request.headers.traceparent);
  const { requestId } = record;
  const workflow = webhook.workflow;
  const editedInput =
    edit === null ? {} : { editedInput: describeEdit(toComparable(record), toComparable(sent), edit.by) };
  const blobs = { put: async () => refuse("it is too large for the execution's record") };
  await acceptExecution(
    { executionId, workflow, trigger, input, traceparent, keepsResult: false, requestId, ...editedInput },
    { mode: webhook.config.execution, startedAt: parts.clock.now(), isRepeatable: false },
    { ...parts, blobs },
  );
  return { ...of, executionId };
};

const editRequest = (record: RequestRecord, { body, headers, query }: RequestEdit): RequestRecord => {
  const merged = Object.entries({ ...record.headers, ...headers });
  return {
    ...record,
    body: body === undefined ? record.body : typeof body === 'string' ? body : JSON.stringify(body),
    headers: Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null)),
    query: query ?? record.query,
  };
};

/** What an edit can change, with a JSON body as its value, so that its changes have places. */
const toComparable = ({ body, headers, query }: RequestRecord): JsonObject => {
  try {
    return { body: parseJson(body), headers, query };
  } catch {
    return { body, headers, query };
  }
};

const toWebhookRequest = (record: RequestRecord): WebhookRequest => {
  const { workflowId, path, method, query, headers, body, sender, receivedAt, requestId } = record;
  return {
    method,
    workflowId,
    path,
    headers,
    receivedAt,
    requestId,
    requestPath: `/api/webhook/${workflowId}${path === '/' ? '' : path}`,
    rawQueryString: query,
    rawBody: Buffer.from(body),
    remoteAddress: sender,
  };
};

const openWebhook = async (
  request: WebhookRequest,
  version: number | null,
  { workflows, modeOf }: SendAgainParts,
  refuse: (reason: string) => never,
): Promise<Webhook> => {
  const { workflowId, method, path } = request;
  const found =
    version === null ? await workflows.find(workflowId) : await workflows.findVersion(workflowId, version);
  const name = version === null ? `workflow ${workflowId}` : `version ${version} of workflow ${workflowId}`;
  if (found === null) return refuse(`there is no ${name}`);
  const published = { ...found, pathConfigs: toPathConfigs(found.definition, await modeOf(found)) };
  // Without headers, no request is a CORS preflight.
  const webhook = await findWebhook({ workflowId, method, path, headers: {} }, async () => published).catch(
    (error: unknown) => {
      if (isAppError(error, 'NOT_FOUND') || isAppError(error, 'METHOD_NOT_ALLOWED')) return null;
      throw error;
    },
  );
  return webhook === null || webhook.refusal !== undefined
    ? refuse(`${name} has no enabled trigger for ${method} ${path}`)
    : webhook;
};

const toInput = async (
  request: WebhookRequest,
  webhook: Webhook,
  { openFeatures, parsersOf }: SendAgainParts,
  refuse: (reason: string) => never,
): Promise<JsonObject | null> => {
  const hasFeatures = (webhook.config.features ?? null) !== null;
  const features = hasFeatures ? await openFeatures(webhook) : withoutFeatures;
  const arrival = { request, webhook, addHeaders: () => {} };
  const parsers = parsersOf(features);
  const { body, more, files }: ParsedBody =
    (await features.parse({ ...arrival, content: request, parsers })) ??
    (await parsePlainBody(request, parsers));
  if (files !== undefined) return refuse('its body has files, which are not stored');
  const input = { ...toTriggerInput(arrival, request.headers, body), ...more };
  const skipped = await features.judge({ ...arrival, input });
  return skipped === null ? input : null;
};
