import { isPlainObject, type JsonObject } from '../../contract/json.ts';
import type { SharedServices } from '../../engine/session.ts';

/** The header of a call of an execution to its own service: how many executions in a row have called it. */
export const DEPTH_HEADER = 'hookloom-depth';

/** Reads {@link DEPTH_HEADER}; 0 for a request from elsewhere. */
export const readDepth = (headers: Readonly<Record<string, unknown>>): number => {
  const value = String(headers[DEPTH_HEADER] ?? '');
  return /^\d{1,3}$/.test(value) ? Number(value) : 0;
};

/**
 * Says with every request of an execution which calls are to its own service, and how deep they are, so that a workflow that
 * calls itself ends. Both are in the request that has started it, which replays, retries and background runs have as well.
 *
 * @param input - of the trigger
 */
export const identifyCalls = (services: SharedServices, input: JsonObject): SharedServices => {
  const headers = isPlainObject(input.headers) ? input.headers : {};
  const caller = { host: String(headers.host ?? ''), depth: readDepth(headers) + 1 };
  return { ...services, http: { request: (request) => services.http.request({ ...request, caller }) } };
};
