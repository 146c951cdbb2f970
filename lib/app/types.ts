import * as v from 'valibot';
import { defineRoute } from '../http/api-route.ts';
import { count, cursor, optional, text, word } from '../shared/query-fields.ts';
import { anyObject, described, nextCursor } from './answers.ts';

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
  outputsDependOnParameters: v.boolean(),
  endsBranch: v.boolean(),
  credentialTypes: v.array(v.string()),
  credentialRequired: v.union([v.boolean(), v.literal('byParameters')]),
  pure: v.union([v.boolean(), v.literal('byParameters')]),
  control: v.nullable(v.object({ suspends: v.boolean(), bodyOutput: v.nullable(v.string()) })),
  schema: jsonSchema,
  defaults: anyObject,
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
