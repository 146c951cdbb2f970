import { type Clock, isPlainObject, type Logger } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import type { Context, SQSBatchResponse } from 'aws-lambda';
import type { HeldQueue } from '../executions/held/held-queues.ts';
import {
  type ClosedQueues,
  type ReleaseParts,
  releaseAllQueues,
  releaseQueue,
} from '../executions/held/release-held.ts';
import { openPaces, RATES, type Rates } from '../executions/lifecycle/paces.ts';
import {
  type DeadLetter,
  type Finding,
  type Findings,
  type ReconcileParts,
  reconcileExecution,
} from '../executions/lifecycle/reconcile-execution.ts';
import type { DueGroup } from '../executions/record/execution-store.ts';
import { readExecutionId } from '../executions/record/read-execution-id.ts';
import { type AppError, isAppError } from '../shared/errors.ts';
import { type Measurement, measure } from '../shared/metrics/metrics.ts';
import { workThrough } from '../shared/work-through.ts';

/** Executions of a group reconciled in parallel. Waiting ones are many, and seldom lost. */
const CONCURRENCY: Readonly<Record<DueGroup, number>> = { active: 30, waiting: 5 };

/** Remaining time of the function below which no further execution is reconciled, in milliseconds. */
const MARGIN_MS = 30_000;

const hasTimeLeft = ({ getRemainingTimeInMillis }: Partial<Context>): boolean =>
  (getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY) > MARGIN_MS;

type SweepParts = ReconcileParts &
  ReleaseParts & {
    /** Notes which version is written from now on. @returns what keeps this release from reading what is stored, or null */
    readonly noteVersions: () => Promise<{ readonly problem: string; readonly remedy: string } | null>;
    /** Whether an alarm waits for sweeps: then each is counted, and else costs no metric while the service is idle. */
    readonly countsSweeps?: boolean;
    readonly clock: Clock;
    /** How fast each sweep calls Lambda; {@link RATES} when absent. */
    readonly rates?: Rates;
  };

type Unsettled = readonly [executionId: string, cause: AppError];

type HasTime = () => boolean;

type Sweep = (executionId: string, deadLetter: DeadLetter | null) => Promise<boolean>;

/**
 * The sweeper. Invoked by a schedule, it reconciles the executions whose lease has expired, and releases those that are held;
 * invoked by the dead-letter queue, it reconciles those of its messages. An event `{queue, ended}` is for one queue of held executions, see `NudgeQueue`,
 * `{only: 'held'}` for all of them. An execution that fails does not stop the others.
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
          return true; // a message has said what it had to: the execution is due
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
      const result = await sweepEvent(event, parts, sweep, findings, () => hasTimeLeft(context));
      if (isSweepOfAll(event) && parts.countsSweeps === true) findings.values.Sweeps = 1;
      return result;
    } finally {
      if (unread.length > 0)
        reportOnce('Executions wait for a release that reads their data.', unread, parts);
      if (refused.length > 0) {
        findings.count('failed'); // once: an overload refuses many
        reportOnce('Lambda has refused starts: the next sweep repeats them.', refused, parts);
      }
      reportFindings(findings.values, isSweepOfAll(event), parts.logger);
    }
  };
};

type Values = { -readonly [Name in keyof Measurement['values']]: Measurement['values'][Name] };

/** Only what is found is a value: a metric without any costs nothing. */
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

/** One line for a sweep of all executions, or for what dead letters have led to. */
const reportFindings = (values: Values, isOfAll: boolean, logger: Logger): void => {
  const hasFound = Object.keys(values).length > 0;
  if (isOfAll || hasFound) logger.info('The sweep has ended.', hasFound ? measure({ values }) : {});
};

const isSweepOfAll = (event: unknown): boolean => {
  const { Records, queue, only } = toMap(event);
  return Records === undefined && queue === undefined && only !== 'held';
};

/** Once for all of them, at each sweep. */
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
  if (Array.isArray(messages)) return sweepQueue(messages, sweep);
  const { queue, only, ended } = toMap(event);
  if (queue === undefined) {
    const isAll = only !== 'held';
    const reconciled = isAll ? sweepAll(parts, sweep, hasTime) : null;
    const versions = isAll ? checkVersions(parts, findings) : null;
    await Promise.all([versions, reconciled, releaseAllQueues(parts, parts.closed, hasTime)]);
  } else await releaseQueue(readQueue(queue), parts, hasTime, isId(ended) ? ended : undefined);
  return { batchItemFailures: [] };
};

/** Notes that this release writes here, and says so, also to an alarm, when others have written what it does not read. */
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

const sweepAll = async (parts: ReconcileParts, sweep: Sweep, hasTime: HasTime): Promise<void> => {
  const groups = ['active', 'waiting'] as const;
  await Promise.all(groups.map((group) => sweepDue(group, parts, sweep, hasTime)));
};

/** Failed messages stay in the queue; a message without an execution id is dropped, since it would never leave. */
const sweepQueue = async (messages: readonly unknown[], sweep: Sweep): Promise<SQSBatchResponse> => {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const message of messages) {
    const found = readMessage(message);
    if (found !== null && !(await sweep(found.executionId, found))) {
      batchItemFailures.push({ itemIdentifier: found.messageId });
    }
  }
  return { batchItemFailures };
};

/**
 * A message as Lambda writes it: the event of the invocation as body, its request id as an attribute.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-dlq
 */
const readMessage = (
  message: unknown,
): (DeadLetter & { readonly executionId: string; readonly messageId: string }) | null => {
  const { body, messageId, messageAttributes } = toMap(message);
  const { stringValue } = toMap(toMap(messageAttributes).RequestID);
  try {
    return {
      executionId: readExecutionId(JSON.parse(String(body))),
      messageId: String(messageId),
      requestId: typeof stringValue === 'string' ? stringValue : null,
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

/** Reconciles the due executions of a group, page by page, until the function's time is nearly up. */
const sweepDue = async (
  group: DueGroup,
  { executions, clock, logger }: ReconcileParts,
  sweep: Sweep,
  hasTime: HasTime,
): Promise<void> => {
  const options = { atOnce: CONCURRENCY[group], mayGoOn: hasTime };
  const isDone = await workThrough(executions.findDue(clock.now(), group), options, async (executionId) => {
    await sweep(executionId, null);
  });
  if (!isDone) logger.warn('The sweep ran out of time; the next one goes on.', { group });
};
