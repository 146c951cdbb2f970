import type { Clock, Logger } from '@hookloom/plugin-kit';
import * as v from 'valibot';
import { describeCost, describePrices } from '../executions/cost/describe-cost.ts';
import { usageOf } from '../executions/cost/usage.ts';
import { claimRetry } from '../executions/deliveries/claim-delivery.ts';
import { compareWith } from '../executions/explain/compare-executions.ts';
import { describeExplained, explainExecution } from '../executions/explain/explain-execution.ts';
import { type CancelPorts, cancelExecution } from '../executions/lifecycle/cancel-execution.ts';
import { findReconciledExecution } from '../executions/lifecycle/finish-execution.ts';
import { keyedListQuery } from '../executions/lifecycle/list-executions.ts';
import { findRetry, retryEdited, retryExecution } from '../executions/lifecycle/retry-execution.ts';
import type { FinishPorts, Ports, RetryPorts } from '../executions/ports.ts';
import { describeSummary } from '../executions/record/describe-execution.ts';
import { type ExecutionRecord, type ExecutionStart, isFinal } from '../executions/record/execution-store.ts';
import { answerRoute, defineRoute } from '../http/api-route.ts';
import { readCaller, serveRoutes } from '../http/create-handler.ts';
import { answerJson } from '../shared/answer.ts';
import { QUERY_INVALID } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { countStart, measure } from '../shared/metrics.ts';
import { jsonObject, optional, text, word } from '../shared/query-fields.ts';
import { type KeyedListPorts, listKeyed } from '../webhooks/requests/list-keyed.ts';
import { change, described, executionStatus, instant, json, nextCursor, retryOnly } from './answers.ts';
import { cost, prices } from './cost-answers.ts';

export const executionSummary = v.object({
  executionId: v.string(),
  workflowId: v.string(),
  workflowVersion: v.number(),
  mode: v.picklist(['inline', 'durable', 'express']),
  status: executionStatus,
  held: v.optional(v.picklist(['paused', 'concurrency'])),
  trial: v.optional(described(v.literal(true), 'An author has tried one node')),
  startedAt: instant,
  endedAt: v.nullable(instant),
  durationMs: v.nullable(v.number()),
});

const shortFailure = v.object({ name: v.string(), message: v.string() });

export const failure = v.object({ nodeId: v.string(), ...shortFailure.entries, details: v.optional(json) });

const reason = v.object({
  text: v.string(),
  expression: v.optional(v.string()),
  values: v.optional(
    v.array(
      v.object({
        path: v.string(),
        value: v.optional(json),
        missing: v.optional(v.literal(true)),
        notRecorded: v.optional(v.literal(true)),
      }),
    ),
  ),
  valuesOmitted: v.optional(v.number()),
  result: v.optional(json),
  causes: v.optional(v.array(v.object({ nodeId: v.string(), output: v.string() }))),
  until: v.optional(v.string()),
  title: v.optional(v.string()),
  askedBy: v.optional(v.string()),
  attempt: v.optional(v.number()),
  failure: v.optional(shortFailure),
});

const nodeStatus = v.picklist(['running', 'waiting', 'succeeded', 'failed', 'skipped', 'passedThrough']);

export const nodeRun = v.object({
  nodeId: v.string(),
  within: v.optional(described(v.string(), 'Prefix of the inner run: `each/0/3`')),
  type: v.string(),
  status: nodeStatus,
  iteration: v.number(),
  attempts: v.number(),
  attemptTimes: v.optional(
    described(
      v.array(v.object({ attempt: v.number(), startedAt: instant, endedAt: v.nullable(instant) })),
      'When each of several attempts ran',
    ),
  ),
  startedAt: instant,
  durationMs: v.number(),
  failure: v.optional(failure),
  usage: v.optional(v.record(v.string(), v.number())),
  failedItems: v.optional(
    described(
      v.object({ count: v.number(), indexes: v.array(v.number()) }),
      'The items of its body that have failed: how many, and the positions of the first',
    ),
  ),
  input: v.optional(json),
  outputs: v.optional(json),
  why: v.optional(reason),
});

export const execution = v.object({
  ...executionSummary.entries,
  trigger: v.object({ nodeId: v.string(), type: v.string(), byHand: v.optional(v.literal(true)) }),
  requestId: v.nullable(v.string()),
  retryOf: v.nullable(
    v.object({
      executionId: v.string(),
      fromNodeId: v.nullable(v.string()),
      only: v.optional(v.literal('failedItems')),
      bulkRetryId: v.optional(v.string()),
    }),
  ),
  retriedBy: described(v.nullable(v.string()), 'Its last retry'),
  editedInput: v.nullable(
    v.object({
      by: v.nullable(v.string()),
      changes: v.array(change),
      changesOmitted: v.optional(v.number()),
    }),
  ),
  leaseOwner: v.nullable(v.string()),
  invocations: v.number(),
  crashes: v.number(),
  /** Whether its completion event is still to be published. */
  eventPending: v.optional(v.literal(true)),
  failure: v.nullable(failure),
  nodes: v.array(nodeRun),
  nodesOmitted: v.number(),
  failedItems: described(v.number(), 'How many items of `forEach` have failed, which can be retried alone'),
  reasonsOmitted: v.number(),
  cost: described(
    v.nullable(v.object({ ...cost.entries, prices })),
    'Null until it ends, and if its record does not say what it used',
  ),
});

