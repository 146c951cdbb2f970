import type { Context } from 'aws-lambda';
import type { Clock, Logger } from '../contract/services.ts';
import { createHandler, type Handle } from '../http/create-handler.ts';
import { readPathParameter } from '../http/read-path-parameter.ts';
import { checkHealth, reportNoRegistry } from '../plugins/health.ts';
import type { Registry } from '../plugins/load-registry.ts';
import { describePlugin } from '../plugins/reference/describe-plugin.ts';
import type { ListedPlugins } from '../plugins/summaries.ts';
import { answerJson } from '../shared/answer.ts';
import { AppError } from '../shared/errors.ts';

interface AdminParts {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly loadRegistry: () => Promise<Registry>;
}

/** Time reserved to report after the last health check. */
const HEALTH_MARGIN_MS = 500;

/** A read-only endpoint of the admin API. */
const createAdminFunction = (parts: AdminParts, read: Handle) =>
  createHandler(parts, async (call) => {
    const method = methodOf(call.event);
    if (method !== 'GET' && method !== 'HEAD')
      throw new AppError('METHOD_NOT_ALLOWED', { allow: ['GET', 'HEAD'] });
    return read(call);
  });

/** An endpoint that lists the installed plugins, once all are initialised. */
export const createAdminList = (parts: AdminParts, list: (registry: ListedPlugins, now: number) => unknown) =>
  createAdminFunction(parts, async () => {
    const plugins = await initialisePlugins(parts);
    return answerJson(200, list({ plugins }, parts.clock.now()));
  });

/** `GET /api/admin/plugins/{id}`: all that a plugin declares. */
export const createShowPlugin = (parts: AdminParts) =>
  createAdminFunction(parts, async ({ event }) => {
    const plugins = await initialisePlugins(parts);
    return answerJson(200, describePlugin({ plugins }, readPathParameter(event, 'id')));
  });

const initialisePlugins = async ({ loadRegistry }: AdminParts) => (await loadRegistry()).initialise();

/**
 * The health report: 503 when no plugin works, or the registry can't be built. Checks end before the function's own time
 * is up.
 */
export const createHealthFunction = (parts: AdminParts, deadlineMs: number) =>
  createAdminFunction(parts, async ({ context }) => {
    const { logger, clock } = parts;
    const registry = await parts.loadRegistry().catch((cause: unknown) => {
      logger.error('registry not built', { cause });
      return null;
    });
    await registry?.initialise(); // before the remaining time is read
    const report =
      registry === null
        ? reportNoRegistry(clock.now())
        : await checkHealth(registry, { logger, clock, deadlineMs: computeDeadline(deadlineMs, context) });
    return answerJson(report.status === 'unhealthy' ? 503 : 200, report);
  });

const computeDeadline = (deadlineMs: number, context: Partial<Context>): number => {
  const remainingMs = context.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY;
  return Math.max(0, Math.min(deadlineMs, remainingMs - HEALTH_MARGIN_MS));
};

const methodOf = (event: unknown): unknown =>
  (event as { requestContext?: { http?: { method?: unknown } } } | null)?.requestContext?.http?.method;
