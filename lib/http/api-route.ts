import { isPlainObject } from '@hookloom/plugin-kit';
import middy from '@middy/core';
import type * as v from 'valibot';
import type { Answer, JsonAnswer } from '../shared/answer.ts';
import type { ErrorCode } from '../shared/errors.ts';
import { parseFields } from '../shared/query-fields.ts';
import {
  type Call,
  type Handle,
  type Middleware,
  type ServedRoute,
  STACK_OPTIONS,
} from './create-handler.ts';
import { jsonParser } from './parse-json-body.ts';
import { type BodyCall, type BodyLimits, checkBody, limitJsonBody, readOptions } from './read-json-body.ts';
import { parseQuery, readPathParameter, readQuery } from './read-parameters.ts';
import { readWebhookEvent } from './read-webhook-event.ts';

/** The fields of a query or of options, by name. */
type FieldsSchema = v.GenericSchema & { readonly entries: object };

export type ReadHeader = 'if-match' | 'if-none-match' | 'prefer' | 'idempotency-key' | 'traceparent';

/**
 * A route of the admin API: how its requests are checked, and what its description in the OpenAPI document says. Schemas
 * may add to it with `v.metadata` and `v.description`.
 */
export interface ApiRoute {
  /** The gateway's route key: `GET /api/admin/workflows/{workflowId}`. */
  readonly route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /api/${string}`;
  /** What it answers or does, as a row in a list of routes: `a page of the workflows, by id`. */
  readonly summary: string;
  /** Parameters of the query; any other is refused. */
  readonly query?: FieldsSchema;
  /** Fields that may be in the query or in a JSON body. */
  readonly options?: FieldsSchema;
  /** The JSON body; a missing one counts as an empty object. */
  readonly body?: v.GenericSchema;
  /** Size and depth of a body that is read: 100,000 bytes and 20 levels by default. */
  readonly bodyLimits?: BodyLimits;
  readonly headers?: readonly ReadHeader[];
  /** The bodies of answers, by status; null for none. */
  readonly answers: Readonly<Record<number, v.GenericSchema | null>>;
  /** Whether answers have an `ETag`. */
  readonly hasTag?: true;
  /** Problems other than those that follow from the declaration, and those that any route may have. */
  readonly problems?: readonly ErrorCode[];
}

const BODY_LIMITS: BodyLimits = { maxBytes: 100_000, maxDepth: 20 };

/** Declares a route, so that its handler and its callers have the types of what it reads and answers. */
export const defineRoute = <const Route extends ApiRoute>(route: Route): Route => route;

type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

type OutputOf<Schema> = Schema extends v.GenericSchema
  ? v.InferOutput<Schema>
  : Readonly<Record<never, never>>;

/** A request that has the form that its route declares. */
export interface RouteCall<Route extends ApiRoute> extends Call {
  /** Parameters of the path, decoded; empty if missing. */
  readonly params: Readonly<Record<ParameterOf<Route['route']>, string>>;
  readonly query: OutputOf<Route['query']>;
  readonly options: OutputOf<Route['options']>;
  readonly body: OutputOf<Route['body']>;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;

export type BodyOf<Schema> = Schema extends v.GenericSchema ? DeepReadonly<v.InferInput<Schema>> : unknown;

/** The body with which a route answers, unless with a problem. */
export type AnswerTo<Route extends ApiRoute> = BodyOf<
  Route['answers'][keyof Route['answers'] & (200 | 201 | 202)]
>;

type AnswerOf<Route extends ApiRoute> = {
  [Status in keyof Route['answers'] & number]: JsonAnswer<Status, BodyOf<Route['answers'][Status]>>;
}[keyof Route['answers'] & number];

/**
 * Serves a declared route: `handle` gets requests that have been checked, and returns one of the declared answers. Each route is
 * a stack within the stack of its function: parameters, and for a write its body, by the limits of the route and middy's parser.
 *
 * @param limits - of the body, in place of those that the route declares
 */
export const answerRoute = <const Route extends ApiRoute>(
  route: Route,
  handle: (call: RouteCall<NoInfer<Route>>) => Promise<AnswerOf<NoInfer<Route>>>,
  limits: BodyLimits = route.bodyLimits ?? BODY_LIMITS,
): ServedRoute => {
  const { query, options, body }: ApiRoute = route;
  const fields = options === undefined ? null : describeFields(options);
  const stack = middy<ReadCall, Answer, unknown>(async (call: ReadCall): Promise<Answer> => {
    const read = {
      options: options && fields ? parseFields(options, readOptions(call, call.query, fields)) : {},
      body: body === undefined ? {} : checkBody(call, body, limits),
    };
    return handle({ ...call, ...read } as unknown as RouteCall<Route>);
  }, STACK_OPTIONS);
  stack.use(
    readParameters(route.route, (event: unknown) =>
      query === undefined ? readQuery(event, fields?.names ?? []) : (parseQuery(event, query) as object),
    ),
  );
  if (options !== undefined || body !== undefined)
    stack.use(limitJsonBody(limits)).use(jsonParser as unknown as Middleware<ReadCall>);
  return { route: route.route, handle: stack as unknown as Handle };
};

/** A call with what a route reads: without schemas for options and body, those are empty. */
interface ReadCall extends BodyCall {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
  rawBody: Uint8Array;
}

/** The middleware that reads path, query and headers. Its errors are `QUERY_INVALID` and those of `readWebhookEvent`. */
const readParameters = (route: string, readFields: (event: unknown) => object): Middleware<ReadCall> => {
  const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return {
    before: ({ event: call }) => {
      const { headers, rawBody } = readWebhookEvent(call.event, 0);
      const params = Object.fromEntries(names.map((name) => [name, readPathParameter(call.event, name)]));
      Object.assign(call, { params, headers, rawBody, query: readFields(call.event) });
    },
  };
};

/** The names of options, and of those that are numbers. */
const describeFields = ({ entries }: FieldsSchema) => {
  const names = Object.keys(entries);
  return { names, numbers: names.filter((name) => isNumeric(entries[name as keyof typeof entries])) };
};

const isNumeric = (schema: unknown): boolean =>
  isPlainObject(schema) && (schema.type === 'number' || isNumeric(schema.wrapped));