const comparedRun = v.object({
  status: nodeStatus,
  durationMs: v.number(),
  outputs: v.optional(v.array(v.string())),
  why: v.optional(v.string()),
  failure: v.optional(shortFailure),
});

const comparedExecution = v.object({ ...executionSummary.entries, hasData: v.boolean() });

export const executionComparison = v.object({
  from: comparedExecution,
  to: comparedExecution,
  counts: v.object({ same: v.number(), different: v.number() }),
  nodes: v.array(
    v.object({
      nodeId: v.string(),
      within: v.optional(v.string()),
      type: v.string(),
      iteration: v.number(),
      differs: v.array(v.picklist(['missing', 'status', 'branch', 'data', 'failure', 'slower'])),
      from: v.optional(v.nullable(comparedRun)),
      to: v.optional(v.nullable(comparedRun)),
      changes: v.optional(v.array(change)),
      changesOmitted: v.optional(v.number()),
      isStart: v.optional(
        described(v.literal(true), 'Its data is too large: only its recorded start was compared'),
      ),
    }),
  ),
  nodesOmitted: v.number(),
});

export const listExecutionsRoute = defineRoute({
  route: 'GET /api/admin/executions',
  summary: 'a page of the executions of one or all workflows, latest first',
  query: keyedListQuery,
  answers: {
    200: v.object({
      count: v.number(),
      executions: v.array(executionSummary),
      nextCursor,
      omitsEarlier: v.optional(v.literal(true)),
      timestamp: instant,
    }),
  },
});

export const showExecutionRoute = defineRoute({
  route: 'GET /api/admin/executions/{executionId}',
  summary: 'one execution, node by node, why each did what it did, and what it cost',
  answers: { 200: execution },
  problems: ['EXECUTION_NOT_FOUND'],
});

export const compareExecutionsRoute = defineRoute({
  route: 'GET /api/admin/executions/{executionId}/comparison',
  summary: 'what an execution did differently from another one',
  query: v.object({
    with: optional(text, "The execution to compare with; by default the workflow's last success"),
  }),
  answers: { 200: executionComparison },
  problems: ['EXECUTION_NOT_FOUND', 'SUCCESS_NOT_FOUND', 'EXECUTIONS_NOT_COMPARABLE'],
});

export const retryExecutionRoute = defineRoute({
  route: 'POST /api/admin/executions/{executionId}/retry',
  summary: 'runs an execution again, as a new one, from its start or from a node',
  headers: ['idempotency-key'],
  options: v.object({
    from: optional(text, 'The node to start from; by default from the start'),
    only: retryOnly,
    version: v.nullish(word(['recorded', 'current']), 'recorded'),
    input: optional(jsonObject, "The fields of the trigger's input to replace"),
  }),
  answers: {
    202: v.object({
      executionId: v.string(),
      retryOf: v.string(),
      workflowId: v.string(),
      workflowVersion: v.number(),
      status: executionStatus,
      duplicate: v.optional(v.literal(true)),
    }),
  },
  problems: [
    'EXECUTION_NOT_FOUND',
    'NOT_RETRYABLE',
    'DELIVERY_KEY_REUSED',
    'BODY_SCHEMA_MISMATCH',
    'FILTER_UNDECIDED',
    'WEBHOOK_MISCONFIGURED',
    'WORKFLOW_INVALID',
    'DISPATCH_REFUSED',
  ],
});

export const cancelExecutionRoute = defineRoute({
  route: 'POST /api/admin/executions/{executionId}/cancel',
  summary: 'cancels an execution',
  answers: {
    200: v.object({
      executionId: v.string(),
      status: v.literal('cancelled'),
      stopped: v.optional(described(v.literal(false), 'The engine did not confirm that it stopped the run')),
    }),
  },
  problems: ['EXECUTION_NOT_FOUND', 'NOT_CANCELLABLE'],
});

interface Served {
  readonly logger: Logger;
  readonly clock: Clock;
}

/** `GET /api/admin/executions`: a page of the executions of one or all workflows. */
export const createListExecutions = (parts: Served & KeyedListPorts) =>
  serveRoutes(parts, [
    answerRoute(listExecutionsRoute, async ({ query }) => {
      const { executions, ...page } = await listKeyed(query, parts);
      return answerJson(200, {
        count: executions.length,
        executions: executions.map(describeSummary),
        ...page,
        timestamp: new Date(parts.clock.now()).toISOString(),
      });
    }),
  ]);

