import type { Clock } from '@hookloom/plugin-kit';
import { METHOD_NOT_ALLOWED } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import type { Handle } from './create-handler.ts';
import { readWebhookEvent } from './read-webhook-event.ts';

/** Refuses every other method. @throws AppError `METHOD_NOT_ALLOWED` */
export const onlyMethod =
  (method: 'GET' | 'POST', clock: Pick<Clock, 'now'>, handle: Handle): Handle =>
  async (call) => {
    const { method: requested } = readWebhookEvent(call.event, clock.now());
    const allow = method === 'GET' ? ['GET', 'HEAD'] : ['POST'];
    if (!allow.includes(requested)) throw new AppError(METHOD_NOT_ALLOWED, { allow });
    return handle(call);
  };
