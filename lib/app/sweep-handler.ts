import { type Clock, isPlainObject, type Logger } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import type { Context, SQSBatchResponse } from 'aws-lambda';
import { type ClosedQueues, releaseAllQueues, releaseQueue } from '../executions/held/release-held.ts';
import type { HeldQueue } from '../executions/held-queues.ts';
import { readExecutionId } from '../executions/lifecycle/background-engine.ts';
import {
  type DeadLetter,
  type Finding,
  type Findings,
  reconcileExecution,
} from '../executions/lifecycle/reconcile-execution.ts';
import { openPaces, RATES, type Rates } from '../executions/paces.ts';
import type { Ports, ReconcilePorts, ReleasePorts } from '../executions/ports.ts';
import type { DueGroup } from '../executions/record/execution-store.ts';
import { type AppError, isAppError } from '../shared/errors.ts';
import { type Measurement, measure } from '../shared/metrics.ts';
import { workThrough } from '../shared/work-through.ts';
import type { checkValues } from '../state/check-values.ts';
import { remainingMs } from './calls.ts';

/** Executions per group reconciled in parallel. There are many waiting ones, and they are seldom lost. */
const CONCURRENCY: Readonly<Record<DueGroup, number>> = { active: 30, waiting: 5 };

/** No further execution is reconciled when the function has less time left; milliseconds. */
const MARGIN_MS = 30_000;

/** Removes large values of state that no entry names any more. */
export type CheckValues = (options: Parameters<typeof checkValues>[1]) => ReturnType<typeof checkValues>;

type SweepParts = ReconcilePorts &
  ReleasePorts & {
    /** Records which version is written from now on. @returns why this release can't read the stored data, or null */
    readonly noteVersions: () => Promise<{ readonly problem: string; readonly remedy: string } | null>;
    readonly checkValues: CheckValues;
    /** Has the notices sent that are due; absent if none are kept. */
    readonly sendNotices?: () => Promise<void>;
    /** Whether an alarm relies on sweeps: then each is counted; otherwise an idle service costs no metric. */
    readonly countsSweeps?: boolean;
    readonly clock: Clock;
    /** How fast each sweep calls Lambda; {@link RATES} by default. */
    readonly rates?: Rates;
  };

type Unsettled = readonly [executionId: string, cause: AppError];

type HasTime = () => boolean;

type Sweep = (executionId: string, deadLetter: DeadLetter | null) => Promise<boolean>;

/**
 * The sweeper. Invoked by a schedule, it reconciles the executions whose lease has expired and releases held ones;
 * invoked by the dead-letter queue, it reconciles the executions of the messages. An event `{queue, ended}` releases
 * one queue of held executions, see `NudgeQueue`; `{only: 'held'}` releases all queues and has due notices sent, and
 * `{only: 'values'}` checks large values of state. A failing execution does not stop the others.
 */
export const createSweepFunction = (given: SweepParts) => {
  const closed: ClosedQueues = new Map();
  return async (event: unknown, context: Partial<Context> = {}): Promise<SQSBatchResponse> => {
    const parts = { ...given, closed, paces: openPaces(given.rates ?? RATES, given.clock) };
    const unread: Unsettled[] = [];
    const refused: Unsettled[] = [];
    const findings = createFindings();
    const sweep: Sweep = async (executionId, deadLetter) => {
      try {
        await reconcileExecution(executionId, parts, deadLetter, findings);
        return true;
      } catch (cause) {
        if (isAppError(cause, 'DISPATCH_REFUSED')) {
          refused.push([executionId, cause]);
          return true; // the message is no longer needed: the execution is due
        }
        findings.count('failed');
        if (isAppError(cause, 'DATA_VERSION_UNSUPPORTED')) {
          unread.push([executionId, cause]);
          return false;
        }
        parts.logger.error('The execution could not be reconciled.', { executionId, cause });
        return false;
      }
    };
    try {
      const result = await sweepEvent(event, parts, sweep, findings, () => remainingMs(context) > MARGIN_MS);
      if (isSweepOfAll(event) && parts.countsSweeps === true) findings.values.Sweeps = 1;
      return result;
    } finally {
      if (unread.length > 0)
        reportOnce('Executions are waiting for a release that can read their data.', unread, parts);
      if (refused.length > 0) {
        findings.count('failed'); // counted once: an overload refuses many
        reportOnce('Lambda refused to start executions; the next sweep retries them.', refused, parts);
      }
      reportFindings(findings.values, isSweepOfAll(event), parts.logger);
    }
  };
};

type Values = { -readonly [Name in keyof Measurement['values']]: Measurement['values'][Name] };

/** Collects findings, of which only those that occur become metric values: a metric without values costs nothing. */
const createFindings = (): Findings & { readonly values: Values } => {
  const values: Values = {};
  return {
    values,
    count: (finding) => {
      const name = METRIC_OF[finding];
      values[name] = (values[name] ?? 0) + 1;
    },
    age: (of, forMs) => {
      const name = of === 'accepted' ? 'OldestAcceptedAge' : 'OldestWaitingDueAge';
      values[name] = Math.max(values[name] ?? 0, Math.round(forMs / 1_000));
    },
  };
};

const METRIC_OF = {
  redispatched: 'SweepRedispatched',
  givenUp: 'SweepGivenUp',
  reconciled: 'SweepReconciled',
  republished: 'SweepRepublished',
  failed: 'SweepFailed',
} as const satisfies Record<Finding, keyof Values>;

/** Writes one log line per sweep of all executions, or for the outcome of dead letters. */
const reportFindings = (values: Values, isOfAll: boolean, logger: Logger): void => {
  const hasFound = Object.keys(values).length > 0;
  if (isOfAll || hasFound) logger.info('Sweep finished.', hasFound ? measure({ values }) : {});
};

