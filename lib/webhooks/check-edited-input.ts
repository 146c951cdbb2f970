import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { requireDeclaredInput } from '../executions/deliveries/require-declared-input.ts';
import type { Ports } from '../executions/ports.ts';
import { BODY_SCHEMA_MISMATCH } from '../shared/error-catalogue.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import { toPathConfigs } from '../workflows/definition/to-path-configs.ts';
import type { WebhookRequest } from './webhook.ts';
import type { OpenFeatures } from './webhook-feature.ts';

interface CheckPorts extends Pick<Ports, 'modeOf' | 'clock'> {
  readonly openFeatures: OpenFeatures;
}

/**
 * Checks an edited input as its trigger does: a webhook by `schema` and `onlyIf`, as a request whose body is parsed, and a
 * trigger for people and other workflows by `schema`. Other triggers check nothing.
 * @throws AppError `BODY_SCHEMA_MISMATCH` with the places in the request, `FILTER_UNDECIDED`
 */
export const createCheckEditedInput =
  ({ openFeatures, modeOf, clock }: CheckPorts): Ports['checkInput'] =>
  async (workflow, triggerNodeId, input) => {
    const { definition } = workflow;
    const node = definition.nodes.find(({ id }) => id === triggerNodeId);
    if (node !== undefined) await placed('#/input', () => requireDeclaredInput(node, input));
    const pathConfigs = toPathConfigs(definition, await modeOf(workflow));
    const config = pathConfigs.find((one) => one.triggerNodeId === triggerNodeId);
    if (config === undefined || config.features === null) return null;
    const webhook = { workflow: { ...workflow, pathConfigs }, config };
    const request = toRequest(input, definition.id, config.method, clock.now());
    const stages = await openFeatures(webhook);
    const answer = await placed('#/input/body', () =>
      stages.judge({ request, webhook, addHeaders: () => {}, input }),
    );
    return answer === null ? null : 'its webhook answers a request with this input without an execution';
  };

/** Moves the places of a mismatch to where the schema's value is in the call. */
const placed = async <Result>(base: string, check: () => Result | Promise<Result>): Promise<Result> => {
  try {
    return await check();
  } catch (error) {
    if (!isAppError(error, 'BODY_SCHEMA_MISMATCH')) throw error;
    const { errors } = error.parameters as Parameters<typeof BODY_SCHEMA_MISMATCH>[0];
    throw new AppError(BODY_SCHEMA_MISMATCH, {
      errors: errors.map(({ pointer, detail }) => ({ pointer: `${base}${pointer.slice(1)}`, detail })),
    });
  }
};

/** A request whose body is already parsed. Without its query, it is no request for an upload, which has no input. */
const toRequest = (
  { headers }: JsonObject,
  workflowId: string,
  method: string,
  now: number,
): WebhookRequest => ({
  workflowId,
  method,
  path: '/',
  requestPath: '/',
  rawQueryString: '',
  remoteAddress: '',
  headers: isPlainObject(headers) ? (headers as WebhookRequest['headers']) : {},
  rawBody: new Uint8Array(),
  receivedAt: now,
  requestId: '',
});
