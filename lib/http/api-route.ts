import { isPlainObject } from '@hookloom/plugin-kit';
import type * as v from 'valibot';
import type { JsonAnswer } from '../shared/answer.ts';
import type { ErrorCode } from '../shared/errors.ts';
import { parseFields } from '../shared/query-fields.ts';
import type { Call, ServedRoute } from './create-handler.ts';
import type { BigNumbers } from './read-json-body.ts';
import { parseBody, readOptions } from './read-json-body.ts';
import { parseQuery, readPathParameter, readQuery } from './read-parameters.ts';
import { limitBody, readWebhookEvent } from './read-webhook-event.ts';

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

export interface BodyLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** What becomes of an integer that a number can't hold: `string` by default. */
  readonly bigNumbers?: BigNumbers;
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
 * Serves a declared route: `handle` gets requests that have been checked, and returns one of the declared answers.
 *
 * @param limits - of the body, in place of those that the route declares
 */
export const answerRoute = <const Route extends ApiRoute>(
  route: Route,
  handle: (call: RouteCall<NoInfer<Route>>) => Promise<AnswerOf<NoInfer<Route>>>,
  limits: BodyLimits = route.bodyLimits ?? BODY_LIMITS,
): ServedRoute => ({
  route: route.route,
  handle: async (call) =>
    handle({ ...call, ...(readRequest(route, call.event, limits) as Omit<RouteCall<Route>, keyof Call>) }),
});

/** @throws AppError `QUERY_INVALID` | `BODY_TOO_LARGE` | `CONTENT_TYPE_UNSUPPORTED` | `BODY_INVALID` | `BODY_TOO_DEEP` */
const readRequest = ({ route, query, options, body }: ApiRoute, event: unknown, limits: BodyLimits) => {
  const { headers } = readWebhookEvent(event, 0);
  const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const params = Object.fromEntries(names.map((name) => [name, readPathParameter(event, name)]));
  if (options !== undefined) {
    limitBody(event, limits.maxBytes);
    const read = readOptions(event, { ...describeFields(options), maxDepth: limits.maxDepth }, 0);
    return { params, headers, query: {}, options: parseFields(options, read), body: {} };
  }
  const read = query === undefined ? readQuery(event, []) : parseQuery(event, query);
  const sent = body === undefined ? {} : parseBody(event, body, { ...limits, now: 0 });
  return { params, headers, query: read, options: {}, body: sent };
};

/** The names of options, and of those that are numbers. */
const describeFields = ({ entries }: FieldsSchema) => {
  const names = Object.keys(entries);
  return { names, numbers: names.filter((name) => isNumeric(entries[name as keyof typeof entries])) };
};

const isNumeric = (schema: unknown): boolean =>
  isPlainObject(schema) && (schema.type === 'number' || isNumeric(schema.wrapped));