const isSweepOfAll = (event: unknown): boolean => {
  const { Records, queue, only } = toMap(event);
  return Records === undefined && queue === undefined && only !== 'held' && only !== 'values';
};

/** Logged once per sweep for all of them. */
const reportOnce = (message: string, found: readonly Unsettled[], { logger }: SweepParts): void => {
  const [first] = found;
  logger.error(message, { count: found.length, executionId: first?.[0], cause: first?.[1] });
};

const sweepEvent = async (
  event: unknown,
  parts: SweepParts & { readonly closed: ClosedQueues },
  sweep: Sweep,
  findings: Findings,
  hasTime: HasTime,
): Promise<SQSBatchResponse> => {
  const messages = isPlainObject(event) ? event.Records : undefined;
  if (Array.isArray(messages)) return sweepQueue(messages, sweep, parts.logger);
  const { queue, only, ended } = toMap(event);
  if (only === 'values') await sweepValues(parts, findings, hasTime);
  else if (queue === undefined) {
    const isAll = only !== 'held';
    const reconciled = isAll ? sweepAll(parts, sweep, hasTime) : null;
    const versions = isAll ? checkVersions(parts, findings) : null;
    const notices = sendNotices(parts);
    await Promise.all([versions, reconciled, notices, releaseAllQueues(parts, parts.closed, hasTime)]);
  } else await releaseQueue(readQueue(queue), parts, hasTime, isId(ended) ? ended : undefined);
  return { batchItemFailures: [] };
};

/** Notices must not stop a sweep; the next one, a minute later, tries again. */
const sendNotices = async ({ sendNotices: send, logger }: SweepParts): Promise<void> => {
  try {
    await send?.();
  } catch (cause) {
    logger.error('Notices that are due could not be sent; the next sweep tries again.', { cause });
  }
};

/** Values that could not be checked are logged once for all, and checked again by the next sweep. */
const sweepValues = async (
  { checkValues, logger }: SweepParts,
  findings: Findings,
  hasTime: HasTime,
): Promise<void> => {
  const failed: { readonly blob: string; readonly cause: unknown }[] = [];
  const onFailure = ({ blob }: { readonly blob: string }, cause: unknown) => failed.push({ blob, cause });
  const found = await checkValues({ mayGoOn: hasTime, onFailure });
  if (found.checked > 0) logger.info('Large values of state were checked.', found);
  const [first] = failed;
  if (first === undefined) return;
  findings.count('failed');
  logger.error('Large values of state could not be checked.', { count: failed.length, ...first });
};

/** Records that this release writes here. Logs and raises an alarm if other releases have written data that it can't read. */
const checkVersions = async ({ noteVersions, logger }: SweepParts, findings: Findings): Promise<void> => {
  try {
    const problem = await noteVersions();
    if (problem === null) return;
    findings.count('failed');
    logger.error(`${problem.problem} ${problem.remedy}`);
  } catch (cause) {
    findings.count('failed');
    logger.error('The versions of the stored data could not be read.', { cause });
  }
};

const sweepAll = async (parts: ReconcilePorts, sweep: Sweep, hasTime: HasTime): Promise<void> => {
  const groups = ['active', 'waiting'] as const;
  await Promise.all(groups.map((group) => sweepDue(group, parts, sweep, hasTime)));
};

/**
 * Handles queue messages. Failed messages stay in the queue; a message without an execution id, such as a poll, is dropped,
 * since it would stay forever.
 */
const sweepQueue = async (
  messages: readonly unknown[],
  sweep: Sweep,
  logger: Logger,
): Promise<SQSBatchResponse> => {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const message of messages) {
    const found = readMessage(message);
    if (found === null) {
      const event = String(toMap(message).body).slice(0, MAX_LOGGED);
      logger.error(
        'An invocation without an execution failed in all its attempts. A poll is made up for by the next one.',
        {
          event,
        },
      );
    } else if (!(await sweep(found.executionId, found))) {
      batchItemFailures.push({ itemIdentifier: found.messageId });
    }
  }
  return { batchItemFailures };
};

/** Characters of a dead letter in the log. */
const MAX_LOGGED = 300;

/**
 * A message as written by Lambda: the invocation's event as the body, its request id as an attribute.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-dlq
 */
const readMessage = (
  message: unknown,
): (DeadLetter & { readonly executionId: string; readonly messageId: string }) | null => {
  const { body, messageId, messageAttributes } = toMap(message);
  const { RequestID, ErrorMessage } = toMap(messageAttributes);
  const { stringValue } = toMap(RequestID);
  const { stringValue: reason } = toMap(ErrorMessage);
  try {
    return {
      executionId: readExecutionId(JSON.parse(String(body))),
      messageId: String(messageId),
      requestId: typeof stringValue === 'string' ? stringValue : null,
      ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
    };
  } catch {
    return null;
  }
};

const readQueue = (value: unknown): HeldQueue => {
  const { workflowId, triggerNodeId } = toMap(value);
  return { workflowId: String(workflowId), triggerNodeId: String(triggerNodeId) };
};

const toMap = (value: unknown): Record<string, unknown> => (isPlainObject(value) ? value : {});

/** Reconciles the due executions of a group, page by page, until the function is almost out of time. */
const sweepDue = async (
  group: DueGroup,
  { executions, clock, logger }: Pick<Ports, 'executions' | 'clock' | 'logger'>,
  sweep: Sweep,
  hasTime: HasTime,
): Promise<void> => {
  const options = { atOnce: CONCURRENCY[group], mayGoOn: hasTime };
  const isDone = await workThrough(executions.findDue(clock.now(), group), options, async (executionId) => {
    await sweep(executionId, null);
  });
  if (!isDone) logger.warn('The sweep ran out of time; the next one continues.', { group });
};
