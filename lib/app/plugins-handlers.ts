import type { Clock, Logger } from '@hookloom/plugin-kit';
import { createHandler, type Handle } from '../http/create-handler.ts';
import { readPathParameter } from '../http/read-parameters.ts';
import type { Registry } from '../plugins/load-registry.ts';
import { describePlugin } from '../plugins/reference/describe-plugin.ts';
import type { ListedPlugins } from '../plugins/summaries.ts';
import { answerJson } from '../shared/answer.ts';
import { METHOD_NOT_ALLOWED } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';

export interface AdminParts {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly loadRegistry: () => Promise<Registry>;
}

/** A read-only endpoint of the admin API. */
export const createAdminFunction = (parts: AdminParts, read: Handle) =>
  createHandler(parts, async (call) => {
    const method = methodOf(call.event);
    if (method !== 'GET' && method !== 'HEAD')
      throw new AppError(METHOD_NOT_ALLOWED, { allow: ['GET', 'HEAD'] });
    return read(call);
  });

/** An endpoint that lists the installed plugins after initialising them. */
export const createAdminList = (parts: AdminParts, list: (registry: ListedPlugins, now: number) => unknown) =>
  createAdminFunction(parts, async () => {
    const plugins = await initialisePlugins(parts);
    return answerJson(200, list({ plugins }, parts.clock.now()));
  });

/** `GET /api/admin/plugins/{id}`: everything that a plugin declares. */
export const createShowPlugin = (parts: AdminParts) =>
  createAdminFunction(parts, async ({ event }) => {
    const plugins = await initialisePlugins(parts);
    return answerJson(200, describePlugin({ plugins }, readPathParameter(event, 'id')));
  });

const initialisePlugins = async ({ loadRegistry }: AdminParts) => (await loadRegistry()).initialise();

const methodOf = (event: unknown): unknown =>
  (event as { requestContext?: { http?: { method?: unknown } } } | null)?.requestContext?.http?.method;
