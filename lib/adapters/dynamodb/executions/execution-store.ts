import { lazy } from '@hookloom/plugin-kit';
import type {
  ExecutionEnd,
  ExecutionStart,
  ExecutionStore,
} from '../../../executions/record/execution-store.ts';
import { isAppError } from '../../../shared/errors.ts';
import { type Attributes, type Item, json, longJson, packed } from '../attributes.ts';
import { type Change, deleteItem, findItem, onTable, putItem, updateItem } from '../items.ts';
import {
  CALLBACK_KEYS,
  COUNTED,
  callbackKeyOf,
  dataKeyOf,
  fitNodes,
  IS_OPEN,
  isExpired,
  OPEN_DAYS,
  type Retention,
  SECONDS_PER_DAY,
  SWEPT_ATTRIBUTES,
  timeShardOf,
  toCallback,
  toCallbackKeys,
  toDataAttributes,
  toEndAttributes,
  toEndChange,
  toExecutionData,
  toExpiry,
  toIso,
  toLease,
  toOutboxSweep,
  toPlainNodes,
  toRecord,
  toStartAttributes,
  toSweep,
} from './execution-item.ts';

/** Loads the queries on use, since neither webhooks nor runs make them. */
const openQueries = lazy(() => import('./execution-queries.chunk.ts'));
/** Opens the queue code, loaded on use, since few webhooks hold executions. */
const openQueue = lazy(() => import('./enter-queue.chunk.ts'));
/** Opens the code for quiet ends, loaded on use: needed only while and after DynamoDB throttles an index. */
const openQuietEnd = lazy(() => import('./quiet-end.chunk.ts'));

/**
 * How many unanswered callbacks of an ended execution are removed from the index; any others stay in it until they
 * expire.
 */
const MAX_CLOSED = 100;

/**
 * Stores the records of executions, each with a separate item of data. Every change is conditional; a final status
 * never changes.
 */
