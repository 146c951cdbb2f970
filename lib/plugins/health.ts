import type { Clock, Logger } from '@hookloom/plugin-kit';
import { describeError, noteBlocking, pluginLogger, withinDeadline } from './call-plugin.ts';
import type { Registry } from './load-registry.ts';
import type { Plugin, PluginEntry } from './plugin.ts';

type HealthStatus = 'healthy' | 'warning' | 'unhealthy' | 'disabled';

export interface PluginHealth {
  readonly status: HealthStatus;
  readonly message?: string;
  readonly durationMs: number;
  /** When the plugins were checked; ISO 8601, UTC. */
  readonly checkedAt: string;
}

export interface HealthReport<Health extends PluginHealth = PluginHealth> {
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly plugins: Readonly<Record<string, Health>>;
  readonly summary: Readonly<Record<'total' | HealthStatus, number>>;
  readonly generatedAt: string;
}

interface HealthOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time limit for each plugin, in milliseconds; all are checked concurrently. 2,000 by default. */
  readonly deadlineMs?: number;
  /** Id of the only plugin to check; null for all. */
  readonly plugin?: string | null;
}

export type HealthRow<Health extends PluginHealth = PluginHealth> = readonly [id: string, health: Health];

/** The report of {@link checkPlugins}. */
export const checkHealth = async (registry: Registry, options: HealthOptions): Promise<HealthReport> =>
  toReport(await checkPlugins(registry, options), options.clock.now());

/** Checks every plugin: loaded, initialised, an executor for each node type, and its own health check. */
export const checkPlugins = async (
  registry: Registry,
  { plugin = null, ...options }: HealthOptions,
): Promise<readonly HealthRow[]> => {
  const entries = (await registry.initialise()).filter(({ id }) => (plugin ?? id) === id);
  return Promise.all(
    entries.map(async (entry) => [entry.id, await checkPlugin(entry, registry, options)] as const),
  );
};

/**
 * The report on some plugins.
 * @param rows - none when the registry can't be loaded; the reason is in the log
 * @param now - milliseconds since the epoch
 */
export const toReport = <Health extends PluginHealth>(
  rows: readonly HealthRow<Health>[],
  now: number,
): HealthReport<Health> => {
  const count = (status: HealthStatus) => rows.filter(([, health]) => health.status === status).length;
  const summary = {
    total: rows.length,
    healthy: count('healthy'),
    warning: count('warning'),
    unhealthy: count('unhealthy'),
    disabled: count('disabled'),
  };
  return {
    status: toOverall(summary),
    plugins: Object.fromEntries(rows),
    summary,
    generatedAt: new Date(now).toISOString(),
  };
};

/** Computes the status of the service: unhealthy only if no plugin works. Disabled plugins do not count. */
const toOverall = ({
  total,
  healthy,
  unhealthy,
  disabled,
}: HealthReport['summary']): HealthReport['status'] => {
  const enabled = total - disabled;
  if (unhealthy === enabled) return 'unhealthy';
  return healthy === enabled ? 'healthy' : 'degraded';
};

type Finding = Pick<PluginHealth, 'status' | 'message'>;

const checkPlugin = async (
  entry: PluginEntry,
  registry: Registry,
  { clock, logger, deadlineMs = 2_000 }: HealthOptions,
): Promise<PluginHealth> => {
  const startedAt = clock.now();
  const finding = await catchUnhealthy(async (): Promise<Finding> => {
    if (entry.status === 'disabled') return { status: 'disabled', message: entry.error };
    if (entry.status === 'failed') return { status: 'unhealthy', message: entry.error };
    return withinDeadline(clock, deadlineMs, async (signal) => {
      await checkExecutors(entry.plugin, registry);
      const { healthCheck } = entry.plugin;
      const context = { clock, logger: pluginLogger(logger, entry.id), signal };
      const warnings = [...entry.warnings];
      const own: Finding =
        healthCheck === undefined
          ? { status: 'healthy' }
          : toFinding(await noteBlocking(clock, 'its health check', warnings, () => healthCheck(context)));
      return own.status === 'healthy' && warnings.length > 0
        ? { status: 'warning', message: warnings.join('; ') }
        : own;
    });
  });
  return {
    ...finding,
    durationMs: Math.max(0, clock.now() - startedAt),
    checkedAt: new Date(startedAt).toISOString(),
  };
};

const catchUnhealthy = async (check: () => Promise<Finding>): Promise<Finding> => {
  try {
    return await check();
  } catch (error) {
    return { status: 'unhealthy', message: describeError(error) };
  }
};

const checkExecutors = async ({ nodeTypes }: Plugin, registry: Registry): Promise<void> => {
  for (const { nodeType } of nodeTypes) {
    const executor = await registry.findNodeType(nodeType)?.getExecutor();
    if (typeof executor?.execute !== 'function' || typeof executor.getNodeType !== 'function')
      throw new Error(`the node type "${nodeType}" has no executor`);
    const claimed = executor.getNodeType();
    if (claimed !== nodeType)
      throw new Error(`the executor of "${nodeType}" is for the node type "${claimed}"`);
  }
};

/** Validates the result of a plugin's health check. @throws Error if the result has no valid status */
const toFinding = (result: unknown): Finding => {
  const { status, message } = (result ?? {}) as Record<string, unknown>;
  if (status !== 'healthy' && status !== 'warning' && status !== 'unhealthy') {
    throw new Error('its health check returned an invalid result');
  }
  if (typeof message !== 'string' || message.trim() === '') return { status };
  return { status, message: describeError(message) };
};
