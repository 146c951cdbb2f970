import type { ExecutionInfo, JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { toExecutionInfo } from '../executions/record/execution-store.ts';
import type { Workflow } from '../workflows/definition/definition.ts';
import type { Scope } from '../workflows/expressions/scope.ts';
import { parseUrlEncoded } from './parse-url-encoded.ts';
import type { Webhook, WebhookRequest } from './webhook.ts';

/**
 * The input of the trigger node; its keys are those of the node's output.
 *
 * @param headers - with credentials redacted
 * @param body - parsed
 */
export const toTriggerInput = (
  { request, webhook: { pathParams } }: { readonly request: WebhookRequest; readonly webhook: Webhook },
  headers: WebhookRequest['headers'],
  body: JsonValue,
): JsonObject => ({
  triggeredAt: new Date(request.receivedAt).toISOString(),
  body,
  headers,
  queryParams: request.rawQueryString === '' ? {} : parseUrlEncoded(request.rawQueryString),
  requestMethod: request.method,
  requestPath: request.requestPath,
  remoteAddress: request.remoteAddress,
  ...(pathParams === undefined ? {} : { pathParams }),
});

/** The trigger that a request fires. */
export const findTrigger = ({ workflow, config: { triggerNodeId } }: Webhook): ExecutionInfo['trigger'] => ({
  nodeId: triggerNodeId,
  type: workflow.definition.nodes.find(({ id }) => id === triggerNodeId)?.type ?? '',
});

/** Step limit of an expression over a request: about a tenth of a second. */
const REQUEST_STEPS = 200_000;

/**
 * The scope of expressions over a request before its execution exists: the execution id is empty.
 *
 * @param input - the trigger's output
 * @param receivedAt - milliseconds since the epoch
 */
export const toRequestScope = (webhook: Webhook, input: JsonObject, receivedAt: number): Scope => {
  const { workflow } = webhook;
  const { definition, version: workflowVersion } = workflow;
  const trigger = findTrigger(webhook);
  const unstarted = { executionId: '', workflowId: definition.id, workflowVersion, trigger };
  const execution = toExecutionInfo({ ...unstarted, startedAt: receivedAt, traceparent: null }, workflow);
  return toScope(input, execution, workflow);
};

/**
 * The scope of expressions over a request.
 *
 * @param input - the trigger's output
 * @param execution - its id is empty before it exists
 */
export const toScope = (
  input: JsonObject,
  execution: ExecutionInfo,
  { variables }: Pick<Workflow, 'variables'>,
): Scope => ({
  input,
  nodes: {},
  trigger: input,
  execution,
  variables,
  seed: execution.executionId,
  maxSteps: REQUEST_STEPS,
});