export const createExecutionStore = onTable(
  'executions',
  (table, { retentionDays, clock }: Retention): ExecutionStore => {
    const findAs = <Found>(executionId: string, read: (item: Item) => Found) =>
      findItem(table, { executionId }, (item) => (isExpired(item, clock.now()) ? null : read(item)));
    const find = (executionId: string) => findAs(executionId, toRecord);

    const isNew = { condition: 'attribute_not_exists(executionId)' };

    /** Recognises our own write by the start token, which stays the same whatever happens to the record. */
    const putRecord = (
      { executionId, startToken }: ExecutionStart,
      attributes: Attributes,
    ): Promise<boolean> =>
      putItem(table, { executionId }, attributes, isNew, (stored) => stored.startToken?.S === startToken);

    /** Makes a change that can be repeated; false if its condition does not hold. */
    const update = async (executionId: string, change: Change): Promise<boolean> =>
      (await updateItem(table, { executionId }, change)) !== null;

    const openExpiry = () => toExpiry(clock.now(), OPEN_DAYS);

    /** When an ended record expires, counted from now, for the retention that the process that started it determined. */
    const endExpiry = () => ({
      compute: { expiresAt: ':now + if_not_exists(#retentionSeconds, :retention)' },
      values: {
        ':now': Math.floor(clock.now() / 1_000),
        ':retention': retentionDays * SECONDS_PER_DAY,
      },
    });

    /** Written before the record, so that an ended execution always has all its data. */
    const saveEndData = async (
      executionId: string,
      { input, checkpoints, variables }: ExecutionEnd,
    ): Promise<void> => {
      if (input === undefined && checkpoints === undefined) return;
      await update(dataKeyOf(executionId), {
        condition: input === undefined ? 'attribute_exists(#executionId)' : '',
        set: {
          input: packed(input),
          checkpoints: packed(checkpoints),
          variables: longJson(variables),
        },
        ...endExpiry(),
      });
    };

    const writeEnd = async (executionId: string, end: ExecutionEnd): Promise<boolean> => {
      await saveEndData(executionId, end);
      const isOurs = ({ status, endedAt }: Item): boolean =>
        status?.S === end.status && endedAt?.S === toIso(end.endedAt);
      const write = async (change: Change) =>
        (await updateItem(table, { executionId }, change, isOurs)) !== null;
      const expiry = endExpiry();
      try {
        return await write(toEndChange(executionId, end, expiry));
      } catch (error) {
        // A run that can't be ended would be repeated, with all its effects.
        if (!isAppError(error, 'STORE_UNAVAILABLE') || end.leavesQueue === true) throw error;
      }
      const { toQuietEndChange } = await openQuietEnd();
      try {
        return await write(toQuietEndChange(executionId, end, expiry, true));
      } catch (error) {
        if (!isAppError(error, 'STORE_UNAVAILABLE')) throw error;
        return write(toQuietEndChange(executionId, end, expiry, false));
      }
    };

    const unlist = (executionId: string, name: string) =>
      update(callbackKeyOf(executionId, name), {
        condition: 'attribute_exists(#startedAt)',
        remove: CALLBACK_KEYS,
      });

    return {
      find,

      findData: (executionId) => findAs(dataKeyOf(executionId), toExecutionData),

      start: async (start) => {
        // The data first, so that no process finds a record without it. Data from another delivery with the same key is
        // just as good.
        const dataKey = { executionId: dataKeyOf(start.executionId) };
        if (start.input !== null)
          await putItem(table, dataKey, toDataAttributes(start, retentionDays), isNew, null);
        if (start.held === null) return putRecord(start, toStartAttributes(start, retentionDays));
        // Before the record, because a queue that is not in use is never read.
        const sweep = await (await openQueue()).queueUp(table, start, clock.now());
        return putRecord(start, toStartAttributes(start, retentionDays, sweep));
      },

      startAndFinish: async (start, end) => {
        const isBad = end.status !== 'succeeded';
        if (isBad) await saveEndData(start.executionId, end);
        const started = toStartAttributes(start, retentionDays);
        return putRecord(start, {
          ...started,
          n: 0,
          ...toEndAttributes(end, toPlainNodes(end.nodes)),
          ...(isBad
            ? { failedWorkflowId: started.workflowId, timeShard: timeShardOf(start.executionId, true) }
            : {}),
          ...toOutboxSweep(start.executionId, end),
        });
      },

      withdraw: async (executionId, startToken) => {
        const deleted = await deleteItem(
          table,
          { executionId },
          {
            condition: '#status = :accepted AND startToken = :token',
            values: { ':accepted': 'accepted', ':token': startToken },
          },
        );
        const isWithdrawn = deleted || (await find(executionId)) === null;
        if (isWithdrawn) await deleteItem(table, { executionId: dataKeyOf(executionId) });
        return isWithdrawn;
      },

      acquireLease: async (
        executionId,
        { leaseOwner, leaseExpiresAt, journalSize, crashes, invocations },
      ) => {
        const change: Change = {
          condition: `#status = :accepted OR (${IS_OPEN.condition} AND #leaseOwner = :set_leaseOwner)`,
          set: {
            status: 'running',
            leaseOwner,
            ...toLease(leaseExpiresAt),
            journalSize,
            crashes,
            invocations,
            expiresAt: openExpiry(),
          },
          compute: COUNTED.compute,
          values: { ...IS_OPEN.values, ...COUNTED.values },
        };
        const item = await updateItem(table, { executionId }, change, null, 'ALL_NEW');
        return item === null ? null : toRecord(item);
      },

      redispatch: (executionId, { redispatches, leaseExpiresAt }) =>
        update(executionId, {
          condition: '#status = :accepted',
          set: {
            redispatches,
            ...toLease(leaseExpiresAt),
            ...toSweep(executionId, 'active', leaseExpiresAt),
          },
          values: { ':accepted': 'accepted' },
        }),

      saveProgress: async (executionId, progress) => {
        const { status, nodes, crashes, result, leaseExpiresAt, activeMs } = progress;
        const { checkpoints, input, retriedCheckpoints } = progress;
        const fitted = nodes === undefined ? null : fitNodes(nodes);
        const data = Object.entries({ checkpoints, input, retriedCheckpoints });
        if (data.some(([, text]) => text !== undefined))
          await update(dataKeyOf(executionId), {
            condition: 'attribute_exists(#executionId)',
            set: Object.fromEntries(data.map(([name, text]) => [name, packed(text)])),
          });
        return update(executionId, {
          condition: IS_OPEN.condition,
          compute: COUNTED.compute,
          values: { ...IS_OPEN.values, ...COUNTED.values },
          set: {
            status,
            activeMs,
            nodes: fitted?.stored,
            nodesOmitted: fitted?.omitted,
            crashes,
            result: packed(result),
            ...toLease(leaseExpiresAt),
            expiresAt: openExpiry(),
          },
        });
      },

      openCallback: async (executionId, name, callback) => {
        const { subject, expiresAt } = callback;
        // An answered callback is no longer in the index.
        const orOlder =
          ' OR (attribute_exists(#startedAt) AND (attribute_not_exists(#openedAt) OR #openedAt <= :set_openedAt))';
        await update(callbackKeyOf(executionId, name), {
          condition: `attribute_not_exists(#executionId)${subject === undefined ? '' : orOlder}`,
          set: {
            callback: json(callback),
            expiresAt: Math.ceil(expiresAt / 1_000),
            openedAt: subject?.openedAt,
            ...toCallbackKeys(callback),
          },
        });
      },

      findCallback: (executionId, name) => findAs(callbackKeyOf(executionId, name), toCallback),

      finish: async (executionId, end) => {
        const isFinished = await writeEnd(executionId, end);
        if (!isFinished) return false;
        const open: string[] = [];
        for (const { callbacks } of end.nodes) if (callbacks !== undefined) open.push(...callbacks);
        // Callbacks of an ended execution are in no list; left in the index, they would slow lists down.
        await Promise.allSettled(open.slice(0, MAX_CLOSED).map((name) => unlist(executionId, name)));
        return true;
      },

      listEnd: async (record) => {
        await update(record.executionId, (await openQuietEnd()).toListingChange(record));
      },

      markPublished: async (executionId) => {
        const isListed = 'attribute_not_exists(#isUnlisted)';
        const isMarked = await update(executionId, {
          condition: `attribute_exists(#isInOutbox) AND ${isListed}`,
          remove: ['isInOutbox', ...SWEPT_ATTRIBUTES],
        });
        if (!isMarked)
          await update(executionId, { condition: 'attribute_exists(#isUnlisted)', remove: ['isInOutbox'] });
      },

      markRetried: (executionId, retriedBy, replacing) => {
        const known = replacing === null ? 'attribute_not_exists(#retriedBy)' : '#retriedBy = :replacing';
        const isKnown = replacing === undefined ? '' : ` AND (#retriedBy = :set_retriedBy OR ${known})`;
        return update(executionId, {
          condition: `attribute_exists(#executionId)${isKnown}`,
          set: { retriedBy },
          values: { ':replacing': replacing },
        });
      },

      list: async (query) => (await openQueries()).listExecutions(table, query, clock.now()),

      findDue: async function* (now, group) {
        yield* (await openQueries()).findDueExecutions(table, now, group);
      },

      extendLease: async ({ executionId, status }, leaseExpiresAt) => {
        const group = status === 'waiting' ? 'waiting' : 'active';
        await update(executionId, {
          condition: 'attribute_exists(#sweepShard) AND #status = :status',
          set: { ...toLease(leaseExpiresAt), ...toSweep(executionId, group, leaseExpiresAt) },
          values: { ':status': status },
        });
      },
    };
  },
);
