import { hasFailedItems } from '../../engine/result.ts';
import { type AppError, isAppError } from '../../shared/errors.ts';
import { workThrough } from '../../shared/work-through.ts';
import { findBehind } from '../../workflows/plan/compile-plan.ts';
import { findType, rootOf } from '../lifecycle/check-journal.ts';
import { type PreparedRetry, prepareRetry } from '../lifecycle/retry-execution.ts';
import type { Ports } from '../ports.ts';
import { type ExecutionSummary, hasFailedAs, type ListPosition } from '../record/execution-store.ts';
import { type BulkFilter, type BulkRetryRequest, MAX_EXECUTIONS } from './bulk-retry.ts';

/** Pages of at most 1,000 records each, since few may match a filter. */
const MAX_PAGES = 100;
const CONCURRENCY = 30;
/** Entries of each list of a plan. */
const MAX_LISTED = 100;
const MAX_EXAMPLES = 3;

export interface BulkPlan {
  /** The executions that can be retried, in the order of their starts. */
  readonly executionIds: readonly string[];
  /** By the node and the name of the failure, most first; null for executions without one. */
  readonly byFailure: readonly {
    readonly nodeId: string | null;
    readonly name: string | null;
    readonly count: number;
  }[];
  /** The nodes that act on the outside and would run, by workflow. */
  readonly effects: readonly Effect[];
  /** What can't be retried, by reason. */
  readonly refused: readonly Refused[];
  /**
   * Start of the period that was checked, in milliseconds since the epoch, if that is not the whole one; null if it is.
   * The same plan with this start is complete.
   */
  readonly checkedSince: number | null;
}

interface Effect {
  readonly workflowId: string;
  readonly nodeId: string;
  readonly type: string;
  /** How often it has run in the executions that would be retried, and so would run again. */
  readonly runsAgain: number;
  /** In how many of them it has not run, but may run now. */
  readonly mayRun: number;
}

interface Refused {
  readonly reason: string;
  readonly count: number;
  /** The ids of the first three. */
  readonly executionIds: readonly string[];
}

type PlannedRequest = Pick<BulkRetryRequest, 'filter' | 'from' | 'only' | 'version'>;

/** Whether another execution already retries one, and still exists. */
export const ALREADY_RETRIED = 'another execution already retries it';

/**
 * Finds out what a bulk retry would do. Starts nothing.
 * @param mayGoOn - whether there is time to check another execution
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const planBulkRetry = async (
  request: PlannedRequest,
  ports: Pick<Ports, 'executions' | 'workflows' | 'openPlan'>,
  mayGoOn: () => boolean,
): Promise<BulkPlan> => {
  const { candidates, listedSince } = await findCandidates(request.filter, ports, mayGoOn);
  const checked: (Checked | null)[] = [];
  const effects = createEffectCounts();
  const entries = candidates.entries();
  const isDone = await workThrough(
    entries,
    { atOnce: CONCURRENCY, mayGoOn },
    async ([at, { executionId }]) => {
      checked[at] = await checkRetryable(executionId, request, effects.add, ports);
    },
  );
  const last = candidates[checked.length - 1];
  const found = checked.filter((one) => one !== null).reverse();
  const retryable = found.filter(({ reason }) => reason === null);
  return {
    executionIds: retryable.map(({ executionId }) => executionId),
    byFailure: countFailures(retryable),
    effects: effects.list(),
    refused: groupRefused(found),
    checkedSince: isDone || last === undefined ? listedSince : afterStartOf(last),
  };
};

/** Others may have started in the same millisecond. */
const afterStartOf = ({ startedAt }: ExecutionSummary): number => startedAt + 1;

/**
 * Lists the executions of a filter, except for their failures, which lists don't show, latest first; `listedSince` is
 * the start of the period if that is not the whole one.
 */
const findCandidates = async (
  { workflowId, statuses, from, to, workflowVersion }: BulkFilter,
  { executions }: Pick<Ports, 'executions'>,
  mayGoOn: () => boolean,
) => {
  const candidates: ExecutionSummary[] = [];
  let after: ListPosition | null = null;
  let listedSince = to;
  for (let pages = 0; pages < MAX_PAGES && mayGoOn(); pages++) {
    const { executions: found, next } = await executions.list({
      workflowId,
      statuses,
      to,
      isTrial: false,
      limit: 100,
      ...(from === null ? {} : { from }),
      ...(after === null ? {} : { after }),
    });
    candidates.push(
      ...found.filter((one) => workflowVersion === null || one.workflowVersion === workflowVersion),
    );
    const last = candidates[MAX_EXECUTIONS - 1];
    if (candidates.length > MAX_EXECUTIONS && last !== undefined)
      return { candidates: candidates.slice(0, MAX_EXECUTIONS), listedSince: afterStartOf(last) };
    if (next === null) return { candidates, listedSince: null };
    const lastFound = found.at(-1);
    if (lastFound !== undefined) listedSince = afterStartOf(lastFound);
    after = next;
  }
  return { candidates, listedSince };
};

