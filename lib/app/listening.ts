import type { Clock, Ids } from '@hookloom/plugin-kit';
import * as v from 'valibot';
import { answerRoute, defineRoute } from '../http/api-route.ts';
import type { ServedRoute } from '../http/create-handler.ts';
import { answerJson } from '../shared/answer.ts';
import { NOT_LISTENABLE, WORKFLOW_NOT_FOUND } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { text } from '../shared/query-fields.ts';
import { findAddresses } from '../triggers/list-workflows.ts';
import { END_KEPT_MS, LISTENING_MS, type ListeningStore } from '../webhooks/listening/listening-store.ts';
import { describeRequest } from '../webhooks/requests/describe-request.ts';
import type { PublishedWorkflow, WorkflowReader } from '../workflows/definition/workflow-store.ts';
import { described, instant } from './answers.ts';
import { checkWorkflowId } from './calls.ts';
import { recordedRequest } from './requests.ts';
import { webhookAddress } from './workflows.ts';
export const listenRoute = defineRoute({
  route: 'POST /api/admin/workflows/{workflowId}/listening',
  summary: 'catches the next request to a webhook as a test, which starts nothing; for up to ten minutes',
  body: v.strictObject({
    /** Absent if the workflow has a single webhook trigger. */
    triggerNodeId: v.optional(text),
  }),
  answers: {
    201: v.object({
      id: v.string(),
      triggerNodeId: v.string(),
      addresses: v.array(webhookAddress),
      readyAt: described(instant, 'From when on every request can be caught'),
      until: instant,
    }),
  },
  problems: ['WORKFLOW_NOT_FOUND', 'NOT_LISTENABLE'],
});

export const listeningState = v.object({
  id: v.string(),
  state: v.picklist(['listening', 'caught', 'ended']),
  request: described(v.nullable(recordedRequest), 'The caught request; kept for a day'),
});

export const showListeningRoute = defineRoute({
  route: 'GET /api/admin/workflows/{workflowId}/listening/{listeningId}',
  summary: 'whether a webhook listens, or has caught a request',
  answers: { 200: listeningState },
  problems: ['WORKFLOW_NOT_FOUND'],
});

export const stopListeningRoute = defineRoute({
  route: 'DELETE /api/admin/workflows/{workflowId}/listening/{listeningId}',
  summary: 'stops listening, unless a request was caught: answers which',
  answers: { 200: listeningState },
  problems: ['WORKFLOW_NOT_FOUND'],
});

export interface ListeningParts {
  readonly workflows: Pick<WorkflowReader, 'find'>;
  readonly listening: ListeningStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  /** Where webhooks are reached, without a trailing slash. */
  readonly baseUrl: string;
  /** How long webhooks cache a workflow, in milliseconds. */
  readonly workflowCacheMs: number;
}

/** How long a read may miss the latest write: DynamoDB's reads are usually consistent within a second. */
const READS_LAG_MS = 1_000;

/** In characters: no listening has a longer id, and keys of the store are bounded. */
const MAX_ID = 64;

/** The routes below `/api/admin/workflows/{workflowId}/listening`: the next request to a webhook is caught as a test. */
export const listeningRoutes = ({
  workflows,
  listening: store,
  clock,
  ids,
  ...parts
}: ListeningParts): readonly ServedRoute[] => {
  const describe = async (workflowId: string, id: string) => {
    const end = id.length > MAX_ID ? null : await store.findEnd(workflowId, id);
    if (end?.request != null)
      return answerJson(200, { id, state: 'caught' as const, request: describeRequest(end.request) });
    const latest = end === null ? await store.findLatest(workflowId) : null;
    const isOpen = latest?.id === id && latest.until > clock.now();
    return answerJson(200, {
      id,
      state: isOpen ? ('listening' as const) : ('ended' as const),
      request: null,
    });
  };

  return [
    answerRoute(listenRoute, async ({ params, body, addLogFields }) => {
      const workflowId = checkWorkflowId(params.workflowId);
      const workflow = await workflows.find(workflowId);
      if (workflow === null) throw new AppError(WORKFLOW_NOT_FOUND, { workflowId });
      const triggerNodeId = chooseTrigger(workflow, body.triggerNodeId);
      addLogFields({ workflowId, nodeId: triggerNodeId });
      const now = clock.now();
      const former = await store.findLatest(workflowId);
      // Its end is written first: a process that has not read the new one yet must not catch for the former.
      if (former !== null) await store.end(workflowId, former.id, { request: null }, now + END_KEPT_MS);
      const begun = { id: ids.next(), triggerNodeId, until: now + LISTENING_MS };
      if (!(await store.begin(workflowId, begun))) throw new AppError(WORKFLOW_NOT_FOUND, { workflowId });
      const addresses = findAddresses(workflow.definition, triggerNodeId, parts.baseUrl);
      const readyAt = parts.workflowCacheMs === 0 ? now : now + parts.workflowCacheMs + READS_LAG_MS;
      const times = { readyAt: toTime(readyAt), until: toTime(begun.until) };
      return answerJson(201, { id: begun.id, triggerNodeId, addresses, ...times });
    }),

    answerRoute(showListeningRoute, async ({ params: { listeningId, ...params } }) => {
      const workflowId = checkWorkflowId(params.workflowId);
      return describe(workflowId, listeningId);
    }),

    answerRoute(stopListeningRoute, async ({ params: { listeningId, ...params } }) => {
      const workflowId = checkWorkflowId(params.workflowId);
      const latest = await store.findLatest(workflowId);
      // Any other has ended by itself, or another took its place.
      if (latest?.id === listeningId) {
        await store.end(workflowId, listeningId, { request: null }, clock.now() + END_KEPT_MS);
        await store.forget(workflowId, latest);
      }
      return describe(workflowId, listeningId);
    }),
  ];
};

const toTime = (ms: number): string => new Date(ms).toISOString();

/** @throws AppError `NOT_LISTENABLE` */
const chooseTrigger = (
  { definition, pathConfigs }: PublishedWorkflow,
  wanted: string | undefined,
): string => {
  const refuse = (reason: string): never => {
    throw new AppError(NOT_LISTENABLE, { workflowId: definition.id, reason });
  };
  const known = [...new Set(pathConfigs.map(({ triggerNodeId }) => triggerNodeId))];
  const [first] = known;
  if (first === undefined) return refuse('its current version has no enabled webhook trigger');
  if (wanted !== undefined)
    return known.includes(wanted)
      ? wanted
      : refuse(`its current version has no enabled webhook trigger "${wanted}", only ${known.join(', ')}`);
  return known.length === 1 ? first : refuse(`name one of its webhook triggers: ${known.join(', ')}`);
};
