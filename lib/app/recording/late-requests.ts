import type { RecordRequest } from '../../webhooks/requests/request-outcome.ts';
import type { RequestParts } from './open-requests.chunk.ts';

/** Records requests, by code that is loaded for the first one: accepted ones are seldom recorded. Never throws. */
export const lateRequests = (parts: RequestParts): RecordRequest => {
  let loaded: Promise<RecordRequest> | undefined;
  const load = async (): Promise<RecordRequest> =>
    (await import('./open-requests.chunk.ts')).openRecordRequest(parts);
  return async (outcome) => {
    try {
      loaded ??= load();
      await (await loaded)(outcome);
    } catch (cause) {
      loaded = undefined;
      parts.logger.warn('Requests can not be recorded.', { cause });
    }
  };
};
