import {
  defineAction,
  emit,
  isReservedHeader,
  isToken,
  MAIN_OUTPUT,
  RESPONSE_OUTPUT,
  Type,
} from '@hookloom/plugin-kit';

/** RFC 9110 §5.5, in ASCII, and without line breaks, which would start another header. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/** The schema of a cookie; see `toSetCookie`. */
const cookie = Type.Object({
  name: Type.String({ description: 'Name' }),
  value: Type.String({ description: 'Value' }),
  path: Type.Optional(Type.String({ description: 'Path' })),
  domain: Type.Optional(Type.String({ description: 'Domain' })),
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
  parameters: Type.Object({
    status: Type.Integer({ minimum: 200, maximum: 599, default: 200, description: 'Status of the answer' }),
    headers: Type.Record(Type.String(), Type.String(), {
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
        description: 'Where to send the caller, with the status 302 unless another one is set',
      }),
    ),
    cookies: Type.Array(cookie, { default: [], maxItems: 50, description: 'Cookies to set' }),
  }),
  execute: ({ parameters, input }) => {
    const { status, headers, body = input, redirect, cookies } = parameters;
    for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
    if (redirect !== undefined) checkLocation('redirect', redirect);
    const response = { status, headers, body };
    if (redirect === undefined && cookies.length === 0)
      return emit({ [MAIN_OUTPUT]: input, [RESPONSE_OUTPUT]: response });
    return import('./special-response.chunk.ts').then(({ toSpecialResponse }) =>
      emit({ [MAIN_OUTPUT]: input, [RESPONSE_OUTPUT]: toSpecialResponse(response, redirect, cookies) }),
    );
  },
});

/** Two slashes of either kind, which begin a host; browsers remove tabs and leading spaces (URL Standard §4.4). */
const OTHER_HOST = /^[\t ]*[\\/][\t]*[\\/]/;

/** @throws TypeError for a path that browsers take for another host, as text of a request after a slash can make it */
const checkLocation = (place: string, location: string): void => {
  if (OTHER_HOST.test(location))
    throw new TypeError(`Parameter "${place}" begins with two slashes: begin a URL with its scheme`);
};

const checkHeader = (name: string, value: string): void => {
  const place = `headers.${name}`;
  if (!isToken(name)) throw new TypeError(`Parameter "${place}" is not a name that HTTP allows`);
  if (isReservedHeader(name))
    throw new TypeError(`Parameter "${place}" is set by the gateway and can't be chosen`);
  if (!HEADER_VALUE.test(value))
    throw new TypeError(`Parameter "${place}" holds a character that HTTP does not allow`);
  if (name.toLowerCase() === 'location') checkLocation(place, value);
};
