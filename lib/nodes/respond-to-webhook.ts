import { isReservedHeader, isToken } from '../contract/header-fields.ts';
import type { JsonObject } from '../contract/json.ts';
import { emit, MAIN_OUTPUT, RESPONSE_OUTPUT } from '../contract/node.ts';
import type { PluginHandle } from '../contract/plugin.ts';
import { readParameters, wrongParameter } from './parameters.ts';

/** RFC 9110 §5.5, in ASCII; without line breaks, which would begin another header. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

const schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    status: {
      type: 'integer',
      minimum: 200,
      maximum: 599,
      default: 200,
      description: 'Status of the answer',
    },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      default: {},
      description: 'Headers of the answer, such as content-type',
    },
    body: { description: 'A text is sent as it is, anything else as JSON; the input when absent' },
  },
} as const;

/** Answers the caller of a webhook whose `responseMode` is `responseNode`. Its output is its input. */
export const respondToWebhook: PluginHandle = {
  id: 'respondToWebhook',
  name: 'Respond to webhook',
  example: {
    parameters: { status: 201, headers: { location: '/orders/{{ id }}' }, body: { created: '{{ id }}' } },
    input: { id: 'A-1' },
    output: { id: 'A-1' },
  },
  description: 'Answers the caller of a webhook whose responseMode is responseNode',
  kind: 'action',
  pure: true,
  schema,
  execute: ({ parameters }, input) => {
    const { status, headers, body = input } = readParameters(parameters, schema.properties);
    return emit({ [MAIN_OUTPUT]: input, [RESPONSE_OUTPUT]: { status, headers: readHeaders(headers), body } });
  },
};

const readHeaders = (headers: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const place = `headers.${name}`;
      if (!isToken(name)) throw new TypeError(`Parameter "${place}" is not a name that HTTP allows`);
      if (isReservedHeader(name)) {
        throw new TypeError(`Parameter "${place}" is set by the gateway and can't be chosen`);
      }
      if (typeof value !== 'string') throw wrongParameter(place, 'a string', value);
      if (!HEADER_VALUE.test(value))
        throw new TypeError(`Parameter "${place}" holds a character that HTTP does not allow`);
      return [name, value];
    }),
  );
