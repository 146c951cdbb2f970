import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import type { ApiRoute, ReadHeader } from '../http/api-route.ts';
import * as catalogue from '../shared/error-catalogue.ts';
import type { ErrorCode } from '../shared/errors.ts';
import { workflowSchema } from '../workflows/definition/schema.ts';
import * as answers from './answers.ts';
import * as approvals from './approvals.ts';
import * as bulkRetries from './bulk-retries.ts';
import * as credentials from './credentials.ts';
import * as debug from './debug.ts';
import * as editCredentials from './edit-credentials.ts';
import * as editWorkflows from './edit-workflows.ts';
import * as executions from './executions.ts';
import * as health from './health.ts';
import * as listening from './listening.ts';
import * as notices from './notices.ts';
import * as plugins from './plugins.ts';
import * as requests from './requests.ts';
import * as runWorkflow from './run-workflow.ts';
import * as state from './state.ts';
import * as statistics from './statistics.ts';
import * as trials from './trials.ts';
import * as types from './types.ts';
import * as variables from './variables.ts';
import * as workflows from './workflows.ts';

// Evaluated when a bundle is built: no function contains the library that converts the schemas.

/**
 * The topics, in the order of the document: their titles and files, in which every export `NAMERoute` is a route, every object
 * schema a component.
 */
export const topics = {
  workflows: ['Workflows: their versions, and changes', workflows, editWorkflows],
  trials: ['Trials of single nodes', trials, listening],
  executions: ['Executions: started, shown, compared, retried and cancelled', executions, runWorkflow],
  bulkRetries: ['Retries of many executions at once', bulkRetries],
  statistics: ['Statistics by hour or by day', statistics],
  notices: ['Open notices: what is wrong now', notices],
  requests: ['Recorded requests to webhooks', requests],
  approvals: ['Pending approvals', approvals],
  credentials: ['Credentials of callers, and for calling out', credentials, editCredentials],
  variables: ['Variables of the stage', variables],
  state: ['Entries of state: what workflows remember', state],
  types: ['Node types and credential types, and this document', types],
  plugins: ['Installed plugins', plugins],
  health: ['Health of the plugins, live tests of credentials, and what runs on the stage', health, debug],
} satisfies Readonly<Record<string, readonly [title: string, ...files: object[]]>>;

/** What the files of a topic export, by name. */
const exportsOf = (files: readonly object[]): [name: string, value: unknown][] =>
  files
    .flatMap((file) => Object.entries<unknown>(file as Readonly<Record<string, unknown>>))
    .sort(([one], [other]) => (one < other ? -1 : 1));

interface NamedRoute {
  /** Its topic: a tag of the OpenAPI document. */
  readonly topic: string;
  /** Its name: the id of the operation. */
  readonly name: string;
  readonly route: ApiRoute;
}

const isRoute = (value: unknown): value is ApiRoute =>
  typeof value === 'object' && value !== null && 'route' in value;

const isObjectSchema = (value: unknown): value is v.GenericSchema =>
  typeof value === 'object' && value !== null && 'kind' in value && 'entries' in value;

const METHODS = ['GET', 'PUT', 'POST', 'DELETE'];

/** Sorts by path, then by method. */
const sortKeyOf = ({ route: { route } }: NamedRoute): string => {
  const [method = '', path = ''] = route.split(' ');
  return `${path} ${METHODS.indexOf(method)}`;
};

export const routes: readonly NamedRoute[] = Object.entries(topics).flatMap(([topic, [, ...files]]) =>
  exportsOf(files)
    .flatMap(([key, route]) => (isRoute(route) ? [{ topic, name: key.replace(/Route$/, ''), route }] : []))
    .sort((one, other) => (sortKeyOf(one) < sortKeyOf(other) ? -1 : 1)),
);

/** Objects in answers, by name: components of the OpenAPI document. */
const components: Readonly<Record<string, v.GenericSchema>> = Object.fromEntries(
  [[answers], ...Object.values(topics).map(([, ...files]) => files)].flatMap((files) =>
    exportsOf(files).flatMap(([name, schema]) =>
      isObjectSchema(schema) ? [[`${name[0]?.toUpperCase()}${name.slice(1)}`, schema]] : [],
    ),
  ),
);

const headerTexts: Readonly<Record<ReadHeader, string>> = {
  'if-match': 'The `ETag` of the version that must be current',
  'if-none-match': 'For a write, `*`: there must be none. For a read, the `ETag` of the known content',
  prefer: '`wait=N`: answer with the result if it is ready within N seconds (RFC 7240)',
  'idempotency-key': 'The same for a repeated request, which starts nothing',
  traceparent: 'W3C Trace Context',
};

/** The JSON Schema of what a schema accepts, with references to the components. */
const describeSchema = (schema: v.GenericSchema): JsonObject => {
  const {
    $schema: _dialect,
    $defs: _components,
    ...described
  } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    ignoreActions: ['check', 'transform'],
    definitions: components,
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  });
  return described as JsonObject;
};

/** The OpenAPI 3.1 document of the admin API. */
export const describeApi = (): JsonObject => {
  const paths: Record<string, Record<string, JsonValue>> = {};
  for (const { topic, name, route } of routes) {
    const [method = '', path = ''] = route.route.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeRoute(route, topic, name) };
  }
  const described = Object.entries(components).map(([name, schema]) => [name, describeComponent(schema)]);
  const { $schema: _dialect, ...workflow } = workflowSchema;
  return {
    openapi: '3.1.1',
    info: {
      title: 'Hookloom admin API',
      version: '1',
      description:
        'Reads, changes and repairs what runs on a stage. Answers may gain fields: ignore those that you do not know.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ iam: [] }],
    tags: Object.entries(topics).map(([name, [description]]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        iam: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'AWS Signature Version 4 for `execute-api`',
          'x-amazon-apigateway-authtype': 'awsSigv4',
        },
      },
      schemas: {
        ...Object.fromEntries(described),
        // Further fields are kept.
        Workflow: { ...(workflow as unknown as JsonObject), additionalProperties: true },
        Problem: problem,
        GatewayMessage: {
          type: 'object',
          required: ['message'],
          properties: { message: { type: 'string' } },
        },
      },
    },
  };
};

