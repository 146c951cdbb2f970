import type { Clock, Logger } from '@hookloom/plugin-kit';
import * as v from 'valibot';
import { readCursor, writeCursor } from '../executions/record/cursor.ts';
import { type Silence, toShownSilence } from '../health/silence/silence-rules.ts';
import type { StandingStore } from '../health/standing-store.ts';
import { answerRoute, defineRoute } from '../http/api-route.ts';
import { serveRoutes } from '../http/create-handler.ts';
import { withTag } from '../http/entity-tags.ts';
import type { BodyLimits } from '../http/read-json-body.ts';
import type { Registry } from '../plugins/load-registry.ts';
import { answerJson } from '../shared/answer.ts';
import { QUERY_INVALID, VERSION_NOT_FOUND, WORKFLOW_NOT_FOUND } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { cursor, pageSize, text } from '../shared/query-fields.ts';
import {
  findTriggers,
  type ListWorkflowsParts,
  listWorkflows,
  workflowQuery,
} from '../triggers/list-workflows.ts';
import { compareDefinitions } from '../workflows/definition/compare-definitions.ts';
import type { Workflow } from '../workflows/definition/definition.ts';
import type { PatchOperation, Problem } from '../workflows/definition/problem.ts';
import type { WorkflowStore } from '../workflows/definition/workflow-store.ts';
import { anyObject, change, definition, described, executionStatus, instant, nextCursor } from './answers.ts';
import { checkWorkflowId } from './calls.ts';
import { workflowSilences } from './silence-answers.ts';

export const webhookAddress = v.object({ method: v.string(), url: v.string() });

export const workflowTrigger = v.object({
  nodeId: v.string(),
  type: v.string(),
  addresses: v.optional(v.array(webhookAddress)),
});

export const listedWorkflow = v.object({
  id: v.string(),
  name: v.string(),
  tags: v.array(v.string()),
  enabled: v.boolean(),
  version: v.number(),
  updatedAt: instant,
  triggers: v.array(workflowTrigger),
  unknownNodeTypes: v.optional(v.array(v.string())),
  lastExecution: v.nullable(
    v.object({ executionId: v.string(), status: executionStatus, startedAt: instant }),
  ),
  silences: workflowSilences,
});

export const workflowVersion = v.object({
  version: v.number(),
  updatedAt: instant,
  author: described(v.nullable(v.string()), 'ARN of the caller'),
  message: v.nullable(v.string()),
});

const pointer = described(v.string(), 'A JSON pointer as a URI fragment');

const patchOperation = v.variant('op', [
  v.object({ op: v.literal('add'), path: pointer, value: v.unknown() }),
  v.object({ op: v.literal('replace'), path: pointer, value: v.unknown() }),
  v.object({ op: v.literal('remove'), path: pointer }),
  v.object({ op: v.literal('move'), from: pointer, path: pointer }),
]);

export const proposal = described(
  v.array(patchOperation),
  'The correction, as operations of JSON Patch, in order',
);

export const pointedText = v.object({ pointer, detail: v.string(), proposal: v.optional(proposal) });

export const listWorkflowsRoute = defineRoute({
  route: 'GET /api/admin/workflows',
  summary: 'a page of the workflows, by id',
  query: workflowQuery,
  answers: {
    200: v.object({ count: v.number(), workflows: v.array(listedWorkflow), nextCursor, timestamp: instant }),
  },
});

export const showWorkflowRoute = defineRoute({
  route: 'GET /api/admin/workflows/{workflowId}',
  summary: 'the current definition; its version is the `ETag`',
  answers: {
    200: v.object({
      id: v.string(),
      version: v.number(),
      updatedAt: instant,
      triggers: v.array(workflowTrigger),
      silences: workflowSilences,
      atLimit: v.optional(
        described(
          v.object({ dollars: v.number(), limit: v.number(), until: instant }),
          'Its `maxCostPerMonth` is reached, so that its triggers are held',
        ),
      ),
      definition,
    }),
  },
  hasTag: true,
  problems: ['WORKFLOW_NOT_FOUND'],
});

export const listVersionsRoute = defineRoute({
  route: 'GET /api/admin/workflows/{workflowId}/versions',
  summary: 'a page of its versions, newest first; also of a removed workflow',
  query: v.object({
    limit: pageSize,
    cursor,
  }),
  answers: {
    200: v.object({ count: v.number(), versions: v.array(workflowVersion), nextCursor, timestamp: instant }),
  },
  problems: ['WORKFLOW_NOT_FOUND'],
});

export const showVersionRoute = defineRoute({
  route: 'GET /api/admin/workflows/{workflowId}/versions/{version}',
  summary: 'the definition of one version',
  answers: { 200: v.object({ id: v.string(), version: v.number(), updatedAt: instant, definition }) },
  hasTag: true,
  problems: ['QUERY_INVALID', 'WORKFLOW_NOT_FOUND', 'VERSION_NOT_FOUND'],
});

const version = v.pipe(text, v.metadata({ type: 'integer', minimum: 1 }));

const changedParts = { added: v.array(anyObject), removed: v.array(anyObject) };

export const compareVersionsRoute = defineRoute({
  route: 'GET /api/admin/workflows/{workflowId}/diff',
  summary: 'what changed between two versions',
  query: v.object({ from: version, to: version }),
  answers: {
    200: v.object({
      id: v.string(),
      from: v.number(),
      to: v.number(),
      nodes: v.object({
        ...changedParts,
        changed: v.array(v.object({ id: v.string(), changes: v.array(change) })),
      }),
      connections: v.object(changedParts),
      workflow: v.array(change),
    }),
  },
  problems: ['WORKFLOW_NOT_FOUND', 'VERSION_NOT_FOUND'],
});

