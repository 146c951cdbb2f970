import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { takePage } from '../executions/record/cursor.ts';
import { answerRoute, defineRoute } from '../http/api-route.ts';
import { serveRoutes } from '../http/create-handler.ts';
import {
  listCredentialTypes,
  listNodeTypes,
  showCredentialType,
  showNodeType,
} from '../plugins/reference/list-types.ts';
import { type Answer, answerJson, type JsonAnswer } from '../shared/answer.ts';
import { count, cursor, hasText, optional, text, word } from '../shared/query-fields.ts';
import { anyObject, described, nextCursor } from './answers.ts';
import type { AdminParts } from './ports.ts';

const jsonSchema = described(anyObject, 'A JSON Schema');

export const nodeTypeDescription = v.object({
  nodeType: v.string(),
  name: v.string(),
  description: v.string(),
  category: v.string(),
  kind: v.picklist(['trigger', 'action']),
  firedBy: v.nullable(v.picklist(['request', 'subworkflow', 'event', 'poll'])),
  inputs: v.array(v.string()),
  outputs: v.nullable(v.array(v.string())),
  outputSchemas: described(
    v.record(v.string(), anyObject),
    'What each output delivers, if that is declared: JSON Schemas, with references such as `#input` and `#parameters/properties/items` to what the node gets; of the example if they depend on the parameters',
  ),
  outputsDependOnParameters: v.boolean(),
  deliveryDependsOnParameters: v.boolean(),
  endsBranch: v.boolean(),
  credentialTypes: v.array(v.string()),
  credentialRequired: v.union([v.boolean(), v.literal('byParameters')]),
  pure: v.union([v.boolean(), v.literal('byParameters')]),
  control: v.nullable(v.object({ suspends: v.boolean(), bodyOutput: v.nullable(v.string()) })),
  schema: jsonSchema,
  defaults: anyObject,
  parametersWithOptions: described(v.array(v.string()), 'Those whose options the service finds'),
  literalParameters: v.array(v.string()),
  example: v.nullable(
    v.object({ parameters: anyObject, input: v.optional(anyObject), output: v.optional(anyObject) }),
  ),
});

export const credentialTypeDescription = v.object({
  id: v.string(),
  name: v.string(),
  description: v.string(),
  schema: jsonSchema,
  secretFields: v.array(v.string()),
  appliesToRequests: v.boolean(),
  hosts: v.picklist(['none', 'fixed', 'derived', 'named']),
  hasSignIn: v.boolean(),
  hasTest: v.boolean(),
});

const provider = { plugin: v.string(), enabled: v.boolean(), error: v.optional(v.string()) };

export const listedNodeType = v.object({
  nodeType: v.string(),
  name: v.string(),
  description: v.string(),
  kind: v.picklist(['trigger', 'action']),
  category: v.string(),
  ...provider,
});

/** Its declarations are absent if the plugin could not be read. */
export const shownNodeType = v.object({
  ...v.partial(nodeTypeDescription).entries,
  ...listedNodeType.entries,
  warnings: v.array(v.string()),
});

export const listedCredentialType = v.object({
  id: v.string(),
  name: v.string(),
  description: v.string(),
  ...provider,
});

export const shownCredentialType = v.object({
  ...credentialTypeDescription.entries,
  ...listedCredentialType.entries,
  warnings: v.array(v.string()),
  nodeTypes: v.array(v.string()),
});

/** What both lists of types can be filtered by. */
const typesQuery = v.object({
  text: optional(text, 'In the id, the name or the description, in any case'),
  plugin: optional(text, 'Id of the plugin'),
  /** A row may have two texts of 2,000 characters. */
  limit: count({ initial: 100, max: 200 }),
  cursor,
});

export const listNodeTypesRoute = defineRoute({
  route: 'GET /api/admin/node-types',
  summary: 'a page of the node types, by name',
  query: v.object({ ...typesQuery.entries, kind: v.nullish(word(['trigger', 'action']), null) }),
  headers: ['if-none-match'],
  answers: {
    200: v.object({ count: v.number(), nodeTypes: v.array(listedNodeType), nextCursor }),
    304: null,
  },
  hasTag: true,
});

