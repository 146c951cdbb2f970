import type { Clock, Logger } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import { readCursor, writeCursor } from '../executions/record/cursor.ts';
import { answerRoute } from '../http/api-route.ts';
import { serveRoutes } from '../http/create-handler.ts';
import { withTag } from '../http/entity-tags.ts';
import type { Registry } from '../plugins/load-registry.ts';
import { answerJson } from '../shared/answer.ts';
import { QUERY_INVALID, VERSION_NOT_FOUND, WORKFLOW_NOT_FOUND } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { findTriggers, type ListWorkflowsParts, listWorkflows } from '../triggers/list-workflows.ts';
import { compareDefinitions } from '../workflows/definition/compare-definitions.ts';
import type { Workflow } from '../workflows/definition/definition.ts';
import type { WorkflowStore } from '../workflows/definition/workflow-store.ts';
import {
  compareVersionsRoute,
  listVersionsRoute,
  listWorkflowsRoute,
  showVersionRoute,
  showWorkflowRoute,
} from './workflows.ts';

interface ReadWorkflowsParts extends Pick<ListWorkflowsParts, 'findLastExecutions' | 'baseUrl'> {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly workflows: WorkflowStore;
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
      return answerJson(200, { count: page.workflows.length, ...page, timestamp: toTime() });
    }),

    answerRoute(showWorkflowRoute, async ({ params }) => {
      const workflowId = checkWorkflowId(params.workflowId);
      const workflow = await workflows.find(workflowId);
      if (workflow === null) throw new AppError(WORKFLOW_NOT_FOUND, { workflowId });
      const { version, updatedAt, definition } = workflow;
      const { findNodeType } = await parts.loadRegistry();
      const triggers = findTriggers(definition, findNodeType, parts.baseUrl);
      return withTag(answerJson(200, { id: workflowId, version, updatedAt, triggers, definition }), version);
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

/** @throws AppError `WORKFLOW_NOT_FOUND` for an invalid id, which the response does not echo */
export const checkWorkflowId = (workflowId: string): string => {
  if (isId(workflowId)) return workflowId;
  throw new AppError(WORKFLOW_NOT_FOUND, { workflowId: 'with this id' });
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