/**
 * Bytes: below the six megabytes of an event of Lambda, in which quotes of the body are escaped. Depth: nodes may have
 * parameters of any depth; the check of a workflow has its own limit, with a better message. So has it for big numbers.
 */
export const workflowLimits: BodyLimits = { maxBytes: 4_000_000, maxDepth: 200, bigNumbers: 'round' };

interface ReadWorkflowsParts extends Pick<ListWorkflowsParts, 'findLastExecutions' | 'baseUrl'> {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly workflows: WorkflowStore;
  readonly standing: Pick<StandingStore, 'find'>;
  readonly loadRegistry: () => Promise<Registry>;
}

/** `GET /api/admin/workflows` and what is below it: workflows, their versions, and the difference of two versions. */
export const createReadWorkflows = (parts: ReadWorkflowsParts) => {
  const { workflows, clock } = parts;
  const toTime = () => new Date(clock.now()).toISOString();

  return serveRoutes(parts, [
    answerRoute(listWorkflowsRoute, async ({ query }) => {
      const { findNodeType } = await parts.loadRegistry();
      const page = await listWorkflows(query, {
        workflows,
        findNodeType,
        findLastExecutions: parts.findLastExecutions,
        baseUrl: parts.baseUrl,
      });
      const { silences } = await parts.standing.find();
      const found = page.workflows.map((workflow) => ({ ...workflow, ...silencesOf(workflow.id, silences) }));
      return answerJson(200, { count: found.length, ...page, workflows: found, timestamp: toTime() });
    }),

    answerRoute(showWorkflowRoute, async ({ params }) => {
      const workflowId = checkWorkflowId(params.workflowId);
      const workflow = await workflows.find(workflowId);
      if (workflow === null) throw new AppError(WORKFLOW_NOT_FOUND, { workflowId });
      const { version, updatedAt, definition, atLimit } = workflow;
      const { findNodeType } = await parts.loadRegistry();
      const triggers = findTriggers(definition, findNodeType, parts.baseUrl);
      const silent = silencesOf(workflowId, (await parts.standing.find()).silences);
      const limited =
        atLimit === undefined
          ? {}
          : { atLimit: { ...atLimit, until: new Date(atLimit.until).toISOString() } };
      const shown = { id: workflowId, version, updatedAt, triggers, ...silent, ...limited, definition };
      return withTag(answerJson(200, shown), version);
    }),

    answerRoute(listVersionsRoute, async ({ params, query: { limit, cursor } }) => {
      const workflowId = checkWorkflowId(params.workflowId);
      const before = cursor === null ? null : Number(readCursor(cursor, workflowId).at);
      const { versions, next } = await workflows.listVersions(workflowId, before, limit);
      if (versions.length === 0 && before === null) throw new AppError(WORKFLOW_NOT_FOUND, { workflowId });
      const place = { part: 'versions', at: String(next), executionId: String(next) };
      const nextCursor = next === null ? null : writeCursor(place, workflowId);
      return answerJson(200, { count: versions.length, versions, nextCursor, timestamp: toTime() });
    }),

    answerRoute(showVersionRoute, async ({ params }) => {
      const workflowId = checkWorkflowId(params.workflowId);
      const found = await findVersion(workflowId, readVersion(params.version), workflows);
      return withTag(answerJson(200, { id: workflowId, ...found }), found.version);
    }),

    answerRoute(compareVersionsRoute, async ({ params, query }) => {
      const workflowId = checkWorkflowId(params.workflowId);
      // Both are read before the first search, which nothing would await if the second throws.
      const [before, after] = [readVersion(query.from), readVersion(query.to)];
      const [from, to] = await Promise.all([
        findVersion(workflowId, before, workflows),
        findVersion(workflowId, after, workflows),
      ]);
      const difference = compareDefinitions(from.definition, to.definition);
      return answerJson(200, { id: workflowId, from: from.version, to: to.version, ...difference });
    }),
  ]);
};

/** What is silent about a workflow; nothing if it is not. */
const silencesOf = (workflowId: string, all: readonly Silence[]) => {
  const own = all.filter((one) => one.workflowId === workflowId).map(toShownSilence);
  return own.length === 0 ? {} : { silences: own };
};

/** @throws AppError `QUERY_INVALID` unless it is an integer of 1 or more */
const readVersion = (given: string): number => {
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new AppError(QUERY_INVALID, { reason: 'a version must be an integer of 1 or more' });
};

export const findVersion = async (
  workflowId: string,
  version: number,
  workflows: Pick<WorkflowStore, 'findVersion'>,
): Promise<Workflow> => {
  const found = await workflows.findVersion(workflowId, version);
  if (found === null) throw new AppError(VERSION_NOT_FOUND, { workflowId, version });
  const { updatedAt, definition } = found;
  return { version, updatedAt, definition };
};

/** A finding with its place in the body. @param pointer - of the workflow: a JSON pointer as a URI fragment */
export const toPointed = ({ path, message, proposal }: Problem, pointer: string) => {
  const toPlace = (inner: string): string => `${pointer}${inner.split('/').map(toSegment).join('/')}`;
  const toPlaces = (operation: PatchOperation): PatchOperation => ({
    ...operation,
    path: toPlace(operation.path),
    ...(operation.op === 'move' ? { from: toPlace(operation.from) } : {}),
  });
  return {
    pointer: toPlace(path),
    detail: message,
    ...(proposal === undefined ? {} : { proposal: proposal.map(toPlaces) }),
  };
};

const toSegment = (key: string): string => encodeURIComponent(key.toWellFormed());
