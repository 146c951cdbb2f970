import { type HttpClient, lazy } from '@hookloom/plugin-kit';
import type { OutboundCredentials } from '../credentials/outbound/outbound-credentials.ts';

/** Outbound credentials, loaded on first use: few workflows have any. */
export const lateCredentials = (
  http: HttpClient,
  load: () => Promise<OutboundCredentials>,
): OutboundCredentials => {
  const loadOnce = lazy(load);
  return {
    open: async (reading) => (await loadOnce()).open(reading),
    prefetch: async (ids, maxWaitMs) => {
      if (ids.length > 0) await (await loadOnce()).prefetch(ids, maxWaitMs);
    },
    request: async (request) =>
      request.credential === undefined ? http.request(request) : (await loadOnce()).request(request),
  };
};