interface CostPorts {
  /** Measures the record of an execution, in bytes. */
  readonly measureRecord: (executionId: string) => Promise<number>;
  /** The AWS region whose prices are taken. */
  readonly region: string;
}

const findCost = async (
  record: ExecutionRecord,
  { measureRecord, region, usesOutbox }: CostPorts & Pick<Ports, 'usesOutbox'>,
) => {
  if (!isFinal(record.status)) return null;
  const usage = usageOf(record, { bytes: await measureRecord(record.executionId), hasBus: usesOutbox });
  return usage === null ? null : { ...describeCost(usage, region), prices: describePrices(region) };
};

/**
 * `GET /api/admin/executions/{executionId}`: one execution, node by node, and why each did what it did. With
 * `/comparison`: what it did differently from another one.
 */
export const createShowExecution = (parts: Served & FinishPorts & Pick<Ports, 'workflows'> & CostPorts) =>
  serveRoutes(parts, [
    answerRoute(showExecutionRoute, async ({ params }) => {
      const record = await findReconciledExecution(params.executionId, parts);
      const explained = await explainExecution(record, parts);
      const answer = { ...describeExplained(explained), cost: await findCost(record, parts) };
      return { ...answerJson(200, answer), executionId: record.executionId };
    }),

    answerRoute(compareExecutionsRoute, async ({ params: { executionId }, query }) => {
      const comparison = await compareWith(executionId, query.with, parts);
      return { ...answerJson(200, comparison), executionId };
    }),
  ]);

interface BodySettings {
  readonly settings: { readonly maxBodyBytes: number; readonly maxBodyDepth: number };
}

/** Two levels more than an input may have: the options themselves, and `input`. */
const toLimits = ({ settings: { maxBodyBytes, maxBodyDepth } }: BodySettings) => ({
  maxBytes: maxBodyBytes,
  maxDepth: maxBodyDepth + 2,
});

/**
 * `POST /api/admin/executions/{executionId}/retry`: the same or an edited request again, as a new execution; with an
 * `Idempotency-Key`, one for all requests with this key.
 */
export const createRetryExecution = (
  parts: Served &
    RetryPorts &
    Pick<Ports, 'blobs' | 'checkInput' | 'deliveries'> &
    BodySettings & { readonly windowMs: number },
) => {
  const retry = answerRoute(
    retryExecutionRoute,
    async ({ event, params: { executionId: retryOf }, options, headers, addLogFields }) => {
      const { input, from, only, version } = options;
      if (only !== null && (input !== null || from !== null))
        throw new AppError(QUERY_INVALID, {
          reason: `with only, everything that has succeeded keeps its result: leave out ${input === null ? 'from' : 'input'}`,
        });
      if (input !== null && from !== null)
        throw new AppError(QUERY_INVALID, {
          reason:
            'input replaces what the trigger received, so it needs a retry from the start: leave out from',
        });
      const key = headers['idempotency-key'] || null;
      const { windowMs } = parts;
      const content = JSON.stringify({ from, version, input, ...(only === null ? {} : { only }) });
      const claimed = key === null ? null : await claimRetry({ retryOf, key, content, windowMs }, parts);
      const claimedId = claimed?.executionId ?? null;
      const find = () => (claimedId === null ? null : findRetry(retryOf, claimedId, parts));
      const begin = () =>
        input === null
          ? retryExecution(retryOf, { from, only, version }, parts, claimedId)
          : retryEdited(retryOf, version, { input, by: readCaller(event) }, parts, claimedId);
      const toAnswer = (
        { executionId, workflowId, workflowVersion, status }: ExecutionStart | ExecutionRecord,
        duplicate: { readonly duplicate?: true } = {},
      ) => {
        addLogFields({ workflowId, retryOf, workflowVersion });
        const answer = { executionId, retryOf, workflowId, workflowVersion, status, ...duplicate };
        return { ...answerJson(202, answer), executionId };
      };
      const before = claimed?.isDuplicate === true ? await find() : null;
      if (before !== null) return toAnswer(before, { duplicate: true });
      const start = await begin();
      // Another request with this key has started it in the meantime.
      if (start.isKnown === true) return toAnswer((await find()) ?? start, { duplicate: true });
      addLogFields(measure(countStart(start.hasMetrics)));
      if (start.editedInput !== undefined) addLogFields({ edited: 'input' });
      return toAnswer(start);
    },
    toLimits(parts),
  );
  return serveRoutes(parts, [retry]);
};

/** `POST /api/admin/executions/{executionId}/cancel`: cancels an execution. */
export const createCancelExecution = (parts: Served & CancelPorts) =>
  serveRoutes(parts, [
    answerRoute(cancelExecutionRoute, async ({ params: { executionId } }) => {
      const isStopped = await cancelExecution(executionId, parts);
      const stopped = isStopped ? {} : { stopped: false as const };
      return { ...answerJson(200, { executionId, status: 'cancelled', ...stopped }), executionId };
    }),
  ]);
