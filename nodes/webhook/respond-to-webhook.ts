import {
  defineAction,
  emit,
  isReservedHeader,
  isToken,
  MAIN_OUTPUT,
  RESPONSE_OUTPUT,
  Type,
} from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';

/** RFC 9110 §5.5, in ASCII, and without line breaks, which would start another header. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/** The schema of a cookie; see `toSetCookie`. */
const cookie = Type.Object({
  name: Type.String({ holes: 'fail', description: 'Name' }),
  value: Type.String({ holes: 'fail', description: 'Value' }),
  path: Type.Optional(Type.String({ holes: 'fail', description: 'Path' })),
  domain: Type.Optional(Type.String({ holes: 'fail', description: 'Domain' })),
  maxAgeSeconds: Type.Optional(
    Type.Integer({ minimum: 0, description: 'By default until the browser is closed' }),
  ),
  httpOnly: Type.Boolean({ default: true, description: 'Not readable by scripts' }),
  secure: Type.Boolean({ default: true, description: 'Only sent over https' }),
  sameSite: Type.Enum(['Strict', 'Lax', 'None'], {
    default: 'Lax',
    description: "Whether other sites' requests send it",
  }),
});

/** Answers the caller of a webhook whose `responseMode` is `responseNode`. Its output is its input. */
export const respondToWebhook = defineAction({
  id: 'respondToWebhook',
  name: 'Respond to webhook',
  example: {
    parameters: { status: 201, headers: { location: '/orders/{{ id }}' }, body: { created: '{{ id }}' } },
    input: { id: 'A-1' },
    output: { id: 'A-1' },
  },
  description: 'Answers the caller of a webhook whose responseMode is responseNode',
  pure: true,
  outputs: { main: Given.input },
  parameters: Type.Object({
    status: Type.Integer({ minimum: 200, maximum: 599, default: 200, description: 'Status of the answer' }),
    headers: Type.Record(Type.String(), Type.String(), {
      holes: 'fail',
      default: {},
      description: 'Headers of the answer, such as content-type',
    }),
    body: Type.Optional(
      Type.Unknown({
        withoutResult: null,
        description:
          'A string is sent unchanged, a file as its bytes, anything else as JSON; by default the input',
      }),
    ),
    redirect: Type.Optional(
      Type.String({
        withoutResult: '', // fails the node, which would answer with its input otherwise
        format: 'uri-reference',
        description: 'Where to send the caller, with the status 302 unless another one is set',
      }),
    ),
    cookies: Type.Array(cookie, { default: [], maxItems: 50, description: 'Cookies to set' }),
  }),
  execute: ({ parameters, input }) => {
    const { status, headers, body = input, redirect, cookies } = parameters;
    for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
    const response = { status, headers, body };
    if (redirect === undefined && cookies.length === 0 && !Object.keys(headers).some(isLocation))
      return emit({ [MAIN_OUTPUT]: input, [RESPONSE_OUTPUT]: response });
    return import('./special-response.chunk.ts').then(({ toSpecialResponse }) =>
      emit({ [MAIN_OUTPUT]: input, [RESPONSE_OUTPUT]: toSpecialResponse(response, redirect, cookies) }),
    );
  },
});

const isLocation = (name: string): boolean => name.toLowerCase() === 'location';

const checkHeader = (name: string, value: string): void => {
  const problem = !isToken(name)
    ? 'is not a name that HTTP allows'
    : isReservedHeader(name)
      ? "is set by the gateway and can't be chosen"
      : HEADER_VALUE.test(value)
        ? null
        : 'holds a control or non-ASCII character';
  if (problem !== null) throw new TypeError(`Parameter "headers.${name}" ${problem}`);
};
