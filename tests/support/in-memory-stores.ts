import { isDeepStrictEqual } from 'node:util';
import type { CallbackIndex, ListedCallback } from '../../lib/approvals/callback-index.ts';
import type { Credential, CredentialStore } from '../../lib/credentials/credential.ts';
import type { DeliveryClaim, DeliveryStore } from '../../lib/executions/delivery-store.ts';
import type { HeldQueues } from '../../lib/executions/held-queues.ts';
import { ACCEPTED_LEASE_MS } from '../../lib/executions/lifecycle/limits.ts';
import {
  type DueGroup,
  type ExecutionData,
  type ExecutionRecord,
  type ExecutionStore,
  type FindLastExecutions,
  hasFailedAs,
  isFinal,
  isTrial,
  type PendingCallback,
} from '../../lib/executions/record/execution-store.ts';
import { CREDENTIAL_CHANGED, WORKFLOW_CHANGED } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import type { Slot, SlotStore } from '../../lib/webhooks/limits/slots.ts';
import { lastFullAt, type TakeToken } from '../../lib/webhooks/limits/token-bucket.ts';
import { placesBetween, type RequestRecord, toRecordId } from '../../lib/webhooks/requests/request-record.ts';
import type { RequestStore } from '../../lib/webhooks/requests/request-store.ts';
import type { Workflow } from '../../lib/workflows/definition/definition.ts';
import type {
  PublishedWorkflow,
  VersionNote,
  WorkflowStore,
} from '../../lib/workflows/definition/workflow-store.ts';
import { inMemoryQueues } from './in-memory-queues.ts';

/** Few, so that tests meet several pages. */
const WORKFLOWS_PER_PAGE = 2;

