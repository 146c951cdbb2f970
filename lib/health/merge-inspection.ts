import { type HealthReport, type HealthRow, type PluginHealth, toReport } from '../plugins/health.ts';
import type { Coverage, Inspection } from './inspect.ts';
import type { PluginDetails, PluginInspection, Problem } from './inspect-plugin.ts';

type Health = PluginHealth & PluginDetails;

/** The answer of the endpoint. */
interface ServiceHealth extends HealthReport<Health> {
  readonly checks: Pick<Inspection, 'store' | 'functions'>;
  readonly coverage: Coverage | null;
}

/** How many problems the message of a row names. */
const MAX_PROBLEMS = 5;

/** Adds what was found to the rows of the plugins. A service whose store can't be read, or with a function that does not answer, is not healthy. */
export const mergeInspection = (
  rows: readonly HealthRow[],
  { store, functions, coverage, plugins: found }: Inspection,
  now: number,
): ServiceHealth => {
  const merged = rows.map(([id, health]) => [id, mergeRow(health, found.get(id))] as const);
  const { status, plugins, summary, generatedAt } = toReport<Health>(merged, now);
  const isSound = [store, ...Object.values(functions)].every((check) => check.status === 'healthy');
  return {
    status: status === 'healthy' && !isSound ? 'degraded' : status,
    checks: { store, functions },
    coverage,
    plugins,
    summary,
    generatedAt,
  };
};

const mergeRow = (
  { status, message, ...rest }: PluginHealth,
  found: PluginInspection | undefined,
): Health => {
  const { problems = [], details = {} } = found ?? {};
  const messages = describe(problems, message);
  return {
    status: problems.reduce(worse, status),
    ...(messages === '' ? {} : { message: messages }),
    ...rest,
    ...details,
  };
};

const describe = (problems: readonly Problem[], message: string | undefined): string => {
  const worstFirst = problems.toSorted((a, b) => rank(b) - rank(a)).map((problem) => problem.message);
  const all = [...(message === undefined ? [] : [message]), ...worstFirst];
  const rest = all.length - MAX_PROBLEMS;
  return [...all.slice(0, MAX_PROBLEMS), ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
};

const rank = ({ status }: Problem): number => (status === 'unhealthy' ? 1 : 0);

const worse = (status: Health['status'], problem: Problem): Health['status'] =>
  status === 'healthy' || problem.status === 'unhealthy' ? problem.status : status;
