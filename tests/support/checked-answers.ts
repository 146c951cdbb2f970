import { compileJsonSchema } from '@hookloom/bounded-schema';
import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createRouter } from 'lambda-stage/gateway';
import { describeApi } from '../../lib/app/describe-api.ts';
import { serviceFile } from './function-environment.ts';

/**
 * The document, in which objects have no further fields: a client may get some from a later release, but a field that
 * this release sends is declared.
 */
const close = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(close);
  if (!isPlainObject(value)) return value;
  const closed = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, close(one)]));
  const isOpen =
    value.type !== 'object' || !isPlainObject(value.properties) || 'additionalProperties' in value;
  return isOpen ? closed : { ...closed, additionalProperties: false };
};

const { paths, components } = close(describeApi()) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: JsonObject;
};

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: JsonObject }>> }>
  >;
}

/** By schema: each has the whole document's components, whose compilation takes longer than all checks. */
const compiled = new Map<JsonObject, ReturnType<typeof compileJsonSchema>>();

const findViolations = (schema: JsonObject, value: unknown) => {
  const check = compiled.get(schema) ?? compileJsonSchema({ ...schema, components });
  compiled.set(schema, check);
  return check(value);
};

interface SentAnswer {
  readonly status: number;
  readonly contentType: string | null | undefined;
  /** Empty without one. */
  readonly body: string;
}

/** @throws Error if the OpenAPI document does not describe the answer. @param routeKey - `GET /api/admin/debug` */
export const checkAnswer = (routeKey: string, { status, contentType, body }: SentAnswer): void => {
  const [method = '', path = ''] = routeKey.split(' ');
  const refuse = (problem: string) => {
    throw new Error(`${routeKey} answered ${status}: ${problem}\n${body.slice(0, 2_000)}`);
  };
  const operation = paths[path]?.[method.toLowerCase()] ?? refuse('the route is not declared');
  const response = operation?.responses[status] ?? refuse('the status is not declared');
  const type = contentType?.split(';')[0] ?? '';
  if (response?.content === undefined || body === '') {
    if (body !== '') refuse('a body is not declared');
    return;
  }
  const { schema } = response.content[type] ?? refuse(`the content type ${type} is not declared`) ?? {};
  const errors = findViolations(schema, JSON.parse(body));
  if (errors.length > 0) refuse(JSON.stringify(errors.slice(0, 5)));
};

type Answering = (
  event: never,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2 | string | undefined>;

/**
 * A handler of the admin API, each of whose answers is compared with the document; events of other routes are not, since
 * the gateway has none.
 */
export const checked = <Handler extends Answering>(handler: Handler): Handler =>
  (async (event: never, context: Context) => {
    const result = (await handler(event, context)) as APIGatewayProxyStructuredResultV2;
    const { routeKey } = (event ?? {}) as { readonly routeKey?: unknown };
    const { statusCode = 0, headers = {}, body: sent = '', isBase64Encoded } = result;
    const body = isBase64Encoded === true ? Buffer.from(sent, 'base64').toString() : sent;
    if (typeof routeKey === 'string' && statusCode !== 405)
      checkAnswer(routeKey.replace(/^HEAD /, 'GET '), {
        status: statusCode,
        contentType: String(headers['content-type']),
        body,
      });
    return result;
  }) as Handler;

const findRoute = createRouter(serviceFile.routes);

/** Compares an answer of a running service with the document, if it is one of the admin API. */
export const checkResponse = (method: string, url: string, response: Response, body: string): void => {
  const { pathname } = new URL(url, 'http://localhost');
  const route = pathname.startsWith('/api/admin/') ? findRoute(method, pathname) : null;
  if (route === null) return;
  const { status, headers } = response;
  checkAnswer(route.routeKey, { status, contentType: headers.get('content-type'), body });
};
