import { type Clock, isPlainObject, type JsonValue, type Logger } from '@hookloom/plugin-kit';
import * as v from 'valibot';
import { answerRoute, defineRoute } from '../http/api-route.ts';
import { readCaller, serveRoutes } from '../http/create-handler.ts';
import { answerJson } from '../shared/answer.ts';
import { countStart, measure } from '../shared/metrics.ts';
import { optional, positive } from '../shared/query-fields.ts';
import {
  describeRequest,
  describeRequestSummary,
  findRequest,
} from '../webhooks/requests/describe-request.ts';
import { listRequests, requestQuery } from '../webhooks/requests/list-requests.ts';
import { VERDICTS } from '../webhooks/requests/request-record.ts';
import type { RequestStore } from '../webhooks/requests/request-store.ts';
import { type SendAgainParts, sendAgain } from '../webhooks/requests/send-again.ts';
import { instant, nextCursor } from './answers.ts';

export const requestSummary = v.object({
  id: v.string(),
  requestId: v.string(),
  workflowId: v.string(),
  receivedAt: instant,
  sender: v.string(),
  method: v.string(),
  path: v.string(),
  key: v.nullable(v.string()),
  verdict: v.picklist(VERDICTS),
  executionId: v.nullable(v.string()),
  refusal: v.nullable(
    v.object({
      code: v.string(),
      detail: v.string(),
      reason: v.nullable(v.string()),
      advice: v.nullable(v.string()),
    }),
  ),
});

export const recordedRequest = v.object({
  ...requestSummary.entries,
  query: v.string(),
  headers: v.record(v.string(), v.string()),
  body: v.string(),
  bodyBytes: v.number(),
  missing: v.nullable(v.string()),
});

export const listRequestsRoute = defineRoute({
  route: 'GET /api/admin/requests',
  summary: 'a page of the recorded requests to a workflow, latest first',
  query: requestQuery,
  answers: {
    200: v.object({ count: v.number(), requests: v.array(requestSummary), nextCursor, timestamp: instant }),
  },
});

export const showRequestRoute = defineRoute({
  route: 'GET /api/admin/requests/{id}',
  summary: 'one recorded request in full',
  answers: { 200: recordedRequest },
  problems: ['REQUEST_NOT_FOUND'],
});

const MAX_HEADERS = 100;
const MAX_TEXT = 4_000;

/** RFC 9110 §5.6.2 and §5.5; the gateway sends header values as Latin-1. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]{0,4000}$/;

const isHeader = ([name, value]: [string, unknown]): boolean =>
  HEADER_NAME.test(name) && (value === null || (typeof value === 'string' && HEADER_VALUE.test(value)));

const requestEdit = v.strictObject(
  {
    body: v.optional(
      v.pipe(
        v.unknown(),
        v.transform((body) => body as JsonValue),
      ),
    ),
    headers: v.optional(
      v.pipe(
        v.unknown(),
        v.check(
          (value) =>
            isPlainObject(value) &&
            Object.keys(value).length <= MAX_HEADERS &&
            Object.entries(value).every(isHeader),
          `must be up to ${MAX_HEADERS} headers by name, each a string of up to ${MAX_TEXT} characters, or null to remove it`,
        ),
        v.metadata({ type: 'object', additionalProperties: { type: ['string', 'null'] } }),
        v.transform((headers) =>
          Object.fromEntries(
            Object.entries(headers as Readonly<Record<string, string | null>>).map(([name, value]) => [
              name.toLowerCase(),
              value,
            ]),
          ),
        ),
      ),
    ),
    query: v.optional(
      v.pipe(v.string('must be a string'), v.maxLength(MAX_TEXT, `must have at most ${MAX_TEXT} characters`)),
    ),
  },
  ({ expected }) =>
    expected === 'Object'
      ? 'must be a JSON object'
      : 'is not a part of a request that can be edited: those are body, headers and query',
);

const sentRequest = { workflowId: v.string(), workflowVersion: v.number(), sent: v.string() };

export const sendAgainRoute = defineRoute({
  route: 'POST /api/admin/requests/{id}/send-again',
  summary: 'sends a recorded request again, as a new execution',
  options: v.object({
    version: optional(positive, 'The version of the workflow to send it to; by default the current one'),
    input: optional(requestEdit, 'How the request is changed'),
  }),
  answers: {
    200: v.object({ ...sentRequest, executionId: v.null(), skipped: v.literal(true) }),
    202: v.object({ ...sentRequest, executionId: v.string(), status: v.literal('accepted') }),
  },
  problems: [
    'REQUEST_NOT_FOUND',
    'REQUEST_NOT_REPEATABLE',
    'BODY_SCHEMA_MISMATCH',
    'BODY_UNSUPPORTED',
    'FILTER_UNDECIDED',
    'WEBHOOK_MISCONFIGURED',
    'WORKFLOW_INVALID',
    'DISPATCH_REFUSED',
  ],
});

interface Served {
  readonly logger: Logger;
  readonly clock: Clock;
}

type ReadParts = Served & { readonly requests: Pick<RequestStore, 'find' | 'scan'> };

/** `GET /api/admin/requests`: the recorded requests of a workflow. `GET /api/admin/requests/{id}`: one request in full. */
export const createShowRequests = (parts: ReadParts) =>
  serveRoutes(parts, [
    answerRoute(listRequestsRoute, async ({ query }) => {
      const now = parts.clock.now();
      const { requests, nextCursor } = await listRequests(query, parts.requests, now);
      return answerJson(200, {
        count: requests.length,
        requests: requests.map(describeRequestSummary),
        nextCursor,
        timestamp: new Date(now).toISOString(),
      });
    }),

    answerRoute(showRequestRoute, async ({ params }) =>
      answerJson(200, describeRequest(await findRequest(params.id, parts.requests))),
    ),
  ]);

/** `POST /api/admin/requests/{id}/send-again`: sends a recorded request again, as a new execution. */
export const createSendAgain = (
  parts: Served &
    SendAgainParts & { readonly settings: { readonly maxBodyBytes: number; readonly maxBodyDepth: number } },
) => {
  const { maxBodyBytes, maxBodyDepth } = parts.settings;
  const again = answerRoute(
    sendAgainRoute,
    async ({ event, params: { id }, options: { version, input }, addLogFields }) => {
      const edit = input === null ? null : { input, by: readCaller(event) };
      const { hasMetrics, executionId, ...sent } = await sendAgain(id, version, parts, edit);
      const { workflowId, workflowVersion } = sent;
      addLogFields({ workflowId, workflowVersion, sent: id, ...(edit === null ? {} : { edited: 'input' }) });
      if (executionId === null) return answerJson(200, { ...sent, executionId, sent: id, skipped: true });
      addLogFields(measure(countStart(hasMetrics)));
      return { ...answerJson(202, { ...sent, executionId, sent: id, status: 'accepted' }), executionId };
    },
    // Two levels more than a body may have: the options themselves, and `input`.
    { maxBytes: maxBodyBytes, maxDepth: maxBodyDepth + 2 },
  );
  return serveRoutes(parts, [again]);
};
