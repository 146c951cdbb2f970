import type { Clock } from '@hookloom/plugin-kit';
import { type Fault, type ProxiedCall, startFaultProxy } from './a-fault-proxy.ts';
import { createRates } from './rates.ts';

/**
 * Quotas of an account, by default those of a new one. All but the first are calls a second.
 *
 * - https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 * - https://docs.aws.amazon.com/general/latest/gr/ssm.html
 * - https://docs.aws.amazon.com/scheduler/latest/UserGuide/scheduler-quotas.html
 */
export interface Quotas {
  /** Invocations at once that somebody waits for. Ten times as many may begin in a second. */
  readonly concurrency: number;
  readonly durableStarts: number;
  readonly getDurableExecution: number;
  /** `GetParameter` and `GetParameters` together. */
  readonly parameters: number;
  readonly createSchedule: number;
}

export const AWS_QUOTAS: Quotas = {
  concurrency: 1_000,
  durableStarts: 300,
  getDurableExecution: 30,
  parameters: 40,
  createSchedule: 5_000,
};

type QuotaName = keyof Quotas | 'invocations';

/** A proxy before Lambda, Systems Manager or Scheduler on this machine, which refuses what is over a quota, as AWS does. */
export const startQuotaProxy = async (
  endpoint: string,
  { clock, quotas: given = {} }: { readonly clock: Pick<Clock, 'now'>; readonly quotas?: Partial<Quotas> },
) => {
  const quotas = { ...AWS_QUOTAS, ...given };
  const bucketOf = createRates(clock);
  const refused: Partial<Record<QuotaName, number>> = {};
  let passed = 0;
  let atOnce = 0;

  const refuse = (name: QuotaName): Fault => {
    refused[name] = (refused[name] ?? 0) + 1;
    return REFUSALS[name];
  };

  const isOver = (name: QuotaName, perSecond: number): boolean => {
    const bucket = bucketOf(name, perSecond);
    if (bucket.left < 1) return true;
    bucket.left--;
    return false;
  };

  const decide = (name: QuotaName | null, call: ProxiedCall): Fault => {
    if (name === 'concurrency') {
      if (atOnce >= quotas.concurrency) return refuse(name);
      if (isOver('invocations', quotas.concurrency * 10)) return refuse('invocations');
      atOnce++;
      call.onEnd(() => atOnce--);
    } else if (name !== null && name !== 'invocations' && isOver(name, quotas[name])) return refuse(name);
    passed++;
    return 'pass';
  };

  const { endpoint: own, stop } = await startFaultProxy(
    endpoint,
    (operation, _table, _count, _request, call) => decide(findQuota(operation, call), call),
  );
  return {
    endpoint: own,
    stop,
    /** Calls that it let pass, and those that it refused, by the quota. */
    counts: () => ({ passed, refused: { ...refused } }),
  };
};

/** The quota that a call counts for; null for none. */
const findQuota = (operation: string, { method, url = '', headers }: ProxiedCall): QuotaName | null => {
  if (operation === 'GetParameter' || operation === 'GetParameters') return 'parameters';
  const [path = ''] = url.split('?');
  if (method === 'POST' && path.startsWith('/schedules/')) return 'createSchedule';
  if (method === 'GET' && /^\/2025-12-01\/durable-executions\/[^/]+$/.test(path))
    return 'getDurableExecution';
  if (!path.endsWith('/invocations')) return null;
  if (headers['x-amz-durable-execution-name'] !== undefined) return 'durableStarts';
  return headers['x-amz-invocation-type'] === 'Event' ? null : 'concurrency';
};

/** https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_Errors */
const ofLambda = (Reason: string): Fault => ({
  status: 429,
  headers: { 'x-amzn-errortype': 'TooManyRequestsException' },
  body: { Reason, Type: 'User', message: 'Rate Exceeded.' },
});

const REFUSALS: Readonly<Record<QuotaName, Fault>> = {
  concurrency: ofLambda('ConcurrentInvocationLimitExceeded'),
  invocations: ofLambda('FunctionInvocationRateLimitExceeded'),
  durableStarts: ofLambda('FunctionInvocationRateLimitExceeded'),
  getDurableExecution: ofLambda('CallerRateLimitExceeded'),
  // https://repost.aws/knowledge-center/ssm-parameter-store-rate-exceeded
  parameters: {
    status: 400,
    headers: { 'content-type': 'application/x-amz-json-1.1' },
    body: { __type: 'ThrottlingException', message: 'Rate exceeded' },
  },
  // https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html#API_CreateSchedule_Errors
  createSchedule: {
    status: 429,
    headers: { 'x-amzn-errortype': 'ThrottlingException' },
    body: { Message: 'Rate exceeded' },
  },
};
