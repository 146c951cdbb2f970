import { type HealthRow, type PluginHealth, toReport } from '../plugins/health.ts';
import type { Inspection } from './inspect.ts';
import type { PluginDetails, PluginInspection, Problem } from './inspect-plugin.ts';
import { toShownSilence } from './silence/silence-rules.ts';

type Health = PluginHealth & PluginDetails;

const MAX_PROBLEMS = 5;

/**
 * Adds the findings to the plugins' rows. A service with an unreadable store, an unresponsive function or a silent workflow is
 * not healthy.
 */
export const mergeInspection = (
  rows: readonly HealthRow[],
  { store, functions, coverage, standing, plugins: found }: Inspection,
  now: number,
) => {
  const merged = rows.map(([id, health]) => [id, mergeRow(health, found.get(id))] as const);
  const { status, plugins, summary, generatedAt } = toReport<Health>(merged, now);
  const isSound =
    [store, ...Object.values(functions)].every((check) => check.status === 'healthy') &&
    (standing?.silences ?? []).length === 0;
  return {
    status: status === 'healthy' && !isSound ? ('degraded' as const) : status,
    checks: { store, functions },
    coverage,
    plugins,
    ...(standing && {
      silences: standing.silences.map((one) => ({ workflowId: one.workflowId, ...toShownSilence(one) })),
      expiries: standing.expiries.map(({ stage: _stage, isToken: _isToken, ...shown }) => shown),
    }),
    summary,
    generatedAt,
  };
};

const mergeRow = (
  { status, message, ...rest }: PluginHealth,
  found: PluginInspection | undefined,
): Health => {
  const { problems = [], details = {}, disabled = null } = found ?? {};
  if (disabled !== null) return { ...rest, status: 'disabled', message: disabled, ...details };
  const messages = joinProblems(problems, message);
  return {
    status: problems.reduce(worseStatus, status),
    ...(messages === '' ? {} : { message: messages }),
    ...rest,
    ...details,
  };
};

const joinProblems = (problems: readonly Problem[], message: string | undefined): string => {
  const worstFirst = problems
    .toSorted((a, b) => rankProblem(b) - rankProblem(a))
    .map((problem) => problem.message);
  const all = [...(message === undefined ? [] : [message]), ...worstFirst];
  const rest = all.length - MAX_PROBLEMS;
  return [...all.slice(0, MAX_PROBLEMS), ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
};

const rankProblem = ({ status }: Problem): number => (status === 'unhealthy' ? 1 : 0);

const worseStatus = (status: Health['status'], problem: Problem): Health['status'] =>
  status === 'healthy' || problem.status === 'unhealthy' ? problem.status : status;
