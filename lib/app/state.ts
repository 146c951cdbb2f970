import * as v from 'valibot';
import { defineRoute } from '../http/api-route.ts';
import { cursor, idText, optional, pageSize, positive, text } from '../shared/query-fields.ts';
import { MAX_TTL_SECONDS } from '../state/check-operation.ts';
import { described, instant, nextCursor } from './answers.ts';

/** Whose entries: exactly one of the two. */
const scope = {
  workflowId: optional(idText('must be a workflow id'), 'The entries of this workflow'),
  store: optional(text, 'The entries of this store, which workflows share'),
};

/** Keys have any characters, and a gateway decodes the slashes of a path: so they are in the query. */
const entryQuery = v.object({ ...scope, key: text });

const entry = v.object({
  key: v.string(),
  value: described(v.unknown(), 'Any JSON; null for a claim, and for a value that is omitted'),
  omittedBytes: described(
    v.nullable(v.number()),
    'Size as JSON of a value of more than 400,000 bytes, which only the route for one entry shows',
  ),
  version: described(v.number(), 'Its `ETag`'),
  writtenAt: instant,
  writtenBy: described(
    v.object({
      executionId: described(v.nullable(v.string()), 'The execution whose node wrote it'),
      caller: described(v.nullable(v.string()), 'ARN of the caller who wrote it'),
    }),
    'Both are null if that is not known',
  ),
  expiresAt: v.nullable(instant),
  claim: described(
    v.nullable(v.object({ executionId: v.string(), confirmBy: v.nullable(instant) })),
    'Of a key that `once` or `newItems` claimed',
  ),
});

export const listEntriesRoute = defineRoute({
  route: 'GET /api/admin/state',
  summary: 'a page of the entries of state of a workflow, or of a shared store, by key',
  query: v.object({
    ...scope,
    prefix: optional(text, 'What their keys begin with'),
    limit: pageSize,
    cursor,
  }),
  answers: {
    200: v.object({ count: v.number(), entries: v.array(entry), nextCursor, timestamp: instant }),
  },
});

export const showEntryRoute = defineRoute({
  route: 'GET /api/admin/state/entry',
  summary: 'one entry of state; its version is the `ETag`',
  query: entryQuery,
  answers: { 200: entry },
  hasTag: true,
  problems: ['STATE_ENTRY_NOT_FOUND', 'STATE_VALUE_MISSING'],
});

const ttl = v.pipe(positive, v.maxValue(MAX_TTL_SECONDS, `must be at most ${MAX_TTL_SECONDS}`));

export const putEntryRoute = defineRoute({
  route: 'PUT /api/admin/state/entry',
  summary: 'creates or replaces an entry of state',
  query: entryQuery,
  headers: ['if-match', 'if-none-match'],
  body: v.strictObject({
    value: v.unknown(),
    ttlSeconds: v.optional(v.nullable(described(ttl, 'When it expires, from now on; never by default'))),
  }),
  bodyLimits: { maxBytes: 4_100_000, maxDepth: 100 },
  answers: { 200: entry, 201: entry },
  hasTag: true,
  problems: ['STATE_INVALID'],
});

export const deleteEntryRoute = defineRoute({
  route: 'DELETE /api/admin/state/entry',
  summary: 'deletes an entry of state: a claimed key can be claimed again',
  query: entryQuery,
  headers: ['if-match', 'if-none-match'],
  answers: {
    200: v.object({ key: v.string(), deleted: v.literal(true), lastVersion: v.number() }),
  },
  problems: ['STATE_ENTRY_NOT_FOUND'],
});
