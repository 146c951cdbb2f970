import * as v from 'valibot';
import { defineRoute } from '../http/api-route.ts';
import { jsonObject, text } from '../shared/query-fields.ts';
import { definition, described, instant, json } from './answers.ts';
import { failure, nodeRun } from './executions.ts';
import { recordedRequest } from './requests.ts';
import { pointedText, webhookAddress, workflowLimits } from './workflows.ts';

const outputsByName = v.record(v.string(), jsonObject);

const logEntry = v.object({
  level: v.picklist(['debug', 'info', 'warn', 'error']),
  message: v.string(),
  fields: v.optional(json),
});

const { nodeId, status, attempts, durationMs, failure: ownFailure, input, outputs } = nodeRun.entries;
const bodyRun = v.object({
  ...{ nodeId, within: v.string(), status, attempts, durationMs, failure: ownFailure, input, outputs },
});

const triedNode = {
  body: v.strictObject({
    definition,
    nodeId: text,
    /** What the node receives; absent for what the outputs of the nodes before it deliver. */
    input: v.optional(jsonObject),
    /** The outputs of the nodes before it: by node id, then by the name of the output. */
    outputs: v.optional(v.record(v.string(), outputsByName), {}),
  }),
  // Of a definition, as its check has it. What the node receives must not be rounded.
  bodyLimits: { ...workflowLimits, maxDepth: 100, bigNumbers: 'refuse' },
} as const;

const run = v.object({
  status: v.picklist(['succeeded', 'failed', 'timedOut']),
  outputs: v.pipe(
    json,
    v.metadata({ type: 'object', additionalProperties: true }),
    v.description('By name; of a failed node, what its `onError` passes on'),
  ),
  isCut: v.optional(described(v.literal(true), 'The outputs are too large: shortened, as in a record')),
  failure: v.nullable(failure),
  attempts: v.number(),
  durationMs: v.number(),
  usage: v.optional(v.record(v.string(), v.number())),
  body: v.optional(
    described(
      v.array(bodyRun),
      'What the nodes of its body did in one pass: in the one that failed, or else in the last; absent if it is too large',
    ),
  ),
  log: v.array(logEntry),
  logOmitted: v.number(),
});

export const tryNodeRoute = defineRoute({
  ...triedNode,
  route: 'POST /api/admin/workflows/try',
  summary:
    'runs one node of a definition as drawn, for real; stores nothing but an execution marked as a trial',
  headers: ['traceparent'],
  answers: { 200: v.object({ executionId: v.string(), ...run.entries, warnings: v.array(pointedText) }) },
  problems: ['NODE_NOT_TRIABLE', 'WORKFLOW_INVALID', 'SECRETS_UNAVAILABLE'],
});

export const evaluateNodeRoute = defineRoute({
  ...triedNode,
  route: 'POST /api/admin/workflows/evaluate',
  summary: 'runs one node of a definition as drawn that touches nothing outside; stores nothing',
  answers: {
    200: v.object({
      run: described(v.nullable(run), 'Null for a node that was not run: `errors` says why'),
      errors: v.array(pointedText),
    }),
  },
});

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
