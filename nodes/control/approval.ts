import { readInstant } from '@hookloom/counted-jsonata/times';
import { closed, defineAction, emit, type JsonObject, Type, wrongParameter } from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';

/** 366 days, the limit of an execution. */
const MAX_WAIT_SECONDS = 31_622_400;

/** A time in ISO 8601 with a time zone. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Waits, then delivers its input. A durable run is suspended in the meantime. */
export const wait = defineAction({
  id: 'wait',
  name: 'Wait',
  example: {
    parameters: { until: '{{ dueAt }}' },
    input: { dueAt: '2027-01-31T09:00:00Z' },
    output: { dueAt: '2027-01-31T09:00:00Z' },
  },
  description:
    'Waits a number of seconds, or until a time, for up to a year; a time in the past does not wait. A durable run rounds seconds up, and waits at no cost',
  outputs: { main: Given.input },
  control: {
    suspends: true,
    waitSeconds: ({ seconds }) => (typeof seconds === 'number' ? seconds : Number.NaN),
  },
  parameters: Type.Object(
    {
      seconds: Type.Optional(
        Type.Number({ minimum: 0, maximum: MAX_WAIT_SECONDS, description: 'How long to wait' }),
      ),
      until: Type.Optional(
        Type.String({
          pattern: INSTANT.source,
          description: 'ISO 8601 with a time zone, such as 2027-01-31T09:00:00Z',
        }),
      ),
    },
    { oneOf: [{ required: ['seconds'] }, { required: ['until'] }] },
  ),
  checkParameters: ({ until }) =>
    typeof until === 'string' && INSTANT.test(until) && Number.isNaN(readInstant(until))
      ? [{ path: '/until', message: 'must be a date and time that exists' }]
      : [],
  execute: async ({ parameters: { seconds = 0, until }, input, context, control }) => {
    const left = until === undefined ? seconds : secondsUntil(until, context.services.clock.now());
    if (left > 0) await control.wait(left);
    return input;
  },
});

const secondsUntil = (until: string, now: number): number => {
  const time = readInstant(until);
  if (Number.isNaN(time))
    throw wrongParameter('until', 'an ISO 8601 time with a time zone, of a date that exists', until);
  const seconds = (time - now) / 1_000;
  if (seconds > MAX_WAIT_SECONDS) throw new RangeError('Parameter "until" must be within a year');
  return seconds;
};

const decided = Given.merged(
  Given.input,
  closed({
    approval: closed({
      decision: Type.Enum(['approve', 'reject']),
      body: Type.Object({}),
      decidedAt: Type.String(),
    }),
  }),
);

/**
 * Waits for a decision from outside. Its body, the nodes that follow `requested`, runs first and sends the callback URL
 * to the approver. The decision and the JSON that came with it are added to the output.
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
  description: 'Waits until someone approves or rejects at a one-time URL, or the time is up',
  outputs: {
    requested: Given.merged(
      Given.input,
      closed({ approval: closed({ url: Type.String(), expiresAt: Type.String() }) }),
    ),
    approved: decided,
    rejected: decided,
    timedOut: Given.input,
  },
  // An answer from outside may come long after the caller's timeout.
  control: { suspends: true, bodyOutput: 'requested', waitSeconds: () => Number.POSITIVE_INFINITY },
  parameters: Type.Object({
    title: Type.Optional(Type.String({ maxLength: 200, description: 'The question on the page' })),
    text: Type.Optional(
      Type.String({
        maxLength: 10_000,
        description: 'Further explanation in Markdown; HTML is shown as text',
      }),
    ),
    fields: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        format: 'form',
        description:
          'JSON Schema of an object with the fields of the page, against which answers are checked',
      }),
    ),
    askedBy: Type.Optional(Type.String({ maxLength: 200, description: 'Who asks' })),
    timeoutSeconds: Type.Number({
      minimum: 1,
      maximum: MAX_WAIT_SECONDS,
      default: 86_400,
      description: 'How long to wait; then it continues at the output timedOut',
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
      throw new Error(`no approval was requested, because the node "${nodeId}" failed: ${message}`);
    }
    const answered = await answer();
    if (answered === null) return emit({ timedOut: input });
    const decision = answered.value as JsonObject;
    return emit({
      [decision.decision === 'approve' ? 'approved' : 'rejected']: { ...input, approval: decision },
    });
  },
});
