import type { FoundRegistration } from '@hookloom/plugin-kit';
import { toDeliveryId } from '../../executions/deliveries/claim-delivery.ts';
import type { DeliveryStore } from '../../executions/delivery-store.ts';
import { type ExecutionStore, isFinal } from '../../executions/record/execution-store.ts';
import { LISTENER_TYPES } from '../../executions/record/failure-reports.ts';
import type { StatisticsStore } from '../../executions/statistics/statistics-store.ts';
import { findPollFailure, type PollRecord, readPollRecord } from '../../state/poll-record.ts';
import { type StateStore, scopeOfWorkflow } from '../../state/state-store.ts';
import { readSchedule } from '../../triggers/schedule/read-schedule.ts';
import { SCHEDULED_TRIGGERS } from '../../triggers/schedule/schedule.ts';
import { readDuration } from '../../workflows/definition/read-duration.ts';
import { HISTORY_MS, type History } from './find-quiet.ts';
import { type Due, findLastDue } from './last-due.ts';
import { type Expected, GRACE_MS, type TriggerFacts, type WorkflowFacts } from './silence-rules.ts';
import type { WatchedTrigger, WatchedWorkflow } from './watch-workflows.ts';

/** What is read of a watched workflow: one request to AWS and one read of a table for each trigger. */
export interface FactPorts {
  /** What AWS has of a trigger's registration; null if its type can't tell, or AWS does not answer. */
  readonly inspect: (trigger: WatchedTrigger) => Promise<FoundRegistration | null>;
  readonly executions: Pick<ExecutionStore, 'list'>;
  readonly deliveries: Pick<DeliveryStore, 'find'>;
  readonly state: Pick<StateStore, 'find'>;
  readonly statistics: Pick<StatisticsStore, 'read'>;
  /** How long the key of a delivery is known, and a record of an execution, in milliseconds. */
  readonly windowMs: number;
  readonly retentionMs: number;
}

const MINUTE_MS = 60_000;

/**
 * Finds out what there is to know of a watched workflow.
 *
 * @param readsHistory - whether the history of its webhooks is read, which is some 700 items
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const readFacts = async (
  workflow: WatchedWorkflow,
  readsHistory: boolean,
  ports: FactPorts,
  now: number,
): Promise<WorkflowFacts> => {
  const { id, refusal, expect, hasWebhooks } = workflow;
  const hasHistory = hasWebhooks && expect === undefined;
  const tellsOnly =
    !hasWebhooks &&
    workflow.triggers.every(({ registration }) => LISTENER_TYPES.includes(registration.nodeType));
  const triggers: TriggerFacts[] = [];
  for (const trigger of workflow.triggers)
    triggers.push(await readTrigger(trigger, { isExpected: expect !== undefined, tellsOnly }, ports, now));
  return {
    workflowId: id,
    refusal,
    triggers,
    expected: await readExpected(workflow, ports, now),
    history: !hasHistory ? null : readsHistory ? await readHistory(workflow, ports, now) : 'unknown',
  };
};

interface Kind {
  /** Whether the workflow says itself what to expect, in place of its schedules. */
  readonly isExpected: boolean;
  /** Whether only failures and notices start the workflow: no notice is about its own failures. */
  readonly tellsOnly: boolean;
}

const readTrigger = async (
  trigger: WatchedTrigger,
  { isExpected, tellsOnly }: Kind,
  ports: FactPorts,
  now: number,
): Promise<TriggerFacts> => {
  const { registration, polls } = trigger;
  const { workflowId, triggerNodeId } = registration;
  const entry = polls ? await ports.state.find(scopeOfWorkflow(workflowId), triggerNodeId) : null;
  const poll = readPollRecord(entry, now);
  const failure = poll && findPollFailure(poll, now);
  const due = isExpected ? null : await findDue(trigger, now);
  return {
    nodeId: triggerNodeId,
    registration: await ports.inspect(trigger),
    fired: due && { due: due.at, hasFired: await hasFired(trigger, { due, poll, now }, ports) },
    pollFailure: failure && { since: Date.parse(failure.since), message: failure.message },
    badEnd: tellsOnly ? await findBadEnd(workflowId, ports) : null,
  };
};

