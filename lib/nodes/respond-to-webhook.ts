import type { JsonObject } from '../contract/json.ts';
import { emit, MAIN_OUTPUT, RESPONSE_OUTPUT } from '../contract/node.ts';
import type { PluginHandle } from '../contract/plugin.ts';
import { readMap, readNumber, wrongParameter } from './parameters.ts';

/** A token of RFC 9110 §5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110 §5.5, in ASCII: no line break, which would begin another header. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
/** What belongs to the connection, or says how long the body is: the gateway's business (RFC 9110 §7.6.1). */
const RESERVED_HEADERS = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Answers the caller of a webhook whose `responseMode` is `responseNode`, and hands its input on. */
export const respondToWebhook: PluginHandle = {
  id: 'respondToWebhook',
  name: 'Respond to webhook',
  description: 'Answers the caller of a webhook whose responseMode is responseNode',
  kind: 'action',
  pure: true,
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      status: { type: 'integer', minimum: 200, maximum: 599, default: 200 },
      headers: {
        type: 'object',
        additionalProperties: { type: 'string' },
        default: {},
        description: 'Headers of the answer, such as content-type',
      },
      body: { description: 'A text is sent as it is, anything else as JSON; the input when absent' },
    },
  },
  execute: ({ parameters }, input) => {
    const response = {
      status: readNumber(parameters, 'status', { min: 200, max: 599, byDefault: 200, integer: true }),
      headers: readHeaders(readMap(parameters, 'headers', {})),
      body: parameters.body === undefined ? input : parameters.body,
    };
    return emit({ [MAIN_OUTPUT]: input, [RESPONSE_OUTPUT]: response });
  },
};

const readHeaders = (headers: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const place = `headers.${name}`;
      if (!HEADER_NAME.test(name)) throw new TypeError(`Parameter "${place}" is not a name that HTTP allows`);
      if (RESERVED_HEADERS.has(name.toLowerCase())) {
        throw new TypeError(`Parameter "${place}" is set by the gateway and can't be chosen`);
      }
      if (typeof value !== 'string') throw wrongParameter(place, 'a string', value);
      if (!HEADER_VALUE.test(value))
        throw new TypeError(`Parameter "${place}" holds a character that HTTP does not allow`);
      return [name, value];
    }),
  );
