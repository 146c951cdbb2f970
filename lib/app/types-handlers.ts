import { createHash } from 'node:crypto';
import { takePage } from '../executions/record/cursor.ts';
import { answerRoute } from '../http/api-route.ts';
import { serveRoutes } from '../http/create-handler.ts';
import {
  listCredentialTypes,
  listNodeTypes,
  showCredentialType,
  showNodeType,
} from '../plugins/reference/list-types.ts';
import { type Answer, answerJson, type JsonAnswer } from '../shared/answer.ts';
import { hasText } from '../shared/query-fields.ts';
import type { AdminParts } from './plugins-handlers.ts';
import {
  listCredentialTypesRoute,
  listNodeTypesRoute,
  openApiRoute,
  showCredentialTypeRoute,
  showNodeTypeRoute,
} from './types.ts';

/** `GET /api/admin/node-types`, `GET /api/admin/credential-types`, one of each, and the API's own description. */
export const createReadTypes = (parts: AdminParts) => {
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
      const { addFeatures } = await import('../webhooks/features/add-features.chunk.ts');
      return withTag(answerJson(200, addFeatures(shown)), headers);
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
      const { openApi } = await import('./openapi.chunk.ts');
      return withTag({ ...answerJson(200, {}), body: openApi }, headers);
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
