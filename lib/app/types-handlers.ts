import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { readCursor, writeCursor } from '../executions/record/cursor.ts';
import { serveRoutes } from '../http/create-handler.ts';
import { parseQuery, readPathParameter, readQuery } from '../http/read-parameters.ts';
import { readWebhookEvent } from '../http/read-webhook-event.ts';
import {
  listCredentialTypes,
  listNodeTypes,
  showCredentialType,
  showNodeType,
} from '../plugins/reference/list-types.ts';
import { type Answer, answerJson } from '../shared/answer.ts';
import { count, hasText, text, word } from '../shared/query-fields.ts';
import type { AdminParts } from './plugins-handlers.ts';

/** `GET /api/admin/node-types`, `GET /api/admin/credential-types`, and one of each. */
export const createReadTypes = (parts: AdminParts) => {
  const initialise = async () => ({ plugins: await (await parts.loadRegistry()).initialise() });
  const answer = (event: unknown, value: unknown) => {
    const { headers } = readWebhookEvent(event, parts.clock.now());
    return withTag(answerJson(200, value), headers['if-none-match']);
  };

  return serveRoutes(parts, {
    'GET /api/admin/node-types': async ({ event }) => {
      const query = parseQuery(event, nodeTypesQuery);
      const found = listNodeTypes(await initialise()).filter(
        ({ nodeType, name, description, plugin, kind }) =>
          hasText(query.text, nodeType, name, description) &&
          isOne(query.plugin, plugin) &&
          isOne(query.kind, kind),
      );
      const { page, nextCursor } = takePage(found, ({ nodeType }) => nodeType, query);
      return answer(event, { count: page.length, nodeTypes: page, nextCursor });
    },

    'GET /api/admin/node-types/{nodeType}': async ({ event }) => {
      readQuery(event, []);
      const shown = showNodeType(await initialise(), readPathParameter(event, 'nodeType'));
      const { addFeatures } = await import('../webhooks/features/add-features.chunk.ts');
      return answer(event, addFeatures(shown));
    },

    'GET /api/admin/credential-types': async ({ event }) => {
      const query = parseQuery(event, typesQuery);
      const found = listCredentialTypes(await initialise()).filter(
        ({ id, name, description, plugin }) =>
          hasText(query.text, id, name, description) && isOne(query.plugin, plugin),
      );
      const { page, nextCursor } = takePage(found, ({ id }) => id, query);
      return answer(event, { count: page.length, credentialTypes: page, nextCursor });
    },

    'GET /api/admin/credential-types/{type}': async ({ event }) => {
      readQuery(event, []);
      return answer(event, showCredentialType(await initialise(), readPathParameter(event, 'type')));
    },
  });
};

const typesQuery = v.object({
  /** In the id, the name or the description, in any case. */
  text: v.nullish(text, null),
  /** Id of the plugin. */
  plugin: v.nullish(text, null),
  /** A row may have two texts of 2,000 characters. */
  limit: count({ initial: 100, max: 200 }),
  /** The `nextCursor` of the previous page; null for the first page. */
  cursor: v.nullish(text, null),
});

const nodeTypesQuery = v.object({
  ...typesQuery.entries,
  kind: v.nullish(word(['trigger', 'action']), null),
});

const isOne = (wanted: string | null, value: string): boolean => wanted === null || wanted === value;

/**
 * A page of rows that are sorted by id.
 *
 * @throws AppError `QUERY_INVALID` for a cursor of another list
 */
const takePage = <Row>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  { limit, cursor, ...filters }: v.InferOutput<typeof typesQuery>,
): { readonly page: readonly Row[]; readonly nextCursor: string | null } => {
  const list = JSON.stringify(filters);
  const after = cursor === null ? '' : readCursor(cursor, list).at;
  const rest = rows.filter((row) => idOf(row) > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  if (last === undefined || page.length === rest.length) return { page, nextCursor: null };
  const id = idOf(last);
  return { page, nextCursor: writeCursor({ part: 'types', at: id, executionId: id }, list) };
};

/**
 * Adds an entity tag, a hash of the content. A caller that already has the content gets a 304 without a body
 * (RFC 9110 §13.1.2).
 */
const withTag = (answer: Answer, known = ''): Answer => {
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
