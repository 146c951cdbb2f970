import { defineAction, Type, wrongParameter } from '@hookloom/plugin-kit';

/** 366 days, the limit of an execution. */
export const MAX_WAIT_SECONDS = 31_622_400;

/** ISO 8601 with a time zone. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Waits, then delivers its input. A durable run is suspended meanwhile. */
export const wait = defineAction({
  id: 'wait',
  name: 'Wait',
  example: {
    parameters: { until: '{{ dueAt }}' },
    input: { dueAt: '2027-01-31T09:00:00Z' },
    output: { dueAt: '2027-01-31T09:00:00Z' },
  },
  description:
    'Waits some seconds, or until a time that may have passed, up to a year; a durable run rounds seconds up, and waits at no cost',
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
  execute: async ({ parameters: { seconds = 0, until }, input, context, control }) => {
    const left = until === undefined ? seconds : secondsUntil(until, context.services.clock.now());
    if (left > 0) await control.wait(left);
    return input;
  },
});

const secondsUntil = (until: string, now: number): number => {
  const time = Date.parse(until);
  if (Number.isNaN(time)) throw wrongParameter('until', 'a time in ISO 8601 with its time zone', until);
  const seconds = (time - now) / 1_000;
  if (seconds > MAX_WAIT_SECONDS) throw new RangeError('Parameter "until" must be within a year');
  return seconds;
};