/** A component itself, rather than a reference to it. */
const describeComponent = (schema: v.GenericSchema): JsonObject => describeSchema({ ...schema });

/** Problem details (RFC 9457) with the members of all problems. */
const problem: JsonObject = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string', description: 'Id of the request, which is also in the log' },
    executionId: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: {
          pointer: { type: 'string', description: 'A JSON pointer as a URI fragment' },
          detail: { type: 'string' },
          workflowId: { type: 'string' },
          proposal: describeSchema(workflows.proposal),
        },
      },
    },
    users: { type: 'array', items: { type: 'string' } },
    currentVersion: { type: ['integer', 'null'] },
  },
};

const describeRoute = (route: ApiRoute, topic: string, name: string): JsonObject => {
  const { summary, query, options, body, headers = [], answers: declared, hasTag } = route;
  const parameters = [
    ...[...route.route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      ...{ name, in: 'path', required: true },
      schema: { type: 'string' },
    })),
    ...describeFields(query ?? options),
    ...headers.map((name) => ({
      ...{ name, in: 'header', description: headerTexts[name] },
      schema: { type: 'string' },
    })),
  ];
  const sent = body ?? options;
  const responses: Record<string, JsonObject> = {};
  for (const [status, schema] of Object.entries(declared))
    responses[status] = {
      description: Number(status) === 304 ? 'The known content is current' : 'Done',
      ...(hasTag ? { headers: { etag: { schema: { type: 'string' } } } } : {}),
      ...(schema === null ? {} : { content: { 'application/json': { schema: describeSchema(schema) } } }),
    };
  for (const [status, codes] of Object.entries(problemsOf(route))) {
    const { description, content = {} } = responses[status] ?? {};
    responses[status] = {
      description: [...(description === undefined ? [] : [description]), codes.join(', ')].join('; '),
      content: { ...(content as JsonObject), 'application/problem+json': { schema: describeProblem(codes) } },
    };
  }
  return {
    operationId: name,
    tags: [topic],
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(sent === undefined
      ? {}
      : {
          requestBody: {
            required: body !== undefined && body.type !== 'optional',
            content: { 'application/json': { schema: describeSchema(sent) } },
          },
        }),
    responses: {
      ...responses,
      '403': describeGateway('The request is not signed, or its policy does not allow it'),
      '429': describeGateway('The gateway limits the rate of requests'),
    },
  };
};

/** The fields of a query, as parameters: a field that may be null may be absent. */
const describeFields = (fields: ApiRoute['query']): JsonObject[] => {
  if (fields === undefined) return [];
  const { properties = {}, required = [] } = describeSchema(fields);
  return Object.entries(properties as Readonly<Record<string, JsonObject>>).flatMap(([name, property]) => {
    const { anyOf, default: initial, ...own } = property;
    const [first = own] = Array.isArray(anyOf) ? (anyOf as JsonObject[]) : [];
    const { description, ...schema } = first;
    if (schema.type === 'object') return []; // only in a body
    return {
      ...{ name, in: 'query', required: (required as string[]).includes(name) },
      ...(description === undefined ? {} : { description }),
      schema: {
        ...schema,
        ...(initial === null || initial === undefined || initial === '' ? {} : { default: initial }),
      },
    };
  });
};

const describeGateway = (description: string): JsonObject => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/GatewayMessage' } } },
});

const describeProblem = (codes: readonly ErrorCode[]): JsonObject => ({
  allOf: [
    { $ref: '#/components/schemas/Problem' },
    { properties: { type: { enum: codes.map(toProblemType) } } },
  ],
});

const toProblemType = (code: ErrorCode): string =>
  `urn:hookloom:problem:${code.toLowerCase().replaceAll('_', '-')}`;

/** Problems that any route may have. */
const COMMON: readonly ErrorCode[] = [
  'REQUEST_INVALID',
  'QUERY_INVALID',
  'INTERNAL',
  'ANSWER_TOO_LARGE',
  'CONFIGURATION_INVALID',
  'STORE_UNAVAILABLE',
  'DATA_VERSION_UNSUPPORTED',
];

/** Problems of a route with a body. */
const OF_BODY: readonly ErrorCode[] = [
  'BODY_TOO_LARGE',
  'BODY_INVALID',
  'BODY_TOO_DEEP',
  'CONTENT_TYPE_UNSUPPORTED',
];

/** The problems of a route, by status. */
const problemsOf = ({ body, options, headers = [], problems = [] }: ApiRoute) => {
  const codes = [
    ...COMMON,
    ...(body === undefined && options === undefined ? [] : OF_BODY),
    ...(headers.includes('if-match') ? (['PRECONDITION_FAILED'] as const) : []),
    ...problems,
  ];
  return Object.groupBy([...new Set(codes)].sort(), statusOf) as Readonly<
    Record<string, readonly ErrorCode[]>
  >;
};

/** Stands for any parameter of an error, whose status does not depend on it. */
const anything: unknown = new Proxy(() => '', {
  get: (_target, name) => (name === Symbol.toPrimitive ? () => '' : anything),
  apply: () => anything,
});

const entries: Readonly<Record<string, (parameters: never) => { readonly status: number }>> = {
  ...catalogue,
};

const statusOf = (code: ErrorCode): number => entries[code]?.(anything as never).status ?? 500;
