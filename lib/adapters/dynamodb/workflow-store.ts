import { isDeepStrictEqual } from 'node:util';
import { type DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../contract/services.ts';
import { AppError } from '../../shared/errors.ts';
import type { WorkflowDefinition } from '../../workflows/definition/definition.ts';
import type { PathConfig } from '../../workflows/definition/path-config.ts';
import type {
  PublishedWorkflow,
  WorkflowStore,
  WorkflowSummary,
} from '../../workflows/definition/workflow-store.ts';
import { flag, type Item, json, number, readJson, readNumber, readText, text } from './attributes.ts';
import { scanAll } from './scan-all.ts';
import type { TableNames } from './table-names.ts';
import { fromStore, isWritten } from './translate-error.ts';

const MAX_DEFINITION_BYTES = 350_000;

/** A DynamoDB item ends at 409,600 bytes, the names of its attributes included. */
const MAX_ITEM_BYTES = 400_000;

/**
 * The current version of a workflow is one item, so that a request reads once and a change is one conditional
 * write. Before version n is replaced, it is copied under a key of its own that never changes; a crash in between
 * leaves a copy too many, which the next change finds in place. A removed workflow leaves its version number.
 */
export const createWorkflowStore = (
  client: DynamoDBClient,
  tables: Pick<TableNames, 'workflows' | 'workflowVersions'>,
  clock: Pick<Clock, 'now'>,
): WorkflowStore => {
  const readCurrent = async (workflowId: string, isConsistent: boolean): Promise<Item | null> => {
    const { Item: item } = await fromStore(
      client.send(
        new GetItemCommand({
          TableName: tables.workflows,
          Key: { workflowId: text(workflowId) },
          ConsistentRead: isConsistent,
        }),
      ),
    );
    return item ?? null;
  };

  const archive = async (current: Item): Promise<void> => {
    const { workflowId, version, updatedAt, definition } = current;
    if (
      workflowId === undefined ||
      version === undefined ||
      updatedAt === undefined ||
      definition === undefined
    ) {
      return; // a tombstone: its last version was archived when it was removed
    }
    await isWritten(
      client.send(
        new PutItemCommand({
          TableName: tables.workflowVersions,
          Item: { workflowId, version, updatedAt, definition },
          ConditionExpression: 'attribute_not_exists(workflowId)',
        }),
      ),
    );
  };

  /** Puts `item` where `current` is, if it still is there. */
  const replace = async (current: Item | null, item: Item): Promise<void> => {
    if (current !== null) await archive(current);
    const condition =
      current === null
        ? { ConditionExpression: 'attribute_not_exists(workflowId)' }
        : {
            // A tombstone keeps the version number, so the number alone does not tell it from what it replaced.
            ConditionExpression: `#version = :version AND ${isTombstone(current) ? 'attribute_exists' : 'attribute_not_exists'}(removedAt)`,
            ExpressionAttributeNames: { '#version': 'version' },
            ExpressionAttributeValues: { ':version': number(readNumber(current, 'version')) },
          };
    const isReplaced = await isWritten(
      client.send(new PutItemCommand({ TableName: tables.workflows, Item: item, ...condition })),
    );
    if (!isReplaced) throw new AppError('WORKFLOW_CHANGED', { workflowId: readText(item, 'workflowId') });
  };

  return {
    find: async (workflowId) => {
      const item = await readCurrent(workflowId, false);
      return item === null || isTombstone(item) ? null : toPublished(item);
    },

    findVersion: async (workflowId, version) => {
      const current = await readCurrent(workflowId, true);
      if (current !== null && !isTombstone(current) && readNumber(current, 'version') === version) {
        return toWorkflow(current);
      }
      const { Item: archived } = await fromStore(
        client.send(
          new GetItemCommand({
            TableName: tables.workflowVersions,
            Key: { workflowId: text(workflowId), version: number(version) },
            ConsistentRead: true, // it may have been replaced, and so archived, a moment ago
          }),
        ),
      );
      return archived === undefined ? null : toWorkflow(archived);
    },

    put: async (definition, pathConfigs, replaces) => {
      refuseLarger(MAX_DEFINITION_BYTES, JSON.stringify(definition));
      // A name is in the item twice, and a webhook may take more as a path config than as a trigger.
      refuseLarger(
        MAX_ITEM_BYTES,
        `${definition.name}${JSON.stringify(definition)}${JSON.stringify(pathConfigs)}`,
      );
      const current = await readCurrent(definition.id, true);
      const currentVersion = current === null || isTombstone(current) ? null : readNumber(current, 'version');
      if (replaces !== undefined && replaces !== currentVersion) {
        throw new AppError('WORKFLOW_CHANGED', { workflowId: definition.id });
      }
      if (current !== null && currentVersion !== null) {
        const { version, definition: before } = toWorkflow(current);
        if (isDeepStrictEqual(before, JSON.parse(JSON.stringify(definition))))
          return { version, changed: false };
      }
      const version = current === null ? 1 : readNumber(current, 'version') + 1;
      await replace(current, toItem(definition, pathConfigs, version, clock.now()));
      return { version, changed: true };
    },

    remove: async (workflowId) => {
      const current = await readCurrent(workflowId, true);
      if (current === null || isTombstone(current)) return false;
      await replace(current, toTombstone(current, clock.now()));
      return true;
    },

    list: async () => {
      const items = await scanAll(client, {
        TableName: tables.workflows,
        ProjectionExpression: 'workflowId, #name, enabled, #version, updatedAt',
        FilterExpression: 'attribute_not_exists(removedAt)',
        ExpressionAttributeNames: { '#name': 'name', '#version': 'version' },
      });
      return items.map(toSummary).sort((a, b) => (a.id < b.id ? -1 : 1));
    },
  };
};

/** @throws AppError `WORKFLOW_TOO_LARGE` */
const refuseLarger = (limitBytes: number, stored: string): void => {
  const bytes = Buffer.byteLength(stored);
  if (bytes > limitBytes) throw new AppError('WORKFLOW_TOO_LARGE', { bytes, limitBytes });
};

const toItem = (
  definition: WorkflowDefinition,
  pathConfigs: readonly PathConfig[],
  version: number,
  now: number,
): Item => ({
  workflowId: text(definition.id),
  version: number(version),
  updatedAt: text(new Date(now).toISOString()),
  name: text(definition.name),
  enabled: flag(definition.enabled),
  definition: json(definition),
  pathConfigs: json(pathConfigs),
});

const toTombstone = ({ workflowId, version }: Item, now: number): Item => ({
  workflowId: workflowId ?? text(''),
  version: version ?? number(0),
  removedAt: text(new Date(now).toISOString()),
});

const isTombstone = (item: Item): boolean => item.removedAt !== undefined;

const toWorkflow = (item: Item) => ({
  version: readNumber(item, 'version'),
  updatedAt: readText(item, 'updatedAt'),
  definition: readJson<WorkflowDefinition>(item, 'definition'),
});

const toPublished = (item: Item): PublishedWorkflow => ({
  ...toWorkflow(item),
  pathConfigs: readJson<PathConfig[]>(item, 'pathConfigs'),
});

const toSummary = (item: Item): WorkflowSummary => ({
  id: readText(item, 'workflowId'),
  name: readText(item, 'name'),
  enabled: item.enabled?.BOOL === true,
  version: readNumber(item, 'version'),
  updatedAt: readText(item, 'updatedAt'),
});
