import type { Clock, Logger } from '@hookloom/plugin-kit';
import * as v from 'valibot';
import { createHandler, onlyMethod } from '../http/create-handler.ts';
import { readOptions } from '../http/read-json-body.ts';
import { parseQuery, readPathParameter, readQuery } from '../http/read-parameters.ts';
import { type Answer, answerJson } from '../shared/answer.ts';
import { countStart, measure } from '../shared/metrics.ts';
import { parseFields } from '../shared/query-fields.ts';
import {
  describeRequest,
  describeRequestSummary,
  findRequest,
} from '../webhooks/requests/describe-request.ts';
import { listRequests, requestQuery } from '../webhooks/requests/list-requests.ts';
import type { RequestStore } from '../webhooks/requests/request-store.ts';
import { type SendAgainParts, sendAgain } from '../webhooks/requests/send-again.ts';

interface Served {
  readonly logger: Logger;
  readonly clock: Clock;
}

type ReadParts = Served & { readonly requests: Pick<RequestStore, 'find' | 'scan'> };

/** `GET /api/admin/requests`: the recorded requests of a workflow. `GET /api/admin/requests/{id}`: one request in full. */
export const createShowRequests = (parts: ReadParts) =>
  createHandler(
    parts,
    onlyMethod('GET', parts.clock, ({ event }) => {
      const id = readPathParameter(event, 'id');
      return id === '' ? list(event, parts) : show(event, id, parts);
    }),
  );

const list = async (event: unknown, { requests: store, clock }: ReadParts): Promise<Answer> => {
  const now = clock.now();
  const { requests, nextCursor } = await listRequests(parseQuery(event, requestQuery), store, now);
  return answerJson(200, {
    count: requests.length,
    requests: requests.map(describeRequestSummary),
    nextCursor,
    timestamp: new Date(now).toISOString(),
  });
};

const show = async (event: unknown, id: string, { requests }: ReadParts): Promise<Answer> => {
  readQuery(event, []);
  return answerJson(200, describeRequest(await findRequest(id, requests)));
};

const sendAgainOptions = v.object({
  /** The version of the workflow to send the request to; null for the current version. */
  version: v.nullish(
    v.pipe(
      v.number('must be an integer of 1 or more'),
      v.check((version) => Number.isSafeInteger(version) && version >= 1, 'must be an integer of 1 or more'),
    ),
    null,
  ),
});

/** `POST /api/admin/requests/{id}/send-again`: sends a recorded request again, as a new execution. */
export const createSendAgain = (parts: Served & SendAgainParts) =>
  createHandler(
    parts,
    onlyMethod('POST', parts.clock, async ({ event, addLogFields }) => {
      const id = readPathParameter(event, 'id');
      const options = readOptions(event, { names: ['version'], numbers: ['version'] }, parts.clock.now());
      const { version } = parseFields(sendAgainOptions, options);
      const { hasMetrics, ...sent } = await sendAgain(id, version, parts);
      if (sent.executionId === null) return answerJson(200, { ...sent, sent: id, skipped: true });
      addLogFields({ workflowId: sent.workflowId, ...measure(countStart(hasMetrics)) });
      return { ...answerJson(202, { ...sent, sent: id, status: 'accepted' }), executionId: sent.executionId };
    }),
  );