/** Executions among which the latest that has ended is looked for. */
const RECENT = 5;

/** The latest execution of a workflow that has ended, if it ended badly; else null. */
const findBadEnd = async (workflowId: string, { executions }: FactPorts): Promise<TriggerFacts['badEnd']> => {
  const { executions: recent } = await executions.list({ workflowId, isTrial: false, limit: RECENT });
  const latest = recent.find(({ status }) => isFinal(status));
  if (latest?.status !== 'failed' && latest?.status !== 'timedOut') return null;
  const { executionId, status, startedAt, endedAt } = latest;
  return { executionId, at: endedAt ?? startedAt, how: status === 'failed' ? 'failed' : 'timed out' };
};

/** When a trigger with a schedule should have fired by now, since it was registered; null if it should not have. */
const findDue = async ({ registration, polls }: WatchedTrigger, now: number): Promise<Due | null> => {
  if (!polls && !SCHEDULED_TRIGGERS.includes(registration.nodeType)) return null;
  const reading = readSchedule(registration.parameters);
  if ('problems' in reading) return null;
  const flexibleMs = (reading.schedule.flexibleMinutes ?? 0) * MINUTE_MS;
  const due = await findLastDue(reading.schedule, now - GRACE_MS - flexibleMs);
  return due === null || due.at < registration.changedAt ? null : due;
};

interface Fire {
  readonly due: Due;
  readonly poll: PollRecord | null;
  readonly now: number;
}

/** Half a day: the key of a delivery may be removed afterwards, and before that many sweeps have looked. */
const MAX_KEY_AGE_MS = 12 * 60 * MINUTE_MS;

/** Whether a trigger has fired when it was due; null if this is not known. */
const hasFired = async (
  { registration, source, polls }: WatchedTrigger,
  { due, poll, now }: Fire,
  { deliveries, executions, windowMs }: FactPorts,
): Promise<boolean | null> => {
  const { workflowId, triggerNodeId } = registration;
  if (polls) {
    const isRunning = poll !== null && poll.running !== null && poll.running.until > now;
    return isRunning || (poll !== null && Date.parse(poll.polledAt) >= due.at - MINUTE_MS);
  }
  if (!due.isExact) {
    const { executions: some } = await executions.list({
      workflowId,
      from: due.at,
      limit: 1,
      isTrial: false,
    });
    return some.length > 0;
  }
  if (now - due.at > Math.min(windowMs, MAX_KEY_AGE_MS)) return null;
  const key = source.toKey({ scheduledAt: new Date(due.at).toISOString() });
  return (await deliveries.find(toDeliveryId(workflowId, triggerNodeId, key))) !== null;
};

/** Null if the workflow has none, or has not been as it is now for that long, or records are not kept for that long. */
const readExpected = async (
  { id, expect, changedAt }: WatchedWorkflow,
  { executions, retentionMs }: FactPorts,
  now: number,
): Promise<Expected | null> => {
  const every = expect === undefined ? null : readDuration(expect.every);
  if (expect === undefined || every === null) return null;
  if (now - changedAt < every.ms || every.ms > retentionMs) return null;
  const { atLeast = 1 } = expect;
  const query = { workflowId: id, from: now - every.ms, limit: atLeast, isTrial: false };
  return { atLeast, every: expect.every, started: (await executions.list(query)).executions.length };
};

const readHistory = async (
  { id, changedAt }: WatchedWorkflow,
  { statistics }: FactPorts,
  now: number,
): Promise<History> => {
  const hours: number[] = [];
  for await (const { hour, counts } of statistics.read(id, now - HISTORY_MS, now)) {
    const refused = [...counts.refused.values()].reduce((sum, times) => sum + times, 0);
    if (counts.started + refused > 0) hours.push(hour);
  }
  return { hours, since: changedAt };
};
