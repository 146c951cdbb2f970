import type { Clock, Logger } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import * as v from 'valibot';
import {
  findTriggers,
  type ListWorkflowsParts,
  listWorkflows,
  workflowQuery,
} from '../admin/list-workflows.ts';
import { readCursor, writeCursor } from '../executions/record/cursor.ts';
import { serveRoutes } from '../http/create-handler.ts';
import { parseQuery, readPathParameter, readQuery } from '../http/read-parameters.ts';
import type { Registry } from '../plugins/load-registry.ts';
import { type Answer, answerJson } from '../shared/answer.ts';
import { QUERY_INVALID, VERSION_NOT_FOUND, WORKFLOW_NOT_FOUND } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { count, text } from '../shared/query-fields.ts';
import { compareDefinitions } from '../workflows/definition/compare-definitions.ts';
import type { Workflow } from '../workflows/definition/definition.ts';
import type { WorkflowStore } from '../workflows/definition/workflow-store.ts';

interface ReadWorkflowsParts extends Pick<ListWorkflowsParts, 'executions' | 'baseUrl'> {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly workflows: WorkflowStore;
  readonly loadRegistry: () => Promise<Registry>;
}

/** `GET /api/admin/workflows` and what is below it: workflows, their versions, and the difference of two versions. */
export const createReadWorkflows = (parts: ReadWorkflowsParts) => {
  const { workflows, executions, clock } = parts;
  const toTime = () => new Date(clock.now()).toISOString();

  return serveRoutes(parts, {
    'GET /api/admin/workflows': async ({ event }) => {
      const query = parseQuery(event, workflowQuery);
      const { findNodeType } = await parts.loadRegistry();
      const page = await listWorkflows(query, {
        workflows,
        executions,
        findNodeType,
        baseUrl: parts.baseUrl,
      });
      return answerJson(200, { count: page.workflows.length, ...page, timestamp: toTime() });
    },

    'GET /api/admin/workflows/{workflowId}': async ({ event }) => {
      readQuery(event, []);
      const workflowId = readWorkflowId(event);
      const workflow = await workflows.find(workflowId);
      if (workflow === null) throw new AppError(WORKFLOW_NOT_FOUND, { workflowId });
      const { version, updatedAt, definition } = workflow;
      const { findNodeType } = await parts.loadRegistry();
      const triggers = findTriggers(definition, findNodeType, parts.baseUrl);
      return withTag(answerJson(200, { id: workflowId, version, updatedAt, triggers, definition }), version);
    },

    'GET /api/admin/workflows/{workflowId}/versions': async ({ event }) => {
      const { limit, cursor } = parseQuery(event, versionsQuery);
      const workflowId = readWorkflowId(event);
      const before = cursor === null ? null : Number(readCursor(cursor, workflowId).at);
      const found = await workflows.listVersions(workflowId, before, limit + 1);
      if (found.length === 0 && before === null) throw new AppError(WORKFLOW_NOT_FOUND, { workflowId });
      const versions = found.slice(0, limit);
      const last = String(versions.at(-1)?.version);
      const hasMore = found.length > limit;
      const place = { part: 'versions', at: last, executionId: last };
      const nextCursor = hasMore ? writeCursor(place, workflowId) : null;
      return answerJson(200, { count: versions.length, versions, nextCursor, timestamp: toTime() });
    },

    'GET /api/admin/workflows/{workflowId}/versions/{version}': async ({ event }) => {
      readQuery(event, []);
      const workflowId = readWorkflowId(event);
      const found = await findVersion(
        workflowId,
        readVersion(readPathParameter(event, 'version')),
        workflows,
      );
      return withTag(answerJson(200, { id: workflowId, ...found }), found.version);
    },

    'GET /api/admin/workflows/{workflowId}/diff': async ({ event }) => {
      const { from, to } = parseQuery(event, diffQuery);
      const workflowId = readWorkflowId(event);
      const [before, after] = await Promise.all(
        [from, to].map((given) => findVersion(workflowId, readVersion(given), workflows)),
      );
      const difference = compareDefinitions((before as Workflow).definition, (after as Workflow).definition);
      return answerJson(200, { id: workflowId, from: before?.version, to: after?.version, ...difference });
    },
  });
};

const versionsQuery = v.object({
  limit: count({ initial: 25, max: 100 }),
  cursor: v.nullish(text, null),
});

const diffQuery = v.object({ from: text, to: text });

/** @throws AppError `WORKFLOW_NOT_FOUND` for an invalid id, which the response does not echo */
export const readWorkflowId = (event: unknown): string => {
  const workflowId = readPathParameter(event, 'workflowId');
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

/** Adds the entity tag of a workflow, which is the number of its version (RFC 9110 §8.8.3). */
export const withTag = (answer: Answer, version: number): Answer => ({
  ...answer,
  headers: { ...answer.headers, etag: `"${version}"` },
});
