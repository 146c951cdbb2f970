import type { HttpClient, OutboundRequest } from '@hookloom/plugin-kit';
import { type AppError, isAppError } from '../../lib/shared/errors.ts';

/** A GET with room for everything. */
export const anOutboundRequest = (url: string, changes: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'GET',
  url,
  headers: {},
  body: null,
  timeoutMs: 60_000,
  maxRedirects: 5,
  maxResponseBytes: 1_000_000,
  signal: new AbortController().signal,
  ...changes,
});

/** How a request that must not succeed fails; throws what isn't an error of the catalogue. */
export const failureOf = async (
  client: HttpClient,
  url: string,
  changes: Partial<OutboundRequest> = {},
): Promise<AppError> => {
  const outcome: unknown = await client.request(anOutboundRequest(url, changes)).catch((error) => error);
  if (!isAppError(outcome))
    throw new Error(`not a known failure: ${JSON.stringify(outcome)}`, { cause: outcome });
  return outcome;
};
