import type { JsonObject } from '../contract/json.ts';
import type { PluginHandle } from '../contract/plugin.ts';
import { controlOf } from './control-of.ts';
import { readParameters, wrongParameter } from './parameters.ts';

/** 366 days, the limit of an execution. */
export const MAX_WAIT_SECONDS = 31_622_400;

/** ISO 8601 with a time zone. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Waits, then delivers its input. A durable run is suspended meanwhile. */
export const wait: PluginHandle = {
  id: 'wait',
  name: 'Wait',
  example: {
    parameters: { until: '{{ dueAt }}' },
    input: { dueAt: '2027-01-31T09:00:00Z' },
    output: { dueAt: '2027-01-31T09:00:00Z' },
  },
  description:
    'Waits some seconds, or until a time that may have passed, up to a year; a durable run rounds seconds up, and waits at no cost',
  kind: 'action',
  control: {
    suspends: true,
    waitSeconds: ({ seconds }) => (typeof seconds === 'number' ? seconds : 0),
  },
  schema: {
    type: 'object',
    additionalProperties: false,
    oneOf: [{ required: ['seconds'] }, { required: ['until'] }],
    properties: {
      seconds: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: MAX_WAIT_SECONDS,
        description: 'How long to wait',
      },
      until: {
        type: 'string',
        pattern: INSTANT.source,
        description: 'ISO 8601 with a time zone, such as 2027-01-31T09:00:00Z',
      },
    },
  },
  execute: async ({ parameters }, input, context) => {
    const seconds = readSeconds(parameters, context.services.clock.now());
    if (seconds > 0) await controlOf(context).wait(seconds);
    return input;
  },
};

const readSeconds = (parameters: JsonObject, now: number): number => {
  const { until } = parameters;
  if (until === undefined) {
    // An expression may also give 0: no wait.
    const seconds = { type: 'number', minimum: 0, maximum: MAX_WAIT_SECONDS, default: 0 } as const;
    return readParameters(parameters, { seconds }).seconds;
  }
  const time = typeof until === 'string' && INSTANT.test(until) ? Date.parse(until) : Number.NaN;
  if (Number.isNaN(time)) throw wrongParameter('until', 'a time in ISO 8601 with its time zone', until);
  const seconds = (time - now) / 1_000;
  if (seconds > MAX_WAIT_SECONDS) throw new RangeError('Parameter "until" must be within a year');
  return seconds;
};
