import {
  type Clock,
  type JsonValue,
  type Logger,
  NodeError,
  type StateOperation,
} from '@hookloom/plugin-kit';
import * as v from 'valibot';
import { answerRoute, defineRoute } from '../http/api-route.ts';
import { readCaller, serveRoutes } from '../http/create-handler.ts';
import { checkPrecondition, withTag } from '../http/entity-tags.ts';
import { type Answer, answerJson } from '../shared/answer.ts';
import {
  QUERY_INVALID,
  STATE_ENTRY_NOT_FOUND,
  STATE_INVALID,
  STATE_VALUE_MISSING,
} from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { cursor, idText, optional, pageSize, positive, text } from '../shared/query-fields.ts';
import { tryJson } from '../shared/try-json.ts';
import { checkOperation, MAX_KEY_BYTES, MAX_TTL_SECONDS } from '../state/check-operation.ts';
import type { LargeValues } from '../state/large-values.ts';
import { liveOf } from '../state/show-entry.ts';
import type { StateEntry, StateStore } from '../state/state-store.ts';
import { editEntry } from '../state/write-entry.ts';
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

/** Bytes of the values in a page. Lambda's answer of at most 6 MB has them in a string, in which each can take two. */
const MAX_PAGE_BYTES = 2_000_000;

interface StateParts {
  readonly store: StateStore;
  readonly values: LargeValues;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** `/api/admin/state`: what workflows remember, to be seen and repaired. */
export const createState = (parts: StateParts) => {
  const { store, values, clock } = parts;

  return serveRoutes(parts, [
    answerRoute(listEntriesRoute, async ({ query, addLogFields }) => {
      const { limit, cursor } = query;
      const prefix = query.prefix ?? '';
      const scope = toScope(query, { operation: 'list', limit, prefix });
      const list = `${scope} ${prefix}`;
      const after = cursor === null ? null : readCursor(cursor, list);
      addLogFields({ scope });
      const { entries, next } = await store.list(scope, { prefix, after, limit, maxBytes: MAX_PAGE_BYTES });
      const now = clock.now();
      const live = entries.flatMap((entry) => liveOf(entry, now) ?? []);
      return answerJson(200, {
        count: live.length,
        entries: live.map(describeEntry),
        nextCursor: next === null ? null : writeCursor(next, list),
        timestamp: toTime(now),
      });
    }),

    answerRoute(showEntryRoute, async ({ query, addLogFields }) => {
      const { key } = query;
      const scope = toScope(query, { operation: 'get', key });
      addLogFields({ scope });
      const entry = liveOf(await store.find(scope, key), clock.now());
      if (entry === null) throw new AppError(STATE_ENTRY_NOT_FOUND, {});
      const loaded = await values.load(entry).catch(refuseMissing);
      const answer = answerJson(200, describeEntry(loaded));
      return withTag(entry.content.kind === 'large' ? asBytes(answer) : answer, entry.version);
    }),

    answerRoute(putEntryRoute, async ({ event, query, body, addLogFields }) => {
      const { key } = query;
      const value = body.value as JsonValue; // parsed from JSON
      const put = { operation: 'put', key, value, ttlSeconds: body.ttlSeconds ?? undefined } as const;
      const scope = toScope(query, put);
      addLogFields({ scope });
      const check = (entry: StateEntry | null) =>
        checkPrecondition(event, toReplaced(key, entry), clock.now());
      const { before, after } = await refuseInvalid(editEntry(parts, scope, put, readCaller(event), check));
      return withTag(answerJson(before === null ? 201 : 200, describeEntry(after)), after.version);
    }),

    answerRoute(deleteEntryRoute, async ({ event, query, addLogFields }) => {
      const { key } = query;
      const removal = { operation: 'delete', key } as const;
      const scope = toScope(query, removal);
      addLogFields({ scope });
      const { before } = await editEntry(parts, scope, removal, readCaller(event), (entry) => {
        checkPrecondition(event, toReplaced(key, entry), clock.now());
        if (entry === null) throw new AppError(STATE_ENTRY_NOT_FOUND, {});
      });
      return answerJson(200, { key, deleted: true as const, lastVersion: before?.version ?? 0 });
    }),
  ]);
};

/** Where the next page begins. Keys have any characters, unlike those of other lists. */
const writeCursor = (key: string, list: string): string =>
  Buffer.from(JSON.stringify([list, key])).toString('base64url');

/** @throws AppError `QUERY_INVALID` if the cursor is malformed or belongs to another list */
const readCursor = (cursor: string, list: string): string => {
  const refuse = (reason: string) => new AppError(QUERY_INVALID, { reason });
  const [of, key] = parse(cursor);
  if (typeof of !== 'string' || typeof key !== 'string')
    throw refuse('cursor must be the nextCursor of an earlier page');
  if (of !== list || Buffer.byteLength(key) > MAX_KEY_BYTES || key === '')
    throw refuse('cursor belongs to a list with other parameters');
  return key;
};

const parse = (cursor: string): readonly unknown[] => {
  const value = tryJson(Buffer.from(cursor, 'base64url').toString());
  return Array.isArray(value) ? value : [];
};

interface ScopeQuery {
  readonly workflowId: string | null;
  readonly store: string | null;
}

/** @throws AppError `QUERY_INVALID` for a wrong scope, or what no operation may have */
const toScope = ({ workflowId, store }: ScopeQuery, operation: StateOperation): string => {
  const invalid = (reason: string) => new AppError(QUERY_INVALID, { reason });
  if ((workflowId === null) === (store === null))
    throw invalid('workflowId or store must be given, not both');
  try {
    checkOperation({ ...operation, store: store ?? undefined });
  } catch (error) {
    if (error instanceof NodeError) throw invalid(withoutQuotes(error.message));
    throw error;
  }
  return workflowId === null ? `store:${store}` : `workflow:${workflowId}`;
};

/** In base64, a large value fits into Lambda's answer: as text, each quotation mark in it would take two bytes. */
const asBytes = <Given extends Answer>(answer: Given): Given =>
  answer.body === null
    ? answer
    : { ...answer, body: Buffer.from(answer.body).toString('base64'), isBase64: true };

/** @throws AppError `STATE_VALUE_MISSING` */
const refuseMissing = (error: unknown): never => {
  throw error instanceof NodeError ? new AppError(STATE_VALUE_MISSING, {}) : error;
};

/** A message that is written for the parameters of a node. */
const withoutQuotes = (message: string): string => message.replace(/^Parameter "(\w{1,40})"/, '$1');

/** @throws AppError `STATE_INVALID` for what the entry can't become */
const refuseInvalid = async <Result>(editing: Promise<Result>): Promise<Result> => {
  try {
    return await editing;
  } catch (error) {
    if (error instanceof NodeError) throw new AppError(STATE_INVALID, { reason: error.message });
    throw error;
  }
};

const toReplaced = (key: string, entry: StateEntry | null) => ({
  resource: `entry ${key.slice(0, 64)}`,
  currentVersion: entry?.version ?? null,
});

const toTime = (ms: number): string => new Date(ms).toISOString();

const describeEntry = ({ key, content, version, writtenAt, writtenBy, expiresAt }: StateEntry) => ({
  key,
  value: content.kind === 'value' ? content.value : null,
  omittedBytes: content.kind === 'large' ? content.bytes : null,
  version,
  writtenAt: toTime(writtenAt),
  writtenBy,
  expiresAt: expiresAt === null ? null : toTime(expiresAt),
  claim:
    content.kind === 'claim'
      ? {
          executionId: content.executionId,
          confirmBy: content.confirmBy === null ? null : toTime(content.confirmBy),
        }
      : null,
});
