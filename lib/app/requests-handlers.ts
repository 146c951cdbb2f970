import type { Clock, Logger } from '@hookloom/plugin-kit';
import { answerRoute } from '../http/api-route.ts';
import { readCaller, serveRoutes } from '../http/create-handler.ts';
import { answerJson } from '../shared/answer.ts';
import { countStart, measure } from '../shared/metrics.ts';
import {
  describeRequest,
  describeRequestSummary,
  findRequest,
} from '../webhooks/requests/describe-request.ts';
import { listRequests } from '../webhooks/requests/list-requests.ts';
import type { RequestStore } from '../webhooks/requests/request-store.ts';
import { type SendAgainParts, sendAgain } from '../webhooks/requests/send-again.ts';
import { listRequestsRoute, sendAgainRoute, showRequestRoute } from './requests.ts';

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
