import type { Clock, Logger } from './contract/services.ts';
import { AppError } from './errors.ts';
import { type Answer, answerJson } from './http/answer.ts';
import { createHandler } from './http/create-handler.ts';
import type { Registry } from './plugins/load-registry.ts';

export interface AdminParts {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly loadRegistry: () => Promise<Registry>;
}

/** One endpoint of the admin API: GET, an answer made from the registry, nothing to change. */
export const createAdminFunction = (
  parts: AdminParts,
  read: (registry: Registry, parts: AdminParts) => Answer | Promise<Answer>,
) =>
  createHandler(parts, async (event) => {
    const method = methodOf(event);
    if (method !== 'GET' && method !== 'HEAD') throw new AppError('METHOD_NOT_ALLOWED', { allow: ['GET'] });
    return read(await parts.loadRegistry(), parts);
  });

/** An endpoint whose answer is always 200. */
export const createAdminList = (parts: AdminParts, list: (registry: Registry, now: number) => unknown) =>
  createAdminFunction(parts, (registry, { clock }) => answerJson(200, list(registry, clock.now())));

const methodOf = (event: unknown): unknown =>
  (event as { requestContext?: { http?: { method?: unknown } } } | null)?.requestContext?.http?.method;