export const showNodeTypeRoute = defineRoute({
  route: 'GET /api/admin/node-types/{nodeType}',
  summary: 'one with its parameters, outputs, credential types and an example',
  headers: ['if-none-match'],
  answers: { 200: shownNodeType, 304: null },
  hasTag: true,
  problems: ['NODE_TYPE_NOT_FOUND'],
});

export const listCredentialTypesRoute = defineRoute({
  route: 'GET /api/admin/credential-types',
  summary: 'a page of the credential types for calling out, by name',
  query: typesQuery,
  headers: ['if-none-match'],
  answers: {
    200: v.object({ count: v.number(), credentialTypes: v.array(listedCredentialType), nextCursor }),
    304: null,
  },
  hasTag: true,
});

export const showCredentialTypeRoute = defineRoute({
  route: 'GET /api/admin/credential-types/{type}',
  summary: 'one with its fields, and the node types that accept it',
  headers: ['if-none-match'],
  answers: { 200: shownCredentialType, 304: null },
  hasTag: true,
  problems: ['CREDENTIAL_TYPE_NOT_FOUND'],
});

export const openApiRoute = defineRoute({
  route: 'GET /api/admin/openapi.json',
  summary: 'this API as an OpenAPI 3.1 document',
  headers: ['if-none-match'],
  answers: { 200: anyObject, 304: null },
  hasTag: true,
});

export interface TypesOnUse {
  /** Adds the parameters of webhook features to the description of a node type. */
  readonly addFeatures: (type: ReturnType<typeof showNodeType>) => Promise<typeof type>;
  /** The OpenAPI document of this API, as JSON. */
  readonly readOpenApi: () => Promise<string>;
}

/** `GET /api/admin/node-types`, `GET /api/admin/credential-types`, one of each, and the API's own description. */
export const createReadTypes = (parts: AdminParts & TypesOnUse) => {
  const initialise = async () => ({ plugins: await (await parts.loadRegistry()).initialise() });

  return serveRoutes(parts, [
    answerRoute(listNodeTypesRoute, async ({ query, headers }) => {
      const found = listNodeTypes(await initialise()).filter(
        ({ nodeType, name, description, plugin, kind }) =>
          hasText(query.text, nodeType, name, description) &&
          isOne(query.plugin, plugin) &&
          isOne(query.kind, kind),
      );
      const { page, nextCursor } = takePage(found, ({ nodeType }) => nodeType, query);
      return withTag(answerJson(200, { count: page.length, nodeTypes: page, nextCursor }), headers);
    }),

    answerRoute(showNodeTypeRoute, async ({ params, headers }) => {
      const shown = showNodeType(await initialise(), params.nodeType);
      return withTag(answerJson(200, await parts.addFeatures(shown)), headers);
    }),

    answerRoute(listCredentialTypesRoute, async ({ query, headers }) => {
      const found = listCredentialTypes(await initialise()).filter(
        ({ id, name, description, plugin }) =>
          hasText(query.text, id, name, description) && isOne(query.plugin, plugin),
      );
      const { page, nextCursor } = takePage(found, ({ id }) => id, query);
      return withTag(answerJson(200, { count: page.length, credentialTypes: page, nextCursor }), headers);
    }),

    answerRoute(showCredentialTypeRoute, async ({ params, headers }) =>
      withTag(answerJson(200, showCredentialType(await initialise(), params.type)), headers),
    ),

    answerRoute(openApiRoute, async ({ headers }) => {
      return withTag({ ...answerJson(200, {}), body: await parts.readOpenApi() }, headers);
    }),
  ]);
};

const isOne = (wanted: string | null, value: string): boolean => wanted === null || wanted === value;

/**
 * Adds an entity tag, a hash of the content. A caller that already has the content gets a 304 without a body
 * (RFC 9110 §13.1.2).
 */
const withTag = <Given extends Answer>(
  answer: Given,
  { 'if-none-match': known = '' }: Readonly<Record<string, string>>,
): Given | JsonAnswer<304, unknown> => {
  const hash = createHash('sha256')
    .update(answer.body ?? '')
    .digest('base64url');
  const etag = `"${hash}"`;
  // It may be stored, but not used without asking: types change with a deployment.
  const headers = { ...answer.headers, etag, 'cache-control': 'private, no-cache' };
  const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (!tags.includes(etag) && !tags.includes('*')) return { ...answer, headers };
  return { status: 304, headers: { etag, 'cache-control': headers['cache-control'] }, body: null };
};
