import { defineAction, emit, type JsonObject, Type } from '@hookloom/plugin-kit';
import { MAX_WAIT_SECONDS } from './wait.ts';

/**
 * Waits for a decision from outside. Its body, the nodes behind `requested`, runs first and sends the callback URL to
 * the approver. The decision and the JSON that came with it are added to the output.
 */
export const approval = defineAction({
  id: 'approval',
  name: 'Approval',
  example: {
    parameters: {
      title: 'Order {{ orderId }}',
      fields: { type: 'object', properties: { comment: { type: 'string' } } },
    },
    input: { orderId: 'A-1' },
    output: {
      orderId: 'A-1',
      approval: { decision: 'approve', body: { comment: 'Fine' }, decidedAt: '2026-01-01T00:00:00.000Z' },
    },
  },
  description: 'Waits for an approval or a rejection at a one-time URL, until the time is up',
  outputs: ['requested', 'approved', 'rejected', 'timedOut'],
  // An answer from outside may come long after the caller's timeout.
  control: { suspends: true, bodyOutput: 'requested', waitSeconds: () => Number.POSITIVE_INFINITY },
  parameters: Type.Object({
    title: Type.Optional(Type.String({ maxLength: 200, description: 'What the page asks' })),
    text: Type.Optional(
      Type.String({
        maxLength: 10_000,
        description: 'More of it, in Markdown; HTML is text',
      }),
    ),
    fields: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        format: 'form',
        description: 'JSON Schema of an object: the fields of the page, which answers are checked against',
      }),
    ),
    askedBy: Type.Optional(Type.String({ maxLength: 200, description: 'Who asks' })),
    timeoutSeconds: Type.Number({
      minimum: 1,
      maximum: MAX_WAIT_SECONDS,
      default: 86_400,
      description: 'Then it goes on with the output timedOut',
    }),
  }),
  execute: async ({ parameters: { timeoutSeconds, ...question }, input, control }) => {
    const { url, expiresAt, answer } = await control.openCallback(timeoutSeconds, question);
    const [requested] = await control.runBodies([
      { ...input, approval: { url, expiresAt: new Date(expiresAt).toISOString() } },
    ]);
    // The URL was not sent, so no answer can come.
    if (requested !== undefined && 'failure' in requested) {
      const { nodeId, message } = requested.failure;
      throw new Error(`no approval was requested, for the node "${nodeId}" failed: ${message}`);
    }
    const answered = await answer();
    if (answered === null) return emit({ timedOut: input });
    const decision = answered.value as JsonObject;
    return emit({
      [decision.decision === 'approve' ? 'approved' : 'rejected']: { ...input, approval: decision },
    });
  },
});