/** Keeps every version, as copies. */
export const inMemoryWorkflowStore = (now: () => number = () => 0): WorkflowStore => {
  const versions = new Map<string, Workflow[]>();
  const notes = new Map<string, VersionNote>();
  const published = new Map<string, PublishedWorkflow>();
  return {
    find: async (workflowId) => copy(published.get(workflowId) ?? null),
    findVersion: async (workflowId, version) => copy(versions.get(workflowId)?.[version - 1] ?? null),
    put: async (definition, pathConfigs, { replaces, author = null, message = null } = {}) => {
      const current = published.get(definition.id);
      if (replaces !== undefined && replaces !== (current?.version ?? null)) {
        throw new AppError(WORKFLOW_CHANGED, { workflowId: definition.id });
      }
      if (current !== undefined && isDeepStrictEqual(current.definition, definition)) {
        return { version: current.version, changed: false };
      }
      const before = versions.get(definition.id) ?? [];
      const version = before.length + 1;
      const workflow = copy({ version, updatedAt: new Date(now()).toISOString(), definition });
      versions.set(definition.id, [...before, workflow]);
      notes.set(`${definition.id}/${version}`, { author, message });
      published.set(definition.id, { ...workflow, pathConfigs: copy(pathConfigs) });
      return { version, changed: true };
    },
    listVersions: async (workflowId, before, limit) => {
      const found = (versions.get(workflowId) ?? [])
        .filter(({ version }) => before === null || version < before)
        .reverse();
      const page = found.slice(0, limit).map(({ version, updatedAt }) => ({
        version,
        updatedAt,
        ...(notes.get(`${workflowId}/${version}`) as VersionNote),
      }));
      return { versions: page, next: found.length > limit ? (page.at(-1)?.version ?? null) : null };
    },
    remove: async (workflowId, replaces) => {
      const current = published.get(workflowId);
      if (current !== undefined && replaces !== undefined && replaces !== current.version)
        throw new AppError(WORKFLOW_CHANGED, { workflowId });
      return published.delete(workflowId);
    },
    findAll: async (workflowIds) =>
      workflowIds.flatMap((id) => {
        const current = published.get(id);
        if (current === undefined) return [];
        const { pathConfigs: _pathConfigs, ...workflow } = copy(current);
        const wasHighVolume = versions.get(id)?.some(({ definition }) => definition.settings?.highVolume);
        return [{ ...workflow, ...(wasHighVolume === true ? { wasHighVolume: true as const } : {}) }];
      }),
    readPage: async (after) => {
      const ids = [...published.keys()].sort().filter((id) => after === null || id > after);
      const page = ids.slice(0, WORKFLOWS_PER_PAGE);
      const workflows = page.flatMap((id) => {
        const found = published.get(id);
        return found === undefined
          ? []
          : [{ updatedAt: found.updatedAt, definition: copy(found.definition) }];
      });
      return { workflows, next: page.length < ids.length ? (page.at(-1) ?? null) : null };
    },
    list: async () =>
      [...published.values()]
        .map(({ definition: { id, name, enabled }, version, updatedAt }) => ({
          id,
          name,
          enabled,
          version,
          updatedAt,
        }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
};

export const inMemoryCredentialStore = (): CredentialStore => {
  const credentials = new Map<string, Credential>();
  return {
    find: async (credentialId) => copy(credentials.get(credentialId) ?? null),
    put: async (credential) => {
      const revision = credentials.get(credential.id)?.revision ?? 0;
      if (credential.revision !== revision + 1) {
        throw new AppError(CREDENTIAL_CHANGED, { credentialId: credential.id });
      }
      credentials.set(credential.id, copy(credential));
    },
    remove: async ({ id, revision }) => credentials.get(id)?.revision === revision && credentials.delete(id),
    list: async () => copy([...credentials.values()]),
  };
};

/** The last execution of each workflow, in a store whose lists cost nothing. */
export const findLastIn =
  (executions: Pick<ExecutionStore, 'list'>): FindLastExecutions =>
  async (workflows) => {
    const found = workflows.map(async ({ definition: { id } }) => {
      const [last] = (await executions.list({ workflowId: id, limit: 1, isTrial: false })).executions;
      return last === undefined ? [] : [[id, last] as const];
    });
    return new Map((await Promise.all(found)).flat());
  };

/** `records` is for tests that ask what was stored without knowing the execution's id. */
export const inMemoryExecutionStore = (
  now: () => number = () => 0,
): ExecutionStore & {
  records(): readonly ExecutionRecord[];
  readonly callbacks: CallbackIndex;
  readonly queues: HeldQueues;
} => {
  const records = new Map<string, ExecutionRecord>();
  const data = new Map<string, ExecutionData>();
  /** The next sweeps of executions that are open, or in the outbox. */
  const sweeps = new Map<string, { readonly at: number; readonly group: DueGroup }>();
  const callbacks = new Map<string, PendingCallback>();
  const { queues, use } = inMemoryQueues(records, (executionId, at, variables) => {
    sweeps.set(executionId, { at, group: 'active' });
    const known = data.get(executionId);
    if (known !== undefined && variables !== undefined) data.set(executionId, { ...known, variables });
  });

  const findOpen = (executionId: string): ExecutionRecord | null => {
    const record = records.get(executionId);
    return record === undefined || isFinal(record.status) ? null : record;
  };
  const change = (executionId: string, changes: Partial<ExecutionRecord>): boolean => {
    const record = findOpen(executionId);
    if (record === null) return false;
    records.set(executionId, { ...record, ...copy(changes) });
    return true;
  };

  const countWrite = (executionId: string) => ({ writes: (records.get(executionId)?.writes ?? 0) + 1 });

  const changeData = (
    executionId: string,
    { input, checkpoints, variables }: Partial<ExecutionData>,
  ): void => {
    const known = data.get(executionId) ?? NO_DATA;
    if (input === undefined && (typeof checkpoints !== 'string' || known === NO_DATA)) return;
    data.set(executionId, {
      ...known,
      ...(input === undefined ? {} : { input }),
      ...(variables === undefined ? {} : { variables }),
      ...(typeof checkpoints === 'string' ? { checkpoints } : {}),
    });
  };

  const store: ExecutionStore = {
    start: async (start) => {
      const { executionId, mode, startedAt, startToken } = start;
      const { input, callbackKey, retriedCheckpoints, variables, place: _place, ...started } = start;
      if (input !== null && !data.has(executionId))
        data.set(executionId, {
          input,
          callbackKey,
          retriedCheckpoints,
          checkpoints: null,
          ...(variables === undefined ? {} : { variables }),
        });
      const known = records.get(executionId);
      if (known !== undefined) return known.startToken === startToken;
      const sweepAt = startedAt + ACCEPTED_LEASE_MS;
      if (start.held !== null) use(start);
      else if (mode !== 'inline') sweeps.set(executionId, { at: sweepAt, group: 'active' });
      records.set(executionId, {
        ...copy(started),
        endedAt: null,
        nodes: [],
        nodesOmitted: 0,
        failure: null,
        leaseOwner: null,
        invocations: 0,
        journalSize: 0,
        crashes: 0,
        releasedAt: null,
        redispatches: 0,
        result: null,
        isInOutbox: false,
        leaseExpiresAt: mode === 'inline' || start.held !== null ? null : sweepAt,
      });
      return true;
    },
    startAndFinish: async (start, end) => {
      if (!(await store.start(start)) || !(await store.finish(start.executionId, end))) return false;
      records.set(start.executionId, { ...(records.get(start.executionId) as ExecutionRecord), writes: 0 });
      return true;
    },
    withdraw: async (executionId, startToken) => {
      const record = records.get(executionId);
      if (record === undefined) return true;
      if (record.status !== 'accepted' || record.startToken !== startToken) return false;
      sweeps.delete(executionId);
      data.delete(executionId);
      return records.delete(executionId);
    },
    acquireLease: async (executionId, lease) => {
      const record = findOpen(executionId);
      if (record === null || (record.status !== 'accepted' && record.leaseOwner !== lease.leaseOwner))
        return null;
      change(executionId, { ...lease, status: 'running', ...countWrite(executionId) });
      return store.find(executionId);
    },
    redispatch: async (executionId, dispatch) => {
      if (findOpen(executionId)?.status !== 'accepted') return false;
      change(executionId, dispatch);
      sweeps.set(executionId, { at: dispatch.leaseExpiresAt, group: 'active' });
      return true;
    },
    saveProgress: async (executionId, { checkpoints, input, retriedCheckpoints, ...progress }) => {
      const changes = Object.entries({ checkpoints, input, retriedCheckpoints });
      const given = Object.fromEntries(changes.filter(([, text]) => text !== undefined));
      const known = data.get(executionId);
      if (known !== undefined) data.set(executionId, { ...known, ...given });
      return change(executionId, { ...progress, ...countWrite(executionId) });
    },
    openCallback: async (executionId, name, callback) => {
      const key = `${executionId}/${name}`;
      const { answered, subject } = callbacks.get(key) ?? callback;
      const isNewer = (callback.subject?.openedAt ?? 0) >= (subject?.openedAt ?? Number.POSITIVE_INFINITY);
      if (!callbacks.has(key) || (answered === undefined && isNewer)) callbacks.set(key, callback);
    },
    findCallback: async (executionId, name) => callbacks.get(`${executionId}/${name}`) ?? null,
    finish: async (executionId, { input, checkpoints, leavesQueue, ...end }) => {
      changeData(executionId, {
        ...(input === undefined ? {} : { input }),
        checkpoints: checkpoints ?? null,
      });
      const before = records.get(executionId);
      if (before?.status === end.status && before.endedAt === end.endedAt) return true;
      const leaseExpiresAt = end.isInOutbox ? end.endedAt + 60_000 : null;
      const held = leavesQueue === true ? { held: null } : {};
      if (!change(executionId, { nodesOmitted: 0, leaseExpiresAt, ...end, ...held })) return false;
      if (!end.isInOutbox) sweeps.delete(executionId);
      else if (!sweeps.has(executionId))
        sweeps.set(executionId, { at: end.endedAt + 60_000, group: 'active' });
      return true;
    },
    listEnd: async () => {},
    markPublished: async (executionId) => {
      const record = records.get(executionId);
      if (record?.isInOutbox !== true) return;
      records.set(executionId, { ...record, isInOutbox: false, leaseExpiresAt: null });
      sweeps.delete(executionId);
    },
    markRetried: async (executionId, retriedBy, replacing) => {
      const record = records.get(executionId);
      if (record === undefined) return false;
      const known = record.retriedBy ?? null;
      if (replacing !== undefined && known !== retriedBy && known !== replacing) return false;
      records.set(executionId, { ...record, retriedBy });
      return true;
    },
    find: async (executionId) => copy(records.get(executionId) ?? null),
    findData: async (executionId) => copy(data.get(executionId) ?? null),
    list: async ({
      workflowId,
      statuses,
      requestId,
      failure,
      bulkRetryId,
      isTrial: ofTrials,
      from = 0,
      to = Number.POSITIVE_INFINITY,
      limit,
      after,
    }) => {
      const found = [...records.values()]
        .filter((record) => (workflowId ?? record.workflowId) === record.workflowId)
        .filter((record) => statuses?.includes(record.status) !== false)
        .filter((record) => (ofTrials ?? isTrial(record)) === isTrial(record))
        .filter((record) => requestId === undefined || record.requestId === requestId)
        .filter((record) => failure === undefined || hasFailedAs(record, failure))
        .filter((record) => bulkRetryId === undefined || record.retryOf?.bulkRetryId === bulkRetryId)
        .filter(({ startedAt }) => startedAt >= from && startedAt <= to)
        .sort(latestFirst)
        .filter(
          (record) =>
            after === undefined || latestFirst({ ...after, startedAt: Number(after.at) }, record) < 0,
        )
        .map((record) => ({
          executionId: record.executionId,
          workflowId: record.workflowId,
          workflowVersion: record.workflowVersion,
          mode: record.mode,
          status: record.status,
          startedAt: record.startedAt,
          endedAt: record.endedAt,
          held: record.held,
        }));
      const executions = found.slice(0, limit);
      const last = found.length > limit ? executions.at(-1) : undefined;
      const next =
        last === undefined
          ? null
          : { part: 'all', at: String(last.startedAt), executionId: last.executionId };
      return { executions, next };
    },
    findDue: async function* (now, group) {
      yield* [...sweeps]
        .filter(([, sweep]) => sweep.at <= now && sweep.group === group)
        .sort(([, a], [, b]) => a.at - b.at)
        .map(([executionId]) => executionId);
    },
    extendLease: async ({ executionId, status }, leaseExpiresAt) => {
      const record = records.get(executionId);
      if (record?.status !== status || !sweeps.has(executionId)) return;
      records.set(executionId, { ...record, leaseExpiresAt });
      sweeps.set(executionId, { at: leaseExpiresAt, group: status === 'waiting' ? 'waiting' : 'active' });
    },
  };
  const isPending = (callback: PendingCallback): callback is ListedCallback =>
    callback.answered === undefined &&
    callback.expiresAt > now() &&
    findOpen(callback.subject?.executionId ?? '') !== null;
  return {
    ...store,
    queues,
    records: () => [...records.values()],
    callbacks: {
      list: async (workflowId, limit, after) => {
        const placeOf = ({ expiresAt, subject }: ListedCallback) =>
          `${expiresAt}-${subject.executionId}-${subject.name.replaceAll('/', '-')}`;
        const found = [...callbacks.values()]
          .filter(isPending)
          .filter(({ subject }) => subject.workflowId === (workflowId ?? subject.workflowId))
          .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
          .filter((callback) => after === undefined || placeOf(callback) > after.at);
        const last = found.length > limit ? found[limit - 1] : undefined;
        const next = last && { part: 'all', at: placeOf(last), executionId: last.subject.executionId };
        return { callbacks: found.slice(0, limit), next: next ?? null };
      },
      close: async (executionId, name, answered) => {
        const key = `${executionId}/${name}`;
        const known = callbacks.get(key);
        if (known !== undefined) callbacks.set(key, { ...known, answered });
      },
    },
  };
};

const NO_DATA: ExecutionData = {
  input: null,
  callbackKey: null,
  retriedCheckpoints: null,
  checkpoints: null,
};

const latestFirst = (
  a: Pick<ExecutionRecord, 'startedAt' | 'executionId'>,
  b: Pick<ExecutionRecord, 'startedAt' | 'executionId'>,
): number => b.startedAt - a.startedAt || compare(b.executionId, a.executionId);

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

export const inMemoryDeliveryStore = (): DeliveryStore => {
  const claims = new Map<string, DeliveryClaim>();
  return {
    find: async (deliveryId) => claims.get(deliveryId) ?? null,
    claim: async (claim) => {
      const known = claims.get(claim.deliveryId);
      if (known !== undefined && known.until > claim.claimedAt) return known;
      claims.set(claim.deliveryId, copy(claim));
      return claim;
    },
    takeOver: async (claim) => {
      if (claims.get(claim.deliveryId)?.executionId !== claim.retries) return false;
      claims.set(claim.deliveryId, copy(claim));
      return true;
    },
  };
};

/** `all` is for tests that ask what was recorded. */
export const inMemoryRequestStore = (): RequestStore & { all(): readonly RequestRecord[] } => {
  const records = new Map<string, RequestRecord>();
  return {
    all: () => [...records.values()],
    put: async (record) => {
      const id = toRecordId(record);
      if (records.has(id)) return false;
      records.set(id, copy(record));
      return true;
    },
    fill: async () => undefined,
    find: async (workflowId, place) => copy(records.get(toRecordId({ workflowId, place })) ?? null),
    scan: async function* ({ workflowId, kind, from, to }) {
      const [first, last] = placesBetween(kind, from, to);
      yield* [...records.values()]
        .filter((record) => record.workflowId === workflowId)
        .filter(({ place }) => place >= first && place <= last)
        .sort((a, b) => compare(b.place, a.place))
        .map(copy);
    },
  };
};

/** Token buckets, for tests whose race is elsewhere. */
export const inMemoryBuckets = (): TakeToken => {
  const fullAts = new Map<string, number>();
  return async (bucket, now) => {
    const known = fullAts.get(bucket.key) ?? 0;
    if (known > lastFullAt(bucket, now)) return { isTaken: false, fullAt: known };
    const fullAt = Math.max(known, now) + bucket.intervalUs;
    fullAts.set(bucket.key, fullAt);
    return { isTaken: true, fullAt };
  };
};

export const inMemorySlots = (): SlotStore => {
  const held = new Map<string, Map<string, Slot>>();
  return {
    take: async ({ workflowId, group, slot, max, ended }) => {
      const slots = held.get(`${workflowId}/${group}`) ?? new Map<string, Slot>();
      held.set(`${workflowId}/${group}`, slots);
      const isTaken =
        !slots.has(slot.executionId) &&
        ended.every(({ executionId }) => slots.has(executionId)) &&
        slots.size - ended.length < max;
      if (!isTaken) return false;
      for (const { executionId } of ended) slots.delete(executionId);
      slots.set(slot.executionId, slot);
      return true;
    },
    list: async (workflowId, groups) =>
      Array.from({ length: groups }, (_, group) => [...(held.get(`${workflowId}/${group}`)?.values() ?? [])]),
  };
};

const copy = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));
