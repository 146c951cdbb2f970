import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@hookloom/plugin-kit';
import { WORKFLOW_CHANGED, WORKFLOW_TOO_LARGE } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import type { VersionSummary, WorkflowStore } from '../../../workflows/definition/workflow-store.ts';
import { type Attributes, type Item, json, readNumber, readText } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { putItem, queryFirst } from '../items.ts';
import type { TableNames } from '../table-names.ts';
import {
  createWorkflowLists,
  createWorkflowReader,
  isTombstone,
  readItem,
  scanDefinitions,
  toWorkflow,
} from './workflow-reader.ts';
import { noteUses, removeUses } from './workflow-uses.ts';

const MAX_DEFINITION_BYTES = 350_000;

/** DynamoDB's limit is 409,600 bytes, attribute names included. */
const MAX_ITEM_BYTES = 400_000;

/**
 * The current version of a workflow is one item, so that a request needs one read and a change one conditional write.
 * Before a version is replaced, it is archived under its own key, which never changes; a crash in between leaves an
 * extra copy, which the next change reuses. A removed workflow leaves a tombstone with its version number.
 */
export const createWorkflowStore = (
  client: DynamoDbClient,
  tables: Pick<TableNames, 'workflows' | 'workflowVersions' | 'settings'>,
  clock: Pick<Clock, 'now'>,
): WorkflowStore => {
  const readCurrent = (workflowId: string) => readItem(client, tables.workflows, workflowId, true);

  const archived = { client, TableName: tables.workflowVersions };

  const archive = async (current: Item): Promise<void> => {
    if (isTombstone(current)) return; // its last version was archived when it was removed
    const { workflowId, version, updatedAt, definition, author, message, schema } = current;
    const attributes = { updatedAt, definition, author, message, schema };
    const isNew = { condition: 'attribute_not_exists(workflowId)' };
    await putItem(archived, { workflowId, version }, attributes, isNew, null);
  };

  /** Replaces the item `current` if it has not changed. */
  const replace = async (workflowId: string, current: Item | null, attributes: Attributes): Promise<void> => {
    if (current !== null) await archive(current);
    const condition =
      current === null
        ? { condition: 'attribute_not_exists(workflowId)' }
        : {
            // The version alone is not enough, because a tombstone has the version of what it replaced.
            condition: `#version = :version AND ${isTombstone(current) ? 'attribute_exists' : 'attribute_not_exists'}(removedAt)`,
            values: { ':version': current.version },
          };
    const table = { client, TableName: tables.workflows };
    if (!(await putItem(table, { workflowId }, attributes, condition)))
      throw new AppError(WORKFLOW_CHANGED, { workflowId });
  };

  return {
    ...createWorkflowReader(client, tables, clock),
    ...createWorkflowLists(client, tables),

    put: async (definition, pathConfigs, options = {}) => {
      const stored = JSON.stringify(definition);
      refuseLarger(MAX_DEFINITION_BYTES, stored);
      // The name is stored twice, and a path config may be larger than its trigger.
      refuseLarger(MAX_ITEM_BYTES, `${definition.name}${stored}${JSON.stringify(pathConfigs)}`);
      const current = await readCurrent(definition.id);
      const before = current === null || isTombstone(current) ? null : toWorkflow(current);
      const { replaces } = options;
      if (replaces !== undefined && replaces !== (before?.version ?? null)) {
        throw new AppError(WORKFLOW_CHANGED, { workflowId: definition.id });
      }
      if (before !== null && isDeepStrictEqual(before.definition, JSON.parse(stored))) {
        return { version: before.version, changed: false };
      }
      const version = current === null ? 1 : readNumber(current, 'version') + 1;
      const wasHighVolume =
        current?.wasHighVolume?.BOOL === true ||
        [definition, before?.definition].some((one) => one?.settings?.highVolume === true);
      const updatedAt = new Date(clock.now()).toISOString();

      // A trigger keeps listening. A listening that begins during this write is lost: its state is then "ended".
      await replace(definition.id, current, {
        version,
        updatedAt,
        name: definition.name,
        enabled: definition.enabled,
        definition: json(definition),
        pathConfigs: json(pathConfigs),
        author: options.author,
        message: options.message,
        wasHighVolume: wasHighVolume || null,
        listening: current?.listening,
        notedCost: current?.notedCost, // says nothing of another limit
      });
      await noteUses(client, tables, { definition, version, updatedAt });
      return { version, changed: true };
    },

    remove: async (workflowId, replaces) => {
      const current = await readCurrent(workflowId);
      if (current === null || isTombstone(current)) return false;
      if (replaces !== undefined && replaces !== readNumber(current, 'version'))
        throw new AppError(WORKFLOW_CHANGED, { workflowId });
      const { version, wasHighVolume } = current;
      const removedAt = new Date(clock.now()).toISOString();
      await replace(workflowId, current, { version, wasHighVolume, removedAt });
      await removeUses(client, tables, workflowId);
      return true;
    },

    readPage: (after) => scanDefinitions({ client, TableName: tables.workflows }, after),

    listVersions: async (workflowId, before, limit) => {
      const current = before === null ? await readCurrent(workflowId) : null;
      // A tombstone has the number of the last version, which is archived.
      const newest = current === null || isTombstone(current) ? [] : [current];
      const below = newest[0] === undefined ? before : readNumber(newest[0], 'version');
      const { items, hasMore } = await queryFirst(
        archived,
        {
          KeyConditionExpression: `workflowId = :workflowId${below === null ? '' : ' AND #version < :below'}`,
          ProjectionExpression: 'workflowId, #version, updatedAt, author, #message, #schema',
          values: { ':workflowId': workflowId, ':below': below },
          ScanIndexForward: false,
          ConsistentRead: true,
        },
        limit,
      );
      const found = [...newest, ...items].map(toVersionSummary);
      const versions = found.slice(0, limit);
      const isLast = found.length === versions.length && !hasMore;
      return { versions, next: isLast ? null : (versions.at(-1)?.version ?? null) };
    },
  };
};

/** Refuses a workflow that is larger than the limit. @throws AppError `WORKFLOW_TOO_LARGE` */
const refuseLarger = (limitBytes: number, stored: string): void => {
  const bytes = Buffer.byteLength(stored);
  if (bytes > limitBytes) throw new AppError(WORKFLOW_TOO_LARGE, { bytes, limitBytes });
};

const toVersionSummary = (item: Item): VersionSummary => ({
  version: readNumber(item, 'version'),
  updatedAt: readText(item, 'updatedAt'),
  author: item.author?.S ?? null,
  message: item.message?.S ?? null,
});
