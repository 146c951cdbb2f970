import { lazy } from '@hookloom/plugin-kit';
import type { RecordRequest } from '../../webhooks/requests/request-outcome.ts';
import type { RequestParts } from './open-requests.chunk.ts';

/** Records requests, loaded for the first one: accepted requests are seldom recorded. Never throws. */
export const lateRequests = (parts: RequestParts): RecordRequest => {
  const load = lazy(async () => (await import('./open-requests.chunk.ts')).openRecordRequest(parts));
  return async (outcome) => {
    try {
      await (await load())(outcome);
    } catch (cause) {
      parts.logger.warn('Requests cannot be recorded.', { cause });
    }
  };
};