/** An execution that matches the filter: without its record, since thousands are kept. */
interface Checked {
  readonly executionId: string;
  readonly failure: { readonly nodeId: string; readonly name: string } | null;
  /** Why it can't be retried; null if it can. */
  readonly reason: string | null;
}

/** @returns null if it doesn't match the filter, or no longer exists */
const checkRetryable = async (
  executionId: string,
  { filter, ...options }: PlannedRequest,
  onRetryable: (prepared: PreparedRetry) => void,
  ports: Pick<Ports, 'executions' | 'workflows' | 'openPlan'>,
): Promise<Checked | null> => {
  const record = await ports.executions.find(executionId);
  if (record === null || !hasFailedAs(record, filter)) return null;
  const { retriedBy } = record;
  const { nodeId, name } = record.failure ?? {};
  const failure = nodeId === undefined || name === undefined ? null : { nodeId, name };
  if (retriedBy !== undefined && (await ports.executions.find(retriedBy)) !== null)
    return { executionId, failure, reason: ALREADY_RETRIED };
  try {
    onRetryable(await prepareRetry(record, options, ports));
    return { executionId, failure, reason: null };
  } catch (error) {
    if (!isAppError(error, 'NOT_RETRYABLE')) throw error;
    return { executionId, failure, reason: refusalReasonOf(error) };
  }
};

/** Why an execution can't be retried, as a clause. */
export const refusalReasonOf = ({ parameters }: AppError): string =>
  String((parameters as { readonly reason?: unknown }).reason);

const countFailures = (retryable: readonly Checked[]): BulkPlan['byFailure'] => {
  const counts = new Map<string, number>();
  for (const { failure } of retryable) {
    const key = JSON.stringify([failure?.nodeId ?? null, failure?.name ?? null]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_LISTED)
    .map(([key, count]) => {
      const [nodeId, name] = JSON.parse(key) as [string | null, string | null];
      return { nodeId, name, count };
    });
};

/** Counts the nodes that act on the outside, one execution after the other. */
const createEffectCounts = () => {
  const effects = new Map<string, { -readonly [Name in keyof Effect]: Effect[Name] }>();
  const effectOf = (workflowId: string, nodeId: string, type: string) => {
    const key = JSON.stringify([workflowId, nodeId, type]);
    const effect = effects.get(key) ?? { workflowId, nodeId, type, runsAgain: 0, mayRun: 0 };
    effects.set(key, effect);
    return effect;
  };
  const add = ({ record, plan, options }: PreparedRetry): void => {
    const { workflowId, trigger, nodes } = record;
    const behind = findRunAgain(options, plan, nodes);
    const ran = new Set<string>();
    for (const node of nodes) {
      if (node.status !== 'succeeded' && node.status !== 'failed') continue;
      ran.add(node.nodeId);
      if (behind !== null && !behind.has(rootOf(node))) continue;
      if (options.only === 'failedItems' && node.status === 'succeeded' && node.within !== undefined)
        continue;
      const type = findType(plan, node);
      // The node type of a subworkflow may not be in the plan; assume that it has side effects.
      if (type === undefined || isEffect(type)) effectOf(workflowId, node.nodeId, node.type).runsAgain += 1;
    }
    const { incoming } = plan.routeFrom(trigger.nodeId);
    for (const { index, node, nodeType } of plan.nodes) {
      const isOnRoute = incoming[index]?.length !== 0 && (behind === null || behind.has(node.id));
      if (isOnRoute && isEffect(nodeType) && node.disabled !== true && !ran.has(node.id))
        effectOf(workflowId, node.id, node.type).mayRun += 1;
    }
  };
  const list = (): readonly Effect[] =>
    [...effects.values()]
      .sort((a, b) => b.runsAgain - a.runsAgain || b.mayRun - a.mayRun)
      .slice(0, MAX_LISTED);
  return { add, list };
};

/** @returns the nodes that run again, of a body at most its failed ones; null for all */
const findRunAgain = (
  { from, only }: PreparedRetry['options'],
  plan: PreparedRetry['plan'],
  nodes: PreparedRetry['record']['nodes'],
): ReadonlySet<string> | null => {
  const starts =
    only === 'failedItems' ? nodes.filter(hasFailedItems).map(rootOf) : from === null ? null : [from];
  return starts === null ? null : new Set(starts.flatMap((start) => [...findBehind(plan, start)]));
};

const isEffect = ({ kind, pure, control }: PreparedRetry['plan']['nodes'][number]['nodeType']): boolean =>
  kind === 'action' && !pure && control === null;

const groupRefused = (found: readonly Checked[]): readonly Refused[] => {
  const groups = new Map<string, string[]>();
  for (const { executionId, reason } of found) {
    if (reason === null) continue;
    const ids = groups.get(reason) ?? [];
    groups.set(reason, ids);
    ids.push(executionId);
  }
  return [...groups]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, MAX_LISTED)
    .map(([reason, ids]) => ({ reason, count: ids.length, executionIds: ids.slice(0, MAX_EXAMPLES) }));
};
