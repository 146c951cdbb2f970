import {
  closed,
  defineTrigger,
  fieldsLike,
  isPlainObject,
  type JsonObject,
  orNull,
  Type,
} from '@hookloom/plugin-kit';
import { ERROR_TRIGGER } from '../../executions/record/failure-reports.ts';

const failed = {
  executionId: 'l7Q1oP2i0xv9KcT5',
  workflowId: 'orders',
  workflowVersion: 3,
  mode: 'express',
  status: 'failed',
  trigger: { nodeId: 'request', type: 'webhookTrigger' },
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:02.000Z',
  durationMs: 2_000,
  retryOf: null,
  failure: { nodeId: 'pay', name: 'NodeError', message: 'the payment was refused' },
  show: {
    command: 'npm run -s cli -- execution show l7Q1oP2i0xv9KcT5',
    path: '/api/admin/executions/l7Q1oP2i0xv9KcT5',
  },
  data: {
    trigger: { method: 'POST', body: { orderId: 'A-17', total: 120 } },
    input: { orderId: 'A-17', total: 120 },
    outputs: { reserve: { main: { reserved: true } } },
  },
};

const nothing = async (): Promise<void> => {};

/** Fires when an execution of another workflow fails or times out. Failures find it by its stored registration. */
export const errorTrigger = defineTrigger({
  id: ERROR_TRIGGER,
  name: 'Error',
  description: 'Starts the workflow when an execution of another workflow fails or times out',
  parameters: Type.Object({
    workflows: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }), {
        minItems: 1,
        maxItems: 100,
        description: 'Ids of the workflows whose failures start it; by default all other workflows',
      }),
    ),
    withData: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Whether `data` has what the failed run knew: what its trigger received, the input of the failed node and the last outputs, redacted; false: null',
      }),
    ),
  }),
  literalParameters: ['workflows', 'withData'],
  outputs: {
    main: closed({
      ...fieldsLike(failed),
      triggeredAt: Type.String(),
      triggerType: Type.String(),
      data: orNull(Type.Object({})),
    }),
  },
  firedBy: {
    register: nothing,
    unregister: nothing,
    toInput: (event) => readFailed(event),
    toKey: (event) => String(readFailed(event).executionId),
  },
  example: {
    parameters: { workflows: ['orders'] },
    input: failed,
    output: { triggeredAt: '2026-01-01T00:00:00.000Z', triggerType: 'error', ...failed },
  },
  execute: ({ input, context }) => ({
    triggeredAt: new Date(context.services.clock.now()).toISOString(),
    triggerType: 'error',
    ...input,
  }),
});

/** @throws TypeError if the event does not report a failure */
const readFailed = ({ failed: found }: JsonObject): JsonObject => {
  if (!isPlainObject(found)) throw new TypeError('the event has no "failed"');
  return found as JsonObject;
};
